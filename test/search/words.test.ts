import { describe, expect, test } from "vitest";
import { titlesOf, pathFieldsOf } from "../../src/markdown/search/fields.ts";
import { readQuery } from "../../src/markdown/search/query.ts";
import { pairsOf, unitsOf } from "../../src/markdown/search/tokens.ts";

describe("words", () => {
  test.each([
    ["git-commit_tree v2", ["git", "commit", "tree", "v2"]],
    ["don't", ["don", "t"]],
    ["压缩abc文件", ["压缩", "abc", "文件"]],
    ["सूचना", ["सूचना"]],
  ])("%s", (text, words) => {
    expect(unitsOf(text).map((unit) => unit.text)).toEqual(words);
  });

  test("a run has each of its pairs once", () => {
    expect([pairsOf("解压缩"), pairsOf("漢漢漢漢"), pairsOf("缩"), pairsOf("🎉🎉")]).toEqual([
      ["解压", "压缩"],
      ["漢漢"],
      ["缩"],
      ["🎉🎉"],
    ]);
  });

  test("headings are distinguished from code, lists and front matter", () => {
    const text = "---\ntitle: Front\ntags: x\n---\n# One\n\nTwo\n===\n\n```sh\n# comment\n```\n- item\n---\n";
    const { name, folders } = pathFieldsOf("docs/deep/my-note.md");
    expect([name, folders, titlesOf(text)]).toEqual(["my-note", "docs/deep", "title: Front\nOne\nTwo"]);
  });
});

function textsOf(units: readonly { readonly text: string }[]): string[] {
  return units.map(({ text }) => text);
}

describe("a query", () => {
  test("has each of its words, and each pair of its runs, once", () => {
    const { units, pieces, phrase } = readQuery("to be or not to be 漢漢漢字");
    expect(textsOf(phrase)).toEqual(["to", "be", "or", "not", "to", "be", "漢漢漢字"]);
    expect(textsOf(units)).toEqual(["to", "be", "or", "not", "漢漢漢字"]);
    expect(textsOf(pieces)).toEqual(["to", "be", "or", "not", "漢漢", "漢字"]);
  });

  test("has 24 pieces at most, of its beginning", () => {
    const words = Array.from({ length: 100 }, (_, n) => `w${n}`);
    expect(textsOf(readQuery(words.join(" ")).pieces)).toEqual(words.slice(0, 24));
    const run = Array.from({ length: 100 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join("");
    expect(textsOf(readQuery(run).units)).toEqual([run.slice(0, 25)]);
    expect(readQuery(run).pieces).toHaveLength(24);
    expect(textsOf(readQuery(`${words.slice(0, 22).join(" ")} ${run}`).units).at(-1)).toBe(run.slice(0, 3));
  });

  test.each([
    ["--no-edit", "--no-edit", true],
    ["std::vec", "std::vec", true],
    ["Plain Words", "plain words", false],
    ["c+", "", false],
  ])("%s is looked for as it is spelled: %s", (text, literal, isSpelled) => {
    expect(readQuery(text)).toMatchObject({ literal, isSpelled });
  });
});
