import type { DiskFolding } from "../../model/path.ts";
import { digestOf } from "../../model/digest.ts";
import type { Made, MadeEntry, NewFile } from "../../ports/disk.ts";
import { type Burst, burstOf, endsOf, type MakesAside, unknownEnd } from "../../local/land.ts";
import type { Root } from "../../local/root-guard.ts";
import type { AsideThread } from "./aside-thread.ts";
import { LentTexts } from "./lent-texts.ts";
import { givenText, SharedTexts, zippedOf } from "./shared-texts.ts";

/**
 * From how many new files on a thread is worth it: it takes 50 ms of processor time and some
 * megabytes.
 */
const WORTH_IT = 256;

/** The rows of fewer follow at once, and their note would cost as much as their files. */
const WORTH_NOTING = 8;

type Note = (entries: readonly MadeEntry[]) => void;

function entryOf({ path, text, of }: NewFile): MadeEntry[] {
  return of === undefined || typeof text !== "string" || !text.isWellFormed()
    ? []
    : [{ ...of, path, digest: digestOf(text), inode: null }];
}

/**
 * Makes new files in a thread, and packs their texts there for the store. The system's `open` of a
 * new file takes 50 µs and more, packing as much: together more than all that the main thread has
 * to do for a document of a clone. A text is handed over once for both, in shared memory; so main
 * keeps no string of it, and V8 no garbage.
 */
export class MakeAside implements MakesAside {
  readonly #thread: AsideThread;
  readonly #note: Note;
  readonly #worthIt: number;
  readonly #texts = new SharedTexts();
  readonly #lending = new LentTexts();
  #count = 0;

  /**
   * @param note writes down what is about to be made here, as the thread does
   * @param worthIt how many files must have been made before a thread is
   */
  constructor(thread: AsideThread, note: Note, worthIt = WORTH_IT) {
    this.#thread = thread;
    this.#note = note;
    this.#worthIt = worthIt;
  }

  isReady(): boolean {
    return this.#count >= this.#worthIt && !this.#thread.hasEnded;
  }

  begin(): void {
    this.#count = Math.max(this.#count, this.#worthIt);
    this.#thread.begin();
  }

  /** Of a thread that ended, what became of the files is not known: they are stale. */
  create(root: Root | null, folding: DiskFolding, files: readonly NewFile[]): Promise<Made> | null {
    this.#count += files.length;
    if (root === null || this.#thread.hasEnded || this.#count < this.#worthIt) {
      if (files.length >= WORTH_NOTING) this.#note(files.flatMap(entryOf));
      return null;
    }
    const burst = burstOf(root, folding, files);
    if (burst === null) return null;
    return this.#make(burst, this.#texts.put(files, burst.ends), zippedOf(files));
  }

  /** Without the files: while the thread makes them, nobody here holds their texts. */
  async #make(burst: Burst, memory: SharedArrayBuffer, zipped: readonly number[] | null): Promise<Made> {
    const { ends } = burst;
    const answer = await this.#thread.ask(memory, ends, burst, zipped);
    if (answer === null || answer.landed === null)
      return ends.map((_, n) => ({ end: unknownEnd(), text: givenText(memory, ends, n, zipped), digest: null }));
    const { landed, packed, digests } = answer;
    const { texts, lent } = this.#lending.copy(memory, ends, packed);
    const made = endsOf(landed).map((end, n) => ({ end, text: texts[n]!, digest: digests?.[n] ?? null, lent }));
    this.#texts.giveBack(memory);
    return made;
  }
}
