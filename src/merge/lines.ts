import diff3Merge from "diff3";
import { type Budget, spend } from "./budget.ts";
import { readLines } from "./scripts.ts";

/**
 * A run of lines of a line merge: settled text, or the three sides of a conflict with their first
 * lines (0-based).
 */
export type LineBlock =
  | { readonly kind: "settled"; readonly text: string }
  | {
      readonly kind: "conflict";
      readonly base: readonly string[];
      readonly local: readonly string[];
      readonly remote: readonly string[];
      readonly baseLine: number;
      readonly localLine: number;
      readonly remoteLine: number;
    };

/**
 * Three-way merge of lines by package `diff3`; undefined when it would cost more than the budget.
 * The texts' common ends are not trimmed first, because that changes results.
 */
export function mergeLines(base: string, local: string, remote: string, budget: Budget): LineBlock[] | undefined {
  const [bi, li, ri] = [base, local, remote].map((text) => readLines(text, budget).ids) as [
    number[],
    number[],
    number[],
  ];
  if (!affordable(bi, li, budget) || !affordable(bi, ri, budget)) return undefined;
  const text = (ids: readonly number[]): string[] => ids.map((id) => budget.interner.text(id));
  return diff3Merge(li, bi, ri).map((block): LineBlock => {
    if (block.conflict === undefined) return { kind: "settled", text: text(block.ok).join("") };
    const { a, aIndex, o, oIndex, b: other, bIndex } = block.conflict;
    return {
      kind: "conflict",
      base: text(o),
      local: text(a),
      remote: text(other),
      baseLine: oIndex,
      localLine: aIndex,
      remoteLine: bIndex,
    };
  });
}

/**
 * Whether the budget pays for the diff of two sequences as package `diff3` computes it (Wu, Manber,
 * Myers, Miller 1990): the same walk over the furthest points, without the path, so that its steps
 * are counted exactly before it is called.
 */
function affordable(a: readonly number[], b: readonly number[], budget: Budget): boolean {
  const [short, long] = a.length >= b.length ? [b, a] : [a, b];
  const [m, n] = [short.length, long.length];
  const delta = n - m;
  const offset = m + 1;
  const reach = new Int32Array(m + n + 3).fill(-1);
  const advance = (k: number): number => {
    const first = Math.max((reach[k - 1 + offset] as number) + 1, reach[k + 1 + offset] as number);
    let y = first;
    while (y - k < m && y < n && short[y - k] === long[y]) y++;
    reach[k + offset] = y;
    // The package keeps an object for each run of equal lines: its price is memory.
    return CELL + (y === first ? 0 : RUN + y - first);
  };
  for (let p = 0; ; p++) {
    let steps = 0;
    for (let k = -p; k < delta; k++) steps += advance(k);
    for (let k = delta + p; k > delta; k--) steps += advance(k);
    steps += advance(delta);
    if (!spend(budget, steps)) return false;
    if (reach[delta + offset] === n) return true;
  }
}

const CELL = 3;
const RUN = 12;
