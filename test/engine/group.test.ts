import { expect, onTestFinished, test, vi } from "vitest";
import { Group } from "../../src/mirror/engine/journal/group.ts";
import type { Disk, NewFile } from "../../src/mirror/ports/disk.ts";
import { openState } from "../../src/mirror/state/open.ts";
import { virtualClock } from "../remote/virtual-clock.ts";

const STAMP = { dev: 1, ino: 1, size: 1, mtimeMs: 1, ctimeMs: 1, birthMs: 1, nlink: 1 };

/**
 * A group over a state that counts its transactions, and a disk that tells which files were made in
 * one go.
 */
function setUp() {
  const clock = virtualClock();
  const opened = openState({ folder: ":memory:", clock });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  onTestFinished(() => opened.state.close());
  const { state } = opened;
  const transact = vi.spyOn(state, "transact");
  const noted = () => ["a", "b", "c"].filter((key) => opened.state.meta(key) !== null);
  const bursts: string[][] = [];
  const reads: string[][] = [];
  const disk: Pick<Disk, "createAll" | "read" | "together"> = {
    read(path) {
      if (path === "killed.md") throw new Error("killed");
      reads.at(-1)?.push(path);
      return { kind: "stale", detail: path };
    },
    together(work) {
      reads.push([]);
      return work();
    },
    createAll(files) {
      bursts.push(files.map(({ path }) => path));
      return files.map(({ text }) => {
        if (text === "killed") throw new Error("killed");
        if (text === "stale") return { kind: "stale", detail: "taken" };
        return { kind: "done", value: { stamp: STAMP } };
      });
    },
  };
  return {
    clock,
    state,
    group: new Group(state, disk, clock),
    noted,
    transactions: () => transact.mock.calls.length,
    bursts,
    reads,
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

test("commits immediately outside of a plan, where no other step runs", async () => {
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

const file = (path: string, text = "text"): NewFile => ({ path, text });

test("new files of steps that run side by side are made in one go, and each step learns of its own", async () => {
  const { clock, group, bursts } = setUp();
  const texts = ["text", "stale", "text"];
  const ends = await Promise.all(texts.map((text, n) => group.during(() => group.create(file(`${n}.md`, text)))));
  expect([ends.map(({ kind }) => kind), bursts]).toEqual([["done", "stale", "done"], [["0.md", "1.md", "2.md"]]]);
  expect(clock.monotonic()).toBe(0);
});

test("I17 a step that takes long does not keep the others' new files waiting", async () => {
  const { clock, group, bursts } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = group.during(() => promise);
  await group.during(() => group.create(file("a.md")));
  expect([bursts, clock.monotonic()]).toEqual([[["a.md"]], 0]);
  resolve();
  await slow;
});

test("steps whose files were just made are committed in one transaction, without another wait", async () => {
  const { clock, state, group, noted, transactions } = setUp();
  const step = (key: string) =>
    group.during(async () => {
      await group.create(file(`${key}.md`));
      await group.commit(() => state.setMeta(key, "1"), "late");
    });
  await Promise.all(["a", "b", "c"].map(step));
  expect([noted(), transactions(), clock.monotonic()]).toEqual([["a", "b", "c"], 1, 0]);
});

test("I13 a kill while one file is made ends every step of its burst, and what waits when a plan breaks off is never made", async () => {
  const { clock, group, bursts } = setUp();
  const steps = ["text", "killed"].map((text, n) => group.during(() => group.create(file(`${n}.md`, text))));
  expect((await Promise.allSettled(steps)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  void group.during(() => new Promise<void>(() => undefined));
  void group.during(() => group.create(file("late.md")));
  group.abandon();
  await clock.sleep(100);
  expect(bursts).toEqual([["0.md", "1.md"]]);
});

test("steps that begin at the same time read their files in one go, later ones in another", async () => {
  const { group, reads } = setUp();
  const first = await Promise.all(["a/1.md", "a/2.md"].map((path) => group.during(() => group.read(path))));
  expect(first.map((end) => end.kind === "stale" && end.detail)).toEqual(["a/1.md", "a/2.md"]);
  await group.during(() => group.read("a/3.md"));
  expect(reads).toEqual([["a/1.md", "a/2.md"], ["a/3.md"]]);
});

test("what reading one of them throws is thrown to each", async () => {
  const { group } = setUp();
  const ends = await Promise.allSettled(["a.md", "killed.md", "b.md"].map((path) => group.read(path)));
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
});
