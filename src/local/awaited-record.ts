import type { Recorded } from "./recorded.ts";

/** Reads the folders of a tree beside this thread, once. */
export type Records = {
  /** What is read, as soon as the first of it is; null: nothing could be. */
  take(): Promise<Recorded | null>;
};

/**
 * Folders that are read in advance, for one walk. An effect on the tree ends that: what was read
 * before it tells nothing of what it did.
 */
export class AwaitedRecord {
  /** null: nothing is read in advance, any more. */
  #records: Records | null;
  #recorded: Recorded | null = null;
  /** What the walk under way has. */
  #inUse: Recorded | null = null;

  constructor(records: Records | null) {
    this.#records = records;
  }

  /** Before a walk for the first of it, and at each pause for the folder that comes next. */
  async wait(): Promise<void> {
    await this.#inUse?.wanted();
    const recorded = (await this.#records?.take()) ?? null;
    if (this.#records !== null) this.#recorded = recorded;
  }

  /**
   * For a walk that pauses where it comes to a folder that is still to be read.
   * @returns null where it is to read all by itself
   */
  take(): Recorded | null {
    const recorded = this.#recorded;
    this.forget();
    this.#inUse = recorded;
    return recorded;
  }

  /** For a walk that does not pause. */
  forgetUnlessWhole(): void {
    if (this.#recorded?.isWhole() !== true) this.forget();
  }

  forget(): void {
    this.#records = null;
    this.#recorded = null;
    this.#inUse = null;
  }
}
