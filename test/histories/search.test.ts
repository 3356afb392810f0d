import { describe, expect, test } from "vitest";
import { type Entry, type Model, searchLinearisation } from "./search.ts";

/** A register of one number: the smallest object whose history can be wrong. */
const REGISTER: Model<number> = { initial: 0, keyOf: String };

const write = (value: number, from: number, to: number): Entry<number> => ({
  what: `write ${value}`,
  from,
  to,
  reads: false,
  apply: () => [value],
});

const read = (value: number, from: number, to: number): Entry<number> => ({
  what: `read ${value}`,
  from,
  to,
  reads: true,
  apply: (state) => (state === value ? [state] : []),
});

/** Returns an operation that changes the number only if it is `expected`. */
const swap = (expected: number, value: number, from: number, to: number): Entry<number> => ({
  what: `swap ${expected} for ${value}`,
  from,
  to,
  reads: false,
  apply: (state) => [state === expected ? value : state],
});

const kindOf = (entries: readonly Entry<number>[], most?: number) => searchLinearisation(REGISTER, entries, most).kind;

describe("a history is linearisable", () => {
  test.each([
    ["with nothing in it", []],
    ["when each reads what was written before", [write(1, 0, 1), read(1, 2, 3)]],
    ["when a read beside a write saw the old value", [write(1, 0, 3), read(0, 1, 2)]],
    ["when a read beside a write saw the new value", [write(1, 0, 3), read(1, 1, 2)]],
    [
      "when writes beside each other came in the other order",
      [write(1, 0, 10), write(2, 1, 9), read(2, 11, 12), read(2, 13, 14)],
    ],
    ["when a lost write came late", [write(1, 0, Infinity), write(2, 1, 2), read(2, 3, 4), read(1, 5, 6)]],
    ["when a lost write never came", [write(1, 0, Infinity), read(0, 1, 2), read(0, 3, 4)]],
    // If the search took the swap at the first moment, when it changes nothing, it could not
    // explain the later read.
    ["when a write that may change nothing must wait", [swap(1, 2, 0, 9), write(1, 1, 8), read(2, 10, 11)]],
  ])("%s", (_, entries) => {
    expect(kindOf(entries)).toBe("linearisable");
  });
});

describe("a history is broken", () => {
  test.each([
    ["by a value that nobody wrote", [write(1, 0, 1), read(2, 2, 3)]],
    ["by a stale read", [write(1, 0, 1), read(0, 2, 3)]],
    ["by a value that comes and goes", [write(1, 0, 9), read(1, 1, 2), read(0, 3, 4)]],
    ["by two readers who saw two orders", [write(1, 0, 9), write(2, 1, 8), read(1, 10, 11), read(2, 12, 13)]],
    ["by a lost write that was seen before it was asked for", [read(1, 0, 1), write(1, 2, Infinity)]],
    ["by a lost write that came twice", [write(1, 0, Infinity), read(1, 1, 2), write(2, 3, 4), read(1, 5, 6)]],
    ["by a swap that was answered and forgotten", [write(1, 0, 1), swap(1, 2, 2, 3), read(1, 4, 5)]],
  ])("%s", (_, entries) => {
    expect(kindOf(entries)).toBe("broken");
  });

  test("and what could not come next is reported, with the state", () => {
    const found = searchLinearisation(REGISTER, [write(1, 0, 1), read(0, 2, 3)]);
    expect(found).toEqual({
      kind: "broken",
      states: 2,
      why: "after\n  write 1 (0–1)\nthe state is 1, which does not lead to\n  read 0 (2–3)",
    });
  });
});

describe("lost writes", () => {
  const lost = (count: number) => Array.from({ length: count }, (_, n) => write(100 + n, n, Infinity));
  const writes = Array.from({ length: 8 }, (_, n) => [
    write(n, 100 + 4 * n, 101 + 4 * n),
    read(n, 102 + 4 * n, 103 + 4 * n),
  ]);

  test("that no answer shows may have happened nevertheless", () => {
    // Only the lost write explains that the swap changed nothing.
    const history = [{ ...write(5, 0, Infinity), unseen: true }, swap(0, 2, 1, 2), read(5, 3, 4)];
    expect(kindOf(history)).toBe("linearisable");
  });

  test("of which several come one after the other are found", () => {
    const chain = [swap(0, 1, 0, Infinity), swap(1, 2, 0, Infinity), swap(2, 3, 0, Infinity), read(3, 5, 6)];
    expect(kindOf(chain)).toBe("linearisable");
    expect(kindOf([...chain, read(1, 7, 8)])).toBe("broken");
  });

  test("do not hide a stale read, however many there are", () => {
    const history = [...lost(7), ...writes.flat(), read(0, 200, 201)];
    expect(kindOf(history)).toBe("broken");
  });
});

test("a search that would take too long is given up, and says so", () => {
  const writes = Array.from({ length: 18 }, (_, n) => write(n + 1, n, 100 + n));
  expect(kindOf([...writes, read(0, 200, 201)], 1_000)).toBe("undecided");
});
