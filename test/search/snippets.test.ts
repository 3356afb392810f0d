import { describe, expect, test } from "vitest";
import { needleOf, snippetsOf } from "../../src/markdown/search/snippets.ts";
import { fc } from "../property.ts";

describe("snippets", () => {
  test("show the lines with most of the words, at most three, in order", () => {
    const text = "one\nx\none two\nx\none two three\none three\n";
    const needles = ["one", "two", "three"].map((word) => needleOf(word, false));
    expect(snippetsOf(text, needles).map(({ line }) => line)).toEqual([3, 5, 6]);
  });

  test("cut a long line around its first match, and keep every range inside the text", () => {
    fc.assert(
      fc.property(fc.nat(900), fc.nat(900), fc.constantFrom("a", "é", "🎉", "解"), (before, after, filler) => {
        const [snippet] = snippetsOf(`${filler.repeat(before)} needle ${filler.repeat(after)}`, [
          needleOf("needle", false),
        ]);
        const characters = [...snippet!.text];
        expect(characters.length).toBeLessThanOrEqual(242);
        expect(snippet!.ranges.map(([start, end]) => characters.slice(start, end).join(""))).toEqual(["needle"]);
      }),
    );
  });

  test("have no more ranges than what they show has characters, however often something matches", () => {
    for (const character of ["漢", "🎉", "a"]) {
      const [snippet] = snippetsOf(`${character} `.repeat(25_600), [needleOf(character, false)]);
      expect([...snippet!.text].length).toBeLessThanOrEqual(242);
      expect(snippet!.ranges).toHaveLength(120);
    }
  });

  test("of a short word show places where it is a whole word", () => {
    expect(snippetsOf("gone\nto go, gone\n", [needleOf("go", true)])).toEqual([
      { line: 2, text: "to go, gone", ranges: [[3, 5]] },
    ]);
  });
});
