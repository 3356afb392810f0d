import { describe, expect, test } from "vitest";
import type { DirId } from "../../src/contract/ids.ts";
import { describePlan, doLocally, doRemotely, planOf, POLICY, type Row, SIGNALS, worldAfter } from "./table.ts";
import { execute } from "./executor.ts";
import { makePlan } from "../../src/mirror/planner/plan.ts";
import { treesOf, type World } from "./world.ts";
import type { DocumentRecord } from "../../src/mirror/model/record.ts";
import type { Policy } from "../../src/mirror/model/policy.ts";
import type { RemoteFile } from "../../src/mirror/model/tree.ts";

/** Compares the plan only, because blocked documents stay blocked. */
function checkPlan(row: Row, policy: Partial<Policy> = {}, prepare?: (world: World) => void): void {
  expect(describePlan(planOf(worldAfter(row, prepare), policy))).toBe(row[3]);
}

describe("one direction only", () => {
  const pull: Row[] = [
    ["a.md=1", "edit a.md 2", "", "block direction-off a.md"],
    ["a.md=1", "rm a.md", "", "block direction-off a.md"],
    ["a.md=1", "mv a.md b.md", "", "block direction-off b.md"],
    ["", "new a.md 1", "", "block direction-off a.md"],
    ["a.md=1", "edit a.md 2", "edit a.md 3", "block direction-off a.md"],
    ["", "mkdir d", "", ""],
    ["d/", "rmdir d", "", ""],
    ["d/a.md=1", "mv d e", "", "block direction-off e"],
    ["a.md=1", "", "edit a.md 2", "write-local a.md"],
    ["", "", "new d/a.md 1", "make-folder-local d; create-local d/a.md"],
    ["a.md=1", "", "rm a.md", "trash-local a.md"],
    ["a.md=1", "", "mv a.md b.md", "move-local a.md>b.md; relink b.md"],
    ["a.md=1", "rm a.md", "edit a.md 2", "create-local a.md"],
    ["", "new a.md 1", "new a.md 1", "meet a.md"],
  ];
  test.each(pull)("pull-only: %s | %s | %s → %s", (...row) => checkPlan(row, { direction: "pull" }));
  const push: Row[] = [
    ["a.md=1", "", "edit a.md 2", "block direction-off a.md"],
    ["a.md=1", "", "rm a.md", "block direction-off a.md"],
    ["a.md=1", "", "mv a.md b.md", "block direction-off a.md"],
    ["", "", "new a.md 1", "block direction-off a.md"],
    ["", "", "mkdir d", ""],
    ["d/a.md=1", "", "mv d e", "block direction-off d"],
    ["a.md=1", "edit a.md 2", "edit a.md 3", "block direction-off a.md"],
    ["a.md=1", "edit a.md 2", "", "put a.md"],
    ["a.md=1", "rm a.md", "", "delete-remote a.md"],
    ["", "new d/a.md 1", "", "make-folder-remote d; create-remote d/a.md"],
    ["a.md=1", "mv a.md b.md", "", "rename-remote a.md>b.md; relink b.md"],
    ["", "new a.md 1", "new a.md 2", "meet a.md"],
  ];
  test.each(push)("push-only: %s | %s | %s → %s", (...row) => checkPlan(row, { direction: "push" }));
});

test("I02 a document that moved into a folder whose local move stays blocked is recorded once", () => {
  const world = worldAfter(["d/a.md=1 b.md=2", "mv d e", "mv b.md d/b.md", ""]);
  const pull = { direction: "pull" } as const;
  expect(describePlan(planOf(world, pull))).toBe("move-local b.md>e/b.md; relink e/b.md=d/b.md; block direction-off e");
  execute(world, planOf(world, pull).steps, () => 0);
  expect(describePlan(planOf(world, pull))).toBe("block direction-off e");
});

test("I02 a new document in such a folder is recorded once, if a removed folder had the same path before", () => {
  const world = worldAfter(["d/", "rmdir d", "mv d f; new d/a.md 1", ""]);
  const pull = { direction: "pull" } as const;
  expect(describePlan(planOf(world, pull))).toBe("make-folder-local d; create-local d/a.md");
  execute(world, planOf(world, pull).steps, () => 0);
  doLocally(world, "mv d e");
  doRemotely(world, "new d/b.md 2");
  expect(describePlan(planOf(world, pull))).toBe("create-local e/b.md=d/b.md; block direction-off e");
  execute(world, planOf(world, pull).steps, () => 0);
  expect(describePlan(planOf(world, pull))).toBe("block direction-off e");
});

test("I02 a document stays deleted if its removed folder comes back at the new place that it has on the service", () => {
  const world = worldAfter(["d/a.md=1 d/b.md=2", "rmdir d", "mv d e; mv e/a.md e/c.md", ""]);
  const pull = { direction: "pull" } as const;
  expect(describePlan(planOf(world, pull))).toBe(
    "make-folder-local e; create-local e/c.md; block direction-off d/b.md",
  );
  execute(world, planOf(world, pull).steps, () => 0);
  expect(describePlan(planOf(world, pull))).toBe("block direction-off e/b.md");
  expect(describePlan(planOf(world))).toBe("delete-remote e/b.md");
});

test("a push blocks two new contents that an earlier sync found to differ, until one of them changes", () => {
  const row: Row = ["", "new a.md 1", "new a.md 2", ""];
  const plans = [null, "another version"].map((found) => {
    const world = worldAfter(row);
    const { local, remote } = treesOf(world);
    const [{ id, changeId }] = [...remote.files.values()] as [RemoteFile];
    const block = { key: id, path: "a.md", reason: "direction-off", code: null, detail: "d", requestId: null } as const;
    const digest = local.files.get("a.md")!.digest;
    world.blocks.set(id, { ...block, digest, changeId: (found ?? changeId) as typeof changeId, since: 7 });
    return describePlan(planOf(world, { direction: "push" }));
  });
  expect(plans).toEqual(["block direction-off a.md", "meet a.md"]);
});

describe("names are blocked, not mapped, if the user chose that", () => {
  const rows: Row[] = [
    ["", "new My_notes.md 1", "", "block name-refused My notes.md"],
    ["", "new ok.md 1", "", "create-remote ok.md"],
    ["a.md=1", "mv a.md My_notes.md", "", "block name-refused My notes.md"],
    ["", "new d_e/a.md 1", "", "block name-refused d e; block folder-blocked d e/a.md"],
    ["", "new a=b.md 1", "", "create-remote a=b.md"],
  ];
  test.each(rows)("%s | %s | %s → %s", (...row) => checkPlan(row, { names: "block" }));
  test("a character that the deployment was learned to refuse is mapped too", () => {
    checkPlan(["", "new a=b.md 1", "", "create-remote a=b.md=a-b.md"], { refusedCharacters: "=" });
  });
});

describe("an absence needs two scans if that is required", () => {
  const rows: [...Row, string[]][] = [
    ["a.md=1", "rm a.md", "", "block second-scan a.md", []],
    ["a.md=1", "rm a.md", "", "delete-remote a.md", ["a.md"]],
    ["a.md=1", "rm a.md", "edit a.md 2", "create-local a.md", []],
    ["a.md=1", "rm a.md", "rm a.md", "forget a.md", []],
    ["d/a.md=1", "rmdir d", "", "block second-scan d/a.md", []],
    ["a.md=1 b.md=2", "rm b.md; mv a.md b.md", "", "block path-pending b.md; block second-scan b.md", []],
    [
      "a.md=1 b.md=2",
      "rm b.md; mv a.md b.md",
      "",
      "delete-remote b.md; rename-remote a.md>b.md; relink b.md",
      ["b.md"],
    ],
    [
      "a.md=1 b.md=2 c.md=3",
      "rm c.md; mv b.md c.md; mv a.md b.md",
      "",
      "block path-pending b.md; block path-pending c.md; block second-scan c.md",
      [],
    ],
    [
      "a.md=1 b.md=2 c.md=3",
      "rm c.md; mv b.md c.md; mv a.md b.md",
      "",
      "delete-remote c.md; rename-remote b.md>c.md; rename-remote a.md>b.md; relink c.md; relink b.md",
      ["c.md"],
    ],
  ];
  test.each(rows)("%s | %s | %s → %s", (base, local, remote, plan, twice) =>
    checkPlan([base, local, remote, plan], { absentTwice: new Set(twice) }),
  );
  test("a deletion that is never sent waits for no second scan", () => {
    checkPlan(["a.md=1", "rm a.md", "", "block direction-off a.md"], { absentTwice: new Set(), direction: "pull" });
  });
});

describe("a move to the root that the contract cannot say", () => {
  const rows: Row[] = [
    ["d/a.md=1", "mv d/a.md a.md", "", "block no-move-to-root a.md"],
    ["d/a.md=1", "mv d/a.md a.md; edit a.md 1", "edit d/a.md 2", "write-local a.md; block no-move-to-root a.md"],
    [
      "d/e/a.md=1 d/b.md=2",
      "mv d/e e",
      "",
      "make-folder-remote e; reparent-remote d/e/a.md>e/a.md; relink e/a.md; remove-folder-remote d/e",
    ],
    ["d/a.md=1 e/", "mv d/a.md e/a.md", "", "reparent-remote d/a.md>e/a.md; relink e/a.md"],
    ["a.md=1", "mv a.md b.md", "", "rename-remote a.md>b.md; relink b.md"],
    ["", "new a.md 1", "new a.md 2", "meet a.md"],
  ];
  test.each(rows)("%s | %s | %s → %s", (...row) => checkPlan(row, { canMoveToRoot: false }));
});

const suspended =
  (patch: Partial<DocumentRecord> = {}) =>
  (world: World): void =>
    world.patchRecord(world.idAt("d/a.md"), { state: "suspended", ...patch });

describe("I18 a change of the ignore rules deletes nothing", () => {
  test.each<Row>([
    ["d/a.md=1", "ignore d", "", "note-facts suspended; block suspended d/a.md"],
    ["d/a.md=1", "ignore d", "edit d/a.md 2", "note-facts suspended; block suspended d/a.md"],
    ["d/a.md=1", "ignore d", "rm d/a.md", "note-facts suspended; block suspended d/a.md"],
    ["a.md=1", "ignore d", "new d/a.md 2", ""],
    ["a.md=1", "ignore d/b.md", "new d/b.md 2; new d/c.md 3", "make-folder-local d; create-local d/c.md"],
    ["a.md=1", "ignore d", "mv a.md d/a.md", "block suspended a.md"],
  ])("%s | %s | %s → %s", (...row) => checkPlan(row));
  test.each<Row>([
    ["d/a.md=1", "ignore d", "", "block suspended d/a.md"],
    ["d/a.md=1", "", "", "note-facts linked"],
    ["d/a.md=1", "rm d/a.md", "", "create-local d/a.md"],
    ["d/a.md=1", "rm d/a.md", "rm d/a.md", "forget d/a.md"],
    ["d/a.md=1", "edit d/a.md 2", "", "note-facts linked"],
  ])("suspended: %s | %s | %s → %s", (...row) => checkPlan(row, {}, suspended()));
});

const outside =
  (patch: Partial<DocumentRecord>) =>
  (world: World): void =>
    world.patchRecord(world.idAt("a.md"), { state: "outside", ...patch });

describe("documents outside the mirrored subtree", () => {
  test("one whose content went to the trash stays in the trash, and is restored when it returns", () => {
    const trashed = outside({ stamp: null });
    checkPlan(["a.md=1", "rm a.md", "outside a.md", ""], {}, trashed);
    checkPlan(["a.md=1", "rm a.md", "", "create-local a.md"], {}, trashed);
    checkPlan(["a.md=1", "rm a.md; new a.md 2", "outside a.md", "create-remote a.md"], {}, trashed);
  });
  test("one with an edited content is blocked, and linked again when it returns", () => {
    checkPlan(["a.md=1", "edit a.md 2", "outside a.md", "block outside a.md"], {}, outside({}));
    checkPlan(["a.md=1", "edit a.md 2", "", "put a.md; note-facts linked"], {}, outside({}));
    checkPlan(["a.md=1", "rm a.md", "outside a.md", "note-facts away"], {}, outside({}));
  });
});

describe("incomplete listings", () => {
  test("I20 a failed page voids the absences, and what was present may be used", () => {
    const world = worldAfter(["a.md=1 b.md=2", "", "rm a.md; edit b.md 3", ""]);
    world.complete = false;
    world.gone.add(world.idAt("a.md"));
    expect(describePlan(planOf(world))).toBe("write-local b.md; block not-seen a.md");
  });
  test("folders that were not listed are where they were", () => {
    const world = worldAfter(["d/a.md=1 e/", "edit d/a.md 2; mv d f", "", ""]);
    world.foldersComplete = false;
    expect(describePlan(planOf(world))).toBe("rename-folder-remote d>f; put f/a.md; link-folder f");
  });
  test("a new document in a folder that no listing shows comes without a step for its folder", () => {
    const world = worldAfter(["a.md=1", "", "new d/b.md 2", ""]);
    world.foldersComplete = false;
    expect(describePlan(planOf(world))).toBe("create-local d/b.md");
  });
  test.each([
    ["d/", "new d/b.md 3", "make-folder-local d-HEX=d; block folder-blocked d/b.md"],
    ["d/a.md=1", "new d/b.md 3", "make-folder-local d-HEX=d; trash-local d/a.md; block folder-blocked d/b.md"],
    ["d/ f/c.md=1", "mv f/c.md d/c.md", "make-folder-local d-HEX=d; block folder-blocked d/c.md"],
  ])("I11 nothing new goes into an unlisted folder, where another is at its path: %s | %s", (base, local, plan) => {
    const world = worldAfter([base, local, "rmdir d; mkdir d", ""]);
    const trees = treesOf(world);
    const remote = { ...trees.remote, goneFolders: new Set<DirId>() };
    expect(describePlan(makePlan({ ...trees, remote }, POLICY, SIGNALS, world.lookup()))).toBe(plan);
  });
});
