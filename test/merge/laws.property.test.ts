import { anyCharacter, fc, runs, seed } from "../property.ts";
import { describe, expect, it } from "vitest";
import { splitIntoWords } from "../../src/markdown/merge/tokens.ts";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { threeTexts } from "./documents.ts";
import { markdownTexts, places } from "./markdown.ts";
import { keepsCounts } from "./word-counts.ts";
import { readBlockContexts } from "../../src/markdown/merge/contexts.ts";
import { countInlineFaults } from "../../src/markdown/merge/inline.ts";
import { splitLines } from "../../src/markdown/merge/split.ts";

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .array(
      fc.constantFrom("\n", "\r\n", "\r", "\uFEFF", "\u2028", "a", "b", " ", "`", "- ", "---", "😀", "文", "\ud800"),
    )
    .map((all) => all.join("")),
);
const anyTexts = fc.oneof(threeTexts, fc.tuple(anyText, anyText, anyText));

const lines = (text: string): string[] => text.replace(/^\uFEFF/, "").split(/\r?\n/);

describe(`I28 MERGE-HONEST (seed ${seed})`, () => {
  it("gives the other side, byte for byte, where one side changed nothing", () => {
    fc.assert(
      fc.property(anyText, anyText, (base, text) => {
        expect(mergeText(base, base, text)).toMatchObject({ kind: "clean", text });
        expect(mergeText(base, text, base)).toMatchObject({ kind: "clean", text });
      }),
      { seed, numRuns: runs(200) },
    );
  });

  it("gives the text, byte for byte, that both sides have", () => {
    fc.assert(
      fc.property(anyText, anyText, (base, text) => {
        expect(mergeText(base, text, text)).toMatchObject({ kind: "clean", text });
      }),
      { seed, numRuns: runs(200) },
    );
  });

  it("gives a clean merge again when it is merged with either side again", () => {
    let clean = 0;
    fc.assert(
      fc.property(anyTexts, ([base, local, remote]) => {
        const once = mergeText(base, local, remote);
        if (once.kind === "conflict") return;
        clean++;
        expect(mergeText(base, local, once.text)).toMatchObject({ kind: "clean", text: once.text });
        expect(mergeText(base, remote, once.text)).toMatchObject({ kind: "clean", text: once.text });
      }),
      { seed, numRuns: runs(300) },
    );
    expect(clean).toBeGreaterThan(30);
  });

  it("merges with exchanged sides exactly when it merges, in any order", () => {
    let clean = 0;
    fc.assert(
      fc.property(fc.oneof(anyTexts, markdownTexts), ([base, local, remote]) => {
        const [once, turned] = [mergeText(base, local, remote), mergeText(base, remote, local)];
        expect(turned.kind).toBe(once.kind);
        if (once.kind === "conflict" || turned.kind === "conflict") return;
        clean++;
        const words = (text: string): string[] => splitIntoWords(text).sort();
        expect(words(turned.text)).toEqual(words(once.text));
      }),
      { seed, numRuns: runs(300) },
    );
    expect(clean).toBeGreaterThan(30);
  });

  it("loses and doubles no word", () => {
    fc.assert(
      fc.property(anyTexts, ([base, local, remote]) => {
        const result = mergeText(base, local, remote);
        if (result.kind === "clean") expect(keepsCounts(base, local, remote, result.text)).toBe(true);
        else expect(result.hunks.length).toBeGreaterThan(0);
      }),
      { seed, numRuns: runs(300) },
    );
  });

  it("ends the same way each time", () => {
    fc.assert(
      fc.property(anyTexts, ([base, local, remote]) => {
        expect(mergeText(base, local, remote)).toEqual(mergeText(base, local, remote));
      }),
      { seed, numRuns: runs(100) },
    );
  });

  it("has the changes of both sides to different paragraphs", () => {
    const paragraphs = fc.array(fc.constantFrom("local", "remote", "nobody"), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(paragraphs, (editors) => {
        const write = (...edited: string[]): string =>
          editors
            .map((who, at) => `Paragraph ${at} ${edited.includes(who) ? `changed by ${who}` : "as it was"}.\n\n`)
            .join("");
        expect(mergeText(write(), write("local"), write("remote"))).toMatchObject({
          kind: "clean",
          text: write("local", "remote"),
        });
      }),
      { seed, numRuns: runs(100) },
    );
  });

  it("has the changes of both sides to different words of one line", () => {
    const words = Array.from({ length: 20 }, (_, at) => `word${at}`);
    fc.assert(
      fc.property(fc.nat(19), fc.nat(19), (mine, theirs) => {
        fc.pre(Math.abs(mine - theirs) > 1);
        const write = (...places: number[]): string =>
          `${words.map((word, at) => (places.includes(at) ? `new${at}` : word)).join(" ")}\n`;
        expect(mergeText(write(), write(mine), write(theirs))).toMatchObject({
          kind: "clean",
          text: write(mine, theirs),
        });
      }),
      { seed, numRuns: runs(100) },
    );
  });

  it("points at the lines of each text that conflict", () => {
    fc.assert(
      fc.property(threeTexts, ([base, local, remote]) => {
        const result = mergeText(base, local, remote);
        if (result.kind === "clean") return;
        for (const hunk of result.hunks) {
          for (const [text, part, first] of [
            [base, hunk.base, hunk.baseLine],
            [local, hunk.local, hunk.localLine],
            [remote, hunk.remote, hunk.remoteLine],
          ] as const) {
            const expected = lines(part);
            if (expected.at(-1) === "") expected.pop();
            expect(lines(text).slice(first, first + expected.length)).toEqual(expected);
          }
        }
      }),
      { seed, numRuns: runs(200) },
    );
  });
});

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
