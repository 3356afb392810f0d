import { expect, test } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import { digestOf } from "../../src/model/digest.ts";
import { createdRows } from "../state/created-rows.ts";
import { fill, groupOverState as setUp, many, ROWS } from "./pending-rows.ts";

test("what no step waits for is written with the next ones, texts first, or in the end", async () => {
  const { group, linked, note, order, state, transactions } = setUp();
  const [a, c] = [createdRows("a.md"), createdRows("c.md")];
  const slow = Promise.withResolvers<void>();
  const running = group.during(() => slow.promise);
  await group.during(async () => group.commitAfterwards(a));
  expect([linked(), transactions()]).toEqual([[], 1]);
  await group.during(() => group.commit(() => note("b"), "soon"));
  expect([linked(), state.meta("b"), order()]).toEqual([[a.link.id], "1", [...ROWS]]);
  await group.during(async () => group.commitAfterwards(c));
  expect(linked()).toEqual([a.link.id]);
  await group.settle();
  expect(linked()).toEqual([a.link.id, c.link.id]);
  slow.resolve();
  await running;
});

test("a table is written at a time; of many, texts and versions are in the order of their index, links and events as they ended", async () => {
  const { group, argumentsOf, order } = setUp();
  const rows = many(64);
  for (const row of rows) void group.commitAfterwards(row);
  await group.settle();
  expect(order()).toEqual(ROWS.flatMap((name) => rows.map(() => name)));
  expect(argumentsOf("putKnownText").map(([digest]) => digest)).toEqual(rows.map(({ link }) => link.digest).sort());
  expect(argumentsOf("putLink").map(([link]) => link)).toEqual(rows.map(({ link }) => link));
  const ids = argumentsOf("addVersion").map(([version]) => (version as { id: DocId }).id);
  expect(ids).toEqual(rows.map(({ link }) => link.id).sort());
  expect(argumentsOf("record").map(([event]) => event)).toEqual(rows.map(({ event }) => event));
});

test("few are written as they came", async () => {
  const { group, argumentsOf } = setUp();
  const rows = many(63).reverse();
  for (const row of rows) void group.commitAfterwards(row);
  await group.settle();
  expect(argumentsOf("putKnownText").map(([digest]) => digest)).toEqual(rows.map(({ link }) => link.digest));
});

test("I33 so many for which no step waits are written together, and none waits longer than half a second", async () => {
  const { clock, group, linked } = setUp();
  const slow = Promise.withResolvers<void>();
  const running = group.during(() => slow.promise);
  for (const row of many(511)) expect(group.commitAfterwards(row)).toBeNull();
  expect(linked()).toEqual([]);
  void group.commitAfterwards(createdRows("a.md"));
  expect(linked()).toHaveLength(512);
  void group.commitAfterwards(createdRows("b.md"));
  await clock.sleep(499);
  expect(linked()).toHaveLength(512);
  await clock.sleep(2);
  expect(linked()).toHaveLength(513);
  slow.resolve();
  await running;
});

test("I33 they are more at a time once so many were written that each touches a page of its own", () => {
  const { group, transactions } = setUp();
  for (const row of many(20_480)) void group.commitAfterwards(row);
  expect(transactions()).toBe(40);
  for (const row of many(2_047, 20_480)) void group.commitAfterwards(row);
  expect(transactions()).toBe(40);
  void group.commitAfterwards(createdRows("a.md"));
  expect(transactions()).toBe(41);
});

test("I33 long texts do not wait for as many others", () => {
  const { group, transactions } = setUp();
  void group.commitAfterwards(createdRows("a.md"), 3_000_000);
  expect(transactions()).toBe(0);
  void group.commitAfterwards(createdRows("b.md"), 1_000_000);
  expect(transactions()).toBe(1);
});

test("what threw when no step waited for it is thrown to whoever comes next, and in the end", async () => {
  const { group, linked, state } = setUp();
  fill(state);
  await group.during(async () => group.commitAfterwards(createdRows("a.md")));
  expect(linked()).toEqual([]);
  expect(() => group.commitAfterwards(createdRows("b.md"))).toThrow("full");
  await expect(group.settle()).rejects.toThrow("full");
  expect(linked()).toEqual([]);
});

test("I25 texts are stored under the document's path and what was done", async () => {
  const { group, state } = setUp();
  const row = createdRows("a.md", "text");
  void group.commitAfterwards(row);
  await group.settle();
  const { id } = row.link;
  expect([state.text(digestOf("text")), state.sightings({ id })]).toEqual([
    "text",
    [expect.objectContaining({ path: "a.md", id, side: "local", why: row.event.detail })],
  ]);
});
