import type { Action, Step } from "../../model/action.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { orderTargetsFirst } from "../../../common/targets-first.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { MirrorLinks } from "./mirror-links.ts";

/**
 * Orders a plan so that a document is created before the documents that link to it. A link can then
 * be sent with the id of its target. If links form a circle, one document is sent with a link that
 * has no target yet. The next cycle sends that document again.
 */
export function orderPlanTargetsFirst(plan: Plan, links: MirrorLinks): Plan {
  const creatingSteps = new Map<LocalPath, number>();
  for (const [index, { action }] of plan.steps.entries())
    if (action.kind === "create-remote") creatingSteps.set(action.localPath, index);
  if (creatingSteps.size === 0 || links.forms.known.isEmpty()) return plan;
  const targetsByStep = plan.steps.map(({ action }) => findTargetSteps(action, creatingSteps, links));
  const positionByStep = orderTargetsFirst(targetsByStep, creatingSteps.values());
  const steps = plan.steps.map((step, index): Step => {
    const stepIndex = positionByStep.get(index) ?? Number.POSITIVE_INFINITY;
    const targetSteps = targetsByStep[index]!.filter(
      (target) => target !== index && positionByStep.get(target)! < stepIndex,
    );
    return targetSteps.length === 0 ? step : { ...step, after: [...step.after, ...targetSteps] };
  });
  return { ...plan, steps };
}

function findTargetSteps(action: Action, creating: ReadonlyMap<LocalPath, number>, links: MirrorLinks): number[] {
  if (action.kind !== "create-remote" && action.kind !== "put") return [];
  const linkTargets = links.leadsOf(action.localPath, action.expect);
  return linkTargets.flatMap(({ at, to }) => {
    const target = to === null && at !== null ? creating.get(at) : undefined;
    return target === undefined ? [] : [target];
  });
}
