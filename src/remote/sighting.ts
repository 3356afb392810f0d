import { once } from "../model/once.ts";
import type { Held, Same } from "../ports/remote.ts";

/**
 * What a traversal of a list has shown, by id: as an item, or as just what the caller holds, by
 * what was seen of it last.
 */
export type Sighting<Item> = {
  /** @param at its number where the caller holds this id, else -1 */
  noteItem(item: Item, at: number): void;
  noteSame(at: number): void;
  /** What another traversal saw later. */
  add(later: Sighting<Item>): void;
  count(): number;
  items(): Iterable<Item>;
  /** Numbers. */
  marked(): Iterable<number>;
  same(): Same;
};

/**
 * Of what is held no id is kept, but a mark each: a set of 100,000 ids takes as long as reading
 * them.
 */
export function createSighting<Item extends { readonly id: string }>(held: Held | undefined): Sighting<Item> {
  const items = new Map<string, Item>();
  const marks = new Uint8Array(held?.count ?? 0);
  let count = 0;

  function* marked(): Iterable<number> {
    for (let at = 0; at < marks.length; at++) if (marks[at] === 1) yield at;
  }

  const sighting: Sighting<Item> = {
    noteItem(item, at) {
      items.set(item.id, item);
      if (at === -1 || marks[at] === 0) return;
      marks[at] = 0;
      count--;
    },
    noteSame(at) {
      if (marks[at] === 1) return;
      marks[at] = 1;
      count++;
      if (items.size > 0) items.delete(held!.idAt(at));
    },
    add(later) {
      for (const item of later.items()) sighting.noteItem(item, held?.find(item.id, null) ?? -1);
      for (const at of later.marked()) sighting.noteSame(at);
    },
    count: () => items.size + count,
    items: () => items.values(),
    marked,
    same: () => ({ size: count, keys: once(() => new Set(Array.from(marked(), (at) => held!.idAt(at)))) }),
  };
  return sighting;
}
