import { describe, expect, test } from "vitest";
import { BorrowedMap, borrow, ownOf } from "../../src/mirror/model/borrowed-map.ts";

const lender = {};
const made = () =>
  new BorrowedMap(lender, borrow([["a", "b"], ["c"]]), (key) => `lent ${key}`, new Map([["d", "own d"]]));
const plain = new Map([
  ["a", "lent a"],
  ["b", "lent b"],
  ["c", "lent c"],
  ["d", "own d"],
]);

describe("a map that has borrowed most of its values", () => {
  test("is read as any other", () => {
    const map = made();
    expect(map.size).toBe(4);
    expect(new Map(map)).toEqual(plain);
    expect([...map.keys()]).toEqual([...plain.keys()]);
    expect([...map.values()]).toEqual([...plain.values()]);
    expect([...map.entries()]).toEqual([...plain.entries()]);
    const told: [string, string][] = [];
    map.forEach((value, key) => {
      told.push([key, value]);
    });
    expect(told).toEqual([...plain]);
    for (const key of ["a", "c", "d", "e"]) {
      expect(map.has(key)).toBe(plain.has(key));
      expect(map.get(key)).toBe(plain.get(key));
    }
  });

  test("says what is its own to its lender alone", () => {
    expect([...ownOf(made(), lender).keys()]).toEqual(["d"]);
    expect(ownOf(made(), {}).size).toBe(4);
    expect(ownOf(plain, lender)).toBe(plain);
    const other = {};
    expect([...ownOf(made().lentBy(other), other).keys()]).toEqual(["d"]);
  });
});
