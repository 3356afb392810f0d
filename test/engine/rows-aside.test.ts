import { expect, test, vi } from "vitest";
import { writeCreated } from "../../src/engine/journal/write-created.ts";
import type { CreatedRows, RowWriter } from "../../src/ports/row-writer.ts";
import type { State } from "../../src/ports/state.ts";
import { createdRows } from "../state/created-rows.ts";
import { fill, groupOverState, many } from "./pending-rows.ts";

/** Rows of new files that another thread writes. */

/** A thread that writes when it is told to. */
class Told implements RowWriter {
  readonly worthIt = 0;
  readonly asked: (readonly CreatedRows[])[] = [];
  ended = 0;
  #answer = Promise.withResolvers<boolean>();
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  write(rows: readonly CreatedRows[]): Promise<boolean> {
    this.asked.push(rows);
    this.#answer = Promise.withResolvers<boolean>();
    return this.#answer.promise;
  }

  async end(): Promise<void> {
    this.ended++;
  }

  /** It has written all that it was asked for last. */
  done(): Promise<void> {
    this.#state.transact(() => writeCreated(this.#state, this.asked.at(-1)!));
    return this.answer(true);
  }

  async answer(isWritten: boolean): Promise<void> {
    this.#answer.resolve(isWritten);
    for (let turn = 0; turn < 5; turn++) await null;
  }
}

function aside() {
  const rig = groupOverState();
  const thread = new Told(rig.state);
  rig.group.writeAside(thread);
  const sizes = () => thread.asked.map(({ length }) => length);
  return { ...rig, thread, sizes };
}

test("I33 rows are handed over 512 at a time; while it writes, as many gather here, and then steps wait", async () => {
  const { group, linked, sizes, thread } = aside();
  for (const row of many(512)) expect(group.commitAfterwards(row)).toBeNull();
  for (const row of many(511, 512)) expect(group.commitAfterwards(row)).toBeNull();
  expect([sizes(), linked()]).toEqual([[512], []]);
  let ended = false;
  const room = group.commitAfterwards(createdRows("a.md"))!.then(() => (ended = true));
  await null;
  expect(ended).toBe(false);
  await thread.done();
  await room;
  expect([sizes(), linked().length]).toEqual([[512, 512], 512]);
  const settled = group.settle();
  await thread.done();
  await settled;
  expect([sizes(), linked().length]).toEqual([[512, 512], 1_024]);
  await group.abandon();
  expect(thread.ended).toBe(1);
});

test("I33 the texts of commits that were written here do not count for the rows that stay", async () => {
  const { group, note, sizes } = aside();
  await group.during(() => group.commit(() => note("b"), "late", 4_000_000));
  void group.commitAfterwards(createdRows("a.md"));
  expect(sizes()).toEqual([]);
  await group.abandon();
});

test("few rows wait half a second, or for the end", async () => {
  const { clock, group, linked, note, sizes, state, thread } = aside();
  void group.commitAfterwards(createdRows("a.md"));
  await group.during(() => group.commit(() => note("b"), "late"));
  expect([sizes(), state.meta("b")]).toEqual([[], "1"]);
  await clock.sleep(501);
  expect(sizes()).toEqual([1]);
  await thread.done();
  void group.commitAfterwards(createdRows("b.md"));
  const settled = group.settle();
  expect(sizes()).toEqual([1, 1]);
  await thread.done();
  await settled;
  expect(linked()).toHaveLength(2);
});

test("rows hold up commits for which steps wait, and nothing is written here meanwhile", async () => {
  const { group, note, state, thread } = aside();
  for (const row of many(512)) void group.commitAfterwards(row);
  const waits = group.during(() => group.commit(() => note("b"), "soon"));
  // The answer of a thread comes in a turn of the event loop, which must not be kept from it.
  await new Promise((resolve) => setImmediate(resolve));
  expect(state.meta("b")).toBeNull();
  await thread.done();
  await waits;
  expect(state.meta("b")).toBe("1");
});

test("rows are written here where it does not answer, and all that come later, each event once", async () => {
  const { group, linked, sizes, state, thread } = aside();
  for (const row of many(512)) void group.commitAfterwards(row);
  await thread.answer(false);
  expect([linked().length, thread.ended]).toEqual([512, 1]);
  for (const row of many(512, 512)) void group.commitAfterwards(row);
  await group.settle();
  expect([linked().length, sizes(), state.events({ limit: 2_000 }).length]).toEqual([1_024, [512], 1_024]);
});

test("rows that it wrote before it was lost are not written again", async () => {
  const { group, linked, state, thread } = aside();
  for (const row of many(512)) void group.commitAfterwards(row);
  state.transact(() => writeCreated(state, thread.asked[0]!));
  await thread.answer(false);
  await group.settle();
  expect([linked().length, state.events({ limit: 2_000 }).length]).toEqual([512, 512]);
});

test("rows that can be written nowhere are told to whoever comes next, and in the end", async () => {
  const { group, state, thread } = aside();
  for (const row of many(512)) void group.commitAfterwards(row);
  fill(state);
  await thread.answer(false);
  expect(() => group.commitAfterwards(createdRows("b.md"))).toThrow("full");
  await expect(group.settle()).rejects.toThrow("full");
});

test("rows give back their memory when they are written, not before", async () => {
  const { group, thread } = aside();
  const giveBack = vi.fn();
  const text = { codec: 0, size: 4, bytes: Buffer.from("text") };
  void group.commitAfterwards({ ...createdRows("a.md", "text"), text, lent: { giveBack } });
  const settled = group.settle();
  expect(giveBack).not.toHaveBeenCalled();
  await thread.done();
  await settled;
  expect(giveBack).toHaveBeenCalledOnce();
});

test("rows that are written when an exception ends the run are waited for", async () => {
  const { group, linked, thread } = aside();
  for (const row of many(512)) void group.commitAfterwards(row);
  let ended = false;
  const abandoned = group.abandon().then(() => (ended = true));
  await null;
  expect(ended).toBe(false);
  await thread.done();
  await abandoned;
  expect([linked().length, thread.ended]).toEqual([512, 1]);
});

test("rows that come after the run was given up begin no thread again", async () => {
  const { group, linked, sizes, thread } = aside();
  await group.abandon();
  for (const row of many(512)) void group.commitAfterwards(row);
  expect([sizes(), thread.ended, linked().length]).toEqual([[], 1, 512]);
});
