import { describe, expect, it } from "vitest";
import { explainMerge } from "../../src/lib/merge.ts";

const texts = { base: "- a\n- b\n- c\n", mine: "- a\n- b now\n- c\n- d\n", theirs: "- new a\n- b\n" };

describe("explainMerge of the library", () => {
  it("names the side that made each line, and the pieces of all four texts", () => {
    const merged = "- new a\n- b now\n- d\n";
    const explained = explainMerge(texts, merged);
    expect(explained?.texts).toEqual(texts);
    expect(explained?.lines.map(({ line, rule }) => [line, rule])).toEqual([
      [1, "theirs"],
      [2, "mine"],
      [null, "theirs"],
      [3, "mine"],
    ]);
    const pieces = explained?.lines.flatMap((line) => line.pieces) ?? [];
    for (const [name, whole] of Object.entries({ ...texts, merged })) {
      const cells = pieces.map((piece) => piece[name as keyof (typeof pieces)[number]] ?? "");
      expect(cells.join("")).toBe(whole);
    }
  });
});
