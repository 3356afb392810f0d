import { describe } from "vitest";
import { checkRowsBothWays } from "./rows.ts";

describe("two insertions at one place are two pieces", () => {
  checkRowsBothWays([
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

describe("changes are distinguished by their places", () => {
  checkRowsBothWays([
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

describe("what people merge without thought", () => {
  checkRowsBothWays([
    [
      "two cells of one row",
      "| a | b |\n|---|---|\n| 1 | 2 |\n",
      "| a | b |\n|---|---|\n| 1 | x |\n",
      "| a | b |\n|---|---|\n| y | 2 |\n",
      "| a | b |\n|---|---|\n| y | x |\n",
    ],
    [
      "a changed word of a sentence that was moved and changed is a conflict",
      "Keep this. Some old words go here in the text.\n",
      "Keep this. Some new words go here in the text.\n",
      "Some old words go here in the text, and moved. Keep this.\n",
      undefined,
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
  ]);
});

describe("parts of one address that both sides changed", () => {
  checkRowsBothWays([
    [
      "are a conflict",
      "See https://a.org/one/two?x=1 now\n",
      "See https://b.org/one/two?x=1 now\n",
      "See https://a.org/one/two?x=2 now\n",
    ],
  ]);
});
