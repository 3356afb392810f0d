import { describe, expect, test } from "vitest";
import { keepLineEnds } from "../../src/mirror/operations/manual/save.ts";
import { cutLines, cutToLength, formatTextDiff } from "../../src/mcp/tool.ts";
import { replaceIn } from "../../src/mcp/tools/edit.ts";

describe("a part of a content", () => {
  test.each([
    [1, 9, 100, "a\nbb\nccc\n", 3, null],
    [1, 9, 5, "a\nbb\n", 2, 3],
    [2, 2, 100, "bb\n", 2, null],
    [3, 9, 2, "cc", 3, 3],
    [2, 9, 2, "bb", 2, 2],
    [4, 9, 100, "", 3, null],
  ])("from %i to %i in %i characters is %j, and goes on", (from, last, characters, text, to, next) => {
    expect(cutLines("a\nbb\nccc\n", from, last, characters)).toMatchObject({ text, from, to, next });
  });

  test("continues after a line that no answer can contain", () => {
    const long = `${"x".repeat(60_000)}\n`;
    expect(cutLines(`${long}a\n`, 1, 9, 200)).toMatchObject({ to: 1, next: 2, cutLineLength: 60_001 });
    expect(cutLines(long, 1, 9, 200)).toMatchObject({ to: 1, next: null, cutLineLength: 60_001 });
  });

  test("no character is cut in half", () => {
    expect(cutToLength("a😀b", 2)).toBe("a");
    expect(cutToLength("a😀b", 3)).toBe("a😀");
  });
});

test("a diff is unified, as any patch tool reads it", () => {
  expect(formatTextDiff({ before: "old", after: "new" }, "a\nb\n", "a\nc")).toBe(
    "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n",
  );
});

function edit(text: string, ...edits: Parameters<typeof replaceIn>[1]): ReturnType<typeof replaceIn> {
  return replaceIn(text, edits);
}

describe("edits by pieces", () => {
  test("each sees what those before it made", () => {
    expect(edit("a b", { old_text: "a", new_text: "c" }, { old_text: "c b", new_text: "d" })).toEqual({
      kind: "replaced",
      text: "d",
      places: 2,
    });
  });

  test("a piece that the content lacks, or has more than once, changes nothing", () => {
    expect(edit("a a", { old_text: "b", new_text: "" })).toEqual({ kind: "unfit", edit: 1, count: 0 });
    expect(edit("a a", { old_text: "a", new_text: "b" })).toEqual({ kind: "unfit", edit: 1, count: 2 });
    expect(edit("a a", { old_text: "a", new_text: "$&", all: true })).toMatchObject({ text: "$& $&", places: 2 });
  });

  test("line feeds mean CR LF where all lines end so, and are what they are elsewhere", () => {
    expect(edit("a\r\nb\r\n", { old_text: "a\nb", new_text: "c\nd" })).toMatchObject({ text: "c\r\nd\r\n" });
    expect(edit("a\r\nb\n", { old_text: "a\nb", new_text: "c" })).toMatchObject({ kind: "unfit" });
  });
});

test("a whole new text takes the line ends and the mark of the one before", () => {
  expect(keepLineEnds("\ufeffa\r\nb\r\n", "c\nd\n")).toBe("\ufeffc\r\nd\r\n");
  expect(keepLineEnds("a\n", "c\r\n")).toBe("c\r\n");
  expect(keepLineEnds("a\r\nb\n", "c\n")).toBe("c\n");
});
