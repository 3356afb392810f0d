import { type Budget, spend } from "./budget.ts";
import { distance, STEPS_A_POINT } from "./distance.ts";

/** Base elements [start, end) became the other sequence's elements [from, to). */
export type Edit = { readonly start: number; readonly end: number; readonly from: number; readonly to: number };

/**
 * Whether little or nothing stands for what was there: an edit next to it may have lost what it
 * belongs to.
 */
export function isRemoval(edit: Edit): boolean {
  const removed = edit.end - edit.start;
  const added = edit.to - edit.from;
  return removed > 0 && (added === 0 || removed > 4 * added + 8);
}

/** Whether readers see a seam before this place of a sequence: a line or a paragraph ends there. */
export type IsSeam = (ids: readonly number[], at: number) => boolean;

/** LIMIT: edit length past which what differs counts as one replacement, in a merge. */
export const MAX_EDIT_LENGTH = 400;

/**
 * The shortest edit script from `base` to `side` (Myers 1986, greedy forward form), as ordered
 * edits that neither overlap nor touch. Past the cap on edit length or budget, everything between
 * the common ends is one edit, which can only make a merge more careful. Elements are numbers from
 * 0 on. `most`: the cap on edit length.
 */
export function diff(
  base: readonly number[],
  side: readonly number[],
  budget: Budget,
  isSeam?: IsSeam,
  most = MAX_EDIT_LENGTH,
): Edit[] {
  const edits = shortest(base, side, budget, most);
  for (let at = 0; at < edits.length; at++) {
    edits[at] = slide(edits[at] as Edit, edits[at - 1], edits[at + 1], base, side, isSeam);
  }
  return edits;
}

function shortest(base: readonly number[], side: readonly number[], budget: Budget, most: number): Edit[] {
  const apart = withoutCommonEnds(base, side);
  const { start, end, from, to } = apart;
  if (start === end && from === to) return [];
  if (start === end || from === to) return [apart];
  // What occurs on one side alone is an edit in any script: without it the search is shorter and
  // finds the same.
  const a = occurring(base, start, end, side, from, to);
  const b = occurring(side, from, to, base, start, end);
  const pairs = script(elementsAt(a, base), elementsAt(b, side), budget, most);
  return pairs === undefined ? [apart] : editsBetween(apart, a, b, pairs);
}

/** Two sequences but for the equal elements at both ends, as one edit. */
function withoutCommonEnds(base: readonly number[], side: readonly number[]): Edit {
  const shorter = Math.min(base.length, side.length);
  let head = 0;
  while (head < shorter && base[head] === side[head]) head++;
  let tail = 0;
  while (tail < shorter - head && base[base.length - 1 - tail] === side[side.length - 1 - tail]) tail++;
  return { start: head, end: base.length - tail, from: head, to: side.length - tail };
}

/** The edits of `apart` between its equal elements: `pairs` of places in `a` and `b`. */
function editsBetween(apart: Edit, a: Int32Array, b: Int32Array, pairs: Int32Array): Edit[] {
  const edits: Edit[] = [];
  let { start, from } = apart;
  for (let at = 0; at <= pairs.length; at += 2) {
    const isLast = at === pairs.length;
    const next = isLast ? apart.end : (a[pairs[at] as number] as number);
    const other = isLast ? apart.to : (b[pairs[at + 1] as number] as number);
    if (start < next || from < other) edits.push({ start, end: next, from, to: other });
    start = next + 1;
    from = other + 1;
  }
  return edits;
}

/** The elements at some places, packed for the search. */
function elementsAt(places: Int32Array, ids: readonly number[]): Int32Array {
  const found = new Int32Array(places.length);
  for (let at = 0; at < places.length; at++) found[at] = ids[places[at] as number] as number;
  return found;
}

/** The places in `ids` [from, to) whose element occurs in `others` [first, last). */
function occurring(
  ids: readonly number[],
  from: number,
  to: number,
  others: readonly number[],
  first: number,
  last: number,
): Int32Array {
  const known = new Set(others.slice(first, last));
  const places = new Int32Array(to - from);
  let count = 0;
  for (let at = from; at < to; at++) if (known.has(ids[at] as number)) places[count++] = at;
  return places.subarray(0, count);
}

/** The furthest points after one step: from diagonal `low` on, each. */
type Step = { readonly low: number; readonly points: Int32Array };

/** The places of a longest common subsequence, in pairs; undefined past a cap. */
function script(a: Int32Array, b: Int32Array, budget: Budget, most: number): Int32Array | undefined {
  const [n, m] = [a.length, b.length];
  // Where one sequence is much longer, its points far from the end's diagonal lead nowhere.
  const isFar = (n - m) ** 2 > STEPS_A_POINT * (n + m);
  const length = isFar ? distance(a, b, Math.min(most, n + m), budget) : Math.min(most, n + m);
  if (length === undefined) return undefined;
  const reach = new Int32Array(2 * length + 3);
  const trace: Step[] = [];
  for (let d = 0; d <= length; d++) {
    const low = isFar ? Math.max(-d, n - m - (length - d)) : -d;
    const high = isFar ? Math.min(d, n - m + (length - d)) : d;
    const steps = advance(a, b, reach, d, low, high);
    if (steps === AT_THE_END) return walkBack(trace, d, n, m);
    if (!spend(budget, steps)) return undefined;
    trace.push({ low, points: reach.slice(length + 1 + low, length + 2 + high) });
  }
  return undefined;
}

/** In place of a count of steps: both sequences were read to their ends. */
const AT_THE_END = -1;

/**
 * Moves the furthest points on diagonals `low` to `high` on by one edit, the `d`-th. @returns the
 * steps that it took
 */
function advance(a: Int32Array, b: Int32Array, reach: Int32Array, d: number, low: number, high: number): number {
  const [n, m] = [a.length, b.length];
  const middle = (reach.length - 1) >> 1;
  let steps = high - low + 1;
  for (let k = low; k <= high; k += 2) {
    const below = reach[middle + k - 1] as number;
    const above = reach[middle + k + 1] as number;
    let x = k === -d || (k !== d && below < above) ? above : below + 1;
    const first = x;
    while (x < n && x - k < m && a[x] === b[x - k]) x++;
    steps += x - first;
    reach[middle + k] = x;
    if (x >= n && x - k >= m) return AT_THE_END;
  }
  return steps;
}

/** Follows the furthest points back from the end. */
function walkBack(trace: readonly Step[], last: number, n: number, m: number): Int32Array {
  const pairs = new Int32Array(n + m - last);
  let free = pairs.length;
  let x = n;
  let y = m;
  for (let d = last; d >= 0; d--) {
    const k = x - y;
    const below = reachOf(trace, d - 1, k - 1);
    const above = reachOf(trace, d - 1, k + 1);
    const down = k === -d || (k !== d && below < above);
    const first = d === 0 ? 0 : down ? above : below + 1;
    while (x > first) {
      pairs[--free] = --y;
      pairs[--free] = --x;
    }
    x = down ? above : below;
    y = down ? above - k - 1 : below - k + 1;
  }
  return pairs;
}

/** How far diagonal `k` reached after step `d`; -1 where it had not been entered. */
function reachOf(trace: readonly Step[], d: number, k: number): number {
  if (Math.abs(k) > d) return -1;
  const { low, points } = trace[d] as Step;
  return points[k - low] as number;
}

/**
 * An addition or removal moved, among the places where the script stays right, to the last one that
 * ends at a seam, or to the last of all: readers mean whole lines or paragraphs, and two scripts
 * then agree on the place.
 */
function slide(
  edit: Edit,
  before: Edit | undefined,
  after: Edit | undefined,
  base: readonly number[],
  side: readonly number[],
  isSeam: IsSeam | undefined,
): Edit {
  const adds = edit.start === edit.end;
  if (!adds && edit.from !== edit.to) return edit;
  // One equal element stays between two edits.
  const by = adds
    ? slideBy(side, edit.from, edit.to, before?.to, after?.from, isSeam)
    : slideBy(base, edit.start, edit.end, before?.end, after?.start, isSeam);
  return { start: edit.start + by, end: edit.end + by, from: edit.from + by, to: edit.to + by };
}

/**
 * How far elements [from, to) can be moved on, or back where that is less than 0; the edits beside
 * them end at `before` and begin at `after`.
 */
function slideBy(
  ids: readonly number[],
  from: number,
  to: number,
  before = -1,
  after = ids.length + 1,
  isSeam?: IsSeam,
): number {
  let down = 0;
  while (to + down < after - 1 && ids[from + down] === ids[to + down]) down++;
  if (isSeam === undefined) return down;
  let up = 0;
  while (from - up > before + 1 && ids[from - up - 1] === ids[to - up - 1]) up++;
  for (let by = down; by >= -up; by--) if (isSeam(ids, to + by)) return by;
  return down;
}
