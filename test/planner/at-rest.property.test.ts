import { fc, runs } from "../property.ts";
import { describe, expect, test } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import { compareStrings } from "../../src/mirror/model/by-path.ts";
import type { Plan } from "../../src/mirror/planner/plan-types.ts";
import { makePlan } from "../../src/mirror/planner/plan.ts";
import type { Policy } from "../../src/mirror/model/policy.ts";
import { ancestorsOf } from "../../src/contract/path.ts";
import { RecordColumns } from "../../src/mirror/model/left-out.ts";
import type { LocalFile, Trees } from "../../src/mirror/model/tree.ts";
import {
  applyChanges,
  baseWorld,
  type Change,
  type Scenario,
  scenarios,
  textOf,
  anyPolicy,
  anyTrees,
  lookups,
} from "./arbitrary.ts";
import { POLICY, SIGNALS } from "./table.ts";
import { World, treesOf } from "./world.ts";

const RUNS = runs(60);

/**
 * Expects the same plan whether or not the planner checks unchanged documents, and whether or not
 * they are in the trees.
 */
function expectSamePlan(trees: Trees, policy: Policy, world: World): void {
  const whole = makePlan(trees, policy, SIGNALS, world.lookup(), "all");
  for (const seen of [trees, leavingOut(trees)]) {
    const plan = makePlan(seen, policy, SIGNALS, world.lookup());
    expect(withoutIndexes(plan)).toEqual(withoutIndexes(whole));
    expect(stepsInOrder(plan)).toEqual(stepsInOrder(whole));
  }
}

/** Returns the trees without the documents that both sides have as their records do. */
function leavingOut({ base, local, remote }: Trees): Trees {
  const columns = new RecordColumns(local.disk, (id) => base.records.get(id) ?? null);
  for (const record of base.records.values()) columns.add(record);
  for (const id of [...base.conflicts.keys(), ...base.blocks.keys()]) columns.keep(id as DocId);
  const files = new Map(local.files);
  const numbers: number[] = [];
  for (const file of local.files.values()) {
    const number = columns.numberOf(file.path, file.stamp);
    if (number === null || file.digest !== columns.at(file.path)!.localDigest) continue;
    numbers.push(number);
    files.delete(file.path);
  }
  columns.noteLocal(numbers);
  const listed = new Map(remote.files);
  for (const file of remote.files.values()) {
    if (columns.markListed(file) !== "left") listed.delete(file.id);
  }
  columns.unlisted(listed.keys());
  return columns.complete({ base, local: { ...local, files }, remote: { ...remote, files: listed } });
}

/**
 * Returns the plan with each step named by its action instead of its index, because the order of
 * new local documents may differ.
 */
function withoutIndexes({ steps, verdict, ...rest }: Plan): unknown {
  const name = (index: number) => JSON.stringify(steps[index]!.action);
  const named = steps.map(({ after }, index) => [name(index), after.map(name).sort()] as const);
  const stoppedSteps = verdict.kind === "safety-stop" ? verdict.stoppedSteps.map(name) : [];
  return { ...rest, steps: named.sort(([a], [b]) => compareStrings(a, b)), verdict: { ...verdict, stoppedSteps } };
}

/** Returns the steps in order, without those that create local documents. */
function stepsInOrder({ steps }: Plan): unknown {
  return steps.map(({ action }) => action).filter(({ kind }) => kind !== "create-local");
}

/** Scenarios with many documents, few of which change. */
const larger: fc.Arbitrary<Scenario> = scenarios().chain(({ changes }) =>
  fc.record({
    folders: fc.array(fc.tuple(fc.nat(5), fc.nat(2)), { maxLength: 8 }),
    files: fc.array(fc.tuple(fc.nat(8), fc.nat(2)), { minLength: 6, maxLength: 18 }),
    changes: fc.constant(changes),
  }),
);

const arriving: fc.Arbitrary<Change> = fc.record({
  side: fc.constantFrom("local", "remote", "remote"),
  kind: fc.constantFrom("new", "new", "edit", "rm", "mv", "mkdir", "mvdir", "rmdir"),
  what: fc.nat(20),
  where: fc.nat(20),
  name: fc.nat(2),
});

/** Scenarios in which many documents and folders are new on the service, as in a clone. */
const arrivals: fc.Arbitrary<Scenario> = fc.record({
  folders: fc.array(fc.tuple(fc.nat(5), fc.nat(2)), { maxLength: 4 }),
  files: fc.array(fc.tuple(fc.nat(8), fc.nat(2)), { maxLength: 6 }),
  changes: fc.array(arriving, { maxLength: 12 }),
});

/**
 * Returns the trees as every real scan has them: with the folders of all local files, and with each
 * inode once.
 */
function walked({ base, local, remote }: Trees): Trees {
  const folders = new Map(local.folders);
  const inode = ({ stamp: { dev, ino, birthMs } }: LocalFile) => `${dev}:${ino}:${birthMs}`;
  const last = new Map([...local.files.values()].map((file) => [inode(file), file]));
  const files = new Map([...local.files].filter(([, file]) => last.get(inode(file)) === file));
  for (const path of [...local.files.keys(), ...local.folders.keys()].flatMap(ancestorsOf))
    if (!folders.has(path)) folders.set(path, { path, dev: 1, ino: 9, birthMs: 0 });
  return { base, local: { ...local, files, folders }, remote };
}

/** Changes of the world of `baseWorld`, and policies. */
const VARIANTS: readonly [string, (world: World) => void, Partial<Policy>][] = [
  ["inodes are evidence", () => undefined, {}],
  ["inodes are no evidence", (world) => (world.inodesTrusted = false), {}],
  ["the disk folds names", (world) => (world.disk = { ...world.disk, foldsCase: true, foldsUnicode: true }), {}],
  ["the listing was torn", (world) => (world.complete = false), {}],
  ["a folder is ignored", (world) => (world.ignored = (path) => path.startsWith("b")), {}],
  ["a folder was not seen", (world) => world.unseen.set("a", "EACCES"), {}],
  ["folders cannot be moved", () => undefined, { canMoveFolders: false }],
  ["absences count", () => undefined, { absentTwice: new Set() }],
  ["only local changes count", () => undefined, { direction: "push" }],
  ["only remote changes count", () => undefined, { direction: "pull" }],
];

/** Returns a world with two folders, one of which contains another, and with a document in each. */
function nested(): World {
  const world = new World();
  for (const path of ["a/one.md", "a/s/two.md", "b/three.md"]) world.synced(path, textOf(world.next()));
  return world;
}

/** Changes after which some documents have the paths of base, but their folders do not. */
const LEFT_BEHIND: readonly [string, (world: World) => void][] = [
  [
    "a folder moved locally, and its document came back into a new one",
    (world) => {
      world.moveLocal("a", "old");
      world.makeFolder("a");
      world.moveLocal("old/one.md", "a/one.md");
    },
  ],
  [
    "a folder moved locally, and the folder inside it came back",
    (world) => {
      world.moveLocal("a", "old");
      world.makeFolder("a");
      world.moveLocal("old/s", "a/s");
    },
  ],
  [
    "a folder moved on the service, and its document came back into a new one",
    (world) => {
      const id = world.idAt("a/one.md");
      world.moveDir(world.dirAt("a"), "old");
      world.newDir("a");
      world.documents.get(id)!.path = "a/one.md";
    },
  ],
  [
    "another record has the path of a document",
    (world) => world.patchRecord(world.idAt("b/three.md"), { localPath: "a/one.md" }),
  ],
];

describe("the plan is the same as the one that judges all documents", () => {
  test.each(VARIANTS)("I24 in a world that was synced and then changed, where %s", (_what, vary, patch) => {
    fc.assert(
      fc.property(fc.oneof(larger, arrivals), (scenario) => {
        const world = baseWorld(scenario);
        vary(world);
        applyChanges(world, scenario);
        expectSamePlan(treesOf(world), { ...POLICY, ...patch }, world);
      }),
      { numRuns: RUNS },
    );
  });

  test.each(LEFT_BEHIND)("I09 I24 where %s", (_what, change) => {
    const world = nested();
    change(world);
    expectSamePlan(treesOf(world), POLICY, world);
  });

  test("I24 for any trees", () => {
    fc.assert(
      fc.property(anyTrees, anyPolicy, (trees, policy) => expectSamePlan(walked(trees), policy, lookups)),
      { numRuns: RUNS },
    );
  });
});
