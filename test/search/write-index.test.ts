import { expect, test } from "vitest";
import { memoryIndex } from "./memory-index.ts";

test("words of a text whose transaction was rolled back are learnt when they come again", () => {
  const { db, writer, terms, found } = memoryIndex({ "a.md": "alpha", "b.md": "alpha" });
  const put = (text: string) => {
    writer.begin();
    writer.putText(1, text, false);
  };
  db.transaction(() => put("alpha beta"))();
  const fails = db.transaction(() => {
    put("zebra aardvark");
    throw new Error("rolled back");
  });
  expect(() => fails()).toThrow("rolled back");
  expect(terms.containing("zebr")).toEqual([]);
  db.transaction(() => put("zebra gamma"))();
  db.transaction(() => put("zebra gamma delta"))();
  expect(found("zebr")).toEqual(["a.md"]);
  const words = db.prepare<[], { text: string }>("SELECT text FROM search_terms ORDER BY text").all();
  expect(words.map(({ text }) => text)).toEqual(["alpha", "beta", "delta", "gamma", "zebra"]);
});
