import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { checkRows, checkRowsBothWays } from "./rows.ts";

describe("an edit is applied only to an item that still says what the edit was made for", () => {
  checkRows([
    ["a replaced item", "- buy milk\n", "- sell the car\n", "- buy milk, two litres\n"],
    ["a replaced number", "- Bob: 0151 222\n", "- Bob: 0170 999\n", "- Bob: 0151 222 (work)\n"],
    ["a replaced name", "- [ ] Bob\n", "- [ ] Eve\n", "- [ ] Bob (brother)\n"],
    ["most words of an item", "- buy milk at the shop\n", "- sell eggs at fairs\n", "- buy milk at the shop today\n"],
    ["the words of a link", "- [[bank]]\n", "- [[lawyer]]\n", "- [[bank]] is closed\n"],
    ["a link for a replaced word", "Ask the bank.\n", "Ask the [[bank]].\n", "Ask the lawyer.\n"],
    ["a tick for a replaced task", "- [ ] call the bank\n", "- [x] call the bank\n", "- [ ] book the dentist\n"],
    [
      "but a tick for a task with one other word",
      "- [ ] call the bank\n",
      "- [x] call the bank\n",
      "- [ ] phone the bank\n",
      "- [x] phone the bank\n",
    ],
  ]);
});

describe("a number is no part of what it numbers", () => {
  const NUMBERED: readonly (readonly [string, (items: readonly string[]) => string])[] = [
    ["items", (items) => items.map((item, at) => `${at + 1}. ${item}\n`).join("")],
    ["items in a quote", (items) => items.map((item, at) => `> ${at + 1}) ${item}\n`).join("")],
    ["letters", (items) => items.map((item, at) => `${"abcd"[at]}) ${item}\n`).join("")],
    ["rows", (items) => `| # | a |\n|---|---|\n${items.map((item, at) => `| ${at + 1} | ${item} |\n`).join("")}`],
    ["headings", (items) => items.map((item, at) => `## ${at + 1}. ${item}\n\ntext of ${item}\n`).join("\n")],
    ["sections", (items) => items.map((item, at) => `## 2.${at + 1}. ${item}\n\ntext of ${item}\n`).join("\n")],
  ];
  checkRowsBothWays(
    NUMBERED.map(([name, write]) => [
      name,
      write(["wake up", "eat bread", "go out"]),
      write(["wake up", "pray", "eat bread", "go out"]),
      write(["wake up", "eat bread", "go out"]).replace("eat bread", "eat bread with jam"),
      write(["wake up", "pray", "eat bread", "go out"]).replace("eat bread", "eat bread with jam"),
    ]),
  );
  checkRows([
    ["but a quantity is", "- 3 apples\n", "- 5 apples\n", "- 4 apples\n"],
    ["and a decimal number is no ordinal", "3.5 km of road\n", "4.5 km of road\n", "3.6 km of road\n"],
  ]);
});

const BASE = "| a | b |\n|---|---|\n| 1 | 2 |\n";
const WIDER = "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n";

describe("a table of which one side changed the columns is a conflict", () => {
  checkRowsBothWays([
    ["where the other one changed a cell", BASE, WIDER, "| a | b |\n|---|---|\n| 1 | x |\n"],
    ["where the other one added a row", BASE, WIDER, `${BASE}| 3 | 4 |\n`],
    [
      "with line ends of two characters",
      BASE.replaceAll("\n", "\r\n"),
      WIDER.replaceAll("\n", "\r\n"),
      `${BASE}| 3 | 4 |\n`.replaceAll("\n", "\r\n"),
    ],
    [
      "where they changed places, and the other one added a row",
      BASE,
      "| b | a |\n|---|---|\n| 2 | 1 |\n",
      `${BASE}| 3 | 4 |\n`,
    ],
    ["where the other one gave one another name", BASE, WIDER, BASE.replace("a", "A")],
    ["at one end, the other one at the other end", BASE, "| z | a | b |\n|---|---|---|\n| 0 | 1 | 2 |\n", WIDER],
    [
      "taking one away, and the other one a cell of another",
      BASE,
      "| a |\n|---|\n| 1 |\n",
      "| a | b |\n|---|---|\n| 7 | 2 |\n",
    ],
    ["taking one away that the other one edited", BASE, "| a |\n|---|\n| 1 |\n", BASE.replace("2", "9")],
    ["taking one away that the other one filled in a new row", BASE, "| a |\n|---|\n| 1 |\n", `${BASE}| 3 | 4 |\n`],
    ["and filled a row that the other one took away", `${BASE}| 5 | 6 |\n`, `${WIDER}| 5 | 6 | 7 |\n`, BASE],
    ["at one place, as the other one did", BASE, WIDER, WIDER.replace("c", "d").replace("3", "4")],
    [
      "in place of another, while the other one added a row",
      BASE,
      "| c | b |\n|---|---|\n| 9 | 2 |\n",
      `${BASE}| 3 | 4 |\n`,
    ],
  ]);
});

describe("a table of which one side changed the columns merges", () => {
  const other = "| x | y |\n|---|---|\n| 7 | 8 |\n";
  checkRowsBothWays([
    [
      "where the other one changed another table",
      `${BASE}\ntext\n\n${other}`,
      `${WIDER}\ntext\n\n${other}`,
      `${BASE}\ntext\n\n${other}| 9 | 0 |\n`,
      `${WIDER}\ntext\n\n${other}| 9 | 0 |\n`,
    ],
    [
      "by their names alone, and the other one added a row",
      BASE,
      BASE.replace("a", "A"),
      `${BASE}| 3 | 4 |\n`,
      `${BASE.replace("a", "A")}| 3 | 4 |\n`,
    ],
    ["alike on both sides, and the other one a cell", BASE, WIDER, WIDER.replace("2", "x"), WIDER.replace("2", "x")],
  ]);
});

describe("marks are never dropped", () => {
  checkRowsBothWays([
    [
      "two code fences around two paragraphs",
      "a\n\nx = 1\n\nb\n\ny = 2\n\nc\n",
      "a\n\n```\nx = 1\n```\n\nb\n\ny = 2\n\nc\n",
      "a\n\nx = 1\n\nb\n\n```\ny = 2\n```\n\nc\n",
      "a\n\n```\nx = 1\n```\n\nb\n\n```\ny = 2\n```\n\nc\n",
    ],
    [
      "two directives around two paragraphs",
      "a\n\none\n\ntwo\n\nb\n",
      "a\n\n:::tip\n\none\n\n:::\n\ntwo\n\nb\n",
      "a\n\none\n\n:::tip\n\ntwo\n\n:::\n\nb\n",
      "a\n\n:::tip\n\none\n\n:::\n\n:::tip\n\ntwo\n\n:::\n\nb\n",
    ],
    [
      "two HTML blocks around two paragraphs",
      "a\n\none\n\ntwo\n",
      "a\n\n<details>\n\none\n\n</details>\n\ntwo\n",
      "a\n\none\n\n<details>\n\ntwo\n\n</details>\n",
      "a\n\n<details>\n\none\n\n</details>\n\n<details>\n\ntwo\n\n</details>\n",
    ],
    [
      "a directive around text and a new one elsewhere",
      "a\n\none\n\nb\n",
      "a\n\n:::tip\none\n:::\n\nb\n",
      "a\n\none\n\nb\n\n:::tip\nnew\n:::\n",
      "a\n\n:::tip\none\n:::\n\nb\n\n:::tip\nnew\n:::\n",
    ],
    [
      "two wraps around one paragraph are a conflict",
      "a\n\none\n\nb\n",
      "a\n\n:::tip\n\none\n\n:::\n\nb\n",
      "a\n\n<details>\n\none\n\n</details>\n\nb\n",
    ],
    [
      "a wrap and one of the other side's own in it are a conflict",
      "one\n",
      "<div>\n\none\n\n</div>\n",
      "one\n\n<div>\n\nnew\n\n</div>\n",
    ],
    [
      "two heading levels are a conflict",
      "# Title here\n\ntext\n",
      "## Title here\n\ntext\n",
      "### Title here\n\ntext\n",
    ],
    [
      "a heading level and a word of the heading",
      "# Title here\n\ntext\n",
      "## Title here\n\ntext\n",
      "# Title there\n\ntext\n",
      "## Title there\n\ntext\n",
    ],
    ["a quote and a word in it", "some text here\n", "> some text here\n", "some text there\n", "> some text there\n"],
    [
      "a quote of several lines and a word in it",
      "l one\nl two\nl three\n",
      "> l one\n> l two\n> l three\n",
      "l one\nl 2\nl three\n",
      "> l one\n> l 2\n> l three\n",
    ],
    [
      "a quote and a list item are a conflict",
      "some text here now\n",
      "> some text here now\n",
      "- some text here now\n",
    ],
    [
      "emphasis in emphasis",
      "one two three four\n",
      "**one two three four**\n",
      "one *two* three four\n",
      "**one *two* three four**\n",
    ],
    [
      "emphasis and the word in it",
      "one two three four\n",
      "one **two** three four\n",
      "one deux three four\n",
      "one **deux** three four\n",
    ],
    [
      "two kinds of emphasis are a conflict",
      "one two three four\n",
      "one **two** three four\n",
      "one *two* three four\n",
    ],
    [
      "emphasis that overlaps is a conflict",
      "one two three four\n",
      "**one two** three four\n",
      "one **two three** four\n",
    ],
  ]);
});

describe("what was sound stays sound, or is a conflict", () => {
  checkRowsBothWays([
    ["emphasis that would not close", "buy milk bread\n", "buy **milk** bread\n", "buy **milk bread**\n"],
    ["emphasis that would open twice", "buy milk bread\n", "buy milk **bread**\n", "buy **milk bread**\n"],
    ["a wiki link in a wiki link", "one two three\n", "[[one two]] three\n", "one [[two three]]\n"],
    ["a link in a link", "one two three\n", "[one two](a) three\n", "one [two three](b)\n"],
    ["three fences", "a\nb\nc\n", "```\na\nb\n```\nc\n", "a\n```\nb\nc\n```\n"],
    ["code fences that overlap", "a\nx = 1\nb\n", "```\na\nx = 1\n```\nb\n", "a\n```\nx = 1\nb\n```\n"],
    ["a fence in a fence", "one\n", "```\none\n```\n", "one\n\n```\nnew\n```\n"],
    ["a heading with two ids", "## Title\n", "## Title {#one}\n", "## Title {#two}\n"],
    ["a rewritten heading with two ids", "## Title\n", "## My Title {#one}\n", "## Title {#two}\n"],
    [
      "two new columns at one place",
      "| a | b |\n|---|---|\n| 1 | 2 |\n",
      "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n",
      "| a | b | d |\n|---|---|---|\n| 1 | 2 | 4 |\n",
    ],
  ]);
});

/** Title, base, the two sides, and the result, which is the same when the sides are exchanged. */
type Row = readonly [title: string, base: string, one: string, other: string, merged: string];

const ROWS: readonly Row[] = [
  [
    "on top of a list a single entry stands above several",
    "# Changes\n\n* old\n",
    "# Changes\n\n* fix rounding\n* old\n",
    "# Changes\n\n* add colours\n* drop blinking\n* old\n",
    "# Changes\n\n* fix rounding\n* add colours\n* drop blinking\n* old\n",
  ],
  [
    "on top of a change log, an entry's own list counts as part of it",
    "*   Old entry.\n\n    *Ann*\n",
    "*   Fix rounding in three places:\n\n    * here\n    * there\n\n    *Bob*\n\n*   Old entry.\n\n    *Ann*\n",
    "*   Add colours.\n\n    *Cid*\n\n*   Drop blinking.\n\n    *Dan*\n\n*   Old entry.\n\n    *Ann*\n",
    "*   Fix rounding in three places:\n\n    * here\n    * there\n\n    *Bob*\n\n" +
      "*   Add colours.\n\n    *Cid*\n\n*   Drop blinking.\n\n    *Dan*\n\n*   Old entry.\n\n    *Ann*\n",
  ],
  [
    "on top of a document one section stands above several",
    "# News\n\n## May\n\nWarm.\n",
    "# News\n\n## August\n\nHot.\n\n## May\n\nWarm.\n",
    "# News\n\n## July\n\nWet.\n\n## June\n\nWindy.\n\n## May\n\nWarm.\n",
    "# News\n\n## August\n\nHot.\n\n## July\n\nWet.\n\n## June\n\nWindy.\n\n## May\n\nWarm.\n",
  ],
];

describe("which of two insertions comes first, if the content decides", () => {
  it.each(ROWS.map((row) => ({ row })))("$row.0, whichever side is which", ({ row }) => {
    const [, base, one, other, merged] = row;
    expect(mergeText(base, one, other)).toMatchObject({ kind: "clean", text: merged });
    expect(mergeText(base, other, one)).toMatchObject({ kind: "clean", text: merged });
  });
});

describe("two insertions of which one has the other", () => {
  it("takes the longer one, also if its first line occurs twice", () => {
    const [base, one, other] = ["# Todo\n", "# Todo\n- eat\n- sleep\n", "# Todo\n- eat\n- run\n- eat\n- sleep\n"];
    expect(mergeText(base, one, other)).toMatchObject({ kind: "clean", text: other });
    expect(mergeText(base, other, one)).toMatchObject({ kind: "clean", text: other });
  });
});
