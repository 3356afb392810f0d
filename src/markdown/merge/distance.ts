import { type Budget, spendSteps } from "./budget.ts";

export const STEPS_PER_POINT = 2;

/**
 * Returns the smallest number of edits between two sequences (Wu, Manber, Myers, Miller 1990). If
 * one sequence mostly adds to the other, this is much faster than finding the edits themselves.
 * Returns undefined for more than `most` edits, or if the budget is too small.
 * @param runPrice additional steps of the budget for each run of equal elements
 */
export function countEdits(
  a: Int32Array,
  b: Int32Array,
  most: number,
  budget: Budget,
  runPrice = 0,
): number | undefined {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const delta = long.length - short.length;
  // LIMIT: number of additional diagonals on each side of the range from the diagonal of the start
  // to that of the end. With `most` edits, the search cannot reach any others.
  const outer = (most - delta) >> 1;
  if (outer < 0) return undefined;
  const reach = new Int32Array(delta + 2 * outer + 3).fill(-1);
  const zero = outer + 1;
  for (let p = 0; p <= outer; p++) {
    let steps = STEPS_PER_POINT * (delta + 2 * p + 1);
    for (let k = -p; k < delta; k++) steps += advanceDiagonal(short, long, reach, zero, k, runPrice);
    for (let k = delta + p; k >= delta; k--) steps += advanceDiagonal(short, long, reach, zero, k, runPrice);
    if (!spendSteps(budget, steps)) return undefined;
    if (reach[zero + delta] === long.length) return delta + 2 * p;
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
