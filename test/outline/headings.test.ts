import { describe, expect, test } from "vitest";
import { findHeadingsByName, readHeadings } from "../../src/markdown/outline/headings.ts";

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
