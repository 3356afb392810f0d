import { describe, expect, test } from "vitest";
import { doLocally, doRemotely } from "./commands.ts";
import { inConflict, NEWEST, SIDECAR, showSecond } from "./in-conflict.ts";
import { planOf, say } from "./table.ts";
import type { World } from "./world.ts";

const COPY = "a_(theirs).md";
const RENAMED = "move-conflict-copy a (theirs).md>";

/** In how many scans the copy was missing before. */
type Row = readonly [local: string, remote: string, missing: number, plan: string];

const ROWS: readonly Row[] = [
  // Open: nothing is sent.
  ["", "", 0, "block conflict a.md"],
  ["edit a.md 4", "", 0, "block conflict a.md"],
  [`fault a.md contains-nul; rm ${COPY}`, "", 1, "block contains-nul a.md"],
  // The copy is gone: in two scans that means mine.
  [`rm ${COPY}`, "", 0, "look-again; block conflict a.md"],
  [`rm ${COPY}`, "", 1, "end-conflict mine a.md"],
  [`unseen ${COPY} EACCES`, "", 1, "block conflict a.md"],
  // Equal contents end the conflict; a copy moved over the document means theirs.
  ["edit a.md one|two|three|four|five|six|3", "", 0, "end-conflict equal a.md"],
  [`choose ${COPY} a.md 3`, "", 0, "end-conflict theirs a.md"],
  // A newer version is shown, and brings back no copy that was removed.
  ["", "edit a.md 5", 0, "renew-conflict a.md; block conflict a.md"],
  [`rm ${COPY}`, "edit a.md 5", 1, "end-conflict mine a.md; block conflict a.md"],
  // A copy that the mirror is replacing is not gone, nor is the older one taken for the newer.
  [`rm ${COPY}; take a.md`, "", 1, "renew-conflict a.md; block conflict a.md"],
  ["take a.md", "", 0, "renew-conflict a.md; block conflict a.md"],
  // The copy follows its document; one that the user moved along is only recorded.
  ["mv a.md b.md", "", 0, `rename-remote a.md>b.md; ${RENAMED}b (theirs).md; relink b.md; block conflict b.md`],
  ["", "mv a.md d/a.md", 0, `move-local a.md>d/a.md; ${RENAMED}d/a (theirs).md; relink d/a.md; block conflict a.md`],
  [
    `mv a.md d/a.md; mv ${COPY} d/a_(theirs).md`,
    "",
    0,
    "reparent-remote a.md>d/a.md; move-conflict-copy d/a (theirs).md>d/a (theirs).md; relink d/a.md; block conflict d/a.md",
  ],
  // A document that is deleted locally comes back, without a copy.
  ["rm a.md", "", 0, "drop-conflict a (theirs).md; create-local a.md"],
  [`rm a.md; rm ${COPY}`, "", 1, "drop-conflict -; create-local a.md"],
  // Deleted on the service, it ends the conflict; an edit becomes a new document.
  ["", "rm a.md; new y.md y", 0, "drop-conflict a (theirs).md; forget a.md; create-remote a.md; create-local y.md"],
  ["rm a.md", "rm a.md", 0, "drop-conflict a (theirs).md; forget a.md"],
  // While it cannot be known whether it is gone, the conflict stays.
  ["", "rm a.md; rm d/x.md; unlist-folders -", 0, "trash-local d/x.md; block gone-or-unreadable a.md"],
  ["unseen a.md EACCES", "rm a.md", 0, "block local-unreadable a.md"],
  ["", "unsee a.md", 1, "block not-seen a.md"],
  // It left the mirrored subtree, or comes back.
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
  expect(say(planOf(worldOf(row)))).toBe(row[3]);
});

test.each(["rm a.md", "left a.md; rm a.md"])(
  "I27 one absence alone does not end the conflict of a document that left the mirrored subtree: %s",
  (local) => {
    const world = worldOf([local, "outside a.md", 0, ""]);
    expect(say(planOf(world, { absentTwice: new Set() }))).toBe("block second-scan a.md");
  },
);

test("I27 nothing of a conflict is done in one direction only", () => {
  expect(say(planOf(worldOf([`rm ${COPY}`, "", 1, ""]), { direction: "pull" }))).toBe("block conflict a.md");
});

test("I27 a folder that only uploads gets no copy of a newer version", () => {
  const world = worldOf(["", "edit a.md 5", 0, ""]);
  expect(say(planOf(world))).toBe("renew-conflict a.md; block conflict a.md");
  expect(say(planOf(world, { direction: "push" }))).toBe("block conflict a.md");
});

describe("the service has moved on, and the copy before was edited", () => {
  const [first, second] = [0, 1];

  /** Returns each choice of the plan, and the places in `shown` of the versions it refers to. */
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
    expect(say(planOf(world))).toBe(
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
    expect(say(planOf(world))).toBe("end-conflict mine a.md; block conflict a.md");
  });
});
