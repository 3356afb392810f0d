import { describe, expect, test } from "vitest";
import { makeHashedName } from "../../src/mirror/model/names.ts";
import { leavesMoreWork } from "../../src/mirror/planner/sequel.ts";
import type { DirId, DocId } from "../../src/contract/ids.ts";
import { findLocalPlaces } from "../../src/mirror/planner/local-places.ts";
import type { DocumentRecord } from "../../src/mirror/model/record.ts";
import { makePlan } from "../../src/mirror/planner/plan.ts";
import { execute } from "./executor.ts";
import {
  checkRow,
  describePlan,
  doLocally,
  doRemotely,
  openConflict,
  planOf,
  POLICY,
  type Row,
  SIGNALS,
  worldAfter,
} from "./table.ts";
import { treesOf, type World } from "./world.ts";

/**
 * Temporary names that a killed sync left after it broke a cycle of renames. The next plan finishes
 * the rename or restores the old name.
 */
const TMP = "mdmirror-0123abcd";

describe("I13 I16 temporary names that were left", () => {
  const rows: Row[] = [
    [`a.md>a-${TMP}.md=1`, "", "", "rename-remote a-TMP.md>a.md; relink a.md"],
    [`a-${TMP}.md>a.md=1`, "", "", "move-local a-TMP.md>a.md; relink a.md"],
    [`a-${TMP}.md=1`, "", "", "rename-remote a-TMP.md>a.md; move-local a-TMP.md>a.md; relink a.md"],
    // another document has its old name now
    [`a-${TMP}.md=1 a.md=2`, "", "", "rename-remote a-TMP.md>a-HEX.md; move-local a-TMP.md>a-HEX.md; relink a-HEX.md"],
    // a name that the service stores in another form stays the same locally
    [
      `My_notes.md>My-notes-${TMP}.md=1`,
      "",
      "",
      "rename-remote My-notes-TMP.md>My-notes.md; relink My notes.md=My-notes.md",
    ],
    // another linked folder is renaming it: base records the name, and no local file moves
    ["a.md=1", "", `mv a.md a-${TMP}.md`, "relink a.md=a-TMP.md"],
    ["a.md=1 d/b.md=2", "", `mv a.md d/a-${TMP}.md`, "move-local a.md>d/a.md; relink d/a.md=d/a-TMP.md"],
    ["d/a.md=1", "", `mv d d-${TMP}`, "link-folder d=d-TMP"],
    ["", "", `new a-${TMP}.md 1`, "create-local a.md=a-TMP.md"],
    // another linked folder restored its name, and it was moved locally
    [`a.md>a-${TMP}.md=1`, "mv a.md b.md", `mv a-${TMP}.md a.md`, "rename-remote a.md>b.md; relink b.md"],
    [`a.md>a-${TMP}.md=1`, "", `mv a-${TMP}.md a.md`, "relink a.md"],
    // a temporary name is never sent as a new document's name
    ["", `new a-${TMP}.md 1`, "", "create-remote a-TMP.md=a.md"],
    ["a.md=2", `new a-${TMP}.md 1`, "", "create-remote a-TMP.md=a-2.md"],
    [
      `d/a-${TMP}.md=1 d/b.md=2`,
      `edit d/a-${TMP}.md 3`,
      `rm d/a-${TMP}.md`,
      "forget d/a-TMP.md; create-remote d/a-TMP.md=d/a.md",
    ],
    // gone from the service, edited locally, and blocked: base knows its former name
    [
      `d/a-${TMP}.md>d/a.md=1`,
      `edit d/a-${TMP}.md 2`,
      "rmdir d",
      "forget-folder; move-local d/a-TMP.md>d/a.md; block gone-or-unreadable d/a-TMP.md",
    ],
    [
      `d/a-${TMP}.md=1`,
      `edit d/a-${TMP}.md 2; new d/a.md 3`,
      `rm d/a-${TMP}.md; rmdir d`,
      "forget-folder; make-folder-remote d; move-local d/a-TMP.md>d/a-2.md; create-remote d/a.md; block gone-or-unreadable d/a-TMP.md",
    ],
  ];
  test.each(rows)("%s | %s | %s", (...row) => checkRow(row));

  test.each([
    ["whose way on the service is taken", TMP],
    ["whose own temporary name would be the next one", "mdmirror-3e85da29"],
  ])("one %s gets another temporary name of the name that it had", (_what, mark) => {
    const base = `d/a-${mark}.md=1 d/b.md=4 b/b.md=2 b/a-${mark}.md=3`;
    const local = `mv b/b.md t.md; mv d/a-${mark}.md b/b.md; mv t.md d/x.md`;
    const { steps } = planOf(worldAfter([base, local, "", ""]));
    const names = steps.flatMap(({ action }) => (action.kind === "rename-remote" && action.temporary ? action.to : []));
    expect(names).toEqual([expect.stringMatching(/^d\/a-mdmirror-[0-9a-f]{8}\.md$/)]);
    expect(names).not.toContain(`d/a-${mark}.md`);
  });

  test("if its further move is blocked, the name is restored with a number, because another document has the old name", () => {
    const row = [`d/x.md>d/a-${TMP}.md=1 d/a.md=2`, "mv d/x.md a.md", "", ""] as const;
    const world = worldAfter(row);
    expect(describePlan(planOf(world, { canMoveToRoot: false }))).toBe(
      "rename-remote d/a-TMP.md>d/a-2.md; block no-move-to-root a.md",
    );
  });

  test("if its new folder cannot be created, the name is restored too", () => {
    const world = worldAfter(["d/a.md=1 f/x.md=2 f/c.md=3", "edit d/a.md 4", "rm d/a.md; rmdir d; mkdir d", ""]);
    // Until a listing proves that the folder is gone, the new folder has another local name.
    const { remote, ...trees } = treesOf(world);
    const unproven = { ...trees, remote: { ...remote, goneFolders: new Set<DirId>() } };
    execute(world, makePlan(unproven, POLICY, SIGNALS, world.lookup()).steps, () => 0);
    const remotePath = `f/c-${TMP}.md`;
    doRemotely(world, `mv f/x.md ${remotePath}`);
    world.patchRecord(world.idAt("f/x.md"), { remotePath });
    doLocally(world, "mv f/x.md d/c.md");
    expect(describePlan(planOf(world))).toBe(
      "rename-remote f/c-TMP.md>f/c-2.md; block name-clash d; block gone-or-unreadable d/a.md; block folder-blocked d/c.md",
    );
  });

  test("one whose local name has digits of its id is taken back, too", () => {
    const local = makeHashedName("a.md", "file", "doc_005", 255);
    const world = worldAfter([`a.md=2 ${local}>a-${TMP}.md=1`, "", "", ""]);
    expect(describePlan(planOf(world))).toBe("rename-remote a-TMP.md>a-HEX.md; relink a-HEX.md");
  });

  test.each(["pull", "push"] as const)("is left where a %s sync writes nothing", (direction) => {
    const [here, there] = direction === "pull" ? ["a.md", `a-${TMP}.md`] : [`a-${TMP}.md`, "a.md"];
    const plan = planOf(worldAfter([`${here}>${there}=1`, "", "", ""]), { direction });
    expect(plan.steps).toEqual([]);
    expect(plan.blocks.map(({ reason, path }) => [reason, path])).toEqual([["direction-off", here]]);
  });
});

/** Returns true if a step of the plan makes another cycle necessary. */
function hasSequel(base: string, local: string, remote = ""): boolean {
  const world = worldAfter([base, local, remote, ""]);
  const plan = planOf(world);
  expect(describePlan(plan)).not.toBe("");
  return plan.steps.some(({ action }) => leavesMoreWork(plan, treesOf(world))(action));
}

test.each([
  ["a.md=1", "mv a.md standup-20260611.md", ""],
  ["standup-20260611.md=1", "edit standup-20260611.md 2", ""],
  ["standup-20260611.md=1", "", "mv standup-20260611.md standup.md"],
  ["", "new notes-deadbeef/standup-20260611.md 1", ""],
])("a name that ends in a date asks for no other cycle: %j, %j, %j", (base, local, remote) => {
  expect(hasSequel(base, local, remote)).toBe(false);
});

test("I01 a document that gets another name, because a new one has its path, asks for another cycle", () => {
  expect(hasSequel("a.md=1", "edit a.md 2", "rm a.md; new a.md 3")).toBe(true);
});

test("I02 a dropped conflict copy asks for another cycle, if its folder is on one side only", () => {
  const world = worldAfter(["d/a.md=1", "edit d/a.md 2", "edit d/a.md 3", ""]);
  openConflict(world, "d/a.md");
  doLocally(world, "rm d/a.md");
  doRemotely(world, "rmdir d");
  const trees = treesOf(world);
  const plan = planOf(world);
  const dropped = plan.steps.find(({ action }) => action.kind === "drop-conflict")!.action;
  expect(dropped).toMatchObject({ newestCopyPath: "d/a (theirs).md" });
  expect(leavesMoreWork(plan, trees)(dropped)).toBe(true);
  expect(leavesMoreWork(plan, trees)({ ...dropped, newestCopyPath: null } as typeof dropped)).toBe(false);
});

test("a name that only breaks a circle, or has the digits of its document's id, asks for another cycle", () => {
  expect(hasSequel("a.md=1 b.md=2", "mv a.md t.md; mv b.md a.md; mv t.md b.md")).toBe(true);
  const world = worldAfter(["a.md=1 b.md=2", "", "", ""]);
  const id = world.idAt("a.md");
  const standIn = makeHashedName("a.md", "file", id, world.disk.maxNameBytes);
  world.moveLocal("a.md", standIn);
  world.patchRecord(id, { localPath: standIn });
  const plan = planOf(world);
  const move = plan.steps[0]!.action;
  expect(move).toMatchObject({ kind: "move-local", from: standIn, to: "a.md" });
  expect(leavesMoreWork(plan, treesOf(world))(move)).toBe(true);
});

const LONG = "one|two|three|four|five";
const OTHER = "a|b|c|d|e";

/**
 * Base, local commands, remote commands, local paths of the documents by their old paths, and files
 * without a document.
 */
const ROWS: readonly (readonly [string, string, string, object, readonly string[]])[] = [
  ["a.md=1 b.md=2", "mv a.md t.md; mv b.md a.md; mv t.md b.md", "", { "a.md": "b.md", "b.md": "a.md" }, []],
  ["d/a.md=1", "mv d e", "", { "d/a.md": "e/a.md" }, []],
  // Found by its content only.
  [`a.md=${LONG}`, `rm a.md; new b.md ${LONG}|six`, "", { "a.md": "b.md" }, []],
  [`a.md=${LONG}`, `rm a.md; new b.md ${OTHER}`, "", { "a.md": "not here" }, ["b.md"]],
  ["a.md=1", "", "mv a.md b.md", { "a.md": "a.md" }, []],
];

function whereIs(world: World, id: DocId): string {
  const { found, uncertain } = findLocalPlaces(treesOf(world), POLICY, world.lookup());
  return uncertain.has(id) ? "not here" : (found.get(id) ?? world.records.get(id)!.localPath);
}

test.each(ROWS)("%s | %s | %s: each document is where the plan has it", (base, local, remote, where, unrecorded) => {
  const before = worldAfter([base, "", "", ""]);
  const world = worldAfter([base, local, remote, ""]);
  for (const [path, is] of Object.entries(where)) expect(whereIs(world, before.idAt(path))).toBe(is);
  expect([...findLocalPlaces(treesOf(world), POLICY, world.lookup()).unknownFiles]).toEqual(unrecorded);
});

test("what only the service has is expected at its own path, in the folder's local place", () => {
  const world = worldAfter(["d/a.md=1", "mv d e", "new d/b.md 2", ""]);
  const { arriving } = findLocalPlaces(treesOf(world), POLICY, world.lookup());
  expect([...arriving.values()]).toEqual(["e/b.md"]);
});

test("a document that could not be read is open: nothing says where it is", () => {
  const world = worldAfter(["a.md=1 b.md=2", "rm a.md", "", ""]);
  const id = world.idAt("a.md");
  world.unseen.set("a.md", "unreadable");
  const { uncertain, found } = findLocalPlaces(treesOf(world), POLICY, world.lookup());
  expect([uncertain.has(id), found.has(id)]).toEqual([true, false]);
});

const submitted =
  (text: string) =>
  (world: World): Partial<DocumentRecord> => {
    const record = world.records.get(world.idAt("a.md"))!;
    return { protected: true, submissions: [{ digest: world.digest(text), baseChangeId: record.changeId, at: 0 }] };
  };

describe("protected documents and reviews (I31)", () => {
  const rows: [...Row, text: string | null][] = [
    ["a.md=1", "edit a.md 2", "protect a.md", "put a.md review; note-facts linked protected", null],
    ["a.md=1", "edit a.md 2", "protect a.md", "block in-review a.md", "2"],
    ["a.md=1", "edit a.md 3", "protect a.md", "put a.md review", "2"],
    ["a.md=1", "edit a.md 2", "protect a.md; edit a.md 2", "settle-review a.md", "2"],
    ["a.md=1", "edit a.md 2", "protect a.md; edit a.md 4", "settle-review a.md", "2"],
    ["a.md=1", "edit a.md 3", "protect a.md; edit a.md 4", "settle-review a.md", "2"],
    ["a.md=1", "", "protect a.md; edit a.md 4", "settle-review a.md", "2"],
    ["a.md=1", "edit a.md 2", "protect a.md off", "note-facts linked; block review-unknown a.md", "2"],
    ["a.md=1", "edit a.md 3", "protect a.md off", "note-facts linked; block review-unknown a.md", "2"],
    ["a.md=1", "", "protect a.md", "", "2"],
    [
      "a.md=1",
      "edit a.md 2; mv a.md b.md",
      "protect a.md",
      "rename-remote a.md>b.md; relink b.md; block in-review b.md",
      "2",
    ],
    [
      "a.md=1",
      "edit a.md 3; mv a.md b.md",
      "protect a.md",
      "rename-remote a.md>b.md; put b.md review; relink b.md",
      "2",
    ],
    ["a.md=1", "rm a.md", "protect a.md", "create-local a.md; block delete-refused a.md", "2"],
    ["a.md=1 b.md=1", "edit a.md 2", "rm a.md", "block gone-or-unreadable a.md", "2"],
    ["a.md=1", "edit a.md 2", "protect a.md; edit a.md 3", "merge a.md; note-facts linked protected", null],
  ];
  test.each(rows)("%s | %s | %s → %s (submitted: %s)", (base, local, remote, plan, text) => {
    const world = worldAfter([base, local, remote, plan]);
    const id = [...world.records.keys()][0]!;
    if (text !== null) world.patchRecord(id, submitted(text)(Object.assign(world, { idAt: () => id })));
    expect(describePlan(planOf(world))).toBe(plan);
  });
  test("an edit goes to review when it was unchanged for a while", () => {
    const world = worldAfter(["a.md=1", "edit a.md 2", "protect a.md", ""]);
    const id = world.idAt("a.md");
    expect(describePlan(planOf(world, { unchangedContents: new Map() }))).toBe(
      "note-facts linked protected; block review-delayed a.md",
    );
    const rested = new Map([[id, world.digest("2")]]);
    expect(describePlan(planOf(world, { unchangedContents: rested }))).toBe(
      "put a.md review; note-facts linked protected",
    );
    const other = new Map([[id, world.digest("3")]]);
    expect(describePlan(planOf(world, { unchangedContents: other }))).toContain("block review-delayed");
  });
  test("a text that was answered with the base's own is not sent again on that base", () => {
    const world = worldAfter(["a.md=1", "edit a.md 2", "", ""]);
    world.patchRecord(world.idAt("a.md"), { echoDigest: world.digest("2") });
    expect(describePlan(planOf(world))).toBe("");
    world.files.get("a.md")!.text = "3";
    expect(describePlan(planOf(world))).toBe("put a.md");
  });
});
