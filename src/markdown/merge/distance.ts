import { type Budget, spendSteps } from "./budget.ts";

/** Steps of the budget that one point of the search costs. */
export const STEPS_PER_POINT = 2;

/**
 * Returns the length of the shortest edit script between two sequences (Wu, Manber, Myers, Miller
 * 1990). Undefined when it is more than `most`, or when the budget is too small. Much faster than
 * finding the script when one sequence mostly adds to the other. `runPrice`: extra steps for each
 * run of equal elements.
 */
export function distance(a: Int32Array, b: Int32Array, most: number, budget: Budget, runPrice = 0): number | undefined {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const delta = long.length - short.length;
  // LIMIT: number of diagonals, beyond those between the two ends, that a script of at most `most`
  // edits can reach.
  const outer = (most - delta) >> 1;
  if (outer < 0) return undefined;
  const reach = new Int32Array(delta + 2 * outer + 3).fill(-1);
  const zero = outer + 1;
  for (let p = 0; p <= outer; p++) {
    let steps = STEPS_PER_POINT * (delta + 2 * p + 1);
    for (let k = -p; k < delta; k++) steps += advance(short, long, reach, zero, k, runPrice);
    for (let k = delta + p; k >= delta; k--) steps += advance(short, long, reach, zero, k, runPrice);
    if (!spendSteps(budget, steps)) return undefined;
    if (reach[zero + delta] === long.length) return delta + 2 * p;
  }
  return undefined;
}

/**
 * Moves the furthest point of diagonal `k` forward.
 * @returns the steps for the equal elements that it passed
 */
function advance(
  short: Int32Array,
  long: Int32Array,
  reach: Int32Array,
  zero: number,
  k: number,
  runPrice: number,
): number {
  const left = (reach[zero + k - 1] as number) + 1;
  const right = reach[zero + k + 1] as number;
  const first = left > right ? left : right;
  let y = first;
  while (y - k < short.length && y < long.length && short[y - k] === long[y]) y++;
  reach[zero + k] = y;
  return y === first ? 0 : runPrice + y - first;
}
