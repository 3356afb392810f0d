import { fc } from "../property.ts";
import { describe, expect, it } from "vitest";
import { findByFolder } from "../../src/model/by-folder.ts";

const paths = fc
  .array(fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 4 }))
  .map((list) => list.map((names) => names.join("/")));

describe("finding by folder", () => {
  it("finds what a map of all paths finds: the last value at each, in whatever order they are asked for", () => {
    fc.assert(
      fc.property(paths, paths, (held, asked) => {
        const values = held.map((path, n) => ({ path, n }));
        const all = new Map(values.map((value) => [value.path, value]));
        const find = findByFolder(values, ({ path }) => path);
        expect(asked.map(find)).toEqual(asked.map((path) => all.get(path)));
        expect(held.map(find)).toEqual(held.map((path) => all.get(path)));
      }),
    );
  });

  it("reads a large folder once, however often others are asked about between", () => {
    const held = Array.from({ length: 1_000 }, (_, n) => `large/${n}`).concat("small/0");
    let read = 0;
    const find = findByFolder(held, (path) => {
      read++;
      return path;
    });
    for (let n = 0; n < 1_000; n++) expect([find(`large/${n}`), find("small/0")]).toEqual([`large/${n}`, "small/0"]);
    expect(read).toBeLessThan(4 * held.length);
  });
});
