import { describe, expect, test } from "vitest";
import type { StopReason, Plan, Signals } from "../../../src/mirror/planner/plan-types.ts";
import { planOf } from "../table.ts";
import { World } from "../world.ts";
import { emptyHere, emptyThere, guardedKeys, reasonsOf, removeHere, synced, withBlank } from "./worlds.ts";

const EMPTIED_TWICE: StopReason[] = ["emptied", "emptied"];

describe("I21 documents that become empty count as deleted", () => {
  const rows: [string, () => World, Partial<Signals>, StopReason[]][] = [
    ["10 of 20 became empty here", () => emptyHere(synced(20), 10), {}, []],
    ["11 of 20 became empty here", () => emptyHere(synced(20), 11), {}, ["emptied"]],
    ["11 of 20 became blank here", () => emptyHere(synced(20), 11, " \n\ufeff\t\n"), {}, ["emptied"]],
    ["11 of 20 became empty there", () => emptyThere(synced(20), 11), {}, ["emptied"]],
    ["10 of 20 became empty there", () => emptyThere(synced(20), 10), {}, []],
    ["11 of 20 became empty on each side", () => emptyThere(emptyHere(synced(40), 29), 11), {}, EMPTIED_TWICE],
    ["both of 2 became empty here", () => emptyHere(synced(2), 2), {}, ["emptied"]],
    ["both of 2 became empty there", () => emptyThere(synced(2), 2), {}, ["emptied"]],
    ["the only one became empty here", () => emptyHere(synced(1), 1), {}, []],
    ["1 of 2 became empty here", () => emptyHere(synced(2), 1), {}, []],
    ["the only one with a text became empty here", () => emptyHere(withBlank(synced(1), 3), 1), {}, ["emptied"]],
    [
      "2 of 4 gone here and the other 2 empty",
      () => removeHere(emptyHere(synced(4), 4), 2),
      {},
      ["local-emptied", "emptied"],
    ],
    [
      "6 gone here and 5 others empty",
      () => removeHere(emptyHere(synced(40), 11), 6),
      {},
      ["delete-budget-remote", "emptied"],
    ],
    [
      "5 empty here after 6 that went",
      () => emptyHere(synced(20), 5),
      { lossesDone: { local: 0, remote: 6 } },
      ["emptied"],
    ],
    [
      "5 empty here after 6 that went on the other side",
      () => emptyHere(synced(20), 5),
      { lossesDone: { local: 6, remote: 0 } },
      [],
    ],
    ["12 that were empty before, edited locally", () => emptyHere(withBlank(new World(), 12), 12, "text"), {}, []],
    ["12 that were empty before, blank here now", () => emptyHere(withBlank(new World(), 12), 12, "\n"), {}, []],
  ];
  test.each(rows)("%s", (_, make, signals, reasons) => {
    expect(reasonsOf(planOf(make(), {}, signals))).toEqual(reasons);
  });
});

test("I21 texts of the service that were not read yet are named, where all of them blank would stop the plan", () => {
  const toRead = ({ verdict, toRead = [] }: Plan) => [verdict.kind, toRead.length];
  expect(toRead(planOf(emptyThere(synced(20), 10, false)))).toEqual(["run", 0]);
  expect(toRead(planOf(emptyThere(synced(20), 11, false)))).toEqual(["run", 11]);
  expect(toRead(planOf(emptyThere(synced(2), 2, false)))).toEqual(["run", 2]);
  expect(toRead(planOf(emptyThere(synced(20), 11)))).toEqual(["safety-stop", 0]);
  const after = { lossesDone: { local: 8, remote: 0 } };
  expect(toRead(planOf(emptyThere(synced(20), 3, false), {}, after))).toEqual(["run", 3]);
  // A folder that only uploads needs no such read.
  expect(toRead(planOf(emptyThere(synced(20), 11, false), { direction: "push" }))).toEqual(["run", 0]);
});

test("I21 folders that go with the stopped deletions are part of the answer", () => {
  const world = synced(20);
  for (let i = 0; i < 12; i++) world.synced(`d/n${i}.md`, `d ${i}`);
  for (const path of [...world.files.keys()].filter((one) => one.startsWith("d/"))) world.files.delete(path);
  world.folders.delete("d");
  const stopped = planOf(world);
  expect(reasonsOf(stopped)).toEqual(["delete-budget-remote"]);
  expect(guardedKeys(stopped).filter((key) => key.startsWith("remove-folder-remote"))).toHaveLength(1);
  expect(guardedKeys(stopped)).toHaveLength(13);
});

test("I21 an approval of empty texts covers these texts on these versions only", () => {
  const world = emptyThere(emptyHere(synced(40), 29), 11);
  const keys = new Set(guardedKeys(planOf(world)));
  expect(keys.size).toBe(29);
  expect(reasonsOf(planOf(world, {}, { approved: keys }))).toEqual([]);
  emptyHere(world, 29, " ");
  emptyThere(world, 11);
  expect(reasonsOf(planOf(world, {}, { approved: keys }))).toEqual(EMPTIED_TWICE);
});
