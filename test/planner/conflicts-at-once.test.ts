import { expect, test } from "vitest";
import { openConflict } from "./commands.ts";
import { execute } from "./executor.ts";
import { planOf, say, worldAfter } from "./table.ts";
import type { World } from "./world.ts";
import { SIDECAR } from "./in-conflict.ts";

/** Two conflicts side by side, and names that two documents want. */

test("names of the form of a conflict copy are no documents", () => {
  const world = worldAfter(["a.md=1", "other b_(theirs).md sidecar", "", ""]);
  expect(say(planOf(world))).toBe("");
});

test("two new contents at one path become a conflict that causes no action until it ends", () => {
  const world = worldAfter(["", "new a.md 1", "new a.md 2", ""]);
  execute(world, planOf(world).steps, () => 0);
  expect(say(planOf(world))).toBe("block conflict a.md");
  world.others.delete(SIDECAR);
  execute(world, planOf(world).steps, () => 0);
  expect(say(planOf(world))).toBe("end-conflict mine a.md");
});

/** Two documents in conflict, each with its conflict copy beside it. */
function twoInConflict(base: string, first: string, second: string): World {
  const world = worldAfter([base, `edit ${first} 2; edit ${second} 2`, `edit ${first} 3; edit ${second} 3`, ""]);
  openConflict(world, first);
  openConflict(world, second);
  return world;
}

test.each([
  [SIDECAR, "b (theirs).md", "b.md"],
  ["b (theirs).md", SIDECAR, "a.md"],
])(
  "I27 a conflict copy that has the inode of a removed copy stays its own document's: %s",
  (removed, kept, document) => {
    const world = twoInConflict("a.md=1 b.md=1", "a.md", "b.md");
    const { ino } = world.others.get(removed)!;
    world.others.delete(removed);
    // Freed by the removal, and given to the next file that was made.
    world.others.set(kept, { kind: "conflict-copy", ino });
    const id = world.idAt(document);
    const conflict = world.conflicts.get(id)!;
    world.conflicts.set(id, { ...conflict, shown: conflict.shown.map((version) => ({ ...version, ino })) });
    expect(say(planOf(world))).toBe("look-again; block conflict a.md; block conflict b.md");
  },
);

test("I27 a removed conflict copy is gone, although its document is at the path of another copy", () => {
  const world = twoInConflict("a.md=1 b.md=1", "a.md", "b.md");
  world.others.delete(SIDECAR);
  world.moveLocal("a.md", "c.md");
  world.moveLocal("b.md", "a.md");
  world.moveLocal("c.md", "b.md");
  expect(say(planOf(world))).toContain("look-again");
  expect(say(planOf(world))).not.toContain("b (theirs).md>b (theirs).md");
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
