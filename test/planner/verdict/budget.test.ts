import { expect, test } from "vitest";
import { DEFAULT_GUARDS } from "../../../src/mirror/model/policy.ts";
import { deleteBudget } from "../../../src/mirror/planner/verdict/losses.ts";

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
