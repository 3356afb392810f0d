import type { Action } from "../../model/action.ts";
import type { Plan, Verdict } from "../plan-types.ts";

/**
 * Returns the actions that the answer to a stop concerns, in the order of the plan. All others wait
 * for the answer as well.
 */
export function stoppedBy(
  { stoppedSteps, byReason }: Extract<Verdict, { kind: "safety-stop" }>,
  steps: Plan["steps"],
): readonly Action[] {
  return byReason ? steps.map(({ action }) => action) : stoppedSteps.map((index) => steps[index]!.action);
}
