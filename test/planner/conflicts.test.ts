import { describe, expect, test } from "vitest";
import { planOf, say } from "./table.ts";
import type { World } from "./world.ts";
import { inConflict, moveOutside, NEWEST, SIDECAR, showSecond, takeCopy, TEXT } from "./in-conflict.ts";

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
    "end-conflict mine a.md; hold conflict a.md",
  ],
  [
    "a sidecar that was being replaced is not gone, and is shown again",
    (world) => {
      world.others.delete(SIDECAR);
      takeCopy(world);
    },
    1,
    "renew-conflict a.md; hold conflict a.md",
  ],
  [
    "nor is the older one taken for the newer, where it is still there",
    takeCopy,
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
    "rename-remote a.md>b.md; move-conflict-copy a (theirs).md>b (theirs).md; relink b.md; hold conflict b.md",
  ],
  [
    "the sidecar follows the service's rename",
    (world) => {
      world.documents.get(world.idAt("a.md"))!.path = "d/a.md";
    },
    0,
    "move-local a.md>d/a.md; move-conflict-copy a (theirs).md>d/a (theirs).md; relink d/a.md; hold conflict a.md",
  ],
  [
    "a sidecar that the user moved along is only recorded",
    (world) => {
      world.moveLocal("a.md", "d/a.md");
      world.others.set("d/a (theirs).md", world.others.get(SIDECAR)!);
      world.others.delete(SIDECAR);
    },
    0,
    "reparent-remote a.md>d/a.md; move-conflict-copy d/a (theirs).md>d/a (theirs).md; relink d/a.md; hold conflict d/a.md",
  ],
  [
    "a document deleted locally comes back without it",
    (world) => {
      world.files.delete("a.md");
    },
    0,
    "drop-conflict a (theirs).md; create-local a.md",
  ],
  [
    "a document deleted locally with its sidecar comes back",
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
      world.foldersComplete = false;
      world.dirs.clear();
    },
    0,
    "trash-local d/x.md; hold gone-or-unreadable a.md",
  ],
  [
    "a document that is gone, and cannot be read here, keeps it",
    (world) => {
      world.documents.delete(world.idAt("a.md"));
      world.files.delete("a.md");
      world.unseen.set("a.md", "EACCES");
    },
    0,
    "hold local-unreadable a.md",
  ],
  [
    "a document that is deleted on both sides ends it",
    (world) => {
      world.documents.delete(world.idAt("a.md"));
      world.files.delete("a.md");
    },
    0,
    "drop-conflict a (theirs).md; forget a.md",
  ],
  [
    "a document that left the mirrored subtree and is deleted locally ends it",
    (world) => {
      moveOutside(world);
      world.files.delete("a.md");
    },
    0,
    "drop-conflict a (theirs).md; note-facts away",
  ],
  [
    "a document that left the mirrored subtree keeps it for as long as it is held",
    moveOutside,
    0,
    "note-facts outside; hold outside a.md",
  ],
  [
    "a document that was held outside and is deleted locally ends it, and its return is a move",
    (world) => {
      moveOutside(world);
      world.patchLink(world.idAt("a.md"), { standing: "outside" });
      world.files.delete("a.md");
    },
    0,
    "drop-conflict a (theirs).md; note-facts away",
  ],
  [
    "a document that comes back into the mirrored subtree after it was deleted locally ends it too",
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
      world.files.get("a.md")!.fault = "contains-nul";
    },
    1,
    "hold contains-nul a.md",
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
    expect(say(planOf(inConflict(left), { absentTwice: new Set() }))).toBe("hold second-scan a.md");
  },
);

const gone = (world: World) => void world.others.delete(SIDECAR);

test("I27 nothing of a conflict is done in one direction only", () => {
  expect(say(planOf(inConflict(gone, 1), { direction: "pull-only" }))).toBe("hold conflict a.md");
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
      "rename-remote a.md>b.md; move-conflict-copy a (theirs).md>b (theirs).md; move-conflict-copy a (theirs 2).md>b (theirs 2).md; relink b.md; hold conflict b.md",
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
    expect(say(planOf(world))).toBe("end-conflict mine a.md; hold conflict a.md");
  });
});
