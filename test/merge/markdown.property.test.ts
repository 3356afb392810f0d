import { fc, runs, seed } from "../property.ts";
import { describe, expect, it } from "vitest";
import { contextsOf } from "../../src/markdown/merge/contexts.ts";
import { inlineFaults } from "../../src/markdown/merge/inline.ts";
import { splitLines } from "../../src/markdown/merge/split.ts";
import { mergeText } from "../../src/markdown/merge/merge.ts";
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
      { seed, numRuns: runs(250) },
    );
    expect(clean).toBeGreaterThan(40);
  });

  it("keeps the words that both sides have, where one side put them, in the marks that one side gave them", () => {
    let clean = 0;
    fc.assert(
      fc.property(markdownTexts, ([base, local, remote]) => {
        const merged = mergeText(base, local, remote);
        if (merged.kind === "conflict") return;
        clean++;
        const [b, l, r, m] = [places(base), places(local), places(remote), places(merged.text)];
        expect(misplaced(b, l, r, m)).toEqual([]);
        const words = [...new Set([...b.keys(), ...l.keys(), ...r.keys(), ...m.keys()])];
        const isDue = (word: string): boolean => !b.has(word) || (l.has(word) && r.has(word));
        expect(words.filter((word) => m.has(word) !== isDue(word))).toEqual([]);
      }),
      { seed, numRuns: runs(400) },
    );
    expect(clean).toBeGreaterThan(60);
  });
});

type Words = ReadonlyMap<string, string>;

/**
 * The words of the base that are not where the side that moved or marked them has them; where both
 * did, either may have it.
 */
function misplaced(b: Words, l: Words, r: Words, m: Words): string[] {
  return [...b.keys()].filter((word) => {
    const [was, mine, theirs, is] = [b.get(word), l.get(word), r.get(word), m.get(word)];
    if (mine === was) return is !== theirs;
    return (theirs === was || mine === theirs) && is !== mine;
  });
}
