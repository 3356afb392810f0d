import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { checkRows } from "./rows.ts";

const long = (...changes: readonly (readonly [number, string])[]): string => {
  const words = "one two three four five six seven eight nine ten".split(" ");
  for (const [at, word] of changes) words[at] = word;
  return `${words.join(" ")}.\n`;
};

describe("lines", () => {
  checkRows([
    ["changes far apart are both kept", "a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nD\n"],
    ["changes of neighbouring lines are both kept", "a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", "A\nB\nc\n"],
    ["the same change of both sides is made once", "a\nb\nc\n", "a\nX\nc\nd\n", "a\nX\nc\n", "a\nX\nc\nd\n"],
    ["a blank line is a change of its side", "a\nb\n", "a\n\nb\n", "a\nb\nc\n", "a\n\nb\nc\n"],
    ["two rewritings of one line are a conflict", "a\nold\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n", undefined],
    [
      "a deletion against an edit is a conflict",
      "a\n\nsome words here\n\nc\n",
      "a\n\nc\n",
      "a\n\nsome new words here\n\nc\n",
      undefined,
    ],
  ]);
});

describe("words", () => {
  checkRows([
    ["apart", long(), long([1, "TWO"]), long([6, "SEVEN"]), long([1, "TWO"], [6, "SEVEN"])],
    ["touching", long(), long([1, "TWO"]), long([2, "THREE"]), long([1, "TWO"], [2, "THREE"])],
    ["the same word twice", long(), long([1, "TWO"]), long([1, "DOS"]), undefined],
    [
      "an edit against the removal of its sentence",
      "Keep this. Some old words go here.\n",
      "Keep this.\n",
      "Keep this. Some new words go here.\n",
      undefined,
    ],
    [
      "ideographs one by one",
      "你好世界今天天气好。\n",
      "您好世界今天天气好。\n",
      "你好世界明天天气好。\n",
      "您好世界明天天气好。\n",
    ],
    [
      "a wrapped paragraph and an edited word",
      "The quick brown fox jumps over the dog.\n",
      "The quick brown\nfox jumps over\nthe dog.\n",
      "The quick red fox jumps over the dog.\n",
      "The quick red\nfox jumps over\nthe dog.\n",
    ],
    [
      "an addition that shares words with the replacement beside it",
      "a plain word\n",
      "a plain red text word\n",
      "a plain text\n",
      undefined,
    ],
    ["a word for one that the other side replaced", "a plain word\n", "a plain new word\n", "a plain text\n"],
    [
      "emphasis of a word beside a replaced one",
      "a plain word here\n",
      "a **plain** word here\n",
      "a plain text here\n",
      "a **plain** text here\n",
    ],
    [
      "a translated heading that got an id",
      "## How to Read\n",
      "## How to Read {#how-to-read}\n",
      "## 如何阅读\n",
      "## 如何阅读 {#how-to-read}\n",
    ],
  ]);
});

describe("what is never mixed", () => {
  checkRows([
    [
      "the path of a link's target",
      "See [it](https://a.org/one/two).\n",
      "See [it](https://a.org/one/four).\n",
      "See [it](https://a.org/one/three).\n",
      undefined,
    ],
    [
      "a link's text and target go together",
      "See [it](a.md) now.\n",
      "See [that](a.md) now.\n",
      "See [it](b.md) now.\n",
      "See [that](b.md) now.\n",
    ],
    [
      "the path of a bare address",
      "At https://a.org/one/two now.\n",
      "At https://a.org/one/four now.\n",
      "At https://a.org/one/three now.\n",
      undefined,
    ],
    [
      "a code span",
      "Call `read(a, b)` first.\n",
      "Call `load(a, b)` first.\n",
      "Call `read(a, c)` first.\n",
      undefined,
    ],
    [
      "a picture of several",
      "We \u{1F469}\u200D\u{1F467} go\n",
      "We \u{1F469}\u200D\u{1F466} go\n",
      "We \u{1F468}\u200D\u{1F467} go\n",
    ],
    ["a flag", "From \u{1F1E9}\u{1F1EA} now\n", "From \u{1F1E9}\u{1F1F0} now\n", "From \u{1F1EB}\u{1F1EA} now\n"],
    [
      "but a picture's skin and a word beside it go together",
      "Nice \u{1F44D} work\n",
      "Nice \u{1F44D}\u{1F3FD} work\n",
      "Nice \u{1F44D} effort\n",
      "Nice \u{1F44D}\u{1F3FD} effort\n",
    ],
    ["a version", "Use 1.2.3 now.\n", "Use 2.2.3 now.\n", "Use 1.2.4 now.\n", undefined],
    [
      "but lines of code stand side by side",
      "```\na\nb\n```\n",
      "```\nA\nb\n```\n",
      "```\na\nB\n```\n",
      "```\nA\nB\n```\n",
    ],
  ]);
});

describe("both sides add at one place", () => {
  checkRows([
    [
      "list items: the remote's first",
      "# L\n\n- one\n",
      "# L\n\n- one\n- mine\n",
      "# L\n\n- one\n- other\n",
      "# L\n\n- one\n- other\n- mine\n",
    ],
    [
      "table rows",
      "| a | b |\n|---|---|\n",
      "| a | b |\n|---|---|\n| 1 | 2 |\n",
      "| a | b |\n|---|---|\n| 3 | 4 |\n",
      "| a | b |\n|---|---|\n| 3 | 4 |\n| 1 | 2 |\n",
    ],
    [
      "rows of different widths are a conflict",
      "| a | b |\n|---|---|\n",
      "| a | b |\n|---|---|\n| 1 |\n",
      "| a | b |\n|---|---|\n| 3 | 4 |\n",
      undefined,
    ],
    [
      "rows, with a paragraph below those of one side",
      "| a | b |\n|---|---|\n",
      "| a | b |\n|---|---|\n| 1 | 2 |\n\nMine.\n",
      "| a | b |\n|---|---|\n| 3 | 4 |\n",
      "| a | b |\n|---|---|\n| 3 | 4 |\n| 1 | 2 |\n\nMine.\n",
    ],
    [
      "a row, and a paragraph of the other side",
      "| a | b |\n|---|---|\n",
      "| a | b |\n|---|---|\n| 1 | 2 |\n",
      "| a | b |\n|---|---|\n\nTheirs.\n",
      "| a | b |\n|---|---|\n| 1 | 2 |\n\nTheirs.\n",
    ],
    [
      "reference definitions",
      "[a]: a.md\n",
      "[a]: a.md\n[m]: m.md\n",
      "[a]: a.md\n[t]: t.md\n",
      "[a]: a.md\n[t]: t.md\n[m]: m.md\n",
    ],
    [
      "an item and its twin are a conflict",
      "- one\n",
      "- one\n- the new page about merging\n",
      "- one\n- the new page on merging\n",
      undefined,
    ],
    [
      "paragraphs: the remote's first",
      "a\n",
      "a\n\nMy words.\n",
      "a\n\nOther text.\n",
      "a\n\nOther text.\n\nMy words.\n",
    ],
    [
      "entries on top of a list: the local ones first, which came last",
      "# L\n\n- one\n",
      "# L\n\n- mine\n- one\n",
      "# L\n\n- other\n- one\n",
      "# L\n\n- mine\n- other\n- one\n",
    ],
    ["two sections of one name are a conflict", "a\n", "a\n\n## New\n\nx\n", "a\n\n## New\n\ny\n", undefined],
    [
      "an addition that is part of the other one is made once",
      "- a\n",
      "- a\n- b\n",
      "- a\n- b\n- c\n",
      "- a\n- b\n- c\n",
    ],
  ]);
});

describe("style", () => {
  checkRows([
    ["line ends of one side, words of the other", "a\nb\n", "a\r\nb\r\n", "a\nB\n", "a\r\nB\r\n"],
    ["line ends of one side, words of both", "a\nb\nc\n", "A\r\nb\r\nc\r\n", "a\nb\nC\n", "A\r\nb\r\nC\r\n"],
    ["the mark is kept with the other side's words", "a\nb\n", "\uFEFFa\nb\n", "A\nb\n", "\uFEFFA\nb\n"],
    ["a last line break goes, a word comes", "a\nb c d\n", "a\nb c d", "a\nb c D\n", "a\nb c D"],
    ["mixed line ends are left as they are", "a\r\nb\nc\nd\n", "A\r\nb\nc\nd\n", "a\r\nB\nc\nd\n", "A\r\nB\nc\nd\n"],
  ]);
});

const page = (title: string, word: string): string => `---\ntitle: ${title}\n---\n${word}\n`;

describe("conflicts", () => {
  it("names the smallest lines that do not merge, in all three texts", () => {
    const base = "top\n\nsame\nold\nend\n";
    const result = mergeText(base, "new top\n\nsame\nmine\nend\n", "top\n\nadded\n\nsame\ntheirs\nend\n");
    expect(result).toEqual({
      kind: "conflict",
      reason: "overlap",
      hunks: [{ base: "old\n", local: "mine\n", remote: "theirs\n", baseLine: 3, localLine: 3, remoteLine: 5 }],
    });
  });

  it("counts a hunk's lines from the start of a text with front matter", () => {
    const result = mergeText(page("a", "old"), page("a", "mine"), page("b", "theirs"));
    expect(result).toMatchObject({
      kind: "conflict",
      hunks: [{ base: "old\n", baseLine: 3, localLine: 3, remoteLine: 3 }],
    });
  });
});
