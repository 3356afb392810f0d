import { describe } from "vitest";
import { checkRowsBothWays } from "./rows.ts";

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
