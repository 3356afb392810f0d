import { expect, test } from "vitest";
import { DEFAULT_GUARDS } from "../../../src/model/policy.ts";
import type { HaltReason } from "../../../src/planner/plan-types.ts";
import { deleteBudget } from "../../../src/planner/verdict/verdict.ts";
import { planOf } from "../table.ts";
import { World } from "../world.ts";

/** How many deletions need no question: a share of what is known, within bounds. */

test.each([
  [0, 10],
  [100, 10],
  [109, 10],
  [110, 11],
  [999, 99],
  [1000, 100],
  [50_000, 100],
])("of %i documents %i may be deleted without a question", (known, budget) => {
  expect(deleteBudget(DEFAULT_GUARDS, known)).toBe(budget);
});

test.each<[gone: number, knownAtHalt: number | null, reasons: HaltReason[]]>([
  [15, null, []],
  [15, 100, ["delete-budget-remote"]],
  [10, 100, []],
  [20, 300, []],
  [21, 300, ["delete-budget-remote"]],
])("%i of 200 gone here, of which %s were known when a halt began that stands", (gone, knownAtHalt, reasons) => {
  const world = new World();
  for (let n = 0; n < 200; n++) world.synced(`n${n}.md`, `text ${n}`);
  for (let n = 0; n < gone; n++) world.files.delete(`n${n}.md`);
  const { verdict } = planOf(world, {}, { knownAtHalt });
  expect(verdict.kind === "run" ? [] : verdict.reasons.map(({ reason }) => reason)).toEqual(reasons);
});
