import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/merge/merge.ts";

type Row = readonly string[];

/**
 * Rows of title, base, local, remote and merged text: each is merged both ways round; without a
 * merged text it is a conflict.
 */
function check(rows: readonly Row[]): void {
  it.each(rows.map((row) => ({ row })))("$row.0", ({ row }) => {
    const [, base, local, remote, merged] = row as [string, string, string, string, string?];
    const result = mergeText(base, local, remote);
    if (merged === undefined) expect(result.kind).toBe("conflict");
    else expect(result).toMatchObject({ kind: "clean", text: merged });
    expect(mergeText(base, remote, local).kind).toBe(result.kind);
  });
}

describe("two insertions at one place are two pieces", () => {
  check([
    [
      "a line under both new items is there twice",
      "- breakfast\n",
      "- breakfast\n- called Bob\n  - done\n",
      "- breakfast\n- wrote to Eve\n  - done\n",
      "- breakfast\n- wrote to Eve\n  - done\n- called Bob\n  - done\n",
    ],
    [
      "a property under both new tasks is there twice",
      "# T\n\n- a\n",
      "# T\n\n- a\n- mine\n  due: friday\n",
      "# T\n\n- a\n- other\n  due: friday\n",
      "# T\n\n- a\n- other\n  due: friday\n- mine\n  due: friday\n",
    ],
    [
      "an item goes on its list, a paragraph comes below it",
      "- a\n",
      "- a\n- mine\n",
      "- a\n\nA paragraph.\n",
      "- a\n- mine\n\nA paragraph.\n",
    ],
    [
      "text without a heading comes before a new section",
      "# D\n\ntext\n",
      "# D\n\ntext\n\nmore mine\n",
      "# D\n\ntext\n\n## New\n\ntheirs\n",
      "# D\n\ntext\n\nmore mine\n\n## New\n\ntheirs\n",
    ],
    [
      "whichever side wrote the section",
      "# D\n\ntext\n",
      "# D\n\ntext\n\n## New\n\nmine\n",
      "# D\n\ntext\n\nmore theirs\n",
      "# D\n\ntext\n\nmore theirs\n\n## New\n\nmine\n",
    ],
    [
      "by the time of day that both begin with",
      "# D\n\n- 09:00 a\n",
      "# D\n\n- 09:00 a\n- 10:30 mine\n",
      "# D\n\n- 09:00 a\n- 11:00 theirs\n",
      "# D\n\n- 09:00 a\n- 10:30 mine\n- 11:00 theirs\n",
    ],
    [
      "sections by the time in their headings",
      "# D\n\ntext\n",
      "# D\n\ntext\n\n## 10:00\n\nmine\n",
      "# D\n\ntext\n\n## 11:00\n\ntheirs\n",
      "# D\n\ntext\n\n## 10:00\n\nmine\n\n## 11:00\n\ntheirs\n",
    ],
    ["plain lines at the end", "log\none\n", "log\none\nmine\n", "log\none\ntheirs\n", "log\none\ntheirs\nmine\n"],
    [
      "one line added at two places stays twice",
      "a\nb\nc\nd\ne\n",
      "x\na\nb\nc\nd\ne\n",
      "a\nb\nc\nd\nx\ne\n",
      "x\na\nb\nc\nd\nx\ne\n",
    ],
    [
      "the same words added at two places stay twice",
      "one two three four five six\n",
      "new one two three four five six\n",
      "one two three four five new six\n",
      "new one two three four five new six\n",
    ],
  ]);
});

describe("changes are told apart by their places", () => {
  check([
    [
      "a common word changed here and used there",
      "Buy a cat\n\nfoo\n\nThe end of a story\n",
      "Buy the cat\n\nfoo\n\nThe end of a story\n",
      "Buy a cat\n\nfoo\n\nAn end of the story\n",
      "Buy the cat\n\nfoo\n\nAn end of the story\n",
    ],
    [
      "a box unticked beside a box ticked",
      "- [x] a\n- [ ] b\n",
      "- [ ] a\n- [ ] b\n",
      "- [x] a\n- [x] b\n",
      "- [ ] a\n- [x] b\n",
    ],
    [
      "a box unticked far from a box ticked",
      "- [x] a\n- [ ] b\n- c\n- [ ] d\n",
      "- [ ] a\n- [ ] b\n- c\n- [ ] d\n",
      "- [x] a\n- [ ] b\n- c\n- [x] d\n",
      "- [ ] a\n- [ ] b\n- c\n- [x] d\n",
    ],
    [
      "a box unticked and a new ticked one",
      "- [x] a\n- b\n",
      "- [ ] a\n- b\n",
      "- [x] a\n- b\n- [x] new\n",
      "- [ ] a\n- b\n- [x] new\n",
    ],
    [
      "a word removed here and added there",
      "- milk\n- eggs\n\nLog\n",
      "- eggs\n\nLog\n",
      "- milk\n- eggs\n\nLog\nbought milk\n",
      "- eggs\n\nLog\nbought milk\n",
    ],
  ]);
});

describe("marks are never dropped", () => {
  check([
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
  check([
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
      "one footnote with two texts",
      "a\n\nb\n\nc\n\nd\n\n[^1]: one\n",
      "a[^2]\n\nb\n\nc\n\nd\n\n[^1]: one\n[^2]: mine\n",
      "a\n\nb\n\nc[^2]\n\nd\n\n[^1]: one\n[^2]: theirs\n",
    ],
    [
      "one reference with two targets",
      "a\n\nb\n\nc\n\nd\n\n[0]: zero\n",
      "[a][1]\n\nb\n\nc\n\nd\n\n[0]: zero\n[1]: http://a\n",
      "a\n\nb\n\n[c][1]\n\nd\n\n[0]: zero\n[1]: http://b\n",
    ],
    [
      "one reference with two targets, far apart",
      "a\n\nb\n\nc\n\n[0]: zero\n",
      "[1]: m\n\na\n\nb\n\nc\n\n[0]: zero\n",
      "a\n\nb\n\nc\n\n[0]: zero\n[1]: t\n",
    ],
    [
      "a row with a cell too few for its new header",
      "| a | b |\n|---|---|\n| 1 | 2 |\n",
      "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n",
      "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
    ],
    [
      "a row under columns that changed places",
      "| a | b |\n|---|---|\n| 1 | 2 |\n",
      "| b | a |\n|---|---|\n| 2 | 1 |\n",
      "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
    ],
    [
      "two new columns at one place",
      "| a | b |\n|---|---|\n| 1 | 2 |\n",
      "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n",
      "| a | b | d |\n|---|---|---|\n| 1 | 2 | 4 |\n",
    ],
  ]);
});

describe("what people merge without thought", () => {
  check([
    [
      "two cells of one row",
      "| a | b |\n|---|---|\n| 1 | 2 |\n",
      "| a | b |\n|---|---|\n| 1 | x |\n",
      "| a | b |\n|---|---|\n| y | 2 |\n",
      "| a | b |\n|---|---|\n| y | x |\n",
    ],
    [
      "a changed word is carried into a passage that was moved",
      "Keep this. Some old words go here in the text.\n",
      "Keep this. Some new words go here in the text.\n",
      "Some old words go here in the text, and moved. Keep this.\n",
      "Some new words go here in the text, and moved. Keep this.\n",
    ],
    [
      "words of one line of code",
      "```\nlet a = one + two + three;\n```\n",
      "```\nlet b = one + two + three;\n```\n",
      "```\nlet a = one + two + four;\n```\n",
      "```\nlet b = one + two + four;\n```\n",
    ],
    ["a heading's id and its text", "## Title {#one}\n", "## Title {#uno}\n", "## Titel {#one}\n", "## Titel {#uno}\n"],
    [
      "inline lists in front matter are sets",
      "---\ntags: [a, b]\n---\nx\n",
      "---\ntags: [a, b, m]\n---\nx\n",
      "---\ntags: [a, t]\n---\nx\n",
      "---\ntags: [a, t, m]\n---\nx\n",
    ],
    [
      "the later of two dates of the last change",
      "---\nupdated: 2026-01-01\n---\nx\n",
      "---\nupdated: 2026-02-01\n---\nx\n",
      "---\nupdated: 2026-03-01\n---\nx\n",
      "---\nupdated: 2026-03-01\n---\nx\n",
    ],
    [
      "the later of two dates of the last change, with line ends of two characters",
      "---\r\nlast_update: 2026-01-01\r\nupdate: 2026-01-01\r\n---\r\nx\r\n",
      "---\r\nlast_update: 2026-02-01\r\nupdate: 2026-03-01\r\n---\r\nx\r\n",
      "---\r\nlast_update: 2026-03-01\r\nupdate: 2026-02-01\r\n---\r\nx\r\n",
      "---\r\nlast_update: 2026-03-01\r\nupdate: 2026-03-01\r\n---\r\nx\r\n",
    ],
    [
      "the later of two dates until when something is due, where line ends differ",
      "---\ndue: 2026-01-01\n---\nx\n",
      "---\r\ndue: 2026-02-01\r\n---\r\nx\r\n",
      "---\ndue: 2026-03-01\n---\nx\n",
      "---\r\ndue: 2026-03-01\r\n---\r\nx\r\n",
    ],
    [
      "both create front matter",
      "text\n",
      "---\ntitle: A\n---\ntext\n",
      "---\ntags: [x]\n---\ntext\n",
      "---\ntags: [x]\ntitle: A\n---\ntext\n",
    ],
    [
      "the host and the query of an address",
      "See https://a.org/one/two?x=1 now\n",
      "See https://b.org/one/two?x=1 now\n",
      "See https://a.org/one/two?x=2 now\n",
      "See https://b.org/one/two?x=2 now\n",
    ],
    [
      "the host and the path of a link",
      "See [x](https://a.org/one/two) now\n",
      "See [x](https://b.org/one/two) now\n",
      "See [x](https://a.org/one/three) now\n",
      "See [x](https://b.org/one/three) now\n",
    ],
  ]);
});
