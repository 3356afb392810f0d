import { fc } from "../property.ts";
import { describe, expect, test } from "vitest";
import { distanceWithin } from "../../src/search/distance.ts";
import { pathFieldsOf, textFieldsOf } from "../../src/search/fields.ts";
import { fuseRankings } from "../../src/search/fuse.ts";
import { WordRank } from "../../src/search/rank.ts";
import { Words } from "../../src/search/word-queries.ts";
import { needleOf, snippetsOf } from "../../src/search/snippets.ts";
import { indexedForm, unitsOf } from "../../src/search/tokens.ts";
import { acceptsAll, memoryIndex } from "./memory-index.ts";

/** How often a search asks the database when so many documents have its word in their path. */
function queriesAmong(documents: number): number {
  const texts = Object.fromEntries(
    Array.from({ length: documents }, (_, n) => [`note-${n}.md`, `words of the note ${"zebra ".repeat(n % 7)}`]),
  );
  const { found, counted } = memoryIndex(texts);
  expect(found("note zebra")).toHaveLength(10);
  return counted.queries;
}

describe("hybrid search", () => {
  test("throws for no query, whatever it holds, and finds nothing twice", () => {
    const { hybrid, searched } = memoryIndex({ "a.md": "alpha 解压缩 beta", "b/c.md": '# Gamma\n"quoted" alpha*' });
    const hostile = fc.string({
      unit: fc.constantFrom(..."alphbet\"*()^:{}-+.,~\\'%_解压\u0301\ud800🎉 \n\u0000", "NOT", "OR", "NEAR"),
    });
    fc.assert(
      fc.property(
        fc.oneof(hostile, fc.string({ unit: "grapheme" })),
        fc.integer({ min: 1, max: 500 }),
        (query, limit) => {
          const documents = hybrid(searched, query, limit).map(({ document }) => document);
          expect(new Set(documents).size).toBe(documents.length);
          expect(documents.length).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });

  test("what is refused neither shows nor counts, whatever its rank", () => {
    const texts = Object.fromEntries(
      Array.from({ length: 600 }, (_, n) => [`${n}.md`, n === 599 ? "one zebra of many" : "zebra"]),
    );
    const { hybrid, searched } = memoryIndex(texts);
    const accepts = (document: number) => document === 600;
    expect(hybrid({ ...searched, accepts }, "zebra", 1).map(({ document }) => document)).toEqual([600]);
  });

  test("asks the database as often for many documents with the word in their path as for few", () => {
    expect(queriesAmong(400)).toBe(queriesAmong(20));
  });

  test("of what has a word in its path, each is ranked by its own text", () => {
    const others = Array.from({ length: 30 }, (_, n) => [`${n}.md`, "other words"]);
    const { db } = memoryIndex({
      ...Object.fromEntries(others),
      "zebra-1.md": "nothing of it",
      "zebra-2.md": "zebra zebra zebra",
      "zebra-3.md": "one zebra among other words",
    });
    const held = new WordRank(new Words(db)).holding([['"zebra"']], { accepts: acceptsAll, depth: 10 });
    expect([...held.documents]).toEqual([32, 33, 31]);
  });

  test("a document that cannot be read now is passed over", () => {
    const { hybrid, searched } = memoryIndex({ "a.md": "zebra", "b.md": "zebra" });
    const read = (document: number) => (document === 1 ? null : searched.read(document));
    expect(hybrid({ ...searched, read }, "zebra", 10).map(({ document }) => document)).toEqual([2]);
  });

  test("a replaced text is found by its new words alone", () => {
    const index = memoryIndex({ "a.md": "before" });
    index.writer.put(1, "a.md", "after", false);
    expect([index.found("before"), index.found("after")]).toEqual([[], ["a.md"]]);
    index.writer.remove(1);
    expect(index.found("after")).toEqual([]);
  });

  test("exact words stand before parts, and both before typing errors", () => {
    const { found } = memoryIndex({ "near.md": "press it", "part.md": "decompress it", "exact.md": "compress it" });
    expect(found("compress")).toEqual(["exact.md", "part.md"]);
    expect(found("pres")).toEqual(["near.md", "part.md", "exact.md"]);
  });

  test("a sentence without spaces finds documents that hold some of its words", () => {
    const { found } = memoryIndex({ "a.md": "压缩一个文件", "b.md": "列出目录", "c.md": "解压文件" });
    expect(found("如何压缩文件")).toEqual(["a.md", "c.md"]);
  });
});

describe("words", () => {
  test.each([
    ["git-commit_tree v2", ["git", "commit", "tree", "v2"]],
    ["don't", ["don", "t"]],
    ["压缩abc文件", ["压缩", "abc", "文件"]],
    ["सूचना", ["सूचना"]],
  ])("%s", (text, words) => {
    expect(unitsOf(text).map((unit) => unit.text)).toEqual(words);
  });

  test("a run is its pairs and its last character", () => {
    expect(indexedForm("解压缩 x", () => undefined)).toBe("解压 压缩 缩 x");
  });

  test("headings are told from code, lists and front matter", () => {
    const text = "---\ntitle: Front\ntags: x\n---\n# One\n\nTwo\n===\n\n```sh\n# comment\n```\n- item\n---\n";
    const { name, folders } = pathFieldsOf("docs/deep/my-note.md");
    const { headings } = textFieldsOf(text);
    expect([name, folders, headings]).toEqual(["my-note", "docs/deep", "title: Front\n# One\nTwo"]);
  });
});

describe("edit distance", () => {
  test.each([
    ["commit", "comit", 1],
    ["commit", "commti", 1],
    ["kubernetes", "kuberentse", 2],
    ["abc", "xyz", 3],
    ["", "ab", 2],
    ["🎉a", "a", 1],
  ])("%s and %s", (a, b, distance) => {
    expect([distanceWithin(a, b, 2), distanceWithin(b, a, 2)]).toEqual([distance, distance]);
  });
});

describe("fusion", () => {
  test("adds the reciprocal ranks, by weight, and breaks ties by number", () => {
    const fused = fuseRankings([
      { weight: 1, documents: [3, 1] },
      { weight: 0.5, documents: [1, 2] },
      { weight: 0.5, documents: [4] },
    ]);
    expect(fused.map(({ document }) => document)).toEqual([1, 3, 4, 2]);
    expect(fused[0]!.score).toBeCloseTo(1 / 62 + 0.5 / 61, 10);
  });
});

describe("snippets", () => {
  test("show the lines with most of the words, at most three, in order", () => {
    const text = "one\nx\none two\nx\none two three\none three\n";
    const needles = ["one", "two", "three"].map((word) => needleOf(word, false));
    expect(snippetsOf(text, needles).map(({ line }) => line)).toEqual([3, 5, 6]);
  });

  test("cut a long line around its first match, and keep every range inside the text", () => {
    fc.assert(
      fc.property(fc.nat(900), fc.nat(900), fc.constantFrom("a", "é", "🎉", "解"), (before, after, filler) => {
        const [snippet] = snippetsOf(`${filler.repeat(before)} needle ${filler.repeat(after)}`, [
          needleOf("needle", false),
        ]);
        const characters = [...snippet!.text];
        expect(characters.length).toBeLessThanOrEqual(242);
        expect(snippet!.ranges.map(([start, end]) => characters.slice(start, end).join(""))).toEqual(["needle"]);
      }),
    );
  });
});
