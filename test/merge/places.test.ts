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

describe("a comment or id that one side took away", () => {
  checkRowsBothWays([
    [
      "beside words that the other side rewrote",
      "Some words that tell <!-- why? -->\n",
      "Some words that tell\n",
      "Some words that show it <!-- why? -->\n",
      "Some words that show it\n",
    ],
    [
      "beside a heading that the other side rewrote",
      "## How to read {#how}\n",
      "## How to read\n",
      "## Reading {#how}\n",
      "## Reading\n",
    ],
    [
      "is a conflict where the other side rewrote the comment too",
      "Some words that tell <!-- why? -->\n",
      "Some words that tell\n",
      "Some words that show <!-- because -->\n",
    ],
    [
      "is a conflict where the other side wrote another one beside it",
      "Some words that tell <!-- why? -->\n",
      "Some words that tell\n",
      "Some words that show <!-- why? --> <!-- since when? -->\n",
    ],
    [
      "but a word beside a rewritten one is no comment",
      "Some words that tell why\n",
      "Some words that tell\n",
      "Some words that show why\n",
    ],
  ]);
});

const OLD = "*   Fix the rounding of large sums\n    in tables.\n\n    *Ann*\n";
const [MINE, THEIRS] = ["*   Add colours.\n\n    *Bob*\n\n", "*   Drop blinking.\n\n    *Cid*\n\n"];
const list = (entries: string): string => `# Changes\n\n${entries}`;
const example = (name: string, comment: string): string => `\n### ${name}\n\n\`\`\`sh\n# ${comment}\nls\n\`\`\`\n`;
const entry = (what: string): string => `*   Removed the deprecated method ${what}\n\n    *Ann*\n\n`;
const section = (name: string): string => `## ${name}\n\nText of ${name} here.\n\n`;

describe("what both sides inserted beside a line that one of them changed", () => {
  const changed = OLD.replace("large", "`large`");
  checkRowsBothWays([
    ["stands above it", list(OLD), list(MINE + OLD), list(THEIRS + changed), list(MINE + THEIRS + changed)],
    [
      "stands above it where both changed it, each in other words",
      list(OLD),
      list(MINE + OLD.replace("Fix", "Mend")),
      list(THEIRS + changed),
      list(MINE + THEIRS + changed.replace("Fix", "Mend")),
    ],
    [
      "stands above it, the piece of the side that changed it next to it",
      "- a\n- the last of all\n",
      "- a\n- mine\n- the last of all\n",
      "- a\n- other\n- the very last of all\n",
      "- a\n- mine\n- other\n- the very last of all\n",
    ],
    [
      "is a conflict where both changed it in the same words",
      list(OLD),
      list(MINE + OLD.replace("large", "huge")),
      list(THEIRS + changed),
    ],
  ]);
});

describe("sections that the sides took away, each its own, one right after the other", () => {
  const [one, two, three, four] = ["one", "two", "three", "four"].map(section) as [string, string, string, string];
  checkRowsBothWays([
    ["are both gone", one + two + three + four, one + three + four, one + two + four, one + four],
    ["are gone to the end", one + two + three, one + three, one + two, one],
    ["as items of a list", "- a\n- b\n- c\n- d\n", "- a\n- c\n- d\n", "- a\n- b\n- d\n", "- a\n- d\n"],
    [
      "but what one took away and the other one wrote more about is a conflict",
      one + two + three + four,
      one + three + four,
      `${one}${two.trimEnd()} And more words.\n\n${four}`,
    ],
  ]);
});

describe("two new entries in nearly the same words", () => {
  checkRowsBothWays([
    [
      "are two where they name other things in code",
      list(OLD),
      list(entry("`one`") + OLD),
      list(entry("`other`") + OLD),
      list(entry("`one`") + entry("`other`") + OLD),
    ],
    [
      "are two where they lead elsewhere",
      list(OLD),
      list(entry("of [it](https://a.org/1)") + OLD),
      list(entry("of [it](https://a.org/2)") + OLD),
      list(entry("of [it](https://a.org/1)") + entry("of [it](https://a.org/2)") + OLD),
    ],
    [
      "are one written twice, a conflict, where they name one thing",
      list(OLD),
      list(entry("`one`") + OLD),
      list(entry("`one`, for good") + OLD),
    ],
    [
      "are one written twice, a conflict, where one of them names nothing",
      list(OLD),
      list(entry("`one`") + OLD),
      list(entry("one") + OLD),
    ],
  ]);
});

describe("a comment of a program in a fence", () => {
  checkRowsBothWays([
    [
      "is no heading that the other side's section would come under",
      "# T\n\n### One\n\ntext\n",
      `# T\n\n### One\n\ntext\n${example("Two", "first")}`,
      `# T\n\n### One\n\ntext\n${example("Three", "other")}`,
      `# T\n\n### One\n\ntext\n${example("Three", "other")}${example("Two", "first")}`,
    ],
  ]);
});
