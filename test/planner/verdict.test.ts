import { describe, expect, test } from "vitest";
import type { Action } from "../../src/mirror/model/action.ts";
import type { StopReason, Plan, SafetySignals } from "../../src/mirror/planner/plan-types.ts";
import { toApprovalKey } from "../../src/mirror/planner/verdict/stops.ts";
import { DEFAULT_GUARD_LIMITS } from "../../src/mirror/model/policy.ts";
import { computeDeleteBudget } from "../../src/mirror/planner/verdict/verdict.ts";
import { openConflict, planOf } from "./table.ts";
import { World } from "./world.ts";

const root = (is: SafetySignals["root"]): Partial<SafetySignals> => ({ root: is });
/** The first documents of a world show older versions; equal worlds have equal ids. */
const earlier = (count: number): Partial<SafetySignals> => ({ earlierVersions: new Set(synced(count).records.keys()) });

const BOTH: StopReason[] = ["local-emptied", "remote-emptied"];
const [HERE, THERE] = [new Set(["local"] as const), new Set(["remote"] as const)];

function unseen(count: number): World {
  const world = removeOnService(synced(count), count);
  for (const id of world.records.keys()) world.remoteUnseen.set(id, "404");
  world.nothingKnown = true;
  return world;
}

function lost(count: number, documents: number): Plan {
  const world = synced(documents);
  for (const path of [...world.files.keys()].slice(0, count)) {
    world.files.get(path)!.text += "x";
    openConflict(world, path);
    world.others.clear();
  }
  for (const [id, conflict] of world.conflicts) world.conflicts.set(id, { ...conflict, looksGone: 1 });
  return planOf(world);
}

describe("safety checks", () => {
  const rows: [string, () => World, Partial<SafetySignals>, StopReason[], byReason: boolean][] = [
    ["nothing to say", () => synced(6), {}, [], false],
    ["no folder", () => synced(1), root("missing"), ["root-missing"], true],
    ["a folder without its marker", () => synced(1), root("marker-missing"), ["root-replaced"], true],
    ["another mirror's folder", () => synced(1), root("other-marker"), ["root-replaced"], true],
    ["a folder that moved or was copied", () => synced(1), root("moved-or-copied"), ["root-moved-or-copied"], true],
    [
      "a move that was approved",
      () => synced(1),
      { root: "moved-or-copied", approved: new Set(["root-moved-or-copied"]) },
      [],
      false,
    ],
    [
      "a missing folder cannot be approved",
      () => synced(1),
      { root: "missing", approved: new Set(["root-missing"]) },
      ["root-missing"],
      true,
    ],
    ["5 of 5 gone here", () => removeLocally(synced(5), 5), {}, ["local-emptied"], false],
    ["4 of 4 gone here", () => removeLocally(synced(4), 4), {}, ["local-emptied"], false],
    ["2 of 2 gone here", () => removeLocally(synced(2), 2), {}, ["local-emptied"], false],
    ["the only one gone here", () => removeLocally(synced(1), 1), {}, [], false],
    [
      "the only one gone here that is left of several",
      () => removeLocally(synced(1), 1),
      { emptied: HERE },
      ["local-emptied"],
      false,
    ],
    ["3 of 4 gone here", () => removeLocally(synced(4), 3), {}, [], false],
    ["5 of 6 gone here", () => removeLocally(synced(6), 5), {}, [], false],
    ["5 of 5 gone there", () => removeOnService(synced(5), 5), {}, ["remote-emptied"], false],
    ["4 of 4 gone there", () => removeOnService(synced(4), 4), {}, ["remote-emptied"], false],
    ["2 of 2 gone there", () => removeOnService(synced(2), 2), {}, ["remote-emptied"], false],
    ["the only one gone there, and proven", () => removeOnService(synced(1), 1), {}, [], false],
    ["3 of 4 gone there", () => removeOnService(synced(4), 3), {}, [], false],
    ["3 gone here after all were", () => removeLocally(synced(6), 3), { emptied: HERE }, ["local-emptied"], false],
    ["3 gone there after all were here", () => removeOnService(synced(6), 3), { emptied: HERE }, [], false],
    ["3 gone there after all were", () => removeOnService(synced(6), 3), { emptied: THERE }, ["remote-emptied"], false],
    ["all here again after all were gone", () => synced(6), { emptied: HERE }, [], false],
    [
      "2 of 4 gone here and the other 2 there",
      () => removeOnService(removeLocally(synced(4), 2), 4, 2),
      {},
      BOTH,
      false,
    ],
    ["1 of 2 gone here and the other there", () => removeOnService(removeLocally(synced(2), 1), 2, 1), {}, BOTH, false],
    ["2 of 5 gone here and 2 others there", () => removeOnService(removeLocally(synced(5), 2), 4, 2), {}, [], false],
    ["10 of 20 gone here", () => removeLocally(synced(20), 10), {}, [], false],
    ["11 of 20 gone here", () => removeLocally(synced(20), 11), {}, ["delete-budget-remote"], false],
    ["11 of 20 gone there", () => removeOnService(synced(20), 11), {}, ["delete-budget-local"], false],
    [
      "5 gone here after 6",
      () => removeLocally(synced(20), 5),
      { lossesDone: { local: 0, remote: 6 } },
      ["delete-budget-remote"],
      false,
    ],
    [
      "5 gone here after 6 on the other side",
      () => removeLocally(synced(20), 5),
      { lossesDone: { local: 6, remote: 0 } },
      [],
      false,
    ],
    ["too many done, none planned", () => synced(20), { lossesDone: { local: 99, remote: 99 } }, [], false],
    ["20 of 200 gone here", () => removeLocally(synced(200), 20), {}, [], false],
    ["21 of 200 gone here", () => removeLocally(synced(200), 21), {}, ["delete-budget-remote"], false],
    ["a small workspace that shows one earlier version", () => synced(100), earlier(1), ["service-restored"], true],
    ["a large workspace that shows two earlier versions", () => synced(300), earlier(2), [], false],
    ["a large workspace that shows three earlier versions", () => synced(300), earlier(3), ["service-restored"], true],
  ];
  test.each(rows)("%s", (_, make, signals, reasons, byReason) => {
    const plan = planOf(make(), {}, signals);
    expect(reasonsOf(plan)).toEqual(reasons);
    expect(plan.verdict.kind === "safety-stop" && plan.verdict.byReason).toBe(byReason);
    if (byReason) expect(guardedKeys(plan)).toEqual([]);
  });

  test("none of the known documents visible, and nothing else that is known: another workspace", () => {
    expect(reasonsOf(planOf(unseen(5)))).toEqual(["wrong-workspace"]);
    expect(reasonsOf(planOf(unseen(1)))).toEqual(["wrong-workspace"]);
    // A document whose write has an unknown result is not visible either, but proves nothing about
    // the workspace.
    const unsettled = unseen(1);
    unsettled.nothingKnown = false;
    expect(reasonsOf(planOf(unsettled))).toEqual([]);
    const approved = new Set(["wrong-workspace"]);
    expect(reasonsOf(planOf(unseen(5), {}, { approved }))).toEqual([]);
    const failed = unseen(5);
    failed.complete = false;
    expect(reasonsOf(planOf(failed))).toEqual([]);
  });

  test("a reason that was approved, and that the plan leaves as it is, is reported as waived", () => {
    const approved = new Set(["wrong-workspace", "service-restored"]);
    const world = removeOnService(synced(5), 5);
    expect(planOf(world, { direction: "push" }, { approved }).verdict).toEqual({
      kind: "run",
      waived: ["wrong-workspace"],
    });
    const older = { approved, ...earlier(1) };
    const restored = emptyOnService(synced(5), 1);
    // This plan downloads the older version. So the user is asked again after a second restore.
    expect(planOf(restored, {}, older).verdict).toEqual({ kind: "run" });
    Object.assign(restored.files.get("n0000.md")!, { text: "edited\0", fault: "contains-nul" });
    for (const direction of ["push", "pull", "both"] as const)
      expect(planOf(restored, { direction }, older).verdict).toEqual({ kind: "run", waived: ["service-restored"] });
    expect(planOf(synced(5), { direction: "push" }, { approved }).verdict).toEqual({ kind: "run" });
  });

  test("I21 approved deletions do not count, and those that remain stop a sync again", () => {
    const world = removeLocally(synced(60), 25);
    const stopped = planOf(world);
    const keys = guardedKeys(stopped);
    expect(keys).toHaveLength(25);
    expect(reasonsOf(planOf(world, {}, { approved: new Set(keys) }))).toEqual([]);
    const fewer = planOf(world, {}, { approved: new Set(keys.slice(0, 14)) });
    expect(guardedKeys(fewer)).toEqual(keys.slice(14));
    expect(reasonsOf(planOf(world, {}, { approved: new Set(keys.slice(0, 15)) }))).toEqual([]);
  });

  test("I21 an approval covers a deletion of that version only", () => {
    const world = removeLocally(synced(20), 12);
    const approved = new Set(guardedKeys(planOf(world)));
    for (const record of world.records.values()) {
      const changeId = world.newChange();
      world.patchRecord(record.id, { changeId });
      world.documents.get(record.id)!.changeId = changeId;
    }
    expect(reasonsOf(planOf(world, {}, { approved }))).toEqual(["delete-budget-remote"]);
  });

  test("the hash is of the guarded actions alone", () => {
    const world = removeLocally(synced(20), 12);
    const hashOf = ({ verdict }: Plan) => (verdict.kind === "safety-stop" ? verdict.hash : "no halt");
    const before = hashOf(planOf(world));
    world.write("other.md", "x");
    expect(hashOf(planOf(world))).toBe(before);
    removeLocally(world, 1);
    expect(hashOf(planOf(world))).not.toBe(before);
  });

  test("moves never count as deletions", () => {
    const world = synced(30);
    world.makeFolder("d");
    for (const path of [...world.files.keys()]) world.moveLocal(path, `d/${path}`);
    expect(planOf(world).verdict).toEqual({ kind: "run" });
  });

  test.each([
    [10, 12],
    [20, 200],
  ])("more than %d conflict copies gone in one run, of %d documents: the deletion limit", (most, documents) => {
    expect(reasonsOf(lost(most, documents))).toEqual([]);
    expect(reasonsOf(lost(most + 1, documents))).toEqual(["conflict-copies-gone"]);
    expect(guardedKeys(lost(most + 1, documents))).toHaveLength(most + 1);
  });

  test("a flood of conflicts stops what could open more of them", () => {
    const world = synced(5);
    world.files.get("n0000.md")!.text = "2";
    world.documents.get(world.idAt("n0000.md"))!.changeId = world.newChange();
    world.write("new.md", "x");
    world.newDocument("new.md", "y");
    expect(reasonsOf(planOf(world, {}, { conflictsOpened: 10 }))).toEqual([]);
    const plan = planOf(world, {}, { conflictsOpened: 11 });
    expect(reasonsOf(plan)).toEqual(["conflict-flood"]);
    expect(guardedKeys(plan).map((key) => key.split(" ")[0])).toEqual(["merge", "meet"]);
    expect(reasonsOf(planOf(world, {}, { conflictsOpened: 11, approved: new Set(guardedKeys(plan)) }))).toEqual([]);
  });
});

test("a guarded action's key names the document and the version or text it is about", () => {
  const deletion = {
    kind: "delete-remote",
    why: "",
    id: "doc_x",
    localPath: "a.md",
    remotePath: "a.md",
    changeId: "chg_y",
  };
  expect(toApprovalKey(deletion as Action)).toBe("delete-remote doc_x chg_y");
});

const EMPTIED_TWICE: StopReason[] = ["emptied", "emptied"];

describe("I21 documents that become empty count as deleted", () => {
  const rows: [string, () => World, Partial<SafetySignals>, StopReason[]][] = [
    ["10 of 20 became empty here", () => emptyLocally(synced(20), 10), {}, []],
    ["11 of 20 became empty here", () => emptyLocally(synced(20), 11), {}, ["emptied"]],
    ["11 of 20 became blank here", () => emptyLocally(synced(20), 11, " \n\ufeff\t\n"), {}, ["emptied"]],
    ["11 of 20 became empty there", () => emptyOnService(synced(20), 11), {}, ["emptied"]],
    ["10 of 20 became empty there", () => emptyOnService(synced(20), 10), {}, []],
    ["11 of 20 became empty on each side", () => emptyOnService(emptyLocally(synced(40), 29), 11), {}, EMPTIED_TWICE],
    ["both of 2 became empty here", () => emptyLocally(synced(2), 2), {}, ["emptied"]],
    ["both of 2 became empty there", () => emptyOnService(synced(2), 2), {}, ["emptied"]],
    ["the only one became empty here", () => emptyLocally(synced(1), 1), {}, []],
    ["1 of 2 became empty here", () => emptyLocally(synced(2), 1), {}, []],
    ["the only one with a text became empty here", () => emptyLocally(withBlank(synced(1), 3), 1), {}, ["emptied"]],
    [
      "2 of 4 gone here and the other 2 empty",
      () => removeLocally(emptyLocally(synced(4), 4), 2),
      {},
      ["local-emptied", "emptied"],
    ],
    [
      "6 gone here and 5 others empty",
      () => removeLocally(emptyLocally(synced(40), 11), 6),
      {},
      ["delete-budget-remote", "emptied"],
    ],
    [
      "5 empty here after 6 that went",
      () => emptyLocally(synced(20), 5),
      { lossesDone: { local: 0, remote: 6 } },
      ["emptied"],
    ],
    [
      "5 empty here after 6 that went on the other side",
      () => emptyLocally(synced(20), 5),
      { lossesDone: { local: 6, remote: 0 } },
      [],
    ],
    ["12 that were empty before, edited locally", () => emptyLocally(withBlank(new World(), 12), 12, "text"), {}, []],
    ["12 that were empty before, blank here now", () => emptyLocally(withBlank(new World(), 12), 12, "\n"), {}, []],
  ];
  test.each(rows)("%s", (_, make, signals, reasons) => {
    expect(reasonsOf(planOf(make(), {}, signals))).toEqual(reasons);
  });
});

test("I21 texts of the service that were not read yet are named, where all of them blank would stop the plan", () => {
  const toRead = ({ verdict, toRead = [] }: Plan) => [verdict.kind, toRead.length];
  expect(toRead(planOf(emptyOnService(synced(20), 10, false)))).toEqual(["run", 0]);
  expect(toRead(planOf(emptyOnService(synced(20), 11, false)))).toEqual(["run", 11]);
  expect(toRead(planOf(emptyOnService(synced(2), 2, false)))).toEqual(["run", 2]);
  expect(toRead(planOf(emptyOnService(synced(20), 11)))).toEqual(["safety-stop", 0]);
  const after = { lossesDone: { local: 8, remote: 0 } };
  expect(toRead(planOf(emptyOnService(synced(20), 3, false), {}, after))).toEqual(["run", 3]);
  // A sync that only uploads does not need to read these versions.
  expect(toRead(planOf(emptyOnService(synced(20), 11, false), { direction: "push" }))).toEqual(["run", 0]);
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
  const world = emptyOnService(emptyLocally(synced(40), 29), 11);
  const keys = new Set(guardedKeys(planOf(world)));
  expect(keys.size).toBe(29);
  expect(reasonsOf(planOf(world, {}, { approved: keys }))).toEqual([]);
  emptyLocally(world, 29, " ");
  emptyOnService(world, 11);
  expect(reasonsOf(planOf(world, {}, { approved: keys }))).toEqual(EMPTIED_TWICE);
});

// Deletions without approval: a share of the known documents, within bounds.

test.each([
  [0, 10],
  [100, 10],
  [109, 10],
  [110, 11],
  [999, 99],
  [1000, 100],
  [50_000, 100],
])("of %i documents %i may be deleted without a question", (known, budget) => {
  expect(computeDeleteBudget(DEFAULT_GUARD_LIMITS, known)).toBe(budget);
});

test("for a restored service nothing is removed locally without approval, and each removal is asked for once", () => {
  const detail = "the service was restored from a backup, and 2 documents of this linked folder are not in it";
  const world = removeOnService(synced(20), 2);
  const { verdict } = planOf(world, {}, { restored: true });
  expect(verdict).toMatchObject({ byReason: true, reasons: [{ reason: "service-restored", detail }] });
  const keys = guardedKeys(planOf(world, {}, { restored: true }));
  expect(keys).toHaveLength(2);
  expect(reasonsOf(planOf(world, {}, { restored: true, approved: new Set(keys) }))).toEqual([]);
  // An approval of the reason alone approves none of the deletions.
  const fewer = new Set(["service-restored", keys[0]!]);
  expect(guardedKeys(planOf(world, {}, { restored: true, approved: fewer }))).toEqual([keys[1]]);
  // If the deletions also exceed the limit, one approval is enough for both reasons.
  const many = removeOnService(synced(40), 30);
  const asked = guardedKeys(planOf(many, {}, { restored: true }));
  expect(reasonsOf(planOf(many, {}, { restored: true, approved: new Set(asked) }))).toEqual([]);
  expect(reasonsOf(planOf(removeLocally(synced(20), 2), {}, { restored: true }))).toEqual([]);
  expect(reasonsOf(planOf(synced(300), {}, { restored: true, ...earlier(1) }))).toEqual(["service-restored"]);
});

test.each<[string, Plan]>([
  ["1 document shows an older version than before", planOf(synced(5), {}, earlier(1))],
  ["the only linked document is gone from the folder", planOf(removeLocally(synced(1), 1), {}, { emptied: HERE })],
  ["all 1,200 linked documents are gone from the service", planOf(removeOnService(synced(1_200), 1_200))],
  [
    "all linked documents were missing from the service, and 1 still is",
    planOf(removeOnService(synced(6), 1), {}, { emptied: THERE }),
  ],
  [
    "1 linked document is gone from the folder, and the other 1 is gone from the service: this sync would leave the folder without documents",
    planOf(removeOnService(removeLocally(synced(2), 1), 2, 1)),
  ],
])("a detail counts in words that fit the number: %s", (detail, { verdict }) => {
  expect(verdict.kind === "run" ? [] : verdict.reasons.map((reason) => reason.detail)).toContain(detail);
});

function synced(count: number): World {
  const world = new World();
  for (let i = 0; i < count; i++) world.synced(`n${String(i).padStart(4, "0")}.md`, `text ${i}`);
  return world;
}

function removeLocally(world: World, count: number): World {
  for (const path of [...world.files.keys()].slice(0, count)) world.files.delete(path);
  return world;
}

function removeOnService(world: World, to: number, from = 0): World {
  for (const id of [...world.documents.keys()].slice(from, to)) world.documents.delete(id);
  return world;
}

function reasonsOf({ verdict }: Plan): StopReason[] {
  return verdict.kind === "run" ? [] : verdict.reasons.map(({ reason }) => reason);
}

function guardedKeys({ verdict, steps }: Plan): string[] {
  return verdict.kind === "run" ? [] : verdict.stoppedSteps.map((index) => toApprovalKey(steps[index]!.action));
}

/** Replaces the local content of the first documents by blank content. */
function emptyLocally(world: World, count: number, text = ""): World {
  for (const path of [...world.files.keys()].slice(0, count)) world.files.get(path)!.text = text;
  return world;
}

/**
 * Replaces the content of the first documents on the service by blank content.
 * @param read whether mdmirror has read these versions
 */
function emptyOnService(world: World, count: number, read = true): World {
  for (const [id, document] of [...world.documents].slice(0, count)) {
    Object.assign(document, { text: "\n", changeId: world.newChange() });
    if (read) world.read.add(id);
  }
  return world;
}

/** Adds synced documents with empty content. */
function withBlank(world: World, count: number): World {
  for (let i = 0; i < count; i++) world.synced(`blank${i}.md`, "");
  return world;
}
