import { describe, expect, test } from "vitest";
import { restoreLineEnds } from "../../src/markdown/merge/style.ts";
import { type RowGroup, compareSideBySide } from "../../src/markdown/merge/side-by-side.ts";
import { fc } from "../property.ts";

type Side = "mine" | "base" | "theirs";

function textOf(passages: readonly RowGroup[], side: Side): string {
  return passages
    .flatMap(({ rows }) => rows.flatMap((row) => row[side]?.pieces ?? []))
    .map(({ text }) => text)
    .join("");
}

function numbersOf(passages: readonly RowGroup[], side: Side): number[] {
  return passages.flatMap(({ rows }) => rows.flatMap((row) => row[side]?.number ?? []));
}

/** Documents with repeated lines and all kinds of line ends. */
const text = fc
  .array(fc.constantFrom("", "a", "b", "one two", "one three", "# h", "二三"), { maxLength: 8 })
  .chain((lines) => fc.constantFrom("\n", "\r\n").map((end) => lines.join(end)));

describe("side by side", () => {
  test("sides are shown by passages, and changes within a line by words", () => {
    const passages = compareSideBySide({
      base: "# Plan\n\none two three\nkept\nleft\nlast\n",
      mine: "# Plan\n\none TWO three\nkept\nleft here\nlast\n",
      theirs: "# Plan\n\none 2 three\nkept\nleft\nlast\nmore\n",
    });
    expect(passages.map(({ kind }) => kind)).toEqual(["same", "both", "same", "mine", "same", "theirs"]);
    expect(passages[1]!.rows).toEqual([
      {
        mine: { number: 3, pieces: pieces("one ", "!TWO", " three\n") },
        base: { number: 3, pieces: pieces("one two three\n") },
        theirs: { number: 3, pieces: pieces("one ", "!2", " three\n") },
      },
    ]);
    expect(passages[5]!.rows).toEqual([{ mine: null, base: null, theirs: { number: 7, pieces: pieces("!more\n") } }]);
  });

  test("against the base, each side shows what it changed of it", () => {
    const [both] = compareSideBySide({ base: "a b c", mine: "a B c", theirs: "a b c d" }, "base");
    expect(both!.rows[0]!.mine!.pieces).toEqual(pieces("a ", "!B", " c"));
    expect(both!.rows[0]!.theirs!.pieces).toEqual(pieces("a b c", "! d"));
  });

  test("without a base it distinguishes equal and different alone", () => {
    const passages = compareSideBySide({ base: null, mine: "one\ntwo\n", theirs: "one\nthree\n" });
    expect(passages.map(({ kind }) => kind)).toEqual(["same", "both"]);
    expect(passages.every(({ rows }) => rows.every(({ base }) => base === null))).toBe(true);
  });

  test("lines that have little in common are marked as a whole; an end of line that differs is", () => {
    const [unlike] = compareSideBySide({ base: null, mine: "all of this is mine", theirs: "nothing, though" });
    expect(unlike!.rows[0]!.mine!.pieces).toEqual(pieces("!all of this is mine"));
    const [ended] = compareSideBySide({ base: null, mine: "one\r\n", theirs: "one\n" });
    expect(ended!.rows[0]!.mine!.pieces).toEqual(pieces("one", "!\r\n"));
  });

  test("any texts are returned whole, with their lines numbered in order", () => {
    fc.assert(
      fc.property(
        fc.option(text, { nil: null }),
        text,
        text,
        fc.constantFrom("other", "base"),
        (base, mine, theirs, against) => {
          const passages = compareSideBySide({ base, mine, theirs }, against as "other" | "base");
          expect(textOf(passages, "mine")).toBe(mine);
          expect(textOf(passages, "theirs")).toBe(theirs);
          expect(textOf(passages, "base")).toBe(base ?? "");
          for (const side of ["mine", "base", "theirs"] as const)
            expect(numbersOf(passages, side)).toEqual(numbersOf(passages, side).map((_, index) => index + 1));
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Returns pieces of content. A text that begins with `!` is a piece that differs. */
function pieces(...texts: readonly string[]) {
  return texts.map((one) => ({ text: one.replace(/^!/, ""), differs: one.startsWith("!") }));
}

/** Returns the content as an HTML form sends it. */
function asSent(written: string): string {
  return written.replace(/\r\n|\r|\n/g, "\r\n");
}

describe("line ends", () => {
  test("what was not edited comes back byte for byte", () => {
    const any = fc
      .array(fc.constantFrom("a", "b", "", "\n", "\r\n", "\r"), { maxLength: 12 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(any, (start) => {
        expect(restoreLineEnds(asSent(start), start)).toBe(start);
      }),
      { numRuns: 500 },
    );
  });

  test("new lines end as most do, and the others as they did", () => {
    const start = "one\r\ntwo\nthree\r\n";
    expect(restoreLineEnds("one\r\nnew\r\ntwo\r\nthree\r\nlast", start)).toBe("one\r\nnew\r\ntwo\nthree\r\nlast");
    expect(restoreLineEnds("a\r\nb", "")).toBe("a\nb");
  });
});
