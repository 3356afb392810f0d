import { expect, onTestFinished, test, vi } from "vitest";
import { Group } from "../../src/engine/journal/group.ts";
import type { Disk } from "../../src/ports/disk.ts";
import { openState } from "../../src/state/open.ts";
import { virtualClock } from "../remote/virtual-clock.ts";

/** A group over a state that counts its transactions; nothing touches the disk. */
function setUp() {
  const clock = virtualClock();
  const opened = openState({ folder: ":memory:", clock });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  onTestFinished(() => opened.state.close());
  const { state } = opened;
  const transact = vi.spyOn(state, "transact");
  const noted = () => ["a", "b", "c"].filter((key) => state.meta(key) !== null);
  const group = new Group(state, {} as Disk, clock);
  return { clock, state, group, noted, transactions: () => transact.mock.calls.length };
}

test("what no step waits for is written with the next ones, in its order, or in the end", async () => {
  const { state, group, noted, transactions } = setUp();
  const order: string[] = [];
  const note = (key: string) => () => {
    order.push(key);
    state.setMeta(key, "1");
  };
  const slow = Promise.withResolvers<void>();
  const running = group.during(() => slow.promise);
  await group.during(async () => group.commitAfterwards(note("a")));
  expect([noted(), transactions()]).toEqual([[], 0]);
  await group.during(() => group.commit(note("b"), "soon"));
  expect([noted(), order, transactions()]).toEqual([["a", "b"], ["a", "b"], 1]);
  await group.during(async () => group.commitAfterwards(note("c")));
  expect(noted()).toEqual(["a", "b"]);
  group.settle();
  expect([noted(), transactions()]).toEqual([["a", "b", "c"], 2]);
  slow.resolve();
  await running;
});

test("I33 so many for which no step waits are written together, and none waits longer than the end of a step does", async () => {
  const { clock, state, group, noted, transactions } = setUp();
  const slow = Promise.withResolvers<void>();
  const running = group.during(() => slow.promise);
  for (let n = 0; n < 255; n++) group.commitAfterwards(() => undefined);
  expect(transactions()).toBe(0);
  group.commitAfterwards(() => state.setMeta("a", "1"));
  expect([noted(), transactions()]).toEqual([["a"], 1]);
  group.commitAfterwards(() => state.setMeta("b", "1"));
  await clock.sleep(249);
  expect(noted()).toEqual(["a"]);
  await clock.sleep(2);
  expect(noted()).toEqual(["a", "b"]);
  slow.resolve();
  await running;
});

test("what threw when no step waited for it is thrown to whoever comes next, and in the end", async () => {
  const { state, group, noted } = setUp();
  await group.during(async () => {
    group.commitAfterwards(() => state.setMeta("a", "1"));
    group.commitAfterwards(() => {
      throw new Error("full");
    });
  });
  expect(noted()).toEqual([]);
  expect(() => group.commitAfterwards(() => state.setMeta("b", "1"))).toThrow("full");
  expect(() => group.settle()).toThrow("full");
  expect(noted()).toEqual([]);
});
