import type { Action, Outcome, Step } from "../../model/action.ts";

/**
 * Result of a step. A step is `withheld` if a safety check stopped the plan. It has `needs-failed`
 * if a step that it depends on failed, and `stopped` if the run was stopped.
 */
export type StepEnd =
  | { readonly kind: "ran"; readonly outcome: Outcome }
  | { readonly kind: "skipped"; readonly why: "withheld" | "needs-failed" | "stopped" };

/** Returns true if the steps that depend on a step with this outcome may run. */
export function endedWell({ kind }: Outcome): boolean {
  return kind === "done" || kind === "submitted";
}

/**
 * Returns true if content went to review because another edit was published meanwhile. The next
 * cycle must still read that edit.
 */
export function isReviewOfConflict(outcome: Outcome): boolean {
  return outcome.kind === "submitted" && outcome.isConflict === true;
}

type Options = {
  /** Number of steps that may run in parallel. */
  readonly concurrency: number;
  readonly isFatal: (outcome: Outcome) => boolean;
  readonly onEnd: (done: number) => void;
  /** Signal after which no more steps start. */
  readonly stop?: AbortSignal;
};

/**
 * Result of nearly all steps. It is shared, because an object for each step would stay in memory
 * until the end of the run.
 */
const RAN_WELL: StepEnd = { kind: "ran", outcome: { kind: "done" } };

const NEEDS_FAILED: StepEnd = { kind: "skipped", why: "needs-failed" };
const STOPPED: StepEnd = { kind: "skipped", why: "stopped" };

/**
 * Runs the steps of a plan, several at a time, each after the steps that it depends on. If a step
 * fails, only the steps that depend on it are skipped (I17). After an outcome for which `isFatal`
 * returns true (the service is unreachable, or refuses the key), no more steps start.
 * @returns the result of each step, by its index
 */
export function executeSteps(
  steps: readonly Step[],
  perform: (action: Action) => Promise<Outcome>,
  { concurrency, isFatal, onEnd, stop }: Options,
): Promise<StepEnd[]> {
  const { promise, resolve, reject } = Promise.withResolvers<StepEnd[]>();
  const ends = new Array<StepEnd | undefined>(steps.length);
  const waitingFor = steps.map(({ after }) => after.length);
  const dependants = Map.groupBy(
    steps.flatMap(({ after }, index) => after.map((prerequisite) => ({ prerequisite, index }))),
    ({ prerequisite: needed }) => needed,
  );
  const ready = [...steps.keys()].filter((index) => waitingFor[index] === 0);
  let [next, ended, running, isStopped] = [0, 0, 0, false];

  /**
   * Stores the result of a step. Returns the steps that must be skipped because they depend on it.
   */
  const note = (index: number, result: StepEnd): (readonly [number, StepEnd])[] => {
    ends[index] = result;
    ended++;
    const after = dependants.get(index) ?? [];
    if (result.kind !== "ran" || !endedWell(result.outcome)) {
      const skipped = result.kind === "skipped" ? result : NEEDS_FAILED;
      return after.map(({ index: dependant }) => [dependant, skipped] as const);
    }
    for (const { index: dependant } of after) if (--waitingFor[dependant]! === 0) ready.push(dependant);
    return [];
  };

  const end = (index: number, result: StepEnd): void => {
    const ending = [[index, result] as const];
    for (const [index, end] of ending)
      if (ends[index] === undefined) for (const skipped of note(index, end)) ending.push(skipped);
    onEnd(ended);
  };

  const start = async (index: number): Promise<void> => {
    running++;
    // After an exception, no more steps start. `running` is not reduced, so the promise is not
    // rejected a second time.
    const outcome = await perform(steps[index]!.action).catch((error: unknown) => {
      isStopped = true;
      throw error;
    });
    running--;
    isStopped ||= isFatal(outcome);
    end(index, outcome.kind === "done" ? RAN_WELL : { kind: "ran", outcome });
  };

  const startReady = (): void => {
    while (next < ready.length && running < concurrency) {
      const index = ready[next++]!;
      if (ends[index] !== undefined) continue;
      if (isStopped || stop?.aborted === true) end(index, STOPPED);
      else start(index).then(startReady, reject);
    }
    if (ended === steps.length) resolve(ends as StepEnd[]);
    else if (running === 0) reject(new Error("the plan's steps need each other in a circle"));
  };
  startReady();
  return promise;
}
