import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { quoteForShell } from "../../src/mirror/model/shell-word.ts";
import { hasControlCharacters, shownName, shownWords } from "../../src/common/shown-words.ts";
import { fc } from "../property.ts";

const NAMES: readonly (readonly [string, string])[] = [
  ["notes/plan.md", "notes/plan.md"],
  ["שלום 😀.md", "שלום 😀.md"],
  ["it's \\ fine.md", "it's \\ fine.md"],
  ["a\nin sync.md", '"a\\nin sync.md"'],
  ["a\u202egnp.md", '"a\\u{202e}gnp.md"'],
  ['x\u001b[2J"\\.md', '"x\\u{1b}[2J\\"\\\\.md"'],
  ['"a\\nb".md', '"\\"a\\\\nb\\".md"'],
];

test.each(NAMES)("%j is shown as %s", (name, shown) => {
  expect(shownName(name)).toBe(shown);
});

const odd = fc.string({ unit: fc.constantFrom("a", " ", '"', "\\", "'", "\n", "\u001b", "\u202e", "n", "\u{1f600}") });

test("two names are never shown alike, and none steers", () => {
  fc.assert(
    fc.property(odd, odd, (a, b) => {
      expect(shownName(a) === shownName(b)).toBe(a === b);
      expect(hasControlCharacters(shownName(a)) || hasControlCharacters(shownWords(a))).toBe(false);
    }),
    {
      seed: 1,
      numRuns: 500,
      examples: [
        ["\n", '"\\n"'],
        ["\\n", "\n"],
      ],
    },
  );
});

test("a shell takes names back from what is shown of them", () => {
  const names = [...NAMES.map(([name]) => name), "a'b\nc\\.md"];
  const words = names.map(quoteForShell);
  expect(words.filter(hasControlCharacters)).toEqual([]);
  const env = { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" };
  const printed = execFileSync("bash", ["-c", `printf '%s\\0' ${words.join(" ")}`], { env, encoding: "utf8" });
  expect(printed.split("\0").slice(0, -1)).toEqual(names);
});
