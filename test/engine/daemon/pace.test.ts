import { describe, expect, test } from "vitest";
import { createDirtyBook } from "../../../src/engine/daemon/dirty.ts";
import { createGraces } from "../../../src/engine/daemon/grace.ts";
import { pollInterval, retryDelay } from "../../../src/engine/daemon/pace.ts";
import { createRest } from "../../../src/engine/daemon/rest.ts";
import { linesBetween } from "../../../src/engine/daemon/publish-events.ts";
import { DEFAULT_TIMING } from "../../../src/engine/daemon/timing.ts";

const MINUTE = 60_000;

describe("pollInterval", () => {
  test.each([
    ["somebody works", 0, 500, 5_000],
    ["at rest", 2 * MINUTE, 500, 30_000],
    ["after an hour", 61 * MINUTE, 500, 120_000],
    ["somebody works in 10,000 documents: ten requests each", 0, 10_000, 10_000],
    ["at rest in 38,000 documents", 2 * MINUTE, 38_000, 38_000],
    ["an empty workspace", 0, 0, 5_000],
  ])("%s", (_what, quietMs, documents, expected) => {
    expect(pollInterval(DEFAULT_TIMING, quietMs, documents, 0.5)).toBe(expected);
    expect(pollInterval(DEFAULT_TIMING, quietMs, documents, 0)).toBeCloseTo(expected * 0.9);
    expect(pollInterval(DEFAULT_TIMING, quietMs, documents, 0.999)).toBeLessThan(expected * 1.1);
  });
});

describe("retryDelay", () => {
  test.each([
    ["offline", 1, 2_000],
    ["offline", 4, 16_000],
    ["unavailable", 50, 300_000],
    ["unauthenticated", 1, 60_000],
    ["unauthenticated", 9, 300_000],
  ] as const)("%s, failure %i: up to %i ms, never less than half", (why, failures, most) => {
    expect(retryDelay(DEFAULT_TIMING, why, failures, 0)).toBe(most / 2);
    expect(retryDelay(DEFAULT_TIMING, why, failures, 1)).toBe(most);
  });
});

describe("the dirty book", () => {
  test("a bulk change is due when its last path has settled, 30 s after its first at most", () => {
    const book = createDirtyBook(DEFAULT_TIMING);
    for (let n = 0; n < 100; n++) book.note(`note-${n}.md`, false, n * 200);
    expect(book.dueAt()).toBe(99 * 200 + 300);
    for (let n = 100; n < 200; n++) book.note(`note-${n}.md`, false, n * 200);
    expect(book.dueAt()).toBe(30_000);
    expect(book.take(30_000).paths).toHaveLength(149);
    expect(book.dueAt()).toBe(199 * 200 + 300);
  });

  test("LIMIT: very many paths are one look at everything", () => {
    const book = createDirtyBook(DEFAULT_TIMING);
    for (let n = 0; n < 10_000; n++) book.note(`note-${n}.md`, false, 5);
    expect(book.count()).toBeLessThanOrEqual(2_000);
    expect(book.take(1_000)).toMatchObject({ whole: true, many: true });
    expect(book.dueAt()).toBeNull();
  });

  test("what has not settled stays, and is named", () => {
    const book = createDirtyBook(DEFAULT_TIMING);
    book.note("early.md", false, 0);
    book.note("late.md", false, 4_900);
    expect([...book.unsettled(5_000).keys()]).toEqual(["late.md"]);
    expect(book.take(5_000)).toEqual({ paths: ["early.md"], whole: false, many: false });
    expect(book.paths(9)).toEqual(["late.md"]);
  });
});

describe("graces", () => {
  test("begin anew with each new deletion, for five minutes at most", () => {
    const graces = createGraces(DEFAULT_TIMING);
    const gone = new Set<string>();
    for (let n = 0; n < 20; n++) {
      gone.add(`note-${n}.md`);
      expect(graces.see(gone, n * 20_000).begun).toEqual([`note-${n}.md`]);
    }
    const at = 19 * 20_000;
    expect([...graces.due(at)]).toEqual(["note-0.md", "note-1.md", "note-2.md", "note-3.md", "note-4.md"]);
    expect(graces.due(at + 30_000).size).toBe(20);
  });

  test("end for what came back", () => {
    const graces = createGraces(DEFAULT_TIMING);
    graces.see(new Set(["a.md", "b.md"]), 0);
    expect(graces.see(new Set(["b.md"]), 10).ended).toEqual(["a.md"]);
    expect(graces.pending().map(({ path }) => path)).toEqual(["b.md"]);
  });
});

test("rest: another value begins anew", () => {
  const rest = createRest<string, string>(100);
  rest.see(
    0,
    new Map([
      ["a", "1"],
      ["b", "1"],
    ]),
  );
  rest.see(
    50,
    new Map([
      ["a", "2"],
      ["b", "1"],
    ]),
  );
  expect([...rest.rested(100).keys()]).toEqual(["b"]);
  expect(rest.nextAt(100)).toBe(150);
});

test.each([
  ["", "one\ntwo\n", 2, 0],
  ["one\ntwo\n", "two\n", 0, 1],
  ["same\nold\n", "same\nnew\n", 1, 1],
  ["a\na\nb\n", "a\nb\nb\n", 1, 1],
  ["no end", "no end\n", 0, 0],
])("lines between %j and %j", (was, is, added, removed) => {
  expect(linesBetween(was, is)).toEqual({ added, removed });
});
