import { once } from "../../common/once.ts";

/** Keys that are collected only when somebody asks for one of them. */
export type Borrowed<K> = { readonly size: number; readonly keys: () => ReadonlySet<K> };

/**
 * A map that makes most of its values on demand, from objects that somebody else holds anyway. Of
 * 100,000 documents that neither side has changed, it keeps only the number until one is asked for.
 */
export class BorrowedMap<K, V> implements ReadonlyMap<K, V> {
  /** The object that the borrowed values are made from; compared by identity. */
  readonly lender: object;
  /** The values that are not borrowed. */
  readonly own: ReadonlyMap<K, V>;
  readonly #borrowed: Borrowed<K>;
  readonly #lend: (key: K) => V;

  /** @param own has none of the borrowed keys */
  constructor(lender: object, borrowed: Borrowed<K>, lend: (key: K) => V, own: ReadonlyMap<K, V>) {
    this.lender = lender;
    this.own = own;
    this.#borrowed = borrowed;
    this.#lend = lend;
  }

  get size(): number {
    return this.#borrowed.size + this.own.size;
  }

  has(key: K): boolean {
    return this.#borrowed.keys().has(key) || this.own.has(key);
  }

  get(key: K): V | undefined {
    return this.#borrowed.keys().has(key) ? this.#lend(key) : this.own.get(key);
  }

  *keys(): MapIterator<K> {
    yield* this.#borrowed.keys();
    yield* this.own.keys();
  }

  *values(): MapIterator<V> {
    for (const key of this.#borrowed.keys()) yield this.#lend(key);
    yield* this.own.values();
  }

  *entries(): MapIterator<[K, V]> {
    for (const key of this.#borrowed.keys()) yield [key, this.#lend(key)];
    yield* this.own.entries();
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  forEach(act: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this.entries()) act(value, key, this);
  }

  /** The same map with other values for some keys, which are its own then. */
  with(changed: ReadonlyMap<K, V>): BorrowedMap<K, V> {
    const own = new Map([...this.own, ...changed]);
    const keys = this.#borrowed.keys();
    const lent = [...changed.keys()].filter((key) => keys.has(key));
    if (lent.length === 0) return new BorrowedMap(this.lender, this.#borrowed, this.#lend, own);
    const rest = new Set(keys);
    for (const key of lent) rest.delete(key);
    return new BorrowedMap(this.lender, { size: rest.size, keys: () => rest }, this.#lend, own);
  }

  /** The same map, marked as borrowed from `lender`. */
  lentBy(lender: object): BorrowedMap<K, V> {
    return new BorrowedMap(lender, this.#borrowed, this.#lend, this.own);
  }
}

/** Joins lists in which no key occurs twice. */
export function borrow<K>(lists: readonly (readonly K[])[]): Borrowed<K> {
  return {
    size: lists.reduce((sum, { length }) => sum + length, 0),
    keys: once(() => {
      const keys = new Set<K>();
      for (const list of lists) for (const key of list) keys.add(key);
      return keys;
    }),
  };
}

/** A map with other values for some keys. */
export function withValues<K, V>(map: ReadonlyMap<K, V>, changed: ReadonlyMap<K, V>): ReadonlyMap<K, V> {
  if (changed.size === 0) return map;
  return map instanceof BorrowedMap ? map.with(changed) : new Map([...map, ...changed]);
}

/** The values of a map that are not known to be borrowed from `lender`. */
export function ownOf<K, V>(map: ReadonlyMap<K, V>, lender: object): ReadonlyMap<K, V> {
  return map instanceof BorrowedMap && map.lender === lender ? map.own : map;
}
