import { describe, expect, test } from "vitest";
import { fc } from "../property.ts";
import { memoryIndex } from "./memory-index.ts";

describe("hybrid search", () => {
  test("throws for no query, and finds nothing twice", async () => {
    const index = memoryIndex({ "a.md": "alpha 解压缩 beta", "b/c.md": '# Gamma\n"quoted" alpha*' });
    const hostile = fc.string({
      unit: fc.constantFrom(..."alphbet\"*()^:{}-+.,~\\'%_解压\u0301\ud800🎉 \n\u0000", "NOT", "OR", "NEAR"),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(hostile, fc.string({ unit: "grapheme" })),
        fc.integer({ min: 1, max: 500 }),
        async (query, limit) => {
          const found = await index.found(query, limit);
          expect(new Set(found).size).toBe(found.length);
          expect(found.length).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });

  test("a refused document is neither shown nor counted, at any rank and in any number", async () => {
    const texts = Array.from({ length: 5_000 }, (_, n) => [`${n}.md`, n === 0 ? "one zebra of many" : "zebra"]);
    const index = memoryIndex(Object.fromEntries(texts));
    index.accepts = (document) => document === 1;
    expect(await index.found("zebra", 1)).toEqual(["0.md"]);
  });

  test("of what has a word in its path, each is ranked by its own text", async () => {
    const { found } = memoryIndex({
      "zebra-1.md": "nothing of it",
      "zebra-2.md": "zebra zebra zebra",
      "zebra-3.md": "one zebra among other words",
    });
    expect(await found("zebra")).toEqual(["zebra-2.md", "zebra-3.md", "zebra-1.md"]);
  });

  test("a replaced text is found by its new words alone", async () => {
    const index = memoryIndex({ "a.md": "after" });
    index.keys.put(1, 1, "a.md", "before");
    expect([await index.found("before"), await index.found("after")]).toEqual([[], []]);
    index.waiting = [1];
    expect(await index.found("after")).toEqual(["a.md"]);
    index.waiting = [];
    index.keys.put(1, 1, "a.md", "after");
    expect(await index.found("after")).toEqual(["a.md"]);
    index.keys.remove(1);
    expect(await index.found("after")).toEqual([]);
  });

  test("whole words rank before beginnings of words, and both before other parts", async () => {
    const { found } = memoryIndex({ "inner.md": "decompress it", "begins.md": "pressed", "whole.md": "press it" });
    expect(await found("press")).toEqual(["whole.md", "begins.md", "inner.md"]);
  });

  test("a word of two letters is found as a whole word", async () => {
    const { found } = memoryIndex({ "a.md": "go on", "b.md": "gone" });
    expect(await found("go")).toEqual(["a.md"]);
  });

  test("a sentence without spaces finds documents with some of its words", async () => {
    const { found } = memoryIndex({ "a.md": "压缩一个文件", "b.md": "列出目录", "c.md": "解压文件" });
    expect(await found("如何压缩文件")).toEqual(["a.md", "c.md"]);
  });

  test("of single words the rarer ones count more, and a common one nothing", async () => {
    const common = Array.from({ length: 200 }, (_, n) => [`${n}.md`, "words in common"]);
    const { found } = memoryIndex({
      ...Object.fromEntries(common),
      "quokka.md": "a quokka",
      "both.md": "zebra, quokka",
    });
    expect(await found("common quokka zebra aardvark")).toEqual(["both.md", "quokka.md"]);
  });
});

const MANY = 1_200;

function many(text: (n: number) => readonly [string, string], others: Readonly<Record<string, string>> = {}) {
  return memoryIndex({ ...Object.fromEntries(Array.from({ length: MANY }, (_, n) => text(n))), ...others });
}

describe("a search of words that very many documents have", () => {
  test("reads no more documents if more have the words", async () => {
    const counts = [];
    for (const documents of [400, MANY]) {
      const texts = Array.from({ length: documents }, (_, n) => [
        `area/note-${n}.md`,
        `# heading\ncommon words${n < 5 ? " zebra" : ""}`,
      ]);
      const index = memoryIndex(Object.fromEntries(texts));
      for (const [query, hits] of [
        ["common words", 10],
        ["note", 10],
        ["note words heading", 10],
        ["commo", 10],
        ["nothing common", 10],
        ["common zebra", 5],
      ] as const)
        expect([
          query,
          (await index.found(query)).filter((path) => hits === 10 || /-[0-4]\./.test(path)).length,
        ]).toEqual([query, hits]);
      counts.push(index.counted.read);
    }
    expect(counts[1]).toBe(counts[0]);
  });

  test("a rare word beside common ones finds all documents that have it", async () => {
    const { found } = many((n) => [`note-${n}.md`, "common words"], {
      "old/note-a.md": "zebra, and nothing of it",
      "once.md": "common note, one zebra among many other words",
      "zebra.md": "common note",
      "often.md": "common note: zebra zebra zebra",
      "never.md": "zebra",
    });
    expect((await found("note zebra")).slice(0, 4)).toEqual(["often.md", "zebra.md", "old/note-a.md", "once.md"]);
    expect((await found("zebra common")).slice(0, 3).sort()).toEqual(["often.md", "once.md", "zebra.md"]);
  });

  test("common words find the newest, and before them what is called by them, however old it is", async () => {
    const newest = Array.from({ length: 10 }, (_, n) => `${MANY - 1 - n}.md`);
    const plain = many((n) => [`${n}.md`, "common words"]);
    expect(await plain.found("common words")).toEqual(newest);
    const headed = many((n) => [`${n}.md`, n === 7 ? "# Words in common" : "common words"]);
    expect((await headed.found("words common"))[0]).toBe("7.md");
    const named = many((n) => [n === 7 ? "words/common.md" : `${n}.md`, "common words"]);
    expect((await named.found("words common"))[0]).toBe("words/common.md");
  });

  test("a phrase of common words ranks before the same words apart, however old it is", async () => {
    const { found } = many((n) => [`${n}.md`, n === 7 ? "of the words" : "words of the"]);
    expect((await found("the words"))[0]).toBe("7.md");
  });

  test("what is refused takes no place among the newest", async () => {
    const index = many((n) => [`${n}.md`, "common words"]);
    index.accepts = (document) => document <= 3;
    expect(await index.found("common words")).toEqual(["2.md", "1.md", "0.md"]);
  });
});

describe("the cost of a query", () => {
  const LONGEST = 51_200;

  test("does not grow with what is repeated in it, nor with what is repeated in a text", async () => {
    const index = memoryIndex({
      "run.md": "漢".repeat(LONGEST),
      "emoji.md": "🎉".repeat(LONGEST),
      "plain.md": "plain",
    });
    const counts: number[] = [];
    for (const [character, path] of [
      ["漢", "run.md"],
      ["🎉", "emoji.md"],
    ] as const)
      for (const times of [64, 256, 1_024]) {
        Object.assign(index.counted, { looks: 0, read: 0, steps: 0, takes: 0 });
        const [hit] = await index.hits(character.repeat(times));
        expect(hit!.found.path).toBe(path);
        expect(hit!.snippets).toHaveLength(1);
        expect(hit!.snippets[0]!.ranges).toEqual([[0, 240]]);
        counts.push(index.counted.looks, index.counted.read);
        expect(index.counted.steps).toBeLessThan(10 * LONGEST);
      }
    expect(counts).toEqual(Array.from({ length: 6 }, () => counts.slice(0, 2)).flat());
  });

  test("is bounded: of more texts than it may read, the newest are found", async () => {
    const texts = Array.from({ length: 200 }, (_, n) => [`${n}.md`, `${" ".repeat(LONGEST - 10)}zebra ${n % 2}`]);
    const index = memoryIndex(Object.fromEntries(texts));
    const found = await index.found("zebra", 500);
    expect(found.slice(0, 2)).toEqual(["199.md", "198.md"]);
    expect(found.length).toBeLessThan(200);
    expect(index.counted.read).toBeLessThan(500);
    expect(index.counted.steps).toBeLessThan(50_000_000);
  });

  test("ends with its client: no text is read after that", async () => {
    const texts = Array.from({ length: 300 }, (_, n) => [`${n}.md`, `zebra ${n}`]);
    const index = memoryIndex(Object.fromEntries(texts));
    await index.found("zebra", 100);
    const whole = index.counted.takes;
    for (let most = 1; most < whole; most += 40) {
      Object.assign(index.counted, { looks: 0, read: 0, steps: 0, takes: 0 });
      index.goesOn = ({ takes }) => takes < most;
      expect(await index.hybrid("zebra", 100)).toEqual({ kind: "ended" });
      expect(index.counted.takes).toBe(most);
    }
  });
});
