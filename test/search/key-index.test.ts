import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { blockOf, KEY_SCHEMA, KeyIndex } from "../../src/markdown/search/key-index.ts";
import { type KeySet, keysOf, withLiteral, withTitle, withUnit } from "../../src/markdown/search/keys.ts";
import { unitsOf } from "../../src/markdown/search/tokens.ts";
import { fc } from "../property.ts";

function openIndex(): KeyIndex {
  const db = new Sqlite(":memory:");
  onTestFinished(() => void db.close());
  db.exec(KEY_SCHEMA);
  return new KeyIndex(db);
}

function found(index: KeyIndex, scope: number, document: number, set: KeySet): number[] {
  return set.kind === "any" ? expect.fail("any document") : index.inBlock(scope, blockOf(document), set);
}

test("a look finds documents of one scope and of one block alone", () => {
  const index = openIndex();
  const documents = [1, 2, 4_095, 4_096, 40_000];
  for (const document of documents) index.put(document === 2 ? 7 : 1, document, `${document}.md`, "the quokka");
  const set = withUnit({ kind: "word", text: "quokka" });
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
  expect(found(index, 1, 1, withTitle({ kind: "word", text: "quokka" }))).toEqual([2, 3, 4]);
  expect(found(index, 1, 1, withTitle({ kind: "run", text: "解压" }))).toEqual([5]);
  expect(found(index, 1, 1, withUnit({ kind: "word", text: "quokka" }))).toEqual([1, 2, 3, 4]);
});

const letters = fc.string({
  unit: fc.constantFrom(..."aZéÉßﬁ解压缩がパか한국ضغطיםхЙ🎉𝒑 12_-.\n\u0301\u3099"),
  maxLength: 40,
});

function keysIn(set: KeySet): readonly number[] {
  return set.kind === "with" ? set.keys : [];
}

test("whatever a text contains, it has the keys of", () => {
  fc.assert(
    fc.property(letters, letters, letters, (before, part, after) => {
      fc.pre((before + part + after).isWellFormed());
      const text = before + part + after;
      const keys = keysOf("a.md", text);
      for (const set of [withLiteral(part), ...unitsOf(text).map(withUnit)])
        for (const key of keysIn(set)) expect(keys.has(key)).toBe(true);
      const titles = keysOf("a.md", `# ${text.replaceAll("\n", " ")}`);
      for (const unit of unitsOf(text.replaceAll("\n", " ")))
        for (const key of keysIn(withTitle(unit))) expect(titles.has(key)).toBe(true);
    }),
  );
});
