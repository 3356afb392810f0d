import { once } from "./once.ts";

/**
 * How many values on either side of the last one found are compared first: a clone has so many
 * documents under way, which end in another order.
 */
const NEAR = 128;
/** After this many keys that were not near, comparing neighbours is given up. */
const PATIENCE = 256;

/**
 * Finds the positions of values in a list by their keys, when keys are mostly asked for in the
 * order of the list: it compares the next few. The first key that is not near makes it build a map,
 * which for 100,000 keys takes longer than comparing.
 * @param keyOf a value's own key, which no other value of the list has
 * @returns -1 where no value has the key
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
    for (let apart = 0; apart < NEAR; apart++) {
      const after = next + apart;
      if (after < list.length && keyOf(list[after]!) === key) return after;
      const before = next - 1 - apart;
      if (before >= 0 && keyOf(list[before]!) === key) return before;
    }
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
