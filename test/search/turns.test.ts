import { describe, expect, test } from "vitest";
import { SearchTurns, STEPS_OF_A_ROUND } from "../../src/search/turns.ts";

/** Turns whose rounds the test begins. */
function openTurns() {
  const begins: (() => void)[] = [];
  const turns = new SearchTurns((begin) => void begins.push(begin));
  const round = async () => {
    begins.shift()!();
    for (let n = 0; n < 10; n++) await Promise.resolve();
  };
  return { turns, begins, round };
}

describe("searches that share a thread", () => {
  test("take no more steps in a round than it has, however many there are", async () => {
    const { turns, begins, round } = openTurns();
    const taken: number[] = [];
    const searches = Array.from({ length: 5 }, async (_, search) => {
      const pace = turns.paceOf(() => false);
      for (let n = 0; n < 4; n++) {
        await pace.take(STEPS_OF_A_ROUND / 4);
        taken.push(search);
      }
    });
    const perRound = [];
    for (let before = 0; ; before = taken.length) {
      for (let n = 0; n < 10; n++) await Promise.resolve();
      perRound.push(taken.length - before);
      if (begins.length === 0) break;
      await round();
    }
    await Promise.all(searches);
    expect(Math.max(...perRound.map((count) => count))).toBeLessThanOrEqual(4);
    expect(taken).toHaveLength(20);
    // None waits for another to end: after two rounds each has begun.
    expect(new Set(taken.slice(0, 8)).size).toBeGreaterThan(3);
  });

  test("wait for nobody while there is room, and take what is larger than a round by itself", async () => {
    const { turns, begins, round } = openTurns();
    const pace = turns.paceOf(() => false);
    expect(await pace.take(2 * STEPS_OF_A_ROUND)).toBe(true);
    expect(begins).toHaveLength(0);
    let isTaken = false;
    const next = pace.take(1).then(() => (isTaken = true));
    await Promise.resolve();
    expect([isTaken, begins.length]).toEqual([false, 1]);
    await round();
    await next;
  });

  test("end as soon as nobody waits for the answer", async () => {
    const { turns } = openTurns();
    let isGone = false;
    const pace = turns.paceOf(() => isGone);
    expect(await pace.take(1)).toBe(true);
    isGone = true;
    expect(await pace.take(1)).toBe(false);
  });
});
