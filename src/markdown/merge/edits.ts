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

/**
 * Edits of both sides that meet on base [start, end); a side without edits left that range as it
 * was.
 */
export type Cluster = {
  start: number;
  end: number;
  readonly local: Edit[];
  readonly remote: Edit[];
};

export type Side = "local" | "remote";

/** Whether two neighbouring edits of different sides must be settled together. */
export type Meets = (earlier: Edit, earlierSide: Side, later: Edit) => boolean;

/** Whether two edits claim a common base element, or the same gap. */
export function overlaps(earlier: Edit, later: Edit): boolean {
  if (later.start < earlier.end) return true;
  return earlier.start === later.start && earlier.end === later.end;
}

/** Whether an edit put something in place of what was there. */
export function isReplacement(edit: Edit): boolean {
  return edit.start < edit.end && edit.from < edit.to;
}

/**
 * Groups the ordered edits of both sides: within a cluster each edit meets another one of the other
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
 * The part of a side that stands for base [start, end), given the side's edits there and its shift
 * before them.
 */
export function span(edits: readonly Edit[], start: number, end: number, shift: number): { from: number; to: number } {
  const first = edits[0];
  const last = edits.at(-1);
  if (first === undefined || last === undefined) return { from: start + shift, to: end + shift };
  return { from: first.from - (first.start - start), to: last.to + (end - last.end) };
}
