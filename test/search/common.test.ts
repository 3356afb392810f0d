import { describe, expect, test } from "vitest";
import { MOST_RANKED, Words } from "../../src/search/word-queries.ts";
import { type MemoryIndex, memoryIndex } from "./memory-index.ts";

/** More documents than are ranked, each with what `text` gives it; then those that are given. */
function many(text: (n: number) => readonly [string, string], others: Readonly<Record<string, string>> = {}) {
  const common = Object.fromEntries(Array.from({ length: MOST_RANKED + 200 }, (_, n) => text(n)));
  return { ...common, ...others };
}

/** Of so many documents, five of which hold a rare word too. */
function indexOfCommon(documents: number): MemoryIndex {
  const texts = Array.from({ length: documents }, (_, n) => {
    return [`area/note-${n}.md`, `# heading\ncommon words of it${n < 5 ? " zebra" : ""}`];
  });
  return memoryIndex(Object.fromEntries(texts));
}

describe("a search of words that very many documents hold", () => {
  test("reads as many rows for many documents as for more", () => {
    const few = indexOfCommon(MOST_RANKED + 200);
    const more = indexOfCommon(MOST_RANKED + 700);
    for (const query of [
      "common words",
      "note",
      "note words of",
      "comon wrds",
      "commo",
      "nothing common",
      "of zebra",
    ]) {
      expect([query, few.found(query).length]).toEqual([query, query.endsWith("zebra") ? 5 : 10]);
      more.found(query);
      expect([query, more.counted.rows]).toEqual([query, few.counted.rows]);
    }
  });

  test("a rare word beside common ones finds all that hold it, ranked by it, wherever the others are", () => {
    const texts = many((n) => [`note-${n}.md`, "common words"], {
      "old/note-a.md": "zebra, and nothing of it",
      "once.md": "common note, one zebra among many other words",
      "zebra.md": "common note",
      "often.md": "common note: zebra zebra zebra",
      "never.md": "zebra",
    });
    const { found } = memoryIndex(texts);
    expect(found("note zebra").slice(0, 4)).toEqual(["often.md", "zebra.md", "old/note-a.md", "once.md"]);
    expect(found("zebra common").slice(0, 3).sort()).toEqual(["often.md", "once.md", "zebra.md"]);
  });

  test("common words alone find the newest, with all in a heading or the path first", () => {
    const newest = Array.from({ length: 10 }, (_, n) => `${MOST_RANKED + 199 - n}.md`);
    const plain = memoryIndex(many((n) => [`${n}.md`, "common words"]));
    expect(plain.found("common words")).toEqual(newest);
    const headed = memoryIndex(
      many((n) => [`${n}.md`, n === MOST_RANKED + 100 ? "# Words in common" : "common words"]),
    );
    expect(headed.found("words common")[0]).toBe(`${MOST_RANKED + 100}.md`);
  });

  test("common words are found where one is in the path and the other in the text", () => {
    const texts = many((n) => [`note-${n}.md`, n === 300 ? "shelf common" : `common ${n % 2 === 0 ? "" : "words"}`], {
      "shelf/a.md": "common words",
    });
    const { found } = memoryIndex(texts);
    expect(found("note words")).toHaveLength(10);
    expect(found("shelf common note")[0]).toBe("note-300.md");
    expect(found("common shelf").slice(0, 2).sort()).toEqual(["note-300.md", "shelf/a.md"]);
  });

  test("what is refused takes no place among the newest", () => {
    const { hybrid, searched } = memoryIndex(many((n) => [`${n}.md`, "common words"]));
    const accepts = (document: number) => document <= 3;
    const found = hybrid({ ...searched, accepts }, "common words", 10).map(({ document }) => document);
    expect(found).toEqual([3, 2, 1]);
  });

  test("a phrase or a heading is told apart among documents that are far from each other", () => {
    const far = (n: number) => n % 300 === 7;
    const texts = many((n) => [
      `${n}.md`,
      far(n) ? "of the words" : n % 300 === 8 ? "# the words\nof" : "words of the",
    ]);
    const { db } = memoryIndex(texts);
    const { texts: words } = new Words(db);
    const all = Array.from({ length: MOST_RANKED + 200 }, (_, n) => n + 1);
    const phrased = all.filter((document) => far(document - 1));
    const headed = all.filter((document) => far(document - 2));
    const phrase = ['"the words"'];
    expect(words.among(all, [phrase])).toEqual(new Set([...phrased, ...headed]));
    expect(words.among(all, [phrase], "headings")).toEqual(new Set(headed));
    expect(words.among(headed.slice(0, 2), [phrase, ['"nowhere"', '"of"']])).toEqual(new Set(headed.slice(0, 2)));
    expect(words.among([], [phrase])).toEqual(new Set());
    expect(words.among(all, [['"nowhere"']], "headings")).toEqual(new Set());
  });

  test("names that begin with common words come first, and a phrase in a path counts", () => {
    const { found } = memoryIndex(
      many((n) => [n === 1_100 ? "words common.md" : n === 1_101 ? "a/common words/b.md" : `${n}.md`, "common words"]),
    );
    expect(found("words common")[0]).toBe("words common.md");
    expect(found("common words")[0]).toBe("a/common words/b.md");
  });

  test("a phrase of common words stands before the same words apart", () => {
    const { found } = memoryIndex(many((n) => [`${n}.md`, n === MOST_RANKED + 150 ? "of the words" : "words of the"]));
    expect(found("the words")[0]).toBe(`${MOST_RANKED + 150}.md`);
  });
});
