import { fc } from "../property.ts";
import { describe, expect, test } from "vitest";
import { foldLine, foldText, foldWords } from "../../src/markdown/search/fold.ts";

describe("folding", () => {
  test.each([
    ["ÉTENDRE", "etendre"],
    ["ﬁle", "file"],
    ["ＡＢＣ１", "abc1"],
    ["Straße", "straße"],
    ["ΣΟΦΟΣ σοφος", "σοφοσ σοφοσ"],
    ["İstanbul", "istanbul"],
    ["ضَغَطَ", "ضغط"],
    ["שָׁלוֹם", "שלום"],
    ["ё Й", "е и"],
    ["\u212a\u017f", "ks"],
  ])("takes %s for %s", (text, folded) => {
    expect(foldWords(text)).toBe(folded);
  });

  test("keeps the marks that distinguish words", () => {
    expect(foldWords("が")).toBe("が");
    expect(foldWords("か\u3099")).toBe("が");
    expect(foldWords("की")).toBe("की");
    expect(foldWords("ที่")).toBe("ที่");
  });

  // Marks are left out: Unicode sorts several of them on one letter, which is the stated limit.
  const letters = fc.string({
    unit: fc.constantFrom(..."aZéÉßςΣσİıﬁＡ解压缩がパか한국ضغطיםхЙ🎉 \n\u0301\u3099"),
    maxLength: 30,
  });
  test("what a text contains, its folded form contains folded", () => {
    fc.assert(
      fc.property(letters, letters, letters, (before, part, after) => {
        fc.pre((before + part + after).isWellFormed());
        expect(foldText(before + part + after)).toContain(foldText(part));
      }),
    );
  });

  test("a line folds as its text does, and every folded unit leads back to a character of it", () => {
    fc.assert(
      fc.property(letters, (line) => {
        const foldedLine = foldLine(line);
        const { folded } = foldedLine;
        expect(folded).toBe(foldText(line));
        const count = [...line].length;
        for (let i = 0; i < folded.length; i++) {
          const [start, end] = foldedLine.toCharacters(i, i + 1);
          expect(0 <= start && start < end && end <= count).toBe(true);
        }
      }),
    );
  });
});
