import { describe } from "vitest";
import { checkRows } from "./rows.ts";

const page = (head: string): string => `---\n${head}---\n\nText.\n`;

describe("front matter", () => {
  checkRows([
    [
      "neighbouring keys",
      page("title: A\nlayout: x\n"),
      page("title: B\nlayout: x\n"),
      page("title: A\n"),
      page("title: B\n"),
    ],
    [
      "both add keys: the remote's first",
      page("title: A\n"),
      page("title: A\nmine: 1\n"),
      page("title: A\ntheirs: 2\n"),
      page("title: A\ntheirs: 2\nmine: 1\n"),
    ],
    ["one key, two values", page("title: A\n"), page("title: B\n"), page("title: C\n"), undefined],
    [
      "words of one value are not mixed",
      page("title: one two three four five\n"),
      page("title: ONE two three four five\n"),
      page("title: one two three four FIVE\n"),
      undefined,
    ],
    [
      "a list that both add to",
      page("tags:\n  - a\n"),
      page("tags:\n  - a\n  - m\n"),
      page("tags:\n  - a\n  - t\n"),
      page("tags:\n  - a\n  - t\n  - m\n"),
    ],
    [
      "a map by its own keys, however deep",
      page("m:\n  a:\n    x: 1\n    y: 1\n  b: 2\n"),
      page("m:\n  a:\n    x: 2\n    y: 1\n  b: 2\n"),
      page("m:\n  a:\n    x: 1\n    y: 2\n  b: 3\n"),
      page("m:\n  a:\n    x: 2\n    y: 2\n  b: 3\n"),
    ],
    [
      "a key of a map that one side took away and the other one edited",
      page("m:\n  a: 1\n  b: 1\n"),
      page("m:\n  b: 1\n"),
      page("m:\n  a: 3\n  b: 1\n"),
      undefined,
    ],
    [
      "a text of several lines is no map",
      page("m: |\n  one: a\n  two: b\n"),
      page("m: |\n  one: A\n  two: b\n"),
      page("m: |\n  one: a\n  two: B\n"),
      undefined,
    ],
    ["a removed key that the other side edited", page("a: 1\nb: 2\n"), page("a: 1\n"), page("a: 1\nb: 3\n"), undefined],
  ]);
});
