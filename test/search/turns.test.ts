import { describe, expect, test } from "vitest";
import { SearchScheduler, STEPS_PER_ROUND } from "../../src/markdown/search/scheduler.ts";

/** Searches of so many takes, each of a part of a round; and what they took, round by round. */
async function run(searches: readonly number[], part: number): Promise<number[][]> {
  const begins: (() => void)[] = [];
  const turns = new SearchScheduler((begin) => void begins.push(begin));
  const rounds: number[][] = [[]];
  const all = searches.map(async (takes, search) => {
    const pace = turns.paceOf(() => false);
    for (let n = 0; n < takes; n++) {
      await pace.take(STEPS_PER_ROUND / part);
      rounds.at(-1)!.push(search);
    }
  });
  for (;;) {
    for (let n = 0; n < 20; n++) await Promise.resolve();
    const begin = begins.shift();
    if (begin === undefined) break;
    expect(begins).toEqual([]);
    rounds.push([]);
    begin();
  }
  await Promise.all(all);
  return rounds;
}

describe("searches that share a thread", () => {
  test("take no more steps in a round than it has, however many there are", async () => {
    const rounds = await run([4, 4, 4, 4, 4], 4);
    expect(Math.max(...rounds.map((round) => round.length))).toBe(4);
    expect(rounds.flat()).toHaveLength(20);
  });

  test("end one after the other while they are short", async () => {
    const rounds = await run([3, 3, 3, 3], 4);
    const ends = [0, 1, 2, 3].map((search) => rounds.findLastIndex((round) => round.includes(search)));
    expect(ends).toEqual(ends.toSorted());
    expect(new Set(ends).size).toBe(4);
  });

  test("wait for no long one: that takes the rounds that are left, with others of its kind in turn", async () => {
    const rounds = await run([40, 40, 3], 4);
    const last = (search: number) => rounds.findLastIndex((round) => round.includes(search));
    expect(last(2)).toBeLessThan(4);
    expect(Math.abs(last(0) - last(1))).toBeLessThan(2);
  });

  test("wait for nobody while there is capacity, and take what is larger than a round by itself", async () => {
    const begins: (() => void)[] = [];
    const pace = new SearchScheduler((begin) => void begins.push(begin)).paceOf(() => false);
    expect(await pace.take(2 * STEPS_PER_ROUND)).toBe(true);
    expect(begins).toHaveLength(0);
    let isTaken = false;
    const next = pace.take(1).then(() => (isTaken = true));
    await Promise.resolve();
    expect([isTaken, begins.length]).toEqual([false, 1]);
    begins[0]!();
    await next;
  });

  test("end as soon as nobody waits for the answer", async () => {
    let isGone = false;
    const pace = new SearchScheduler(() => undefined).paceOf(() => isGone);
    expect(await pace.take(1)).toBe(true);
    isGone = true;
    expect(await pace.take(1)).toBe(false);
  });
});
