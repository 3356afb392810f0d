import type { Edit } from "./myers.ts";

/**
 * Returns, for each element of the first sequence, the index of its equal in the second; -1 where
 * an edit removed it.
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

/** Returns the edit that undoes an edit. */
export function reverse({ start, end, from, to }: Edit): Edit {
  return { start: from, end: to, from: start, to: end };
}

/**
 * Returns the edits of an ordered script that overlap or touch the first sequence's elements [from,
 * to). An empty range is the gap before `from`.
 */
export function touching(edits: readonly Edit[], from: number, to: number): readonly Edit[] {
  const first = firstWhere(edits, (edit) => edit.end >= from);
  let last = first;
  while (last < edits.length && (edits[last] as Edit).start <= to) last++;
  return first === 0 && last === edits.length ? edits : edits.slice(first, last);
}

/**
 * Finds by bisection the index of the first edit that passes the test. All later edits must pass it
 * too.
 */
export function firstWhere(edits: readonly Edit[], test: (edit: Edit) => boolean): number {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(edits[middle] as Edit)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Edits of both sides that meet on base [start, end). A side without edits left that range
 * unchanged.
 */
export type Cluster = {
  start: number;
  end: number;
  readonly local: Edit[];
  readonly remote: Edit[];
};

export type Side = "local" | "remote";

/** Returns whether two neighbouring edits of different sides must be settled together. */
export type Meets = (earlier: Edit, earlierSide: Side, later: Edit) => boolean;

/** Returns whether two edits change a common base element, or the same gap. */
export function overlaps(earlier: Edit, later: Edit): boolean {
  if (later.start < earlier.end) return true;
  return earlier.start === later.start && earlier.end === later.end;
}

/** Returns whether an edit both removed and added elements. */
export function isReplacement(edit: Edit): boolean {
  return edit.start < edit.end && edit.from < edit.to;
}

/**
 * Groups the ordered edits of both sides. Within a cluster, each edit meets an edit of the other
 * side.
 */
export function cluster(local: readonly Edit[], remote: readonly Edit[], meets: Meets): Cluster[] {
  const queue = [
    ...local.map((edit) => ({ edit, side: "local" as Side })),
    ...remote.map((edit) => ({ edit, side: "remote" as Side })),
  ].sort((x, y) => x.edit.start - y.edit.start || x.edit.end - y.edit.end);
  const clusters: Cluster[] = [];
  for (const { edit, side } of queue) {
    const last = clusters.at(-1);
    const others = last === undefined ? [] : side === "local" ? last.remote : last.local;
    const otherSide = side === "local" ? "remote" : "local";
    const joined =
      last !== undefined && (edit.start < last.end || others.some((other) => meets(other, otherSide, edit)));
    if (joined) {
      last[side].push(edit);
      last.end = Math.max(last.end, edit.end);
    } else {
      clusters.push({ start: edit.start, end: edit.end, local: [], remote: [] });
      clusters.at(-1)?.[side].push(edit);
    }
  }
  return clusters;
}

/**
 * Returns the elements of a side that correspond to base [start, end). `edits` are the side's edits
 * in that range, `shift` is its offset before them.
 */
export function span(edits: readonly Edit[], start: number, end: number, shift: number): { from: number; to: number } {
  const first = edits[0];
  const last = edits.at(-1);
  if (first === undefined || last === undefined) return { from: start + shift, to: end + shift };
  return { from: first.from - (first.start - start), to: last.to + (end - last.end) };
}
