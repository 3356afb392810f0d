import type { Records } from "../../../src/local/awaited-record.ts";
import { recordTree } from "../../../src/local/record.ts";
import { Recorded } from "../../../src/local/recorded.ts";
import { RootGuard } from "../../../src/local/root-guard.ts";
import { diskTime } from "../../../src/local/walk.ts";
import type { Fs } from "../../../src/ports/fs.ts";
import type { Random } from "../../../src/ports/world.ts";

/**
 * Stands for the thread that reads a folder while the state is opened: all at once, by calls that
 * people act between, and the look comes later.
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
    const recorded = new CountedRecord(diskTime(new RootGuard(this.#fs, this.#root, this.#random)));
    const guard = new RootGuard(this.#fs, this.#root, this.#random);
    guard.identify();
    recordTree(guard, { ignore: [], gitignore: false }, (portion) => recorded.add(portion));
    this.#recorded = recorded;
  }

  take(): Promise<Recorded | null> {
    return Promise.resolve(this.#recorded);
  }

  /** How many folders a walk has taken from what was read. */
  get taken(): number {
    return this.#recorded?.taken ?? 0;
  }
}

class CountedRecord extends Recorded {
  taken = 0;

  override take(...asked: Parameters<Recorded["take"]>): ReturnType<Recorded["take"]> {
    const folder = super.take(...asked);
    if (folder !== null) this.taken++;
    return folder;
  }
}
