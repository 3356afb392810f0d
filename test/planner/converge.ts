import type { Block } from "../../src/mirror/model/record.ts";
import type { Trees } from "../../src/mirror/model/tree.ts";
import type { BlockReason } from "../../src/mirror/model/block.ts";
import type { Plan } from "../../src/mirror/planner/plan-types.ts";
import { makePlan } from "../../src/mirror/planner/plan.ts";
import type { Policy } from "../../src/mirror/model/policy.ts";
import { leavesMoreWork } from "../../src/mirror/planner/sequel.ts";
import { applyChanges, type Scenario } from "./arbitrary.ts";
import { execute } from "./executor.ts";
import { planWords, SIGNALS } from "./table.ts";
import { type World, sidesOf, treesOf } from "./world.ts";

/** LIMIT: cycles until a plan has no step. */
const PASSES = 5;

/**
 * Runs cycles until a plan is empty. Each cycle executes its steps in a random order that `after`
 * allows.
 */
export function converge(
  world: World,
  scenario: Scenario,
  policy: Policy,
  pick: (n: number) => number,
): readonly Block[] {
  const said = applyChanges(world, scenario);
  let isOver = false;
  for (let pass = 0; pass < PASSES; pass++) {
    const trees = treesOf(world);
    const plan = makePlan(trees, policy, SIGNALS, world.lookup());
    said.push(`-- pass ${pass}`, ...planWords(plan));
    if (isOver && plan.steps.length > 0)
      throw new Error(`a run had ended, and there is more to do\n${said.join("\n")}`);
    isOver = !leavesMore(plan, trees);
    if (plan.steps.length === 0) {
      checkBijection(world, plan.blocks, said);
      return plan.blocks;
    }
    try {
      execute(world, plan.steps, pick);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${said.join("\n")}`);
    }
  }
  throw new Error(`not quiet after ${PASSES} passes\n${said.join("\n")}`);
}

/**
 * Checks that every document without a block is at the paths of its record on both sides, and that
 * no two documents have one path.
 */
function checkBijection(world: World, blocks: readonly Block[], said: readonly string[]): void {
  const blocked = new Set(blocks.map(({ key }) => key));
  const places = new Set<string>();
  for (const [id, record] of world.records) {
    if (blocked.has(id)) continue;
    const right = world.files.has(record.localPath) && world.documents.get(id)?.path === record.remotePath;
    if (!right || places.has(record.localPath)) throw new Error(`${id} is not where it is linked\n${said.join("\n")}`);
    places.add(record.localPath);
  }
  if (blocks.length > 0) return;
  const { local, remote } = sidesOf(world);
  // A new document or folder may get a numbered name because its name was taken. It keeps that name
  // on the service if the other document is deleted before the two were renamed.
  if (said.some((one) => /create-remote .*-2|make-folder-remote .*-2/.test(one))) return;
  if (JSON.stringify(local) !== JSON.stringify(remote))
    throw new Error(`${JSON.stringify({ local, remote }, null, 1)}\n${said.join("\n")}`);
}

/**
 * Blocks whose cause is another document. It may have been removed by the steps of the same plan.
 */
const MAY_END: ReadonlySet<BlockReason> = new Set([
  "path-taken",
  "name-clash",
  "type-clash",
  "folder-blocked",
  "gone-or-unreadable",
]);

/** Returns true if something may be left to do after all steps of a plan. */
function leavesMore(plan: Plan, trees: Trees): boolean {
  const { steps, blocks } = plan;
  if (steps.length === 0) return false;
  const hasSequel = leavesMoreWork(plan, trees);
  return steps.some(({ action }) => hasSequel(action)) || blocks.some(({ reason }) => MAY_END.has(reason));
}
