import { expect, test } from "vitest";
import { makePlan } from "../../src/mirror/planner/plan.ts";
import { doLocally, doRemotely, worldOf } from "./commands.ts";
import { execute } from "./executor.ts";
import { planWords } from "./notation.ts";
import { POLICY, SIGNALS } from "./defaults.ts";
import { World } from "./world.ts";
import { treesOf } from "./world-trees.ts";

test.each([
  ["a.md=1", "new b.md 2", "", ["create-remote b.md"]],
  ["a.md=1", "edit a.md 2", "", ["put a.md"]],
  ["a.md=1", "rm a.md", "", ["delete-remote a.md"]],
  ["a.md=1", "mv a.md b.md", "", ["rename-remote a.md>b.md", "relink b.md"]],
  [
    "a.md=1 d/b.md=2",
    "mv a.md d/c.md",
    "",
    ["rename-remote a.md>c.md", "reparent-remote c.md>d/c.md", "relink d/c.md"],
  ],
  ["a.md=1 d/b.md=2", "mv d e", "", ["rename-folder-remote d>e", "link-folder e"]],
  ["a.md=1", "", "mv a.md b.md", ["move-local a.md>b.md", "relink b.md"]],
  ["a.md=1", "", "edit a.md 2", ["write-local a.md"]],
  ["a.md=1", "", "rm a.md", ["trash-local a.md"]],
  ["a.md=1", "", "new n/b.md 2", ["make-folder-local n", "create-local n/b.md"]],
  ["a.md=1", "new n/b.md 2", "", ["make-folder-remote n", "create-remote n/b.md"]],
  [
    "a.md=1 b.md=2",
    "mv a.md t.md; mv b.md a.md; mv t.md b.md",
    "",
    [
      "rename-remote a.md>a-TMP.md~",
      "rename-remote b.md>a.md",
      "rename-remote a-TMP.md>b.md",
      "relink a.md",
      "relink b.md",
    ],
  ],
  ["d/b.md=2", "rmdir d", "", ["delete-remote d/b.md", "remove-folder-remote d"]],
  ["d/b.md=2", "", "rmdir d", ["trash-local d/b.md", "remove-folder-local d"]],
])("%s | %s | %s", (base, local, remote, expected) => {
  const world = worldOf(() => new World(), base);
  doLocally(world, local);
  doRemotely(world, remote);
  const plan = makePlan(treesOf(world), POLICY, SIGNALS, world.lookup());
  expect(planWords(plan)).toEqual(expected);
  execute(world, plan.steps, () => 0);
  expect(planWords(makePlan(treesOf(world), POLICY, SIGNALS, world.lookup()))).toEqual([]);
});
