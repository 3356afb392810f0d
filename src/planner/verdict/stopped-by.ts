import type { Action } from "../../model/action.ts";
import type { Plan, Verdict } from "../plan-types.ts";

/** What a halt keeps from being done, in the order of the plan. */
export function stoppedBy(
  { guarded, stopsAll }: Extract<Verdict, { kind: "halt" }>,
  steps: Plan["steps"],
): readonly Action[] {
  return stopsAll ? steps.map(({ action }) => action) : guarded.map((index) => steps[index]!.action);
}
