import { describe, expect, test } from "vitest";
import { comparePlans, toPlainPlan, recordFacts, replan } from "../../../src/mirror/operations/doctor/bundle.ts";
import type { PlanInput } from "../../../src/mirror/planner/plan-types.ts";
import { makePlan } from "../../../src/mirror/planner/plan.ts";
import { applyChanges, baseWorld, scenarios, anyPolicy, anyTrees, lookups } from "../../planner/arbitrary.ts";
import { POLICY, SIGNALS } from "../../planner/table.ts";
import { treesOf } from "../../planner/world.ts";
import { fc, runs } from "../../property.ts";

const SALT = "0".repeat(64);

/**
 * Writes trees to a bundle. Returns the differences between the replayed plan and the original one.
 */
function differences(input: PlanInput, withNames: boolean): readonly string[] {
  const plan = makePlan(input.trees, input.policy, input.signals, input.texts);
  const facts = JSON.parse(JSON.stringify(recordFacts({ plan, input, journal: [] }, withNames, SALT)));
  const replayed = replan(facts);
  expect(replayed.unanswered).toBe(0);
  return comparePlans(facts.planned, toPlainPlan(replayed.plan));
}

describe("a bundle", () => {
  test.each([false, true])("makes the plan that was recorded (with names: %s)", (withNames) => {
    fc.assert(
      fc.property(scenarios(), fc.boolean(), (scenario, isFolding) => {
        const world = baseWorld(scenario);
        if (isFolding) world.disk = { ...world.disk, foldsCase: true, foldsUnicode: true };
        applyChanges(world, scenario);
        const input = { trees: treesOf(world), policy: POLICY, signals: SIGNALS, texts: world.lookup() };
        expect(differences(input, withNames)).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });

  test("with names makes the recorded plan of any trees", () => {
    fc.assert(
      fc.property(anyTrees, anyPolicy, (trees, policy) => {
        expect(differences({ trees, policy, signals: SIGNALS, texts: lookups.lookup() }, true)).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });
});
