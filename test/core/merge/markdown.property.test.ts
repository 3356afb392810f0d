import { fc } from "../../property.ts";
import { describe, expect, it } from "vitest";
import { contextsOf } from "../../../src/core/merge/contexts.ts";
import { inlineFaults } from "../../../src/core/merge/inline.ts";
import { splitLines } from "../../../src/core/merge/split.ts";
import { mergeText } from "../../../src/core/merge.ts";
import { runs, seed } from "./documents.ts";
import { markdownTexts, places } from "./markdown.ts";

const faults = (text: string): number =>
  contextsOf(splitLines(text)).faults + text.split("\n").reduce((sum, line) => sum + inlineFaults(line), 0);

describe(`I28 generated Markdown (seed ${seed})`, () => {
  it("is as sound after a merge as before", () => {
    let clean = 0;
    fc.assert(
      fc.property(markdownTexts, ([base, local, remote]) => {
        fc.pre(faults(base) + faults(local) + faults(remote) === 0);
        const merged = mergeText(base, local, remote);
        if (merged.kind === "conflict") return;
        clean++;
        expect(faults(merged.text)).toBe(0);
      }),
      { seed, numRuns: runs(1500) },
    );
    expect(clean).toBeGreaterThan(300);
  });

  // Few words and many wraps: now and then marks of one kind are taken for each other.
  it("keeps each word where one side put it, in the marks that one side gave it, but for one merge in 500", () => {
    let [clean, misplaced] = [0, 0];
    fc.assert(
      fc.property(markdownTexts, ([base, local, remote]) => {
        const merged = mergeText(base, local, remote);
        if (merged.kind === "conflict") return;
        clean++;
        if (!isKept(places(base), places(local), places(remote), places(merged.text))) misplaced++;
      }),
      { seed, numRuns: runs(3000) },
    );
    expect(clean).toBeGreaterThan(500);
    expect(misplaced).toBeLessThanOrEqual(clean / 500);
  });

  it("loses no word that a side added, and keeps none that a side removed, but for one merge in 200", () => {
    let [clean, wrong] = [0, 0];
    fc.assert(
      fc.property(markdownTexts, ([base, local, remote]) => {
        const merged = mergeText(base, local, remote);
        if (merged.kind === "conflict") return;
        clean++;
        const [b, l, r, m] = [places(base), places(local), places(remote), places(merged.text)];
        const words = new Set([...b.keys(), ...l.keys(), ...r.keys()]);
        const isDue = (word: string): boolean => !b.has(word) || (l.has(word) && r.has(word));
        if ([...words].some((word) => m.has(word) !== isDue(word))) wrong++;
      }),
      { seed, numRuns: runs(3000) },
    );
    expect(clean).toBeGreaterThan(500);
    expect(wrong).toBeLessThanOrEqual(clean / 200);
  });
});

type Words = ReadonlyMap<string, string>;

/** Whether each word of the base is where the side that moved or marked it has it; a new one may come into what the other side put around it. */
function isKept(b: Words, l: Words, r: Words, m: Words): boolean {
  return [...b].every(([word, was]) => {
    const [mine, theirs, is] = [l.get(word), r.get(word), m.get(word)];
    if (mine === was) return is === theirs;
    return (theirs !== was && mine !== theirs) || is === mine;
  });
}
