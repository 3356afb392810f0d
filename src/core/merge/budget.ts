/**
 * Work allowed to one merge, counted in comparison steps, never in time: the same three texts always end the same way,
 * on any machine.
 */
export type Budget = { left: number };

/** LIMIT: steps of one merge; about 100 ms of CPU on a slow core. */
export const MERGE_STEPS = 12_000_000;

/** Takes `steps` from the budget; false when it is used up. */
export function spend(budget: Budget, steps: number): boolean {
  budget.left -= steps;
  return budget.left >= 0;
}
