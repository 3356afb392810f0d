import { expect, onTestFinished, test, vi } from "vitest";
import { CommitGroup } from "../../src/mirror/engine/journal/group.ts";
import { openState } from "../../src/mirror/state/open.ts";
import { VirtualClock } from "../clocks.ts";

/**
 * Returns a group over a state that counts its transactions and a disk that records its batched
 * calls.
 */
function setUp() {
  const clock = new VirtualClock();
  const opened = openState({ folder: ":memory:", clock });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  onTestFinished(() => opened.state.close());
  const { state } = opened;
  const transact = vi.spyOn(state, "transact");
  const noted = () => ["a", "b", "c"].filter((key) => opened.state.meta(key) !== null);
  /** Names of the disk calls of each batch. */
  const bursts: string[][] = [];
  const together = <T>(work: () => T): T => {
    bursts.push([]);
    return work();
  };
  const group = new CommitGroup(state, { shareFolders: together }, clock);
  const call = (name: string) =>
    group.runTogether(() => {
      bursts.at(-1)!.push(name);
      if (name === "killed") throw new Error("killed");
      return name;
    });
  return {
    clock,
    state,
    group,
    call,
    noted,
    transactions: () => transact.mock.calls.length,
    bursts,
  };
}

test("writes of several steps at one time are one transaction, and each step continues only after the commit", async () => {
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

test("I17 a step that takes long keeps the others' commits waiting for some milliseconds, not until it ends", async () => {
  const { clock, state, group, noted } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = group.during(() => promise);
  await group.during(() => group.commit(() => state.setMeta("a", "1"), "soon"));
  expect([noted(), clock.monotonic()]).toEqual([["a"], 10]);
  resolve();
  await slow;
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

test("I13 a kill in one call ends every step of its burst, and what waits when a plan breaks off never runs", async () => {
  const { clock, group, call, bursts } = setUp();
  const steps = ["a", "killed"].map((name) => group.during(() => call(name)));
  expect((await Promise.allSettled(steps)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  void group.during(() => new Promise<void>(() => undefined));
  void group.during(() => call("late"));
  group.abandon();
  await clock.sleep(100);
  expect(bursts.flat()).toEqual(["a", "killed"]);
});
