import diff3Merge from "diff3";
import { distance } from "./distance.ts";
import { type Lines, type Reading, readLines } from "./reading.ts";

/** The three sides of a conflict of a line merge, with the first line of each (0-based). */
type Overlap = {
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
 * LIMIT: steps that a run of equal lines costs, for each of which package `diff3` makes an object:
 * many of them take longer than the rest of its search.
 */
const STEPS_A_RUN = 20;

/**
 * Three-way merge of lines by package `diff3`, as git does it (Khanna, Kunal, Pierce 2007). Nothing
 * stops the package, so its search is paid for first, by one of the same steps that keeps no path;
 * undefined where the budget does not pay. The texts' common ends are not trimmed first, because
 * that changes results.
 */
export function mergeLines(base: string, local: string, remote: string, reading: Reading): LineBlock[] | undefined {
  const [b, l, r] = [base, local, remote].map((text) => readLines(text, reading)) as [Lines, Lines, Lines];
  if (![l, r].every((side) => paysFor(b, side, reading))) return undefined;
  return diff3Merge(l.ids, b.ids, r.ids).map((block): LineBlock => {
    if (block.conflict === undefined) return { kind: "settled", text: textsOf(block.ok, reading).join("") };
    const { a, aIndex, o, oIndex, b: other, bIndex } = block.conflict;
    return {
      kind: "conflict",
      base: textsOf(o, reading),
      local: textsOf(a, reading),
      remote: textsOf(other, reading),
      baseLine: oIndex,
      localLine: aIndex,
      remoteLine: bIndex,
    };
  });
}

/** Whether the budget pays for the package's search between two texts. */
function paysFor(base: Lines, side: Lines, reading: Reading): boolean {
  const most = base.ids.length + side.ids.length;
  return distance(new Int32Array(base.ids), new Int32Array(side.ids), most, reading, STEPS_A_RUN) !== undefined;
}

function textsOf(ids: readonly number[], { interner }: Reading): string[] {
  return ids.map((id) => interner.text(id));
}
