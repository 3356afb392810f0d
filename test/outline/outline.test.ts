import { describe, expect, test } from "vitest";
import {
  findBodyOffset,
  findFrontMatter,
  findHeadingsByName,
  readHeadings,
} from "../../src/markdown/outline/outline.ts";

test.each([
  ["YAML", "---\na: 1\n---\nbody", "a: 1\n", "body"],
  ["YAML that closes with dots", "---\na: 1\n...\nbody\n\n---\n", "a: 1\n", "body\n\n---\n"],
  ["TOML", "+++\na = 1\n+++\nbody", "a = 1\n", "body"],
  ["TOML with a line of dots", "+++\n...\n+++\nbody", "...\n", "body"],
  ["empty front matter", "---\n---\nbody", "", "body"],
  ["a byte order mark, CRLF and spaces", "\ufeff--- \r\na: 1\r\n---  \r\nbody", "a: 1\r\n", "body"],
  ["a closing line at the end of the text", "---\na: 1\n---", "a: 1\n", ""],
])("%s", (_name, text, content, body) => {
  const front = findFrontMatter(text)!;
  expect([text.slice(front.from, front.to), text.slice(front.end)]).toEqual([content, body]);
  expect(findBodyOffset(text)).toBe(front.end);
});

test.each([
  ["nothing closes it", "---\na: 1\n", 0],
  ["another mark", "---\na: 1\n+++\n", 0],
  ["four dashes", "---\na: 1\n----\n", 0],
  ["it is not on the first line", "\n---\na: 1\n---\n", 0],
  ["a byte order mark alone", "\ufefftext", 1],
])("a text has none where there is %s", (_name, text, start) => {
  expect(findFrontMatter(text)).toBeNull();
  expect(findBodyOffset(text)).toBe(start);
});

describe("headings", () => {
  const TEXT = [
    "---",
    "# a comment of the front matter",
    "---",
    "# Plan #",
    "## Costs",
    "one",
    "```",
    "# no heading",
    "```",
    "Under",
    "=====",
    "## *Costs*",
    "two",
    "- item",
    "---",
    "### Deep",
    "",
  ].join("\n");

  test("are found outside of code and front matter, each with its section", () => {
    expect(readHeadings(TEXT).map(({ level, name, line, lastLine: last }) => [level, name, line, last])).toEqual([
      [1, "Plan", 4, 9],
      [2, "Costs", 5, 9],
      [1, "Under", 10, 16],
      [2, "*Costs*", 12, 16],
      [3, "Deep", 16, 16],
    ]);
  });

  test.each([
    ["costs", [5, 12]],
    ["## Costs", [5, 12]],
    ["Plan > Costs", [5]],
    ["under>costs > deep", [16]],
    ["Plan > Deep", []],
    ["none", []],
  ])("%s is at %j", (wanted, lines) => {
    expect(findHeadingsByName(readHeadings(TEXT), wanted).map(({ line }) => line)).toEqual(lines);
  });

  test("lines that end in CR LF are headings too", () => {
    expect(readHeadings("# One\r\ntext\r\n").map(({ name, lastLine: last }) => [name, last])).toEqual([["One", 2]]);
  });
});
