import { anyCharacter, fc, runs, seed } from "../property.ts";
import { describe, expect, it } from "vitest";
import { splitIntoWords } from "../../src/markdown/merge/words.ts";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { threeTexts } from "./documents.ts";
import { markdownTexts } from "./markdown.ts";
import { keepsCounts } from "./word-counts.ts";

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
