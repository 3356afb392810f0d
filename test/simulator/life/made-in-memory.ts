import type { DocId } from "../../../src/contract/ids.ts";
import type { MadeEntry, MadeList } from "../../../src/ports/disk.ts";

/** What is written down of new files; all of it survives, though a power cut may take the files. */
export class MadeInMemory implements MadeList {
  readonly #entries = new Map<DocId, MadeEntry>();

  add(entries: readonly MadeEntry[]): void {
    for (const entry of entries) this.#entries.set(entry.id, entry);
  }

  read(): readonly MadeEntry[] {
    return [...this.#entries.values()];
  }

  isTorn(): boolean {
    return false;
  }

  drop(): void {
    this.#entries.clear();
  }
}
