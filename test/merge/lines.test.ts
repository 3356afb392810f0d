import diff3Merge from "diff3";
import { describe, expect, it } from "vitest";
import { type LineBlock, mergeLines } from "../../src/merge/lines.ts";
import { newReading } from "../../src/merge/reading.ts";
import { splitLines } from "../../src/merge/split.ts";
import { fc } from "../property.ts";
import { runs, seed, threeTexts } from "./documents.ts";

/** What package `diff3`, which has no bound on its cost, makes of three texts. */
function byPackage(base: string, local: string, remote: string): LineBlock[] {
  const [b, l, r] = [base, local, remote].map(splitLines) as [string[], string[], string[]];
  return diff3Merge(l, b, r).map((block) => {
    if (block.conflict === undefined) return { kind: "settled", text: block.ok.join("") };
    const { a, aIndex, o, oIndex, b: other, bIndex } = block.conflict;
    return {
      kind: "conflict",
      base: o,
      local: a,
      remote: other,
      baseLine: oIndex,
      localLine: aIndex,
      remoteLine: bIndex,
    };
  });
}

const fewLines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n"), { maxLength: 24 }).map((all) => all.join(""));

describe(`the merge of lines (seed ${seed})`, () => {
  it.each([
    ["documents", threeTexts],
    ["lines that are much alike", fc.tuple(fewLines, fewLines, fewLines)],
  ])("gives what package diff3 gives: %s", (_title, texts) => {
    fc.assert(
      fc.property(texts, ([base, local, remote]) => {
        expect(mergeLines(base, local, remote, newReading())).toEqual(byPackage(base, local, remote));
      }),
      { numRuns: runs(1_000) },
    );
  });
});
