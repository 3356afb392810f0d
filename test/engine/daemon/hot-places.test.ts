import { describe, expect, test } from "vitest";
import type { DocId } from "../../../src/contract/ids.ts";
import { HotPlaces, type Place } from "../../../src/mirror/engine/daemon/hot-places.ts";
import { RequestBudget } from "../../../src/mirror/engine/daemon/request-budget.ts";
import { DEFAULT_TIMING } from "../../../src/mirror/engine/daemon/timing.ts";

const MINUTE = 60_000;

const subtree = (path: string): Place => ({ kind: "subtree", path });

/** Places at 5 s each, until they have cooled to 30 s. */
function hotPlaces(...paths: readonly string[]): HotPlaces {
  const places = new HotPlaces(5_000, 30_000);
  for (const path of paths) places.heat(`${path}/note.md`, 0, () => subtree(path));
  return places;
}

/** How often places are asked for until `end`. */
function countTurns(places: HotPlaces, end: number, aMinute = 60): number {
  let turns = 0;
  for (let at = places.dueAt(); at !== null && at <= end; at = places.dueAt()) turns += places.take(at, aMinute).length;
  return turns;
}

describe("a place where somebody works", () => {
  test("is due each 5 s", () => {
    expect(countTurns(hotPlaces("a"), 2 * MINUTE)).toBe(24);
  });

  test("cools to nothing within a quarter of an hour, in fewer than 100 requests", () => {
    const places = hotPlaces("a");
    const turns = countTurns(places, 24 * 60 * MINUTE);
    expect(places.count()).toBe(0);
    expect(turns).toBeGreaterThan(60);
    expect(turns).toBeLessThan(100);
  });

  test("that changes again is due in 5 s again", () => {
    const places = hotPlaces("a");
    countTurns(places, 10 * MINUTE);
    places.heat("a/other.md", 10 * MINUTE, () => null);
    expect(countTurns(places, 11 * MINUTE)).toBeGreaterThanOrEqual(12);
  });

  test("is one with another document below it, and not with its neighbour", () => {
    const places = hotPlaces("a/b");
    places.heat("a/b/c/deep.md", 1, () => subtree("a/b/c"));
    expect(places.count()).toBe(1);
    places.heat("a/bc/note.md", 1, () => subtree("a/bc"));
    expect(places.count()).toBe(2);
    places.heat("a/own.md", 1, () => ({ kind: "folder", path: "a" }));
    places.heat("a/bc.md", 1, () => null);
    expect(places.count()).toBe(3);
    places.heat("root.md", 1, () => ({ kind: "document", path: "root.md", id: "doc_a" as DocId }));
    places.heat("root.md", 2, () => subtree("never"));
    expect(places.count()).toBe(4);
  });

  test("several together keep to seven tenths of the budget", () => {
    const many = hotPlaces(..."abcdefghijklmno");
    expect(countTurns(many, 2 * MINUTE)).toBeLessThanOrEqual(2 * 42 + 15);
    expect(countTurns(hotPlaces(..."abc"), 2 * MINUTE)).toBe(3 * 24);
  });

  test("is due within 6 s beside three others, on a budget of 60 requests a minute", () => {
    expect(countTurns(hotPlaces(..."abcd"), 2 * MINUTE)).toBeGreaterThanOrEqual(4 * 20);
  });

  test("LIMIT: of more than sixteen the coldest is dropped", () => {
    const places = hotPlaces(..."abcdefghijklmnop");
    places.heat("a/note.md", 1, () => null);
    places.heat("q/note.md", 1, () => subtree("q"));
    const due = places.take(6_000, 10_000).map(({ place }) => place.path);
    expect(due).toHaveLength(16);
    expect(due).toEqual(expect.arrayContaining(["a", "q"]));
  });
});

/** A client that has sent so much, and been refused so often. */
class Sender {
  count = 0;
  refusals = 0;
  pauseMs = 0;
  counts = () => ({ GET: this.count });
  pressure = () => ({ refusals: this.refusals, pauseMs: this.pauseMs });
}

function budgetOf(): { readonly budget: RequestBudget; readonly sender: Sender } {
  const sender = new Sender();
  return { budget: new RequestBudget(sender, DEFAULT_TIMING, 0), sender };
}

describe("the budget of requests", () => {
  test("has a look at everything wait until what was sent is nearly paid, and small ones only for much more", () => {
    const { budget, sender } = budgetOf();
    sender.count = 39;
    budget.noteWhole(39);
    expect(budget.wholeAt(0)).toBe(19_000);
    expect(budget.smallAt(0)).toBe(0);
    sender.count += 40;
    expect(budget.wholeAt(10_000)).toBe(59_000);
    expect(budget.smallAt(10_000)).toBe(20_000);
  });

  test("LIMIT: ten thousand writes keep looks away for a minute and a half at most", () => {
    const { budget, sender } = budgetOf();
    budget.noteWhole(39);
    sender.count = 10_000;
    expect(budget.wholeAt(0)).toBe(79_000);
    expect(budget.smallAt(0)).toBe(40_000);
  });

  test("is halved by a refusal, waits for Retry-After, and comes back in ten minutes", () => {
    const { budget, sender } = budgetOf();
    sender.refusals = 1;
    sender.pauseMs = 7_000;
    expect(budget.smallAt(0)).toBe(7_000);
    expect(budget.aMinute(0)).toBe(30);
    sender.refusals = 9;
    expect(budget.aMinute(1)).toBe(15);
    for (let n = 10; n < 90; n++) {
      sender.refusals = n;
      budget.aMinute(1);
    }
    expect(budget.aMinute(1)).toBe(4);
    expect(budget.aMinute(MINUTE)).toBeCloseTo(10);
    expect(budget.aMinute(20 * MINUTE)).toBe(60);
  });

  test("learns from a look at everything how much a page holds", () => {
    const { budget } = budgetOf();
    expect([budget.wholeCost(38_284), budget.pageSize(38_284)]).toEqual([39, 982]);
    expect([budget.wholeCost(0), budget.pageSize(0)]).toEqual([1, 1]);
    budget.noteWhole(383);
    expect([budget.wholeCost(38_284), budget.pageSize(38_284)]).toEqual([383, 100]);
  });
});
