import type { KeyRow } from "../store/rows.ts";
import type { Store } from "../store/store.ts";

/**
 * When each key was last used, as far as that is not saved yet: a write would cost more than a
 * request.
 */
export class KeyUses {
  #unsaved = new Map<number, number>();

  /** @param at milliseconds since the epoch */
  note(key: number, at: number): void {
    this.#unsaved.set(key, at);
  }

  /** @returns milliseconds since the epoch; null: never */
  lastOf({ seq, lastUsedAt }: KeyRow): number | null {
    return this.#unsaved.get(seq) ?? lastUsedAt;
  }

  /** @throws when the disk is full: they stay, and are saved another time */
  async save(store: Pick<Store, "writeUnsynced">): Promise<void> {
    const uses = this.#unsaved;
    if (uses.size === 0) return;
    const saved = new Map(uses);
    await store.writeUnsynced((tables) => tables.keys.saveUses(saved));
    for (const [key, at] of saved) if (uses.get(key) === at) uses.delete(key);
  }
}
