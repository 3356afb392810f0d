import type { MadeEntry, MadeList } from "../../../src/ports/disk.ts";

/** What is written down of new files; all of it survives, though a power cut may take the files. */
export class MadeInMemory implements MadeList {
  #entries: MadeEntry[] = [];

  add(entries: readonly MadeEntry[]): void {
    this.#entries.push(...entries);
  }

  read(): readonly MadeEntry[] {
    return this.#entries;
  }

  isTorn(): boolean {
    return false;
  }

  drop(): void {
    this.#entries = [];
  }
}
