import { expect, onTestFinished, test } from "vitest";
import { openGroup } from "../../src/engine/group.ts";
import { openState } from "../../src/state/open.ts";
import type { StoredState } from "../../src/state/state.ts";
import { virtualClock } from "../remote/virtual-clock.ts";

/** A group over a state that counts its transactions. */
function setUp() {
  const clock = virtualClock();
  const opened = openState({ folder: ":memory:", clock });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  onTestFinished(() => opened.state.close());
  let transactions = 0;
  const state: StoredState = {
    ...opened.state,
    transact(work) {
      transactions++;
      return opened.state.transact(work);
    },
  };
  const noted = () => ["a", "b", "c"].filter((key) => opened.state.meta(key) !== null);
  return { clock, state, group: openGroup(state, clock), noted, transactions: () => transactions };
}

test("what several steps write at one time is one transaction, and each goes on only when it is committed", async () => {
  const { state, group, noted, transactions } = setUp();
  const seen: string[][] = [];
  const step = (key: string) =>
    group.during(async () => {
      await group.commit(() => state.setMeta(key, "1"), "soon");
      seen.push(noted());
    });
  await Promise.all(["a", "b", "c"].map(step));
  const all = ["a", "b", "c"];
  expect([seen, transactions()]).toEqual([[all, all, all], 1]);
});

test("outside of a plan, where no other step runs, it commits at once", async () => {
  const { clock, state, group, noted } = setUp();
  await group.commit(() => state.setMeta("a", "1"), "soon");
  expect([noted(), clock.sleeps]).toEqual([["a"], []]);
});

test("I17 a step that takes long keeps the others' commits waiting for some milliseconds, not until it ends", async () => {
  const { clock, state, group, noted } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = group.during(() => promise);
  await group.during(() => group.commit(() => state.setMeta("a", "1"), "soon"));
  expect([noted(), clock.monotonic()]).toEqual([["a"], 10]);
  resolve();
  await slow;
});

test("what ends a step waits longer for others to join, until an effect waits too", async () => {
  const { clock, state, group, noted, transactions } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = group.during(() => promise);
  const end = group.during(() => group.commit(() => state.setMeta("a", "1"), "late"));
  await clock.sleep(100);
  expect([noted(), transactions()]).toEqual([[], 0]);
  await group.during(() => group.commit(() => state.setMeta("b", "1"), "soon"));
  await end;
  expect([noted(), transactions(), clock.monotonic()]).toEqual([["a", "b"], 1, 110]);
  await group.during(() => group.commit(() => state.setMeta("c", "1"), "late"));
  expect([noted(), transactions(), clock.monotonic()]).toEqual([["a", "b", "c"], 2, 360]);
  resolve();
  await slow;
});

test("when the last step that runs waits too, nobody waits any longer", async () => {
  const { clock, state, group, noted, transactions } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  const last = group.during(async () => {
    await promise;
    await group.commit(() => state.setMeta("b", "1"), "late");
  });
  const first = group.during(() => group.commit(() => state.setMeta("a", "1"), "late"));
  await clock.sleep(100);
  expect(transactions()).toBe(0);
  resolve();
  await Promise.all([first, last]);
  expect([noted(), transactions(), clock.monotonic()]).toEqual([["a", "b"], 1, 100]);
});

test("I33 long texts do not wait for as many others as short ones", async () => {
  const { clock, state, group, noted } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = group.during(() => promise);
  const first = group.during(() => group.commit(() => state.setMeta("a", "1"), "late", 3_000_000));
  const second = group.during(() => group.commit(() => state.setMeta("b", "1"), "late", 3_000_000));
  await Promise.all([first, second]);
  expect([noted(), clock.monotonic()]).toEqual([["a", "b"], 0]);
  resolve();
  await slow;
});

test("one part that throws takes the whole group back, and every step of it learns so", async () => {
  const { state, group, noted } = setUp();
  const good = group.during(() => group.commit(() => state.setMeta("a", "1"), "soon"));
  const bad = group.during(() =>
    group.commit(() => {
      throw new Error("full");
    }, "soon"),
  );
  const ends = await Promise.allSettled([good, bad]);
  expect([ends.map(({ status }) => status), noted()]).toEqual([["rejected", "rejected"], []]);
});

test("I13 what still waits when a plan breaks off is never written", async () => {
  const { clock, state, group, noted } = setUp();
  void group.during(() => new Promise<void>(() => undefined));
  void group.during(() => group.commit(() => state.setMeta("a", "1"), "soon"));
  group.abandon();
  await clock.sleep(100);
  expect(noted()).toEqual([]);
});
