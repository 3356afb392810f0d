import { describe, expect, it, test } from "vitest";
import { type LineBlock, mergeLines } from "../../src/markdown/merge/lines.ts";
import { createReading } from "../../src/markdown/merge/reading.ts";
import { splitLines } from "../../src/markdown/merge/split.ts";
import { countLines, type DiffHunk, diffLines } from "../../src/markdown/merge/line-diff.ts";
import { fc, runs, seed } from "../property.ts";
import { threeTexts } from "./documents.ts";

const fewLines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n"), { maxLength: 24 }).map((all) => all.join(""));

function mergedLines(base: string, local: string, remote: string): LineBlock[] {
  const blocks = mergeLines(base, local, remote, createReading());
  if (blocks === undefined) throw new Error("the budget did not pay for small texts");
  return blocks;
}

/** Returns the lines after the first occurrence of `run`. Throws if there is none. */
function linesAfter(lines: readonly string[], run: readonly string[]): string[] {
  const at = Array.from({ length: lines.length + 1 }, (_, from) => from).find((from) =>
    run.every((line, index) => lines[from + index] === line),
  );
  if (at === undefined) throw new Error("the conflict has lines that the text has not, or in another order");
  return lines.slice(at + run.length);
}

const settled = (text: string): LineBlock[] => (text === "" ? [] : [{ kind: "settled", text }]);

describe(`the merge of lines (seed ${seed})`, () => {
  const texts = fc.oneof(threeTexts, fc.tuple(fewLines, fewLines, fewLines));

  it("gives a side whole where the other one changed nothing, or the same", () => {
    fc.assert(
      fc.property(texts, ([base, side]) => {
        expect(mergedLines(base, base, side)).toEqual(settled(side));
        expect(mergedLines(base, side, base)).toEqual(settled(side));
        expect(mergedLines(base, side, side)).toEqual(settled(side));
      }),
      { seed, numRuns: runs(500) },
    );
  });

  it("takes the lines that conflict from each text in its order, and settles the others alike both ways round", () => {
    let conflicts = 0;
    fc.assert(
      fc.property(texts, ([base, local, remote]) => {
        let [b, l, r] = [base, local, remote].map(splitLines) as [string[], string[], string[]];
        const turned = mergedLines(base, remote, local);
        for (const [at, block] of mergedLines(base, local, remote).entries()) {
          if (block.kind === "settled") {
            expect(turned[at]).toEqual(block);
            continue;
          }
          conflicts++;
          [b, l, r] = [linesAfter(b, block.base), linesAfter(l, block.local), linesAfter(r, block.remote)];
          expect(turned[at]).toMatchObject({ base: block.base, local: block.remote, remote: block.local });
        }
      }),
      { seed, numRuns: runs(1_000) },
    );
    expect(conflicts).toBeGreaterThan(500);
  });

  it("takes changes of lines with an unchanged one between them, and none that touch", () => {
    expect(mergedLines("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")).toEqual(settled("A\nb\nC\n"));
    expect(mergedLines("a\nb\n", "A\nb\n", "a\nB\n")).toEqual([
      {
        kind: "conflict",
        base: ["a\n", "b\n"],
        local: ["A\n", "b\n"],
        remote: ["a\n", "B\n"],
      },
    ]);
  });
});

const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "d\r\n"), { maxLength: 40 });
const texts = fc.tuple(lines, fc.constantFrom("", "end", "a")).map(([whole, end]) => whole.join("") + end);

/** Applies hunks like the program `patch`, and checks the lines that each removes. */
function applyPatch(before: string, hunks: readonly DiffHunk[]): string {
  const from = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  let result = "";
  let at = 0;
  for (const { before: place, lines: own } of hunks) {
    const start = place.count === 0 ? place.line : place.line - 1;
    result += from.slice(at, start).join("");
    at = start;
    for (const { kind, text } of own) {
      if (kind !== "added" && from[at++] !== text) throw new Error("the hunk does not apply");
      if (kind !== "removed") result += text;
    }
  }
  return result + from.slice(at).join("");
}

describe("diffLines", () => {
  test("applied to the first text, gives the second; backwards too, by the counts", () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        expect(applyPatch(before, diffLines(before, after))).toBe(after);
      }),
    );
  });

  test("counts in a hunk's heading are those of its lines, and of countLines together", () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const hunks = diffLines(before, after);
        for (const { before: b, after: a, lines: own } of hunks) {
          expect(own.filter(({ kind }) => kind !== "added")).toHaveLength(b.count);
          expect(own.filter(({ kind }) => kind !== "removed")).toHaveLength(a.count);
        }
        const all = hunks.flatMap((hunk) => hunk.lines);
        expect(countLines(before, after)).toEqual({
          added: all.filter(({ kind }) => kind === "added").length,
          removed: all.filter(({ kind }) => kind === "removed").length,
        });
      }),
    );
  });

  test("equal texts have no hunk; an empty one is named by line 0", () => {
    expect(diffLines("a\n", "a\n")).toEqual([]);
    expect(diffLines("", "a\n")).toEqual([
      { before: { line: 0, count: 0 }, after: { line: 1, count: 1 }, lines: [{ kind: "added", text: "a\n" }] },
    ]);
  });
});
