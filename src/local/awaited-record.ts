import type { Recorded } from "./recorded.ts";

/** Reads the folders of a tree beside this thread, once. */
export type Records = {
  /** What was read, when all is; null: it came to no end. */
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

  constructor(records: Records | null) {
    this.#records = records;
  }

  async wait(): Promise<void> {
    const recorded = (await this.#records?.take()) ?? null;
    if (this.#records !== null) this.#recorded = recorded;
  }

  /** @returns null where the walk is to read all by itself */
  take(): Recorded | null {
    const recorded = this.#recorded;
    this.forget();
    return recorded;
  }

  forget(): void {
    this.#records = null;
    this.#recorded = null;
  }
}
