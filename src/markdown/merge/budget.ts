/**
 * Number of steps that a merge may still take; negative when no steps are left. A step is about one
 * comparison. Steps are counted instead of time, so that a merge has the same result on every
 * machine.
 */
export type Budget = { left: number };

/**
 * LIMIT: number of steps in one merge, so that a merge takes limited time. Nearly all real merges
 * take fewer steps.
 */
export const MERGE_STEPS = 2_000_000;

export function newBudget(): Budget {
  return { left: MERGE_STEPS };
}

/**
 * Takes the steps of some work from the budget before the work is done. Returns false if the budget
 * has fewer steps than the work needs. No steps are then left.
 */
export function reserveSteps(budget: Budget, steps: number): boolean {
  budget.left = Math.max(-1, budget.left - steps);
  return budget.left >= 0;
}

/** Takes steps from the budget after work was done. Returns false if it had fewer steps. */
export function spendSteps(budget: Budget, steps: number): boolean {
  budget.left -= steps;
  return budget.left >= 0;
}
