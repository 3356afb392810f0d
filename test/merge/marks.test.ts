import { describe } from "vitest";
import { checkRowsBothWays } from "./rows.ts";

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
