import { type Budget, newBudget, spendSteps } from "./budget.ts";
import { distance, STEPS_PER_POINT } from "./distance.ts";
import { StringNumbers } from "./split.ts";

/**
 * An edit: it replaced elements [start, end) of base by elements [from, to) of the other sequence.
 */
export type Edit = { readonly start: number; readonly end: number; readonly from: number; readonly to: number };

/**
 * Returns true if an edit removed elements and added none, or few in proportion. Text beside the
 * edit may then have lost its context.
 */
export function isRemoval(edit: Edit): boolean {
  const removed = edit.end - edit.start;
  const added = edit.to - edit.from;
  return removed > 0 && (added === 0 || removed > 4 * added + 8);
}

/** Decides whether readers see a boundary before index `index`: the end of a line or paragraph. */
export type IsSeam = (ids: readonly number[], index: number) => boolean;

/**
 * LIMIT: longest edit script that a merge searches for. If the script is longer, everything that
 * differs is one replacement.
 */
export const MAX_EDIT_LENGTH = 400;

/**
 * Returns the shortest edit script from `base` to `side` (Myers 1986, greedy forward form), as
 * ordered edits that neither overlap nor touch. Past the limit on edits or budget, everything
 * between the common ends is one edit, which only makes a merge more careful. Elements are numbers
 * from 0.
 * @param most limit on edits
 */
export function diff(
  base: readonly number[],
  side: readonly number[],
  budget: Budget,
  isSeam?: IsSeam,
  most = MAX_EDIT_LENGTH,
): Edit[] {
  const edits = shortestScript(base, side, budget, most);
  for (let index = 0; index < edits.length; index++) {
    edits[index] = slide(edits[index] as Edit, edits[index - 1], edits[index + 1], base, side, isSeam);
  }
  return edits;
}

/** Returns the edits that `diff` finds between lists of strings, with a new budget. */
export function diffStrings(base: readonly string[], side: readonly string[]): Edit[] {
  const interner = new StringNumbers();
  return diff(interner.ids(base), interner.ids(side), newBudget());
}

function shortestScript(base: readonly number[], side: readonly number[], budget: Budget, most: number): Edit[] {
  const apart = withoutCommonEnds(base, side);
  const { start, end, from, to } = apart;
  if (start === end && from === to) return [];
  if (start === end || from === to) return [apart];
  // An element that only one side has is an edit in every script. Without such elements, the search
  // is shorter and finds the same script.
  const a = occurring(base, start, end, side, from, to);
  const b = occurring(side, from, to, base, start, end);
  const elements = (places: Int32Array, ids: readonly number[]) => places.map((index) => ids[index] as number);
  const pairs = script(elements(a, base), elements(b, side), budget, most);
  return pairs === undefined ? [apart] : editsBetween(apart, a, b, pairs);
}

/** Returns one edit for all elements between the common ends of two sequences. */
function withoutCommonEnds(base: readonly number[], side: readonly number[]): Edit {
  const shorter = Math.min(base.length, side.length);
  let head = 0;
  while (head < shorter && base[head] === side[head]) head++;
  let tail = 0;
  while (tail < shorter - head && base[base.length - 1 - tail] === side[side.length - 1 - tail]) tail++;
  return { start: head, end: base.length - tail, from: head, to: side.length - tail };
}

/**
 * Returns the edits between the equal elements of `apart`. `pairs`: indexes into `a` and `b`,
 * alternately.
 */
function editsBetween(apart: Edit, a: Int32Array, b: Int32Array, pairs: Int32Array): Edit[] {
  const edits: Edit[] = [];
  let { start, from } = apart;
  for (let index = 0; index <= pairs.length; index += 2) {
    const isLast = index === pairs.length;
    const next = isLast ? apart.end : (a[pairs[index] as number] as number);
    const other = isLast ? apart.to : (b[pairs[index + 1] as number] as number);
    if (start < next || from < other) edits.push({ start, end: next, from, to: other });
    start = next + 1;
    from = other + 1;
  }
  return edits;
}

/** Returns the indexes in `ids` [from, to) whose element occurs in `others` [first, last). */
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
  for (let index = from; index < to; index++) if (known.has(ids[index] as number)) places[count++] = index;
  return places.subarray(0, count);
}

/** The furthest points after one step of the search: one for each diagonal from `low` up. */
type Step = { readonly low: number; readonly points: Int32Array };

/** Returns the indexes of a longest common subsequence, in pairs; undefined past a limit. */
function script(a: Int32Array, b: Int32Array, budget: Budget, most: number): Int32Array | undefined {
  const [n, m] = [a.length, b.length];
  // If one sequence is much longer, points far from the diagonal of the last point cannot be on the
  // path, and are skipped.
  const isFar = (n - m) ** 2 > STEPS_PER_POINT * (n + m);
  const length = isFar ? distance(a, b, Math.min(most, n + m), budget) : Math.min(most, n + m);
  if (length === undefined) return undefined;
  const reach = new Int32Array(2 * length + 3);
  const trace: Step[] = [];
  for (let d = 0; d <= length; d++) {
    const low = isFar ? Math.max(-d, n - m - (length - d)) : -d;
    const high = isFar ? Math.min(d, n - m + (length - d)) : d;
    const steps = advance(a, b, reach, d, low, high);
    if (steps === AT_THE_END) return pathFromTrace(trace, d, n, m);
    if (!spendSteps(budget, steps)) return undefined;
    trace.push({ low, points: reach.slice(length + 1 + low, length + 2 + high) });
  }
  return undefined;
}

/** Result instead of a number of steps: both sequences were read to their ends. */
const AT_THE_END = -1;

/**
 * Extends the furthest points on diagonals `low` to `high` by the `d`-th edit.
 * @returns the steps taken, or `AT_THE_END`
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

/** Follows the path of furthest points from the end to the start. */
function pathFromTrace(trace: readonly Step[], last: number, n: number, m: number): Int32Array {
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

/** Returns the furthest point of diagonal `k` after step `d`; -1 if no path reached it before. */
function reachOf(trace: readonly Step[], d: number, k: number): number {
  if (Math.abs(k) > d) return -1;
  const { low, points } = trace[d] as Step;
  return points[k - low] as number;
}

/**
 * Moves an addition or removal to an equivalent position: the last that ends at a boundary,
 * otherwise the last of all. Readers think in whole lines or paragraphs, and two scripts then agree
 * on the position.
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
  // The moved edit must not touch the previous or next edit: one equal element stays between them.
  const by = adds
    ? slideBy(side, edit.from, edit.to, before?.to, after?.from, isSeam)
    : slideBy(base, edit.start, edit.end, before?.end, after?.start, isSeam);
  return { start: edit.start + by, end: edit.end + by, from: edit.from + by, to: edit.to + by };
}

/**
 * Returns how far elements [from, to) can move forward; negative: back. `before`: end of the
 * previous edit; `after`: start of the next edit.
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
