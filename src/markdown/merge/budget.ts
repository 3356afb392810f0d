/**
 * Number of steps that one merge may still take; below zero, the budget is used up. Steps are
 * comparisons, never time, so the same three texts give the same result on any machine.
 */
export type Budget = { left: number };

/** LIMIT: steps of one merge. Nearly all real merges take fewer. */
export const MERGE_STEPS = 2_000_000;

export function newBudget(): Budget {
  return { left: MERGE_STEPS };
}

/**
 * Reserves the price of work before the work is done. Returns false, with the budget used up, when
 * the budget is too small.
 */
export function reserveSteps(budget: Budget, steps: number): boolean {
  budget.left = Math.max(-1, budget.left - steps);
  return budget.left >= 0;
}

/** Takes `steps` from the budget. Returns false when the budget is used up. */
export function spendSteps(budget: Budget, steps: number): boolean {
  budget.left -= steps;
  return budget.left >= 0;
}
