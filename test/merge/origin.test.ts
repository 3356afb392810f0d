import { describe, expect, it } from "vitest";
import { type LineOrigin, findOrigins } from "../../src/markdown/merge/origin.ts";
import { splitLines } from "../../src/markdown/merge/split.ts";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { fc, runs, seed } from "../property.ts";
import { threeTexts } from "./documents.ts";

const text = (rows: readonly LineOrigin[]) => rows.map(({ line }) => line).join("");
const short = (rows: readonly LineOrigin[]) => rows.map(({ kind, from, line }) => [kind, from, line.trimEnd()]);

describe("where the lines of a merge are from", () => {
  it("has the whole result and the whole base, and attributes no line to a side that lacks it", () => {
    let merges = 0;
    fc.assert(
      fc.property(threeTexts, ([base, local, remote]) => {
        const merged = mergeText(base, local, remote);
        if (merged.kind === "conflict") return;
        merges++;
        const rows = findOrigins(base, local, remote, merged.text);
        expect(text(rows.filter(({ kind }) => kind !== "removed"))).toBe(merged.text);
        expect(text(rows.filter(({ kind }) => kind !== "added"))).toBe(base);
        const [was, mine, theirs] = [base, local, remote].map((one) => new Set(splitLines(one))) as [
          Set<string>,
          Set<string>,
          Set<string>,
        ];
        for (const { kind, from, line, words } of rows) {
          if (kind === "added" && (from === "mine" || from === "both")) expect(mine).toContain(line);
          if (kind === "added" && (from === "theirs" || from === "both")) expect(theirs).toContain(line);
          if (kind === "added" && mine.has(line) && !theirs.has(line) && !was.has(line)) expect(from).toBe("mine");
          if (kind === "added" && theirs.has(line) && !mine.has(line) && !was.has(line)) expect(from).toBe("theirs");
          if (kind === "removed" && !mine.has(line)) expect(["mine", "both"]).toContain(from);
          if (kind === "removed" && !theirs.has(line)) expect(["theirs", "both"]).toContain(from);
          if (from === "mixed") expect(words.map((word) => word.text).join("")).toBe(line);
          else expect(words).toEqual([]);
        }
      }),
      { seed, numRuns: runs(250) },
    );
    expect(merges).toBeGreaterThan(60);
  });

  it("distinguishes additions, removals and equal changes of both sides", () => {
    const base = "a\nmine goes\nb\ntheirs goes\nc\n";
    const local = "a\nmine comes\nb\ntheirs goes\nalike\nc\n";
    const remote = "a\nmine goes\nb\nalike\nc\ntheirs comes\n";
    const result = "a\nmine comes\nb\nalike\nc\ntheirs comes\n";
    expect(short(findOrigins(base, local, remote, result))).toEqual([
      ["kept", "base", "a"],
      ["removed", "mine", "mine goes"],
      ["added", "mine", "mine comes"],
      ["kept", "base", "b"],
      ["removed", "theirs", "theirs goes"],
      ["added", "both", "alike"],
      ["kept", "base", "c"],
      ["added", "theirs", "theirs comes"],
    ]);
  });

  it("names the side of each word of a line, and the words of no side", () => {
    const rows = findOrigins(
      "call bob on friday\n",
      "call bob on monday\n",
      "phone bob on friday\n",
      "phone bob on monday xx\n",
    );
    expect(short(rows)).toEqual([
      ["removed", "both", "call bob on friday"],
      ["added", "mixed", "phone bob on monday xx"],
    ]);
    expect(rows[1]?.words.filter(({ from }) => from !== "base")).toEqual([
      { from: "theirs", text: "phone" },
      { from: "mine", text: "monday" },
      { from: "none", text: "xx" },
    ]);
  });

  it("shows a line that both sides have and the result has not as removed by neither", () => {
    expect(short(findOrigins("a\nb\nc\n", "a\nb\nc\nm\n", "t\na\nb\nc\n", "t\na\nc\nm\n"))).toContainEqual([
      "removed",
      "base",
      "b",
    ]);
  });

  it("gives a line of both sides back whole, with white space at the end of the text", () => {
    const rows = findOrigins("one two three", "uno two three ", "one two tres", "uno two tres ");
    const mixed = rows.find(({ from }) => from === "mixed");
    expect(mixed?.words.map(({ text }) => text).join("")).toBe("uno two tres ");
  });
});
