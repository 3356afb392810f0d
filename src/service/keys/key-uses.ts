import type { KeyRow } from "../store/rows.ts";
import type { Store } from "../store/store.ts";

/**
 * Keeps the time of each key's last use in memory, and saves all these times together from time to
 * time. Saving the time of each request would take longer than the request.
 */
export class KeyUses {
  #unsaved = new Map<number, number>();

  /** @param usedAt milliseconds since the epoch */
  note(key: number, usedAt: number): void {
    this.#unsaved.set(key, usedAt);
  }

  /** Returns the last use of a key in milliseconds since the epoch; null for never. */
  lastOf({ seq, lastUsedAt }: KeyRow): number | null {
    return this.#unsaved.get(seq) ?? lastUsedAt;
  }

  /** @throws if the disk is full; the next call then saves the unsaved times */
  async save(store: Pick<Store, "write">): Promise<void> {
    const unsavedUses = this.#unsaved;
    if (unsavedUses.size === 0) return;
    const savedUses = new Map(unsavedUses);
    await store.write((tables) => tables.keys.saveUses(savedUses));
    for (const [key, usedAt] of savedUses) if (unsavedUses.get(key) === usedAt) unsavedUses.delete(key);
  }
}
