import { describe, expect, test } from "vitest";
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
});
