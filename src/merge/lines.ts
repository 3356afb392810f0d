import diff3Merge from "diff3";
import { type Budget, spend } from "./budget.ts";
import { type Reading, readLines } from "./reading.ts";

/** The three sides of a conflict of a line merge, with the first line of each (0-based). */
export type Overlap = {
  readonly kind: "conflict";
  readonly base: readonly string[];
  readonly local: readonly string[];
  readonly remote: readonly string[];
  readonly baseLine: number;
  readonly localLine: number;
  readonly remoteLine: number;
};

/** A run of lines of a line merge: settled text, or a conflict. */
export type LineBlock = { readonly kind: "settled"; readonly text: string } | Overlap;

/**
 * Three-way merge of lines by package `diff3`; undefined when it would cost more than the budget.
 * The texts' common ends are not trimmed first, because that changes results.
 */
export function mergeLines(base: string, local: string, remote: string, reading: Reading): LineBlock[] | undefined {
  const [b, l, r] = [base, local, remote].map((text) => readLines(text, reading).ids) as [number[], number[], number[]];
  if (!affordable(b, l, reading) || !affordable(b, r, reading)) return undefined;
  return diff3Merge(l, b, r).map((block): LineBlock => {
    if (block.conflict === undefined) return { kind: "settled", text: linesOf(block.ok, reading).join("") };
    const { a, aIndex, o, oIndex, b: other, bIndex } = block.conflict;
    return {
      kind: "conflict",
      base: linesOf(o, reading),
      local: linesOf(a, reading),
      remote: linesOf(other, reading),
      baseLine: oIndex,
      localLine: aIndex,
      remoteLine: bIndex,
    };
  });
}

function linesOf(ids: readonly number[], { interner }: Reading): string[] {
  return ids.map((id) => interner.text(id));
}

/** What a step of the walk costs, and a run of equal lines: the package keeps an object for it. */
const [CELL, RUN] = [3, 12];

/**
 * Whether the budget pays for the diff of two sequences as package `diff3` computes it (Wu, Manber,
 * Myers, Miller 1990): the same walk over the furthest points, without the path, so that its steps
 * are counted exactly before it is called.
 */
function affordable(a: readonly number[], b: readonly number[], budget: Budget): boolean {
  const [short, long] = a.length >= b.length ? [b, a] : [a, b];
  const delta = long.length - short.length;
  const reach = new Int32Array(short.length + long.length + 3).fill(-1);
  for (let p = 0; ; p++) {
    let steps = 0;
    for (let k = -p; k < delta; k++) steps += advance(short, long, reach, k);
    for (let k = delta + p; k > delta; k--) steps += advance(short, long, reach, k);
    steps += advance(short, long, reach, delta);
    if (!spend(budget, steps)) return false;
    if (reach[delta + short.length + 1] === long.length) return true;
  }
}

/** Moves the furthest point of diagonal `k` on. @returns the steps that it took */
function advance(short: readonly number[], long: readonly number[], reach: Int32Array, k: number): number {
  const at = k + short.length + 1;
  const first = Math.max((reach[at - 1] as number) + 1, reach[at + 1] as number);
  let y = first;
  while (y - k < short.length && y < long.length && short[y - k] === long[y]) y++;
  reach[at] = y;
  return y === first ? CELL : CELL + RUN + y - first;
}
