import { fc } from "../property.ts";
import { describe, expect, it } from "vitest";
import { newBudget } from "../../src/markdown/merge/budget.ts";
import { hasCode, openFences } from "../../src/markdown/outline/fences.ts";
import { splitLines } from "../../src/markdown/merge/split.ts";
import { diff } from "../../src/markdown/merge/myers.ts";
import { newReading, tokenise } from "../../src/markdown/merge/reading.ts";
import { writeTokens } from "../../src/markdown/merge/tokens.ts";
import { seed, threeTexts } from "./documents.ts";
import { keepsCounts } from "./word-counts.ts";

const cut = (text: string): string[] => tokenise([text], newReading()).map((token) => token.text);

describe(`pieces (seed ${seed})`, () => {
  it("gives whole lines back from their tokens", () => {
    fc.assert(
      fc.property(threeTexts, ([text]) => {
        const whole = text.endsWith("\n") || text === "" ? text : `${text}\n`;
        expect(writeTokens(tokenise(splitLines(whole), newReading()))).toBe(whole);
      }),
      { seed, numRuns: 500 },
    );
  });

  it("finds scripts that lead from one sequence to the other, without touching edits, wherever lines end", () => {
    const ids = fc.array(fc.nat(3), { maxLength: 30 });
    fc.assert(
      fc.property(ids, ids, fc.nat(3), (base, side, end) => {
        const edits = diff(base, side, newBudget(), (ids, at) => ids[at - 1] === end);
        const made: number[] = [];
        let at = 0;
        for (const edit of edits) {
          expect(edit.start).toBeGreaterThanOrEqual(at === 0 ? 0 : at + 1);
          made.push(...base.slice(at, edit.start), ...side.slice(edit.from, edit.to));
          at = edit.end;
        }
        expect([...made, ...base.slice(at)]).toEqual(side);
      }),
      { seed, numRuns: 1000 },
    );
  });

  it("cuts text into what is merged as a whole", () => {
    expect(cut("See [the book](https://a.org/x_(y)) or `a b`, v1.2.3!\n")).toEqual([
      "See",
      "[",
      "the",
      "book",
      "]",
      "(https://a.org/x_(y))",
      "or",
      "`a b`",
      ",",
      "v1.2.3",
      "!",
      "\n",
    ]);
    expect(cut("你好 snake_case _word_ {#an-id}\n")).toEqual([
      "你",
      "好",
      "snake_case",
      "_",
      "word",
      "_",
      "{#an-id}",
      "\n",
    ]);
  });

  it("knows code from its fences", () => {
    const lines = ["a\n", "```js\n", "b\n", "~~~\n", "```\n", "c\n", "- ````\n", "  ```\n", "  ````\n"];
    const open = openFences(lines);
    expect(lines.map((_, at) => hasCode(open, at, at + 1))).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
      true,
      true,
      true,
    ]);
  });

  it("sees a word that was lost or doubled", () => {
    expect(keepsCounts("a b", "a b c", "a b d", "a b c d")).toBe(true);
    expect(keepsCounts("a b", "a b c", "a b d", "a c d")).toBe(false);
    expect(keepsCounts("a b", "a b c", "a b d", "a b c c d")).toBe(false);
  });
});
