import { expect } from "vitest";
import { makePlan } from "../../src/mirror/planner/plan.ts";
import type { Plan, Signals } from "../../src/mirror/planner/plan-types.ts";
import type { Policy } from "../../src/mirror/model/policy.ts";
import { doLocally, doRemotely, worldOf } from "./commands.ts";
import { execute } from "./executor.ts";
import { planWords } from "./notation.ts";
import { POLICY, SIGNALS } from "./defaults.ts";
import { World } from "./world.ts";
import { treesOf } from "./world-trees.ts";

/** base | local commands | remote commands | what the plan says, `; ` between its words. */
export type Row = readonly [base: string, local: string, remote: string, plan: string];

export function planOf(world: World, policy: Partial<Policy> = {}, signals: Partial<Signals> = {}): Plan {
  return makePlan(treesOf(world), { ...POLICY, ...policy }, { ...SIGNALS, ...signals }, world.lookup());
}

export function say(plan: Plan): string {
  return planWords(plan).join("; ");
}

export function worldAfter([base, local, remote]: Row, prepare: (world: World) => void = () => undefined): World {
  const world = worldOf(() => new World(), base);
  prepare(world);
  doLocally(world, local);
  doRemotely(world, remote);
  return world;
}

/** The plan is as the row says; and when it is applied, nothing is left to do. */
export function checkRow(row: Row, policy: Partial<Policy> = {}, prepare?: (world: World) => void): void {
  const world = worldAfter(row, prepare);
  expect(say(planOf(world, policy))).toBe(row[3]);
  for (let pass = 0; pass < 4; pass++) {
    const { steps } = planOf(world, policy);
    if (steps.length === 0) return;
    execute(world, steps, () => 0);
  }
  expect(say(planOf(world, policy))).toBe("");
}
