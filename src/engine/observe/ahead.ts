import { type DocId, isDocId } from "../../contract/ids.ts";
import type { FileWithContent } from "../../contract/resources.ts";
import type { RemotePath } from "../../model/path.ts";
import type { Answer, Held } from "../../ports/remote.ts";
import type { LocalTree } from "../../model/tree.ts";
import { seenThere } from "../apply/text-name.ts";
import { fromService, type World } from "../run/world.ts";

/** LIMIT: texts that wait for the plan. */
const MOST = 256;
/** Less than the client sends at once: the pages of the listing need places too. */
const AT_ONCE = 24;

/**
 * Texts of a clone that are asked for while the rest of the listing is on its way and the plan is
 * made: on a far wire that is a second in which nothing else would be sent. Only read: what is done
 * with them is for the plan to say, and what it has no use for is kept all the same (I03).
 */
export class ReadAhead implements Held {
  /** It holds nothing: each document that a listing shows is new. */
  readonly count = 0;
  readonly #world: World;
  readonly #noted: DocId[] = [];
  readonly #asked = new Map<DocId, Promise<Answer<FileWithContent>>>();
  readonly #paths = new Map<DocId, RemotePath>();
  #walked: LocalTree | null = null;
  #running = 0;
  #ended = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** Nothing is asked for before the walk is made: what stands here already need not come. */
  begin(walked: LocalTree): void {
    this.#walked = walked;
  }

  /** Told of each document as the listing shows it: what the service answered, unread. */
  find(id: unknown, path: unknown): number {
    if (typeof path === "string") this.note(id, path.startsWith("/") ? path.slice(1) : path);
    return -1;
  }

  shows(): boolean {
    return false;
  }

  idAt(): string {
    return "";
  }

  /** @param path as the service has it, without a leading slash */
  note(id: unknown, path: RemotePath): void {
    // A list that is read while others write, or from its start again, shows a document twice.
    if (this.#ended || this.#noted.length >= MOST || !isDocId(id) || this.#paths.has(id)) return;
    if (!isWanted(this.#world, this.#walked, path)) return;
    this.#noted.push(id);
    this.#paths.set(id, fromService(this.#world, path) ?? path);
    this.#askMore();
  }

  /**
   * What was asked for of a document, once; null: nothing was. From the first time on nothing more
   * is asked for.
   */
  take(id: DocId): Promise<Answer<FileWithContent>> | null {
    this.#ended = true;
    const answer = this.#asked.get(id) ?? null;
    this.#asked.delete(id);
    return answer;
  }

  /** Ends the asking, and keeps what nobody took. */
  async end(): Promise<void> {
    this.#ended = true;
    for (const [id, asking] of this.#asked) {
      const answer = await asking;
      if (!answer.ok || !answer.value.content.isWellFormed()) continue;
      const name = seenThere(this.#paths.get(id) ?? "", id, "read ahead of the first sync");
      this.#world.state.putText(answer.value.content, name);
    }
    this.#asked.clear();
  }

  #askMore(): void {
    while (!this.#ended && this.#running < AT_ONCE && this.#asked.size < this.#noted.length)
      this.#ask(this.#noted[this.#asked.size]!);
  }

  #ask(id: DocId): void {
    this.#running++;
    const answer = this.#world.remote.getFile(id);
    this.#asked.set(id, answer);
    // What broke it is thrown to whoever takes it, or to `end`.
    answer.then(
      () => this.#answered(),
      () => this.#answered(),
    );
  }

  #answered(): void {
    this.#running--;
    this.#askMore();
  }
}

/** A document that stands here already meets it, and what is ignored stays there. */
function isWanted(world: World, local: LocalTree | null, wirePath: RemotePath): boolean {
  const path = fromService(world, wirePath);
  if (local === null || path === null || path === "") return false;
  return !local.files.has(path) && !local.unseen.has("") && !local.ignores(path, "file");
}
