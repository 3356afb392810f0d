import type { Action, Outcome, Step } from "../../model/action.ts";

export type StepEnd =
  | { readonly kind: "ran"; readonly outcome: Outcome }
  | { readonly kind: "skipped"; readonly why: "withheld" | "needs-failed" | "stopped" };

/**
 * Runs the steps of a plan, each when those it needs have ended well, several at a time. A failing
 * step delays only what needs it (I17). Stops starting new ones when `isFatal` says so of an
 * outcome (the service is gone, the key is refused).
 * @param withheld indexes of steps that must not run (guarded by a halt)
 * @returns how each step ended, by its index
 */
export async function executeSteps(
  steps: readonly Step[],
  withheld: ReadonlySet<number>,
  perform: (action: Action) => Promise<Outcome>,
  options: {
    /** What may be under way at once, in parts. */
    readonly concurrency: number;
    /**
     * Parts that an action takes while it runs; 1 where it is left out. Not more than
     * `concurrency`.
     */
    readonly partsOf?: (action: Action) => number;
    readonly isFatal: (outcome: Outcome) => boolean;
    readonly onEnd: (done: number) => void;
  },
): Promise<StepEnd[]> {
  const ends: (StepEnd | undefined)[] = new Array(steps.length);
  const waitingFor = steps.map((step) => step.after.length);
  const dependants: number[][] = steps.map(() => []);
  for (const [index, step] of steps.entries()) for (const needed of step.after) dependants[needed]!.push(index);
  const ready: number[] = [];
  for (let index = 0; index < steps.length; index++) if (waitingFor[index] === 0) ready.push(index);

  let next = 0;
  let ended = 0;
  let stopped = false;

  function end(first: number, firstEnd: StepEnd): void {
    const ending: [number, StepEnd][] = [[first, firstEnd]];
    for (let entry = ending.pop(); entry !== undefined; entry = ending.pop()) {
      const [index, result] = entry;
      if (ends[index] !== undefined) continue;
      ends[index] = result;
      ended++;
      const well = result.kind === "ran" && (result.outcome.kind === "done" || result.outcome.kind === "submitted");
      const why = result.kind === "skipped" && result.why === "stopped" ? "stopped" : "needs-failed";
      for (const dependant of dependants[index]!) {
        if (!well) ending.push([dependant, { kind: "skipped", why }]);
        else if (--waitingFor[dependant]! === 0) ready.push(dependant);
      }
    }
    options.onEnd(ended);
  }

  async function runOne(index: number): Promise<void> {
    const outcome = await perform(steps[index]!.action);
    if (options.isFatal(outcome)) stopped = true;
    end(index, { kind: "ran", outcome });
  }

  let running = 0;
  let wake = (): void => undefined;
  const broken: unknown[] = [];
  while (ended < steps.length) {
    while (next < ready.length) {
      const index = ready[next]!;
      const parts = options.partsOf?.(steps[index]!.action) ?? 1;
      if (running + parts > options.concurrency) break;
      next++;
      if (ends[index] !== undefined) continue;
      if (stopped) end(index, { kind: "skipped", why: "stopped" });
      else if (withheld.has(index)) end(index, { kind: "skipped", why: "withheld" });
      else {
        running += parts;
        void runOne(index)
          .catch((error: unknown) => void broken.push(error))
          .then(() => {
            running -= parts;
            wake();
          });
      }
    }
    // Not a race of all of them: that costs every end a look at each.
    if (running > 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    // A bug, or the process being killed: nothing more is started.
    if (broken.length > 0) throw broken[0];
    if (running === 0 && next >= ready.length && ended < steps.length)
      throw new Error(`the plan's steps need each other in a circle: ${describe(steps, ends)}`);
  }
  return ends as StepEnd[];
}

/** For the report of a bug: the steps that never became ready. */
function describe(steps: readonly Step[], ends: readonly (StepEnd | undefined)[]): string {
  const open = steps.flatMap(({ action, after }, index) =>
    ends[index] === undefined ? [`${index} ${JSON.stringify(action)} after ${after.join(",")}`] : [],
  );
  return open.join("; ");
}
