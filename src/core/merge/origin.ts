import { newBudget } from "./budget.ts";
import { counterparts } from "./myers.ts";
import { diffLines, readLines } from "./scripts.ts";

/** Where a line of a merged text is from: base, one of the sides, both sides alike, or words of both in one line. */
export type Origin = { readonly from: "base" | "local" | "remote" | "both" | "mixed"; readonly line: string };

/**
 * Tells for each line of a merged text which side it came from, by comparing the texts alone: it knows nothing of how the merge was made, so that it can be
 * trusted to check one. Lines keep their line feeds.
 */
export function originsOf(base: string, local: string, remote: string, merged: string): Origin[] {
  const budget = newBudget();
  const { lines } = readLines(merged, budget);
  const [inBase, inLocal, inRemote] = [base, local, remote].map((text) =>
    counterparts(lines.length, diffLines(merged, text, budget)),
  ) as [Int32Array, Int32Array, Int32Array];
  return lines.map((line, at) => {
    const [was, mine, theirs] = [inBase, inLocal, inRemote].map((places) => (places[at] as number) >= 0);
    if (was) return { from: "base", line };
    if (mine && theirs) return { from: "both", line };
    return { from: mine ? "local" : theirs ? "remote" : "mixed", line };
  });
}
