import { type Budget, newBudget, spendSteps } from "./budget.ts";
import { StringNumbers } from "./split.ts";

const STEPS_PER_POINT = 2;

/**
 * Returns the smallest number of edits between two sequences (Wu, Manber, Myers, Miller 1990). If
 * one sequence mostly adds to the other, counting edits is much faster than finding them. Returns
 * undefined if there are more than `most` edits, or if the step budget is too small.
 * @param runPrice additional steps for each sequence of equal elements
 */
export function countEdits(
  a: Int32Array,
  b: Int32Array,
  most: number,
  budget: Budget,
  runPrice = 0,
): number | undefined {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const lengthDifference = long.length - short.length;
  // LIMIT: number of additional diagonals on each side of the range from the diagonal of the start
  // to that of the end. With `most` edits, the search cannot reach other diagonals.
  const outerDiagonals = (most - lengthDifference) >> 1;
  if (outerDiagonals < 0) return undefined;
  const reach = new Int32Array(lengthDifference + 2 * outerDiagonals + 3).fill(-1);
  const diagonalZero = outerDiagonals + 1;
  for (let p = 0; p <= outerDiagonals; p++) {
    let steps = STEPS_PER_POINT * (lengthDifference + 2 * p + 1);
    for (let k = -p; k < lengthDifference; k++) steps += advanceDiagonal(short, long, reach, diagonalZero, k, runPrice);
    for (let k = lengthDifference + p; k >= lengthDifference; k--)
      steps += advanceDiagonal(short, long, reach, diagonalZero, k, runPrice);
    if (!spendSteps(budget, steps)) return undefined;
    if (reach[diagonalZero + lengthDifference] === long.length) return lengthDifference + 2 * p;
  }
  return undefined;
}

/**
 * Moves the furthest point of diagonal `k` forward, along equal elements. Returns the number of
 * steps.
 */
function advanceDiagonal(
  short: Int32Array,
  long: Int32Array,
  reach: Int32Array,
  zero: number,
  k: number,
  runPrice: number,
): number {
  const left = (reach[zero + k - 1] as number) + 1;
  const right = reach[zero + k + 1] as number;
  const firstY = left > right ? left : right;
  let y = firstY;
  while (y - k < short.length && y < long.length && short[y - k] === long[y]) y++;
  reach[zero + k] = y;
  return y === firstY ? 0 : runPrice + y - firstY;
}

/** Edit that replaces elements [start, end) of base by [from, to) of the other sequence. */
export type Edit = { readonly start: number; readonly end: number; readonly from: number; readonly to: number };

/**
 * Returns true if an edit removed elements, and added no elements or much fewer. Words beside the
 * edit may then have lost their context.
 */
export function isRemoval(edit: Edit): boolean {
  const removedCount = edit.end - edit.start;
  const addedCount = edit.to - edit.from;
  return removedCount > 0 && (addedCount === 0 || removedCount > 4 * addedCount + 8);
}

type BoundaryTest = (ids: readonly number[], index: number) => boolean;

/**
 * LIMIT: number of edited elements that a merge searches for, because the time of the search grows
 * with the square of this number. With more edited elements, all elements that differ become one
 * replacement.
 */
export const MAX_EDIT_LENGTH = 400;

/**
 * Finds the smallest set of edits from one sequence to another (Myers 1986). The edits are ordered,
 * and neither overlap nor touch. If a limit is exceeded, all elements between the equal beginnings
 * and the equal ends become one edit. Such a large edit can only cause more conflicts.
 * @param base elements as numbers from 0; equal elements have equal numbers
 * @param isSeam returns true where a line or paragraph ends; edits are moved to such positions
 */
export function diff(
  base: readonly number[],
  side: readonly number[],
  budget: Budget,
  isSeam?: BoundaryTest,
  most = MAX_EDIT_LENGTH,
): Edit[] {
  const edits = findShortestEdits(base, side, budget, most);
  for (let index = 0; index < edits.length; index++) {
    edits[index] = slideToBoundary(edits[index] as Edit, edits[index - 1], edits[index + 1], base, side, isSeam);
  }
  return edits;
}

export function diffStrings(base: readonly string[], side: readonly string[]): Edit[] {
  const interner = new StringNumbers();
  return diff(interner.ids(base), interner.ids(side), newBudget());
}

function findShortestEdits(base: readonly number[], side: readonly number[], budget: Budget, most: number): Edit[] {
  const differingPart = cutCommonEnds(base, side);
  const { start, end, from, to } = differingPart;
  if (start === end && from === to) return [];
  if (start === end || from === to) return [differingPart];
  // The search leaves out elements that only one sequence has: they are edited in any case. The
  // search is then faster, and its result is the same.
  const indexesInBase = findSharedIndexes(base, start, end, side, from, to);
  const indexesInSide = findSharedIndexes(side, from, to, base, start, end);
  const elements = (places: Int32Array, ids: readonly number[]) => places.map((index) => ids[index] as number);
  const pairs = findCommonElements(elements(indexesInBase, base), elements(indexesInSide, side), budget, most);
  return pairs === undefined ? [differingPart] : toEdits(differingPart, indexesInBase, indexesInSide, pairs);
}

function cutCommonEnds(base: readonly number[], side: readonly number[]): Edit {
  const shorter = Math.min(base.length, side.length);
  let equalAtStart = 0;
  while (equalAtStart < shorter && base[equalAtStart] === side[equalAtStart]) equalAtStart++;
  let equalAtEnd = 0;
  while (
    equalAtEnd < shorter - equalAtStart &&
    base[base.length - 1 - equalAtEnd] === side[side.length - 1 - equalAtEnd]
  )
    equalAtEnd++;
  return { start: equalAtStart, end: base.length - equalAtEnd, from: equalAtStart, to: side.length - equalAtEnd };
}

/**
 * Returns the edits between equal elements.
 * @param apart the part of both sequences that was searched
 * @param a indexes in base of the searched elements; `b`: their indexes in the other sequence
 * @param pairs equal elements: an index into `a`, then one into `b`, and so on
 */
function toEdits(apart: Edit, a: Int32Array, b: Int32Array, pairs: Int32Array): Edit[] {
  const edits: Edit[] = [];
  let { start, from } = apart;
  for (let index = 0; index <= pairs.length; index += 2) {
    const isLast = index === pairs.length;
    const nextInBase = isLast ? apart.end : (a[pairs[index] as number] as number);
    const nextInSide = isLast ? apart.to : (b[pairs[index + 1] as number] as number);
    if (start < nextInBase || from < nextInSide) edits.push({ start, end: nextInBase, from, to: nextInSide });
    start = nextInBase + 1;
    from = nextInSide + 1;
  }
  return edits;
}

function findSharedIndexes(
  ids: readonly number[],
  from: number,
  to: number,
  others: readonly number[],
  first: number,
  last: number,
): Int32Array {
  const otherElements = new Set(others.slice(first, last));
  const indexes = new Int32Array(to - from);
  let count = 0;
  for (let index = from; index < to; index++) if (otherElements.has(ids[index] as number)) indexes[count++] = index;
  return indexes.subarray(0, count);
}

/**
 * Furthest points that the search reached after a number of edits, by diagonal. `firstDiagonal`:
 * number of the first diagonal.
 */
type SearchStep = { readonly firstDiagonal: number; readonly points: Int32Array };

/**
 * Returns a longest common subsequence as pairs of indexes: one into `a`, then one into `b`, and so
 * on. Returns undefined if a limit is exceeded.
 */
function findCommonElements(a: Int32Array, b: Int32Array, budget: Budget, most: number): Int32Array | undefined {
  const [n, m] = [a.length, b.length];
  // If one sequence is much longer than the other, the number of edits is counted first. The search
  // then skips diagonals from which the end cannot be reached with the remaining number of edits.
  const isFar = (n - m) ** 2 > STEPS_PER_POINT * (n + m);
  const length = isFar ? countEdits(a, b, Math.min(most, n + m), budget) : Math.min(most, n + m);
  if (length === undefined) return undefined;
  const reach = new Int32Array(2 * length + 3);
  const trace: SearchStep[] = [];
  for (let d = 0; d <= length; d++) {
    const firstDiagonal = isFar ? Math.max(-d, n - m - (length - d)) : -d;
    const lastDiagonal = isFar ? Math.min(d, n - m + (length - d)) : d;
    const steps = advanceDiagonals(a, b, reach, d, firstDiagonal, lastDiagonal);
    if (steps === END_REACHED) return followTrace(trace, d, n, m);
    if (!spendSteps(budget, steps)) return undefined;
    trace.push({ firstDiagonal, points: reach.slice(length + 1 + firstDiagonal, length + 2 + lastDiagonal) });
  }
  return undefined;
}

const END_REACHED = -1;

/**
 * Moves the furthest points forward by one edit and all equal elements after it, on the diagonals
 * from `firstDiagonal` to `lastDiagonal`. Returns the number of steps, or `END_REACHED`.
 * @param d number of edits so far
 */
function advanceDiagonals(
  a: Int32Array,
  b: Int32Array,
  reach: Int32Array,
  d: number,
  firstDiagonal: number,
  lastDiagonal: number,
): number {
  const [n, m] = [a.length, b.length];
  const middle = (reach.length - 1) >> 1;
  let steps = lastDiagonal - firstDiagonal + 1;
  for (let k = firstDiagonal; k <= lastDiagonal; k += 2) {
    const reachBelow = reach[middle + k - 1] as number;
    const reachAbove = reach[middle + k + 1] as number;
    let x = k === -d || (k !== d && reachBelow < reachAbove) ? reachAbove : reachBelow + 1;
    const firstX = x;
    while (x < n && x - k < m && a[x] === b[x - k]) x++;
    steps += x - firstX;
    reach[middle + k] = x;
    if (x >= n && x - k >= m) return END_REACHED;
  }
  return steps;
}

function followTrace(trace: readonly SearchStep[], last: number, n: number, m: number): Int32Array {
  const pairs = new Int32Array(n + m - last);
  let freeIndex = pairs.length;
  let x = n;
  let y = m;
  for (let d = last; d >= 0; d--) {
    const k = x - y;
    const pointBelow = readReach(trace, d - 1, k - 1);
    const pointAbove = readReach(trace, d - 1, k + 1);
    const goesDown = k === -d || (k !== d && pointBelow < pointAbove);
    const firstX = d === 0 ? 0 : goesDown ? pointAbove : pointBelow + 1;
    while (x > firstX) {
      pairs[--freeIndex] = --y;
      pairs[--freeIndex] = --x;
    }
    x = goesDown ? pointAbove : pointBelow;
    y = goesDown ? pointAbove - k - 1 : pointBelow - k + 1;
  }
  return pairs;
}

/** Returns the furthest point on diagonal `k` after `d` edits; -1 if no path reached it. */
function readReach(trace: readonly SearchStep[], d: number, k: number): number {
  if (Math.abs(k) > d) return -1;
  const { firstDiagonal, points } = trace[d] as SearchStep;
  return points[k - firstDiagonal] as number;
}

/**
 * Moves an addition or removal to an equivalent position: the last one that ends a line or
 * paragraph, otherwise the last of all. People edit whole lines or paragraphs, so the edits of both
 * sides then have the same position.
 */
function slideToBoundary(
  edit: Edit,
  before: Edit | undefined,
  after: Edit | undefined,
  base: readonly number[],
  side: readonly number[],
  isSeam: BoundaryTest | undefined,
): Edit {
  const isAddition = edit.start === edit.end;
  if (!isAddition && edit.from !== edit.to) return edit;
  // At least one equal element must stay between the moved edit and each neighbouring edit.
  const distance = isAddition
    ? measureSlide(side, edit.from, edit.to, before?.to, after?.from, isSeam)
    : measureSlide(base, edit.start, edit.end, before?.end, after?.start, isSeam);
  return { start: edit.start + distance, end: edit.end + distance, from: edit.from + distance, to: edit.to + distance };
}

/**
 * Returns by how many elements an addition or removal [from, to) can be moved forward; a negative
 * number moves it back.
 * @param before end of the previous edit
 * @param after start of the next edit
 */
function measureSlide(
  ids: readonly number[],
  from: number,
  to: number,
  before = -1,
  after = ids.length + 1,
  isSeam?: BoundaryTest,
): number {
  let stepsForward = 0;
  while (to + stepsForward < after - 1 && ids[from + stepsForward] === ids[to + stepsForward]) stepsForward++;
  if (isSeam === undefined) return stepsForward;
  let stepsBack = 0;
  while (from - stepsBack > before + 1 && ids[from - stepsBack - 1] === ids[to - stepsBack - 1]) stepsBack++;
  for (let distance = stepsForward; distance >= -stepsBack; distance--) if (isSeam(ids, to + distance)) return distance;
  return stepsForward;
}
