import type { Records } from "../../../src/local/awaited-record.ts";
import { recordTree } from "../../../src/local/record.ts";
import { type Portion, PortionWriter, Recorded } from "../../../src/local/recorded.ts";
import { RootGuard } from "../../../src/local/root-guard.ts";
import { diskTime } from "../../../src/local/walk.ts";
import type { Fs } from "../../../src/ports/fs.ts";
import type { Random } from "../../../src/ports/world.ts";

/**
 * Stands for the thread that reads a folder while the state is opened: half of it at once, by calls
 * that people act between, and the rest folder by folder as the look comes to it.
 */
export class EarlyRecord implements Records {
  readonly #fs: Fs;
  readonly #root: string;
  readonly #random: Random;
  #recorded: CountedRecord | null = null;

  constructor(fs: Fs, root: string, random: Random) {
    this.#fs = fs;
    this.#root = root;
    this.#random = random;
  }

  begin(): void {
    // As in the process: the disk's time is asked by a guard of its own, and so is the folder.
    const now = diskTime(new RootGuard(this.#fs, this.#root, this.#random));
    const guard = new RootGuard(this.#fs, this.#root, this.#random);
    guard.identify();
    const read = recordTree(guard, { ignore: [], gitignore: false }, new PortionWriter(AT_ONCE));
    this.#recorded = new CountedRecord(now, read);
  }

  take(): Promise<Recorded | null> {
    return Promise.resolve(this.#recorded);
  }

  /** How many folders a walk has taken from what was read. */
  get taken(): number {
    return this.#recorded?.taken ?? 0;
  }
}

/** How many numbers of entries are read before the look begins, and at each of its pauses. */
const AT_ONCE = 60;

class CountedRecord extends Recorded {
  taken = 0;
  readonly #read: Generator<Portion, void>;

  constructor(diskNow: number | null, read: Generator<Portion, void>) {
    super(diskNow);
    this.begin();
    this.#read = read;
    this.#readOn();
  }

  override wanted(): Promise<void> {
    while (this.isWanting()) this.#readOn();
    return Promise.resolve();
  }

  #readOn(): void {
    const portion = this.#read.next();
    if (portion.done === true) this.end();
    else this.add(portion.value);
  }

  override take(...asked: Parameters<Recorded["take"]>): ReturnType<Recorded["take"]> {
    const folder = super.take(...asked);
    if (folder !== null) this.taken++;
    return folder;
  }
}
