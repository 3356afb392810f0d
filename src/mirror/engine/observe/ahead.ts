import type { DocId } from "../../../contract/ids.ts";
import type { FileWithContent } from "../../../contract/resources.ts";
import type { RemotePath } from "../../../contract/path.ts";
import type { Answer, OnListed } from "../../ports/remote.ts";
import type { LocalTree } from "../../model/tree.ts";
import { seenThere } from "../apply/text-name.ts";
import { fromService, type World } from "../run/world.ts";

/** LIMIT: how many texts wait for the plan. */
const MOST = 256;
/**
 * How many are requested at once: fewer than the client allows, because the pages of the listing
 * need places too.
 */
const AT_ONCE = 24;

/**
 * Reads texts of a clone while the rest of the listing is on its way and the plan is made: over a
 * slow wire, nothing else would be sent in that second. The plan decides what becomes of each text;
 * one that it does not use is stored all the same (I03).
 */
export class ReadAhead {
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

  /** Starts once the walk is made: documents whose files are here already need not be read. */
  begin(walked: LocalTree): void {
    this.#walked = walked;
  }

  readonly onListed: OnListed = (file) => {
    const { id, path } = file;
    // A list may show a document twice, when others write meanwhile or it is read from its start
    // again.
    if (this.#ended || this.#noted.length >= MOST || this.#paths.has(id)) return file;
    if (!isWanted(this.#world, this.#walked, path)) return file;
    this.#noted.push(id);
    this.#paths.set(id, fromService(this.#world, path) ?? path);
    this.#askMore();
    return file;
  };

  /**
   * The read of a document, handed out once; null: it was not read ahead. From the first call on
   * nothing more is read ahead.
   */
  take(id: DocId): Promise<Answer<FileWithContent>> | null {
    this.#ended = true;
    const answer = this.#asked.get(id) ?? null;
    this.#asked.delete(id);
    return answer;
  }

  /** Stops reading ahead, and stores the texts that nobody took. */
  async end(): Promise<void> {
    this.#ended = true;
    for (const [id, asking] of this.#asked) {
      const answer = await asking;
      if (!answer.ok) continue;
      const text = answer.value.content;
      if (!text.isWellFormed()) continue;
      this.#world.state.putText(text, seenThere(this.#paths.get(id) ?? "", id, "read ahead of the first sync"));
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
    // An exception is thrown to whoever takes this read, or by `end`.
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

/**
 * Whether to read a document ahead: not when a file is here already, and not when it is ignored.
 */
function isWanted(world: World, local: LocalTree | null, wirePath: RemotePath): boolean {
  const path = fromService(world, wirePath);
  if (local === null || path === null || path === "") return false;
  return !local.files.has(path) && !local.unseen.has("") && !local.ignores(path, "file");
}
