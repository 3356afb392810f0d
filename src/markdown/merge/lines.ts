import diff3Merge from "diff3";
import { countEdits } from "./diff.ts";
import { type VersionLines, type MergeReading, readLines } from "./reading.ts";

type LineConflict = {
  readonly kind: "conflict";
  readonly base: readonly string[];
  readonly local: readonly string[];
  readonly remote: readonly string[];
};

export type LineBlock = { readonly kind: "settled"; readonly text: string } | LineConflict;

/**
 * LIMIT: number of steps for each sequence of equal lines. The package `diff3` makes an object for
 * each sequence, which takes longer than finding the sequence.
 */
const STEPS_PER_RUN = 20;

/**
 * Merges by lines with the package `diff3`, as git does (Khanna, Kunal, Pierce 2007). Returns
 * undefined if the step budget is too small. The package cannot be interrupted. So another search,
 * which takes about as long, takes its steps from the budget first. Equal lines at both ends are
 * not cut off before the merge, because that would change results.
 */
export function mergeLines(
  base: string,
  local: string,
  remote: string,
  reading: MergeReading,
): LineBlock[] | undefined {
  const [b, l, r] = [readLines(base, reading), readLines(local, reading), readLines(remote, reading)];
  if (![l, r].every((side) => payForDiff3(b, side, reading))) return undefined;
  return diff3Merge(l.ids, b.ids, r.ids).map((block): LineBlock => {
    if (block.conflict === undefined) return { kind: "settled", text: readLineTexts(block.ok, reading).join("") };
    const { a, o, b: other } = block.conflict;
    return {
      kind: "conflict",
      base: readLineTexts(o, reading),
      local: readLineTexts(a, reading),
      remote: readLineTexts(other, reading),
    };
  });
}

function payForDiff3(base: VersionLines, side: VersionLines, reading: MergeReading): boolean {
  const maxEdits = base.ids.length + side.ids.length;
  return countEdits(new Int32Array(base.ids), new Int32Array(side.ids), maxEdits, reading, STEPS_PER_RUN) !== undefined;
}

function readLineTexts(ids: readonly number[], { interner }: MergeReading): string[] {
  return ids.map((id) => interner.text(id));
}
