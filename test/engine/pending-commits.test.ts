import { expect, onTestFinished, test, vi } from "vitest";
import { Group } from "../../src/engine/journal/group.ts";
import type { Afterwards } from "../../src/engine/journal/pending-commits.ts";
import type { Disk } from "../../src/ports/disk.ts";
import type { State } from "../../src/ports/state.ts";
import { openState } from "../../src/state/open.ts";
import { virtualClock } from "../remote/virtual-clock.ts";

/** What a test writes: a key each, in the order in which that is done. */
class Keys {
  readonly order: string[] = [];
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  note(key: string): void {
    this.order.push(key);
    this.#state.setMeta(key, "1");
  }

  noted(): string[] {
    return ["a", "b", "c"].filter((key) => this.#state.meta(key) !== null);
  }

  /** What is written for a document `rowKey`, whose text is found by `textKey`. */
  rows(rowKey: string, textKey = rowKey): Afterwards {
    return {
      textKey,
      rowKey,
      keepText: () => void this.order.push(`text of ${rowKey}`),
      putLink: () => this.note(rowKey),
      addVersion: () => void this.order.push(`version of ${rowKey}`),
      recordEvent: () => void this.order.push(`event of ${rowKey}`),
    };
  }
}

/** A group over a state that counts its transactions; nothing touches the disk. */
function setUp() {
  const clock = virtualClock();
  const opened = openState({ folder: ":memory:", clock });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  onTestFinished(() => opened.state.close());
  const transact = vi.spyOn(opened.state, "transact");
  const group = new Group(opened.state, {} as Disk, clock);
  return { clock, group, keys: new Keys(opened.state), transactions: () => transact.mock.calls.length };
}

test("what no step waits for is written with the next ones, texts first, or in the end", async () => {
  const { group, keys, transactions } = setUp();
  const slow = Promise.withResolvers<void>();
  const running = group.during(() => slow.promise);
  await group.during(async () => group.commitAfterwards(keys.rows("a")));
  expect([keys.noted(), transactions()]).toEqual([[], 0]);
  await group.during(() => group.commit(() => keys.note("b"), "soon"));
  expect([keys.noted(), keys.order, transactions()]).toEqual([
    ["a", "b"],
    ["text of a", "a", "version of a", "event of a", "b"],
    1,
  ]);
  await group.during(async () => group.commitAfterwards(keys.rows("c")));
  expect(keys.noted()).toEqual(["a", "b"]);
  group.settle();
  expect([keys.noted(), transactions()]).toEqual([["a", "b", "c"], 2]);
  slow.resolve();
  await running;
});

test("a table is written at a time; of many, texts and versions are in the order of their index, links and events as they ended", () => {
  const { group, keys } = setUp();
  const ids = Array.from({ length: 64 }, (_, n) => `doc_${(n * 37) % 64}`);
  const texts = ids.map((_, n) => `text ${(n * 29) % 64}`);
  for (const [n, id] of ids.entries()) group.commitAfterwards(keys.rows(id, texts[n]));
  group.settle();
  const byText = ids.toSorted((a, b) => (texts[ids.indexOf(a)]! < texts[ids.indexOf(b)]! ? -1 : 1));
  expect(keys.order.slice(0, 128)).toEqual([...byText.map((id) => `text of ${id}`), ...ids]);
  const versions = ids.toSorted().map((id) => `version of ${id}`);
  expect(keys.order.slice(128)).toEqual([...versions, ...ids.map((id) => `event of ${id}`)]);
  keys.order.length = 0;
  for (const id of ["c", "a"]) group.commitAfterwards(keys.rows(id));
  group.settle();
  const few = ["text of c", "text of a", "c", "a", "version of c", "version of a", "event of c", "event of a"];
  expect(keys.order).toEqual(few);
});

test("I33 so many for which no step waits are written together, and none waits longer than half a second", async () => {
  const { clock, group, keys, transactions } = setUp();
  const slow = Promise.withResolvers<void>();
  const running = group.during(() => slow.promise);
  for (let n = 0; n < 511; n++) group.commitAfterwards(keys.rows(`doc_${n}`));
  expect(transactions()).toBe(0);
  group.commitAfterwards(keys.rows("a"));
  expect([keys.noted(), transactions()]).toEqual([["a"], 1]);
  group.commitAfterwards(keys.rows("b"));
  await clock.sleep(499);
  expect(keys.noted()).toEqual(["a"]);
  await clock.sleep(2);
  expect(keys.noted()).toEqual(["a", "b"]);
  slow.resolve();
  await running;
});

test("I33 they are more at a time once so many were written that each touches a page of its own", () => {
  const { group, keys, transactions } = setUp();
  for (let n = 0; n < 20_480; n++) group.commitAfterwards(keys.rows(`doc_${n}`));
  expect(transactions()).toBe(40);
  for (let n = 0; n < 2_047; n++) group.commitAfterwards(keys.rows(`doc_late_${n}`));
  expect(transactions()).toBe(40);
  group.commitAfterwards(keys.rows("a"));
  expect(transactions()).toBe(41);
});

test("I33 long texts do not wait for as many others", () => {
  const { group, keys, transactions } = setUp();
  group.commitAfterwards(keys.rows("a"), 3_000_000);
  expect(transactions()).toBe(0);
  group.commitAfterwards(keys.rows("b"), 1_000_000);
  expect([keys.noted(), transactions()]).toEqual([["a", "b"], 1]);
});

test("what threw when no step waited for it is thrown to whoever comes next, and in the end", async () => {
  const { group, keys } = setUp();
  await group.during(async () => {
    group.commitAfterwards(keys.rows("a"));
    group.commitAfterwards({
      ...keys.rows("b"),
      recordEvent: () => {
        throw new Error("full");
      },
    });
  });
  expect(keys.noted()).toEqual([]);
  expect(() => group.commitAfterwards(keys.rows("b"))).toThrow("full");
  expect(() => group.settle()).toThrow("full");
  expect(keys.noted()).toEqual([]);
});
