import { fc } from "../property.ts";
import { describe, expect, test } from "vitest";
import { countLines, type DiffHunk, diffLines } from "../../src/markdown/merge/line-diff.ts";

const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "d\r\n"), { maxLength: 40 });
const texts = fc.tuple(lines, fc.constantFrom("", "end", "a")).map(([whole, end]) => whole.join("") + end);

/** What `patch` does: takes each hunk's lines at its place, and checks what it removes. */
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
