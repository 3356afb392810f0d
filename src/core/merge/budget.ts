import type { Token } from "./tokens.ts";

/**
 * What one merge may use: comparison steps, never time, so that the same three texts always end the same way on any
 * machine; and the tokens of each line seen so far, so that no line is cut twice.
 */
export type Budget = { left: number; readonly cut: Map<string, readonly Token[]> };

/** LIMIT: steps of one merge: five times the most that a real merge of the development set took. */
export const MERGE_STEPS = 4_000_000;

/** A full budget. */
export function newBudget(): Budget {
  return { left: MERGE_STEPS, cut: new Map() };
}

/** Takes `steps` from the budget; false when it is used up. */
export function spend(budget: Budget, steps: number): boolean {
  budget.left -= steps;
  return budget.left >= 0;
}
