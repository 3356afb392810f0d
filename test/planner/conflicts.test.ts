import { describe, expect, test } from "vitest";
import { describePlan, doLocally, doRemotely, openConflict, planOf, worldAfter } from "./table.ts";
import type { World } from "./world.ts";
import { execute } from "./executor.ts";

const SIDECAR = "a (theirs).md";

const COPY = "a_(theirs).md";
const RENAMED = "move-conflict-copy a (theirs).md>";

/** A case. `missing`: number of earlier scans in which the copy was missing. */
type Row = readonly [local: string, remote: string, missing: number, plan: string];

const ROWS: readonly Row[] = [
  // While the conflict is open, nothing is sent.
  ["", "", 0, "block conflict a.md"],
  ["edit a.md 4", "", 0, "block conflict a.md"],
  [`fault a.md contains-nul; rm ${COPY}`, "", 1, "block contains-nul a.md"],
  // A copy that is missing in two scans means that the user keeps the local version.
  [`rm ${COPY}`, "", 0, "look-again; block conflict a.md"],
  [`rm ${COPY}`, "", 1, "end-conflict mine a.md"],
  [`unseen ${COPY} EACCES`, "", 1, "block conflict a.md"],
  // Equal contents end the conflict. A copy that was moved over the document means that the user
  // takes the service's version.
  ["edit a.md one|two|three|four|five|six|3", "", 0, "end-conflict equal a.md"],
  [`choose ${COPY} a.md 3`, "", 0, "end-conflict theirs a.md"],
  // A newer version gets a copy; a removed copy does not return.
  ["", "edit a.md 5", 0, "renew-conflict a.md; block conflict a.md"],
  [`rm ${COPY}`, "edit a.md 5", 1, "end-conflict mine a.md; block conflict a.md"],
  // A copy that mdmirror is replacing does not count as removed, and the old copy is not taken for
  // the new one.
  [`rm ${COPY}; take a.md`, "", 1, "renew-conflict a.md; block conflict a.md"],
  ["take a.md", "", 0, "renew-conflict a.md; block conflict a.md"],
  // The copy moves with its document. If the user moved it too, only the state changes.
  ["mv a.md b.md", "", 0, `rename-remote a.md>b.md; ${RENAMED}b (theirs).md; relink b.md; block conflict b.md`],
  ["", "mv a.md d/a.md", 0, `move-local a.md>d/a.md; ${RENAMED}d/a (theirs).md; relink d/a.md; block conflict a.md`],
  [
    `mv a.md d/a.md; mv ${COPY} d/a_(theirs).md`,
    "",
    0,
    "reparent-remote a.md>d/a.md; move-conflict-copy d/a (theirs).md>d/a (theirs).md; relink d/a.md; block conflict d/a.md",
  ],
  // A document that is deleted locally is restored, without a copy.
  ["rm a.md", "", 0, "drop-conflict a (theirs).md; create-local a.md"],
  [`rm a.md; rm ${COPY}`, "", 1, "drop-conflict -; create-local a.md"],
  // A deletion on the service ends the conflict; a local edit becomes a new document.
  ["", "rm a.md; new y.md y", 0, "drop-conflict a (theirs).md; forget a.md; create-remote a.md; create-local y.md"],
  ["rm a.md", "rm a.md", 0, "drop-conflict a (theirs).md; forget a.md"],
  // The conflict stays while mdmirror cannot know whether the document is deleted.
  ["", "rm a.md; rm d/x.md; unlist-folders -", 0, "trash-local d/x.md; block gone-or-unreadable a.md"],
  ["unseen a.md EACCES", "rm a.md", 0, "block local-unreadable a.md"],
  ["", "unsee a.md", 1, "block not-seen a.md"],
  // The document leaves the linked part of the workspace, or returns.
  ["", "outside a.md", 0, "note-facts outside; block outside a.md"],
  ["rm a.md", "outside a.md", 0, "drop-conflict a (theirs).md; note-facts away"],
  ["left a.md; rm a.md", "outside a.md", 0, "drop-conflict a (theirs).md; note-facts away"],
  ["left a.md; rm a.md", "", 0, "drop-conflict a (theirs).md; create-local a.md"],
];

function worldOf([local, remote, missing]: Row): World {
  return inConflict((world) => {
    doLocally(world, local);
    doRemotely(world, remote);
  }, missing);
}

test.each(ROWS)("I27 in conflict: %s | %s | missing %i → %s", (...row) => {
  expect(describePlan(planOf(worldOf(row)))).toBe(row[3]);
});

test.each(["rm a.md", "left a.md; rm a.md"])(
  "I27 one absence does not end the conflict of a document outside: %s",
  (local) => {
    const world = worldOf([local, "outside a.md", 0, ""]);
    expect(describePlan(planOf(world, { absentTwice: new Set() }))).toBe("block second-scan a.md");
  },
);

test("I27 nothing of a conflict is done in one direction only", () => {
  expect(describePlan(planOf(worldOf([`rm ${COPY}`, "", 1, ""]), { direction: "pull" }))).toBe("block conflict a.md");
});

test("I27 a folder that only uploads gets no copy of a newer version", () => {
  const world = worldOf(["", "edit a.md 5", 0, ""]);
  expect(describePlan(planOf(world))).toBe("renew-conflict a.md; block conflict a.md");
  expect(describePlan(planOf(world, { direction: "push" }))).toBe("block conflict a.md");
});

describe("the service has moved on, and the copy before was edited", () => {
  const [first, second] = [0, 1];

  /**
   * Returns the choices of the plan: for each, the index in `shown` of the versions to which it
   * refers.
   */
  function chosen(then: (world: World) => void, looksGone: number): unknown {
    const world = inConflict((one) => {
      showSecond(one);
      then(one);
    }, looksGone);
    const { shown } = world.conflicts.get(world.idAt("a.md"))!;
    const ends = planOf(world).steps.flatMap(({ action }) => (action.kind === "end-conflict" ? [action] : []));
    return ends.map(({ how, baseChangeId, changeId }) => [
      how,
      shown.findIndex((version) => version.changeId === baseChangeId),
      shown.findIndex((version) => version.changeId === changeId),
    ]);
  }

  test.each([
    ["the newest copy", [NEWEST], second],
    ["the copy before", [SIDECAR], first],
    ["both copies", [SIDECAR, NEWEST], second],
  ] as const)("I27 %s gone means mine over the version of the newest that is gone", (_, gone, over) => {
    const then = (world: World): void => {
      for (const path of gone) world.others.delete(path);
    };
    expect(chosen(then, 0)).toEqual([]);
    expect(chosen(then, 1)).toEqual([["mine", over, second]]);
  });

  test.each([
    [SIDECAR, first],
    [NEWEST, second],
  ] as const)("I27 %s moved over the document means the version of that copy", (path, over) => {
    const then = (world: World): void => {
      const { ino } = world.others.get(path)!;
      world.others.delete(path);
      world.files.set("a.md", { text: "of both", ino, birthMs: 1, nlink: 1, fault: null });
    };
    expect(chosen(then, 0)).toEqual([["theirs", over, second]]);
  });

  test("I27 both copies follow their document, and each keeps its number", () => {
    const world = inConflict(showSecond);
    world.moveLocal("a.md", "b.md");
    expect(describePlan(planOf(world))).toBe(
      "rename-remote a.md>b.md; move-conflict-copy a (theirs).md>b (theirs).md; move-conflict-copy a (theirs 2).md>b (theirs 2).md; relink b.md; block conflict b.md",
    );
  });

  test("I27 a removed copy is gone, although a newer copy has its inode", () => {
    const world = inConflict(showSecond, 1);
    const id = world.idAt("a.md");
    const conflict = world.conflicts.get(id)!;
    const { ino } = world.others.get(SIDECAR)!;
    world.others.delete(SIDECAR);
    world.others.set(NEWEST, { kind: "conflict-copy", ino });
    world.conflicts.set(id, { ...conflict, shown: conflict.shown.map((version) => ({ ...version, ino })) });
    expect(describePlan(planOf(world))).toBe("end-conflict mine a.md; block conflict a.md");
  });
});

// Two conflicts in one folder, and names that two documents want.

test("names of the form of a conflict copy are no documents", () => {
  const world = worldAfter(["a.md=1", "other b_(theirs).md sidecar", "", ""]);
  expect(describePlan(planOf(world))).toBe("");
});

test("two new contents at one path become a conflict that causes no action until it ends", () => {
  const world = worldAfter(["", "new a.md 1", "new a.md 2", ""]);
  execute(world, planOf(world).steps, () => 0);
  expect(describePlan(planOf(world))).toBe("block conflict a.md");
  world.others.delete(SIDECAR);
  execute(world, planOf(world).steps, () => 0);
  expect(describePlan(planOf(world))).toBe("end-conflict mine a.md");
});

/** Returns a world with two documents in conflict, each with its conflict copy. */
function twoInConflict(base: string, first: string, second: string): World {
  const world = worldAfter([base, `edit ${first} 2; edit ${second} 2`, `edit ${first} 3; edit ${second} 3`, ""]);
  openConflict(world, first);
  openConflict(world, second);
  return world;
}

test.each([
  [SIDECAR, "b (theirs).md", "b.md"],
  ["b (theirs).md", SIDECAR, "a.md"],
])("I27 a copy that has the inode of a removed copy stays its own document's: %s", (removed, kept, document) => {
  const world = twoInConflict("a.md=1 b.md=1", "a.md", "b.md");
  const { ino } = world.others.get(removed)!;
  world.others.delete(removed);
  // The removal freed this inode, and the file system gave it to the next new file.
  world.others.set(kept, { kind: "conflict-copy", ino });
  const id = world.idAt(document);
  const conflict = world.conflicts.get(id)!;
  world.conflicts.set(id, { ...conflict, shown: conflict.shown.map((version) => ({ ...version, ino })) });
  expect(describePlan(planOf(world))).toBe("look-again; block conflict a.md; block conflict b.md");
});

test("I27 a removed conflict copy is gone, although its document is at the path of another copy", () => {
  const world = twoInConflict("a.md=1 b.md=1", "a.md", "b.md");
  world.others.delete(SIDECAR);
  world.moveLocal("a.md", "c.md");
  world.moveLocal("b.md", "a.md");
  world.moveLocal("c.md", "b.md");
  expect(describePlan(planOf(world))).toContain("look-again");
  expect(describePlan(planOf(world))).not.toContain("b (theirs).md>b (theirs).md");
});

test("I27 conflict copies move with their folders when these change places", () => {
  const world = twoInConflict("f/x.md=1 g/x.md=1", "f/x.md", "g/x.md");
  world.moveLocal("f", "h");
  world.moveLocal("g", "f");
  world.moveLocal("h", "g");
  const inodes = [world.others.get("f/x (theirs).md"), world.others.get("g/x (theirs).md")];
  execute(world, planOf(world).steps, () => 0);
  expect([world.others.get("f/x (theirs).md"), world.others.get("g/x (theirs).md")]).toEqual(inodes);
  expect(world.conflicts.get(world.idAt("g/x.md"))!.newestCopyPath).toBe("g/x (theirs).md");
  expect(world.conflicts.get(world.idAt("f/x.md"))!.newestCopyPath).toBe("f/x (theirs).md");
});

const TEXT = "one|two|three|four|five|six";

/** Returns a world with a conflict of `a.md` after further changes by the user and the service. */
function inConflict(then: (world: World) => void = () => undefined, looksGone = 0): World {
  const world = worldAfter([`a.md=${TEXT} d/x.md=9`, `edit a.md ${TEXT}|2`, `edit a.md ${TEXT}|3`, ""]);
  openConflict(world, "a.md");
  const id = world.idAt("a.md");
  world.conflicts.set(id, { ...world.conflicts.get(id)!, looksGone });
  then(world);
  return world;
}

const NEWEST = "a (theirs 2).md";

/** Adds a later version to the service, and a second conflict copy that shows it. */
function showSecond(world: World): void {
  const id = world.idAt("a.md");
  const conflict = world.conflicts.get(id)!;
  const document = world.documents.get(id)!;
  Object.assign(document, { text: "5", changeId: world.newChange() });
  const version = { changeId: document.changeId, digest: world.digest("5"), ino: world.next(), dev: 1 };
  world.others.set(NEWEST, { kind: "conflict-copy", ino: version.ino });
  world.conflicts.set(id, { ...conflict, shown: [...conflict.shown, version], newestCopyPath: NEWEST });
}
