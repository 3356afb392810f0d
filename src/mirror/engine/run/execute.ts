import type { Action, Outcome, Step } from "../../model/action.ts";

/**
 * Result of a step.
 * - `withheld`: a safety check stopped the plan.
 * - `needs-failed`: this step depends on a step that failed.
 * - `stopped`: the run was stopped.
 */
export type StepEnd =
  | { readonly kind: "ran"; readonly outcome: Outcome }
  | { readonly kind: "skipped"; readonly why: "withheld" | "needs-failed" | "stopped" };

/** Returns true if a step succeeded, so that the steps that depend on it may run. */
export function hasSucceeded({ kind }: Outcome): boolean {
  return kind === "done" || kind === "submitted";
}

/**
 * Returns true if content went to review because another user's edit was published meanwhile. The
 * next cycle must read that edit.
 */
export function isReviewOfConflict(outcome: Outcome): boolean {
  return outcome.kind === "submitted" && outcome.isConflict === true;
}

type ExecuteOptions = {
  readonly concurrency: number;
  readonly isFatal: (outcome: Outcome) => boolean;
  readonly onEnd: (done: number) => void;
  readonly stop?: AbortSignal;
};

/** Result of nearly all steps. One object for all steps saves memory. */
const DONE_END: StepEnd = { kind: "ran", outcome: { kind: "done" } };

const NEEDS_FAILED_END: StepEnd = { kind: "skipped", why: "needs-failed" };
const STOPPED_END: StepEnd = { kind: "skipped", why: "stopped" };

/**
 * Runs the steps of a plan in parallel, each step after those on which it depends. If a step fails,
 * only the steps that depend on it are skipped (I17). If `isFatal` returns true for an outcome, no
 * more steps start: the service is unreachable, or refuses the key.
 * @returns the result of each step, by its index
 */
export function executeSteps(
  steps: readonly Step[],
  perform: (action: Action) => Promise<Outcome>,
  { concurrency, isFatal, onEnd, stop }: ExecuteOptions,
): Promise<StepEnd[]> {
  const { promise, resolve, reject } = Promise.withResolvers<StepEnd[]>();
  const stepEnds = new Array<StepEnd | undefined>(steps.length);
  const waitingFor = steps.map(({ after }) => after.length);
  const dependants = new Map<number, number[]>();
  for (const [index, { after }] of steps.entries())
    for (const prerequisite of after) {
      const dependentSteps = dependants.get(prerequisite);
      if (dependentSteps === undefined) dependants.set(prerequisite, [index]);
      else dependentSteps.push(index);
    }
  const readySteps = [...steps.keys()].filter((index) => waitingFor[index] === 0);
  let [nextIndex, endedCount, runningCount, isStopped] = [0, 0, 0, false];

  /** Returns the steps that must be skipped because they depend on the ended step. */
  const recordEnd = (index: number, result: StepEnd): (readonly [number, StepEnd])[] => {
    stepEnds[index] = result;
    endedCount++;
    const dependentSteps = dependants.get(index) ?? [];
    if (result.kind !== "ran" || !hasSucceeded(result.outcome)) {
      const skippedEnd = result.kind === "skipped" ? result : NEEDS_FAILED_END;
      return dependentSteps.map((dependant) => [dependant, skippedEnd] as const);
    }
    for (const dependant of dependentSteps) if (--waitingFor[dependant]! === 0) readySteps.push(dependant);
    return [];
  };

  const endStep = (index: number, result: StepEnd): void => {
    const endsToRecord = [[index, result] as const];
    for (const [index, end] of endsToRecord)
      if (stepEnds[index] === undefined) for (const skipped of recordEnd(index, end)) endsToRecord.push(skipped);
    onEnd(endedCount);
  };

  const startStep = async (index: number): Promise<void> => {
    runningCount++;
    // An exception ends the whole run: no more steps start, and the failed step counts as running.
    const outcome = await perform(steps[index]!.action).catch((error: unknown) => {
      isStopped = true;
      throw error;
    });
    runningCount--;
    isStopped ||= isFatal(outcome);
    endStep(index, outcome.kind === "done" ? DONE_END : { kind: "ran", outcome });
  };

  const startReady = (): void => {
    while (nextIndex < readySteps.length && runningCount < concurrency) {
      const index = readySteps[nextIndex++]!;
      if (stepEnds[index] !== undefined) continue;
      if (isStopped || stop?.aborted === true) endStep(index, STOPPED_END);
      else startStep(index).then(startReady, reject);
    }
    if (endedCount === steps.length) resolve(stepEnds as StepEnd[]);
    else if (runningCount === 0) reject(new Error("the plan's steps need each other in a circle"));
  };
  startReady();
  return promise;
}
