import { expect, test } from "vitest";
import { hashedName } from "../../src/mirror/model/local-name.ts";
import { leavesMoreWork } from "../../src/mirror/planner/sequel.ts";
import { doLocally, doRemotely, openConflict } from "./commands.ts";
import { planOf, say, worldAfter } from "./table.ts";
import { treesOf } from "./world-trees.ts";

/** Whether a step of the plan asks for another cycle. */
function hasSequel(base: string, local: string, remote = ""): boolean {
  const world = worldAfter([base, local, remote, ""]);
  const plan = planOf(world);
  expect(say(plan)).not.toBe("");
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
  const standIn = hashedName("a.md", "file", id, world.disk.maxNameBytes);
  world.moveLocal("a.md", standIn);
  world.patchLink(id, { localPath: standIn });
  const plan = planOf(world);
  const move = plan.steps[0]!.action;
  expect(move).toMatchObject({ kind: "move-local", from: standIn, to: "a.md" });
  expect(leavesMoreWork(plan, treesOf(world))(move)).toBe(true);
});
