import type { Edit } from "./myers.ts";

/**
 * The edits of an ordered script that come up to the first sequence's elements [from, to), or to
 * the gap where that is empty.
 */
export function touching(edits: readonly Edit[], from: number, to: number): readonly Edit[] {
  const first = firstWhere(edits, (edit) => edit.end >= from);
  let last = first;
  while (last < edits.length && (edits[last] as Edit).start <= to) last++;
  return first === 0 && last === edits.length ? edits : edits.slice(first, last);
}

/** The index of the first edit that passes a test which all edits after it pass too. */
export function firstWhere(edits: readonly Edit[], test: (edit: Edit) => boolean): number {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(edits[middle] as Edit)) high = middle;
    else low = middle + 1;
  }
  return low;
}
