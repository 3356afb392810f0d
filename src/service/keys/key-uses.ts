import type { KeyRow } from "../store/rows.ts";
import type { Store } from "../store/store.ts";

/**
 * Remembers the last use of each key in memory until the uses are saved together, because a write
 * takes longer than a request.
 */
export class KeyUses {
  #unsaved = new Map<number, number>();

  /**
   * Records a use of a key.
   * @param at milliseconds since the epoch
   */
  note(key: number, at: number): void {
    this.#unsaved.set(key, at);
  }

  /** Returns the last use of a key in milliseconds since the epoch; null for never. */
  lastOf({ seq, lastUsedAt }: KeyRow): number | null {
    return this.#unsaved.get(seq) ?? lastUsedAt;
  }

  /**
   * Saves the time of each key's last use.
   * @throws if the disk is full: the next call then saves the times
   */
  async save(store: Pick<Store, "write">): Promise<void> {
    const uses = this.#unsaved;
    if (uses.size === 0) return;
    const saved = new Map(uses);
    await store.write((tables) => tables.keys.saveUses(saved));
    for (const [key, at] of saved) if (uses.get(key) === at) uses.delete(key);
  }
}
