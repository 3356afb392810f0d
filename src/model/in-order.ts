import { once } from "./once.ts";

/** So many are looked at on either side of where the last one was found. */
const NEAR = 16;
/** So many that are not near, and it is looked no more. */
const PATIENCE = 256;

/**
 * Finds the numbers of a list's values by their keys, which are asked for mostly in the order of
 * the list: by a look at the next few. A map, whose making and each look into it take more than
 * that of 100,000 keys, is made for the first one that is not near.
 * @param keyOf a value's own key, which no other value of the list has
 * @returns -1 for a key of no value
 */
export function findInOrder<V>(list: readonly V[], keyOf: (value: V) => string): (key: string) => number {
  let next = 0;
  let missed = 0;
  const numbers = once(() => {
    const made = new Map<string, number>();
    for (let at = 0; at < list.length; at++) made.set(keyOf(list[at]!), at);
    return made;
  });

  function findNear(key: string): number {
    const end = Math.min(next + NEAR, list.length);
    for (let at = next; at < end; at++) if (keyOf(list[at]!) === key) return at;
    const begin = Math.max(next - NEAR, 0);
    for (let at = next - 1; at >= begin; at--) if (keyOf(list[at]!) === key) return at;
    return -1;
  }

  return (key) => {
    let at = missed < PATIENCE ? findNear(key) : -1;
    if (at === -1) {
      missed++;
      at = numbers().get(key) ?? -1;
    }
    if (at !== -1) next = at + 1;
    return at;
  };
}
