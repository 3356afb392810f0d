/**
 * What is left of the steps that one merge may take: comparisons, never time, so that the same
 * three texts always end the same way on any machine. Below zero it is used up.
 */
export type Budget = { left: number };

/**
 * LIMIT: steps of one merge: more than all but one in a thousand real merges of the development
 * sets take.
 */
export const MERGE_STEPS = 2_000_000;

/** A full budget. */
export function newBudget(): Budget {
  return { left: MERGE_STEPS };
}

/**
 * Takes the price of work that is still to be done; false, with an empty budget, when there is not
 * as much.
 */
export function afford(budget: Budget, steps: number): boolean {
  budget.left = Math.max(-1, budget.left - steps);
  return budget.left >= 0;
}

/** Takes `steps` from the budget; false when it is used up. */
export function spend(budget: Budget, steps: number): boolean {
  budget.left -= steps;
  return budget.left >= 0;
}
