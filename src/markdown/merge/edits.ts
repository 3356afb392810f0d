import type { Edit } from "./myers.ts";

/**
 * For each element of the first sequence the index of its equal in the second; -1 where an edit
 * took it away.
 */
export function counterparts(length: number, edits: readonly Edit[]): Int32Array {
  const found = new Int32Array(length).fill(-1);
  let shift = 0;
  let at = 0;
  for (let next = 0; next < edits.length; next++) {
    const edit = edits[next] as Edit;
    for (; at < edit.start; at++) found[at] = at + shift;
    at = edit.end;
    shift = edit.to - edit.end;
  }
  for (; at < length; at++) found[at] = at + shift;
  return found;
}

/** An edit the other way round. */
export function reverse({ start, end, from, to }: Edit): Edit {
  return { start: from, end: to, from: start, to: end };
}

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
