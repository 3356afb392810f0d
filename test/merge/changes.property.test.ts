import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { readBlockContexts } from "../../src/markdown/merge/contexts.ts";
import { countInlineFaults } from "../../src/markdown/merge/inline.ts";
import { splitLines } from "../../src/markdown/merge/split.ts";
import { fc, runs, seed } from "../property.ts";
import { markdownTexts, places } from "./markdown.ts";

/**
 * Few different words, so that wrong matches are frequent. A merge that matches the wrong words
 * loses a change or applies it twice.
 */
const word = fc.constantFrom("ash", "birch", "cedar", "elm", "fir", "holly", "larch", "maple", "oak", "pine", "yew");
const line = fc.array(word, { minLength: 1, maxLength: 7 }).map((words) => words.join(" "));
const document = fc.array(fc.oneof({ weight: 3, arbitrary: line }, { weight: 1, arbitrary: fc.constant("") }), {
  minLength: 1,
  maxLength: 7,
});
const edit = fc.record({ at: fc.nat(6), kind: fc.constantFrom("replace", "insert", "remove"), line });

function apply(lines: readonly string[], edits: readonly { at: number; kind: string; line: string }[]): string {
  const result = [...lines];
  for (const { at, kind, line: text } of edits) {
    const place = at % (result.length + 1);
    if (kind === "replace" && place < result.length) result[place] = text;
    else if (kind === "insert") result.splice(place, 0, text);
    else if (kind === "remove") result.splice(place, 1);
  }
  return `${result.join("\n")}\n`;
}

const count = (text: string, wanted: string) => text.split(/\s+/).filter((one) => one === wanted).length;

describe("I28 a clean merge has every change of both sides", () => {
  it("keeps what one side alone did to the count of a word, where lines did not merge by themselves", () => {
    const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
    let fine = 0;
    fc.assert(
      fc.property(document, edits, edits, (lines, ours, theirs) => {
        const [base, local, remote] = [`${lines.join("\n")}\n`, apply(lines, ours), apply(lines, theirs)];
        const merged = mergeText(base, local, remote);
        if (merged.kind === "conflict" || merged.how !== "fine") return;
        // If the result equals one side, another rule decided: that side already had the other's
        // changes.
        if (merged.text === local || merged.text === remote) return;
        fine++;
        for (const one of ["ash", "birch", "cedar", "elm", "fir", "holly", "larch", "maple", "oak", "pine", "yew"]) {
          const before = count(base, one);
          const [here, there, done] = [
            count(local, one) - before,
            count(remote, one) - before,
            count(merged.text, one) - before,
          ];
          if (here === 0 || there === 0 || here > 0 !== there > 0) expect([one, done]).toEqual([one, here + there]);
        }
      }),
      { seed, numRuns: runs(600) },
    );
    // Without any fine merge, the property would have checked nothing.
    expect(fine).toBeGreaterThan(4);
  });
});

const faults = (text: string): number =>
  readBlockContexts(splitLines(text)).faults + text.split("\n").reduce((sum, line) => sum + countInlineFaults(line), 0);

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
 * Returns the words of base that are at the wrong place in the result. The place is that of the
 * side which moved or marked the word; if both did, either place is right.
 */
function misplaced(b: Words, l: Words, r: Words, m: Words): string[] {
  return [...b.keys()].filter((word) => {
    const [was, mine, theirs, is] = [b.get(word), l.get(word), r.get(word), m.get(word)];
    if (mine === was) return is !== theirs;
    return (theirs === was || mine === theirs) && is !== mine;
  });
}
