import { describe, expect, test } from "vitest";
import { DirtyPaths } from "../../../src/mirror/engine/daemon/dirty-paths.ts";
import { PendingDeletions } from "../../../src/mirror/engine/daemon/pending-deletions.ts";
import { pollInterval, retryDelay } from "../../../src/mirror/engine/daemon/schedule.ts";
import { UnchangedSince } from "../../../src/mirror/engine/daemon/unchanged-since.ts";
import { countChangedLines } from "../../../src/mirror/engine/daemon/events.ts";
import { DEFAULT_TIMING } from "../../../src/mirror/engine/daemon/timing.ts";

const MINUTE = 60_000;

/** In pages of 1,000 documents, at 60 requests a minute. */
function paceOf(quietMs: number, documents: number, isTold: boolean) {
  return { quietMs, requests: Math.max(1, Math.ceil(documents / 1_000)), aMinute: 60, isTold };
}

describe("pollInterval", () => {
  test.each([
    ["somebody works", 0, 500, 5_000],
    ["at rest", 2 * MINUTE, 500, 30_000],
    ["after an hour", 61 * MINUTE, 500, 120_000],
    ["somebody works in 10,000 documents: ten requests each", 0, 10_000, 10_000],
    ["at rest in 38,000 documents", 2 * MINUTE, 38_000, 38_000],
    ["the same after 10 minutes", 10 * MINUTE, 38_000, 60_000],
    ["the same after half an hour: a third of the budget", 30 * MINUTE, 38_000, 114_000],
    ["the same after an hour: a sixth of it", 61 * MINUTE, 38_000, 228_000],
    ["after half an hour in a few documents: as at first", 30 * MINUTE, 500, 30_000],
    ["an empty workspace", 0, 0, 5_000],
  ])("%s", (_what, quietMs, documents, expected) => {
    const pace = paceOf(quietMs, documents, false);
    expect(pollInterval(DEFAULT_TIMING, pace, 0.5)).toBe(expected);
    expect(pollInterval(DEFAULT_TIMING, pace, 0)).toBeCloseTo(expected * 0.9);
    expect(pollInterval(DEFAULT_TIMING, pace, 0.999)).toBeLessThan(expected * 1.1);
  });
});

test("while the service sends events, a poll each minute is proof enough", () => {
  const told = (quietMs: number, documents: number) =>
    pollInterval(DEFAULT_TIMING, paceOf(quietMs, documents, true), 0.5);
  expect([told(0, 500), told(2 * MINUTE, 500), told(61 * MINUTE, 500), told(0, 100_000)]).toEqual([
    60_000, 60_000, 120_000, 100_000,
  ]);
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

describe("dirty paths", () => {
  test("a bulk change is due when its last path has settled, 30 s after its first at most", () => {
    const dirty = new DirtyPaths(DEFAULT_TIMING);
    for (let n = 0; n < 100; n++) dirty.note(`note-${n}.md`, false, n * 200);
    expect(dirty.dueAt()).toBe(99 * 200 + 300);
    for (let n = 100; n < 200; n++) dirty.note(`note-${n}.md`, false, n * 200);
    expect(dirty.dueAt()).toBe(30_000);
    expect(dirty.take(30_000).paths).toHaveLength(149);
    expect(dirty.dueAt()).toBe(199 * 200 + 300);
  });

  test("LIMIT: very many paths are one look at everything", () => {
    const dirty = new DirtyPaths(DEFAULT_TIMING);
    for (let n = 0; n < 10_000; n++) dirty.note(`note-${n}.md`, false, 5);
    expect(dirty.count()).toBeLessThanOrEqual(2_000);
    expect(dirty.take(1_000)).toMatchObject({ whole: true, many: true });
    expect(dirty.dueAt()).toBeNull();
  });

  test("what has not settled stays, and is named", () => {
    const dirty = new DirtyPaths(DEFAULT_TIMING);
    dirty.note("early.md", false, 0);
    dirty.note("late.md", false, 4_900);
    expect([...dirty.unsettled(5_000).keys()]).toEqual(["late.md"]);
    expect(dirty.take(5_000)).toEqual({ paths: ["early.md"], whole: false, many: false });
    expect(dirty.paths(9)).toEqual(["late.md"]);
  });
});

describe("pending deletions", () => {
  test("start again with each new deletion, for five minutes at most", () => {
    const deletions = new PendingDeletions(DEFAULT_TIMING);
    const gone = new Set<string>();
    for (let n = 0; n < 20; n++) {
      gone.add(`note-${n}.md`);
      expect(deletions.update(gone, n * 20_000).begun).toEqual([`note-${n}.md`]);
    }
    const at = 19 * 20_000;
    expect([...deletions.due(at)]).toEqual(["note-0.md", "note-1.md", "note-2.md", "note-3.md", "note-4.md"]);
    expect(deletions.due(at + 30_000).size).toBe(20);
  });

  test("end for what came back", () => {
    const deletions = new PendingDeletions(DEFAULT_TIMING);
    deletions.update(new Set(["a.md", "b.md"]), 0);
    expect(deletions.update(new Set(["b.md"]), 10).ended).toEqual(["a.md"]);
    expect(deletions.list().map(({ path }) => path)).toEqual(["b.md"]);
  });
});

test("quiet period: another value starts it again", () => {
  const quiet = new UnchangedSince<string, string>(100);
  quiet.update(
    0,
    new Map([
      ["a", "1"],
      ["b", "1"],
    ]),
  );
  quiet.update(
    50,
    new Map([
      ["a", "2"],
      ["b", "1"],
    ]),
  );
  expect([...quiet.over(100).keys()]).toEqual(["b"]);
  expect(quiet.nextAt(100)).toBe(150);
});

test("quiet period: one that is ended is over immediately, whatever the fractions of the times", () => {
  const quiet = new UnchangedSince<string, string>(30_000);
  const now = 318_869.965_789_563_95;
  quiet.update(now - 100, new Map([["a", "1"]]));
  expect([quiet.end("a", now), [...quiet.over(now).keys()], quiet.end("a", now)]).toEqual([true, ["a"], false]);
});

test.each([
  ["", "one\ntwo\n", 2, 0],
  ["one\ntwo\n", "two\n", 0, 1],
  ["same\nold\n", "same\nnew\n", 1, 1],
  ["a\na\nb\n", "a\nb\nb\n", 1, 1],
  ["no end", "no end\n", 0, 0],
])("lines between %j and %j", (was, is, added, removed) => {
  expect(countChangedLines(was, is)).toEqual({ added, removed });
});
