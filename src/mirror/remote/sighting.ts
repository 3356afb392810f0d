import { once } from "../../common/once.ts";
import type { Held, Same } from "../ports/remote.ts";

/**
 * What a traversal of a list has shown, by id: an item, or a mark that it is just what the caller
 * holds; the later one counts. An item that the caller holds costs one mark by its number and no
 * id: a set of 100,000 ids would take as long as reading them.
 */
export class Sighting<Item extends { readonly id: string }> {
  readonly #held: Held | undefined;
  readonly #items = new Map<string, Item>();
  readonly #marks: Uint8Array;
  #marked = 0;

  constructor(held: Held | undefined) {
    this.#held = held;
    this.#marks = new Uint8Array(held?.count ?? 0);
  }

  /** @param at its number where the caller holds this id; else -1 */
  noteItem(item: Item, at: number): void {
    this.#items.set(item.id, item);
    if (at === -1 || this.#marks[at] === 0) return;
    this.#marks[at] = 0;
    this.#marked--;
  }

  /** @param at the number of an item that the caller holds just as it is listed */
  noteSame(at: number): void {
    if (this.#marks[at] === 1) return;
    this.#marks[at] = 1;
    this.#marked++;
    if (this.#items.size > 0) this.#items.delete(this.#held!.idAt(at));
  }

  /** Adds what a later traversal saw. */
  add(later: Sighting<Item>): void {
    for (const item of later.#items.values()) this.noteItem(item, this.#held?.find(item.id, null) ?? -1);
    for (const at of later.#markedNumbers()) this.noteSame(at);
  }

  count(): number {
    return this.#items.size + this.#marked;
  }

  items(): Iterable<Item> {
    return this.#items.values();
  }

  same(): Same {
    const idsOf = () => new Set(Array.from(this.#markedNumbers(), (at) => this.#held!.idAt(at)));
    return { size: this.#marked, keys: once(idsOf) };
  }

  *#markedNumbers(): Iterable<number> {
    for (let at = 0; at < this.#marks.length; at++) if (this.#marks[at] === 1) yield at;
  }
}
