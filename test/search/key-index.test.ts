import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { findBlock, KEY_SCHEMA, KeyIndex, KEYS_PER_ROW } from "../../src/markdown/search/key-index.ts";
import {
  intersectSets,
  type KeySet,
  documentsWithLiteral,
  documentsWithTitle,
  documentsWithUnit,
  generateKeyParts,
} from "../../src/markdown/search/keys.ts";
import { splitIntoUnits } from "../../src/markdown/search/words.ts";
import { fc } from "../property.ts";

function openIndex(): KeyIndex {
  return openCounting().index;
}

/** Returns an index that counts the keys of each row that it writes. */
function openCounting() {
  const db = new Sqlite(":memory:");
  onTestFinished(() => void db.close());
  db.exec(KEY_SCHEMA);
  const written: number[] = [];
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    if (!sql.startsWith("INSERT INTO search_keys (rowid")) return statement;
    const run = (row: unknown, keys: string) => {
      written.push(keys.trim().split(" ").length);
      return statement.run(row, keys);
    };
    return Object.assign(Object.create(statement), { run });
  };
  return { index: new KeyIndex({ prepare }), written };
}

function found(index: KeyIndex, scope: number, document: number, set: KeySet): number[] {
  return set.kind === "any" ? expect.fail("any document") : index.inBlock(scope, findBlock(document), set);
}

test("a query finds documents of one scope and of one block alone", () => {
  const index = openIndex();
  const documents = [1, 2, 4_095, 4_096, 40_000];
  for (const document of documents) index.put(document === 2 ? 7 : 1, document, `${document}.md`, "the quokka");
  const set = documentsWithUnit({ kind: "word", text: "quokka" });
  expect(documents.map((document) => found(index, 1, document, set))).toEqual([
    [1, 4_095],
    [1, 4_095],
    [1, 4_095],
    [4_096],
    [40_000],
  ]);
  expect([found(index, 7, 1, set), found(index, 8, 1, set), found(index, 71, 1, set)]).toEqual([[2], [], []]);
});

test("a word of the path or of a heading has a key of its own", () => {
  const index = openIndex();
  for (const [i, [path, text]] of [
    ["shelf/a.md", "plain quokka"],
    ["quokka.md", "plain"],
    ["quokka/b.md", "plain"],
    ["c.md", "# On quokkas\n\nThe quokka\n=========\n"],
    ["解压.md", "plain"],
  ].entries())
    index.put(1, i + 1, path!, text!);
  expect(found(index, 1, 1, documentsWithTitle({ kind: "word", text: "quokka" }))).toEqual([2, 3, 4]);
  expect(found(index, 1, 1, documentsWithTitle({ kind: "run", text: "解压" }))).toEqual([5]);
  expect(found(index, 1, 1, documentsWithUnit({ kind: "word", text: "quokka" }))).toEqual([1, 2, 3, 4]);
});

test("a document of very many keys is written in rows of a bounded size, and found as any other", () => {
  const { index, written } = openCounting();
  const han = Array.from({ length: 49_000 }, (_, n) => String.fromCodePoint(n < 20_000 ? 0x4e00 + n : 0x20000 + n));
  const run = (from: number, to: number) => han.slice(from, to).join("");
  const wide = `# ${run(0, 20_000)}\n\n${run(20_000, 49_000)}\n\nquokka`;
  for (const [document, text] of [run(0, 300), wide, run(40_000, 40_300), wide].entries())
    index.put(1, document + 1, "a.md", text);
  expect(Math.max(...written)).toBeLessThanOrEqual(KEYS_PER_ROW + 1);
  const looks: [KeySet, number[]][] = [
    [documentsWithLiteral(run(100, 103)), [1, 2, 4]],
    [documentsWithLiteral(run(40_100, 40_164)), [2, 3, 4]],
    [
      intersectSets([
        documentsWithLiteral(run(100, 103)),
        documentsWithLiteral(run(48_990, 48_999)),
        documentsWithUnit({ kind: "word", text: "quokka" }),
      ]),
      [2, 4],
    ],
    [
      { kind: "one", of: [documentsWithLiteral(run(100, 103)), documentsWithLiteral(run(40_100, 40_103))] },
      [1, 2, 3, 4],
    ],
    [documentsWithTitle({ kind: "run", text: run(19_000, 19_012) }), [2, 4]],
    [documentsWithTitle({ kind: "run", text: run(21_000, 21_012) }), []],
    [documentsWithLiteral("numbat"), []],
  ];
  for (const [set, documents] of looks) expect(found(index, 1, 1, set)).toEqual(documents);
  index.remove(4);
  index.put(1, 2, "a.md", "plain");
  expect(looks.map(([set]) => found(index, 1, 1, set))).toEqual([[1], [3], [], [1, 3], [], [], []]);
});

const letters = fc.string({
  unit: fc.constantFrom(..."aZéÉßﬁ解压缩がパか한국ضغطיםхЙ🎉𝒑 12_-.\n\u0301\u3099"),
  maxLength: 40,
});
/** Blanks of a length that puts the searched text across the border of two parts of a document. */
const fillers = fc.constantFrom(0, 1_900, 1_980, 2_240, 4_240).map((length) => " ".repeat(length));

function computeKeys(path: string, text: string): Set<number> {
  return new Set(generateKeyParts(path, text).flatMap(({ keys }) => keys));
}

function keysIn(set: KeySet): readonly number[] {
  return set.kind === "with" ? set.keys : [];
}

test("whatever a text contains, it has the keys of", () => {
  fc.assert(
    fc.property(fillers, letters, letters, letters, (filler, before, part, after) => {
      fc.pre((before + part + after).isWellFormed());
      const text = filler + before + part + after;
      const keys = computeKeys("a.md", text);
      for (const set of [documentsWithLiteral(part), ...splitIntoUnits(text).map(documentsWithUnit)])
        for (const key of keysIn(set)) expect(keys.has(key)).toBe(true);
      const titles = computeKeys("a.md", `# ${text.replaceAll("\n", " ")}`);
      for (const unit of splitIntoUnits(text.replaceAll("\n", " ")))
        for (const key of keysIn(documentsWithTitle(unit))) expect(titles.has(key)).toBe(true);
    }),
  );
});
