import { expect, test } from "vitest";
import type { Conflict } from "../../src/model/link.ts";
import { openConflict } from "./commands.ts";
import { execute } from "./executor.ts";
import { planOf, say, worldAfter } from "./table.ts";
import type { World } from "./world.ts";

const TEXT = "one|two|three|four|five|six";

/**
 * A conflict that was opened over `a.md`: both edited, the sidecar beside it; then what the user
 * and the service do.
 */
function inConflict(
  then: (world: World) => void = () => undefined,
  looksGone = 0,
  base = `a.md=${TEXT} d/x.md=9`,
): World {
  const world = worldAfter([base, `edit a.md ${TEXT}|2`, `edit a.md ${TEXT}|3`, ""]);
  openConflict(world, "a.md");
  const id = world.idAt("a.md");
  world.conflicts.set(id, { ...world.conflicts.get(id)!, looksGone });
  then(world);
  return world;
}

const SIDECAR = "a (theirs).md";

function patchConflict(world: World, patch: Partial<Conflict>): void {
  const id = world.idAt("a.md");
  world.conflicts.set(id, { ...world.conflicts.get(id)!, ...patch });
}

function moveOutside(world: World): void {
  const id = world.idAt("a.md");
  world.documents.delete(id);
  world.outside.add(id);
}

const rows: [what: string, then: (world: World) => void, looksGone: number, plan: string][] = [
  ["nothing is sent while it is open", () => undefined, 0, "hold conflict a.md"],
  [
    "nor what the user writes meanwhile",
    (world) => {
      world.files.get("a.md")!.text = "4";
    },
    0,
    "hold conflict a.md",
  ],
  [
    "the sidecar gone once is looked at again",
    (world) => {
      world.others.delete(SIDECAR);
    },
    0,
    "look-again; hold conflict a.md",
  ],
  [
    "the sidecar gone twice means mine",
    (world) => {
      world.others.delete(SIDECAR);
    },
    1,
    "end-conflict mine a.md",
  ],
  [
    "equal texts end it",
    (world) => {
      world.files.get("a.md")!.text = `${TEXT}|3`.replaceAll("|", "\n");
    },
    0,
    "end-conflict equal a.md",
  ],
  [
    "the sidecar moved over the document means theirs",
    (world) => {
      const { ino } = world.others.get(SIDECAR)!;
      world.others.delete(SIDECAR);
      world.files.set("a.md", { text: "3 and mine", ino, birthMs: 1, nlink: 1, fault: null });
    },
    0,
    "end-conflict theirs a.md",
  ],
  [
    "a newer remote version renews it",
    (world) => {
      const document = world.documents.get(world.idAt("a.md"))!;
      Object.assign(document, { text: "5", changeId: world.newChange() });
    },
    0,
    "renew-conflict a.md; hold conflict a.md",
  ],
  [
    "a newer remote version does not bring back a sidecar that was removed",
    (world) => {
      world.others.delete(SIDECAR);
      Object.assign(world.documents.get(world.idAt("a.md"))!, { text: "5", changeId: world.newChange() });
    },
    1,
    "end-conflict mine a.md",
  ],
  [
    "a sidecar that was being replaced is not gone, and is shown again",
    (world) => {
      world.others.delete(SIDECAR);
      patchConflict(world, { sidecarIno: 0 });
    },
    1,
    "renew-conflict a.md; hold conflict a.md",
  ],
  [
    "nor is the older one taken for the newer, where it is still there",
    (world) => patchConflict(world, { sidecarIno: 0 }),
    0,
    "renew-conflict a.md; hold conflict a.md",
  ],
  [
    "a sidecar that could not be seen is not gone",
    (world) => {
      world.others.delete(SIDECAR);
      world.unseen.set(SIDECAR, "EACCES");
    },
    1,
    "hold conflict a.md",
  ],
  [
    "the sidecar follows its document's rename",
    (world) => world.moveLocal("a.md", "b.md"),
    0,
    "rename-remote a.md>b.md; move-sidecar a (theirs).md>b (theirs).md; relink b.md; hold conflict b.md",
  ],
  [
    "the sidecar follows the service's rename",
    (world) => {
      world.documents.get(world.idAt("a.md"))!.path = "d/a.md";
    },
    0,
    "move-local a.md>d/a.md; move-sidecar a (theirs).md>d/a (theirs).md; relink d/a.md; hold conflict a.md",
  ],
  [
    "a sidecar that the user moved along is only recorded",
    (world) => {
      world.moveLocal("a.md", "d/a.md");
      world.others.set("d/a (theirs).md", world.others.get(SIDECAR)!);
      world.others.delete(SIDECAR);
    },
    0,
    "reparent-remote a.md>d/a.md; move-sidecar d/a (theirs).md>d/a (theirs).md; relink d/a.md; hold conflict d/a.md",
  ],
  [
    "a document deleted here comes back without it",
    (world) => {
      world.files.delete("a.md");
    },
    0,
    "drop-conflict a (theirs).md; create-local a.md",
  ],
  [
    "a document deleted here with its sidecar comes back",
    (world) => {
      world.files.delete("a.md");
      world.others.delete(SIDECAR);
    },
    1,
    "drop-conflict -; create-local a.md",
  ],
  [
    "a document deleted there ends it, and the edit goes on as a new one",
    (world) => {
      world.documents.delete(world.idAt("a.md"));
      world.newDocument("y.md", "y");
    },
    0,
    "drop-conflict a (theirs).md; forget a.md; create-remote a.md; create-local y.md",
  ],
  [
    "a document that is gone or no longer readable keeps it for as long as it is held",
    (world) => {
      world.documents.delete(world.idAt("a.md"));
      world.documents.delete(world.idAt("d/x.md"));
    },
    0,
    "trash-local d/x.md; hold gone-or-unreadable a.md",
  ],
  [
    "a document that is gone, and cannot be looked at here, keeps it",
    (world) => {
      world.documents.delete(world.idAt("a.md"));
      world.files.delete("a.md");
      world.unseen.set("a.md", "EACCES");
    },
    0,
    "hold local-unreadable a.md",
  ],
  [
    "a document that is gone on both sides ends it",
    (world) => {
      world.documents.delete(world.idAt("a.md"));
      world.files.delete("a.md");
    },
    0,
    "drop-conflict a (theirs).md; forget a.md",
  ],
  [
    "a document that left the mirrored subtree and is deleted here ends it",
    (world) => {
      moveOutside(world);
      world.files.delete("a.md");
    },
    0,
    "drop-conflict a (theirs).md; forget a.md",
  ],
  [
    "a document that left the mirrored subtree keeps it for as long as it is held",
    moveOutside,
    0,
    "note-facts outside; hold outside a.md",
  ],
  [
    "a document that was held outside and is deleted here ends it, and its return is a move",
    (world) => {
      moveOutside(world);
      world.patchLink(world.idAt("a.md"), { standing: "outside" });
      world.files.delete("a.md");
    },
    0,
    "drop-conflict a (theirs).md",
  ],
  [
    "a document that comes back into the mirrored subtree after it was deleted here ends it too",
    (world) => {
      world.patchLink(world.idAt("a.md"), { standing: "outside" });
      world.files.delete("a.md");
    },
    0,
    "drop-conflict a (theirs).md; create-local a.md",
  ],
  [
    "a document that is not seen keeps it",
    (world) => {
      const id = world.idAt("a.md");
      world.documents.delete(id);
      world.remoteUnseen.set(id, "x");
    },
    1,
    "hold not-seen a.md",
  ],
  [
    "a text that cannot be sent does not end it",
    (world) => {
      world.others.delete(SIDECAR);
      world.files.get("a.md")!.fault = "holds-nul";
    },
    1,
    "hold holds-nul a.md",
  ],
];

test.each(rows)("I27 %s", (_, then, looksGone, plan) => {
  expect(say(planOf(inConflict(then, looksGone)))).toBe(plan);
});

test.each([["linked"], ["outside"]] as const)(
  "I27 one absence alone does not end the conflict of a document that left the mirrored subtree (%s)",
  (standing) => {
    const left = (world: World): void => {
      moveOutside(world);
      world.patchLink(world.idAt("a.md"), { standing });
      world.files.delete("a.md");
    };
    expect(say(planOf(inConflict(left), { absentTwice: new Set() }))).toBe("hold second-look a.md");
  },
);

test("I27 nothing of a conflict is done in one direction only", () => {
  const gone = (world: World) => void world.others.delete(SIDECAR);
  expect(say(planOf(inConflict(gone, 1), { direction: "pull-only" }))).toBe("hold conflict a.md");
});

test("names of a sidecar's form are no documents", () => {
  const world = worldAfter(["a.md=1", "other b_(theirs).md sidecar", "", ""]);
  expect(say(planOf(world))).toBe("");
});

test("two new texts at one path become a conflict that stays quiet until it ends", () => {
  const world = worldAfter(["", "new a.md 1", "new a.md 2", ""]);
  execute(world, planOf(world).steps, () => 0);
  expect(say(planOf(world))).toBe("hold conflict a.md");
  world.others.delete(SIDECAR);
  execute(world, planOf(world).steps, () => 0);
  expect(say(planOf(world))).toBe("end-conflict mine a.md");
});

/** Two documents in conflict, each with its sidecar beside it. */
function twoInConflict(base: string, first: string, second: string): World {
  const world = worldAfter([base, `edit ${first} 2; edit ${second} 2`, `edit ${first} 3; edit ${second} 3`, ""]);
  openConflict(world, first);
  openConflict(world, second);
  return world;
}

test("I27 a sidecar that has the inode of one that was removed stays its own document's", () => {
  const world = twoInConflict("a.md=1 b.md=1", "a.md", "b.md");
  const { ino } = world.others.get(SIDECAR)!;
  world.others.delete(SIDECAR);
  // Freed by the removal, and given to the next file that was made.
  world.others.set("b (theirs).md", { kind: "sidecar", ino });
  const id = world.idAt("b.md");
  world.conflicts.set(id, { ...world.conflicts.get(id)!, sidecarIno: ino });
  expect(say(planOf(world))).toBe("look-again; hold conflict a.md; hold conflict b.md");
});

test("I27 a removed sidecar is gone, and not the one at which its document stands now", () => {
  const world = twoInConflict("a.md=1 b.md=1", "a.md", "b.md");
  world.others.delete(SIDECAR);
  world.moveLocal("a.md", "c.md");
  world.moveLocal("b.md", "a.md");
  world.moveLocal("c.md", "b.md");
  expect(say(planOf(world))).toContain("look-again");
  expect(say(planOf(world))).not.toContain("b (theirs).md>b (theirs).md");
});

test("I27 sidecars go with their folders when these change places", () => {
  const world = twoInConflict("f/x.md=1 g/x.md=1", "f/x.md", "g/x.md");
  world.moveLocal("f", "h");
  world.moveLocal("g", "f");
  world.moveLocal("h", "g");
  const inodes = [world.others.get("f/x (theirs).md"), world.others.get("g/x (theirs).md")];
  execute(world, planOf(world).steps, () => 0);
  expect([world.others.get("f/x (theirs).md"), world.others.get("g/x (theirs).md")]).toEqual(inodes);
  expect(world.conflicts.get(world.idAt("g/x.md"))!.sidecarPath).toBe("g/x (theirs).md");
  expect(world.conflicts.get(world.idAt("f/x.md"))!.sidecarPath).toBe("f/x (theirs).md");
});
