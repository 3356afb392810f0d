import { describe, expect, it } from "vitest";
import { CallQueue, CONCURRENCY } from "../../src/mirror/remote/queue.ts";
import { virtualClock } from "./virtual-clock.ts";

const never = new AbortController().signal;

/**
 * Runs `n` calls of a second each at once; `congested` by their number. Returns the most that ran
 * at a time.
 */
async function load(queue: CallQueue, n: number, clock: ReturnType<typeof virtualClock>, bad = false) {
  let running = 0;
  let most = 0;
  const one = async (): Promise<boolean> => {
    most = Math.max(most, ++running);
    await clock.sleep(1_000);
    running--;
    return bad;
  };
  await Promise.all(Array.from({ length: n }, () => queue.run(one, (value) => value)));
  return most;
}

describe("the queue", () => {
  it("starts with 8 at a time and never runs more than 32", async () => {
    const clock = virtualClock();
    const queue = new CallQueue(clock, never);
    expect(await load(queue, 8, clock)).toBe(8);
    expect(await load(queue, 500, clock)).toBe(32);
    expect(queue.concurrency()).toBe(CONCURRENCY.most);
  });

  it("halves once for one overload, however many calls it fails, and never goes below 1", async () => {
    const clock = virtualClock();
    const queue = new CallQueue(clock, never);
    await load(queue, 100, clock);
    expect(queue.concurrency()).toBe(32);
    await load(queue, 32, clock, true);
    expect(queue.concurrency()).toBe(16);
    for (let i = 0; i < 10; i++) await load(queue, 1, clock, true);
    expect(queue.concurrency()).toBe(1);
  });

  it("grows slowly after an overload: one more for each round", async () => {
    const clock = virtualClock();
    const queue = new CallQueue(clock, never);
    await load(queue, 8, clock, true);
    expect(queue.concurrency()).toBe(4);
    await load(queue, 4, clock);
    expect(queue.concurrency()).toBe(5);
    await load(queue, 4, clock);
    expect(queue.concurrency()).toBe(5);
    await load(queue, 1, clock);
    expect(queue.concurrency()).toBe(6);
  });
});
