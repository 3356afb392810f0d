import { type DocId, isDocId } from "../../contract/ids.ts";
import type { FileWithContent } from "../../contract/resources.ts";
import type { RemotePath } from "../../model/path.ts";
import type { Answer } from "../../ports/remote.ts";
import type { LocalTree } from "../../model/tree.ts";
import { seenThere } from "../apply/text-name.ts";
import { fromService, type World } from "../run/world.ts";

/**
 * Texts of a clone that are asked for while the rest of the listing is on its way and the plan is
 * made: on a far wire that is a second in which nothing else would be sent. Only read: what is done
 * with them is for the plan to say, and what it has no use for is kept all the same (I03).
 */
export type Ahead = {
  /** Told of each document as the listing shows it; `path` as the service has it. */
  note(id: unknown, path: RemotePath): void;
  /**
   * What was asked for of a document, once; null: nothing was. From the first time on nothing more
   * is asked for.
   */
  take(id: DocId): Promise<Answer<FileWithContent>> | null;
  /** Ends the asking, and keeps what nobody took. */
  end(): Promise<void>;
};

/** LIMIT: texts that wait for the plan. */
const MOST = 256;
/** Less than the client sends at once: the pages of the listing need places too. */
const AT_ONCE = 24;

/** @param local the walk; null while it is not made */
export function readAhead(world: World, local: () => LocalTree | null): Ahead {
  const noted: DocId[] = [];
  const asked = new Map<DocId, Promise<Answer<FileWithContent>>>();
  const paths = new Map<DocId, RemotePath>();
  let running = 0;
  let ended = false;

  function ask(id: DocId): void {
    running++;
    const answer = world.remote.getFile(id);
    asked.set(id, answer);
    const next = () => {
      running--;
      askMore();
    };
    // What broke it is thrown to whoever takes it, or to `end`.
    answer.then(next, next);
  }

  function askMore(): void {
    while (!ended && running < AT_ONCE && asked.size < noted.length) ask(noted[asked.size]!);
  }

  return {
    note(id, path) {
      if (ended || noted.length >= MOST || !isDocId(id) || !isWanted(world, local(), path)) return;
      noted.push(id);
      paths.set(id, fromService(world, path) ?? path);
      askMore();
    },
    take(id) {
      ended = true;
      const answer = asked.get(id) ?? null;
      asked.delete(id);
      return answer;
    },
    async end() {
      ended = true;
      for (const [id, asking] of asked) {
        const answer = await asking;
        if (answer.ok && answer.value.content.isWellFormed())
          world.state.putText(answer.value.content, seenThere(paths.get(id) ?? "", id, "read ahead of the first sync"));
      }
      asked.clear();
    },
  };
}

/** A document that stands here already meets it, and what is ignored stays there. */
function isWanted(world: World, local: LocalTree | null, wirePath: RemotePath): boolean {
  const path = fromService(world, wirePath);
  if (local === null || path === null || path === "") return false;
  return !local.files.has(path) && !local.unseen.has("") && !local.ignores(path, "file");
}
