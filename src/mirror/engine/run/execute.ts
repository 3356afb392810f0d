import type { Action, Outcome, Step } from "../../model/action.ts";

/** End of a step. `withheld`: a safety check stopped the plan, so none of its steps began. */
export type StepEnd =
  | { readonly kind: "ran"; readonly outcome: Outcome }
  | { readonly kind: "skipped"; readonly why: "withheld" | "needs-failed" | "stopped" };

/** Returns true if steps that depend on this one may run. */
export function endedWell({ kind }: Outcome): boolean {
  return kind === "done" || kind === "submitted";
}

/**
 * Returns true if content was sent to review because another edit was published. That edit must
 * still be read.
 */
export function metAnotherEdit(outcome: Outcome): boolean {
  return outcome.kind === "submitted" && outcome.isConflict === true;
}

type Options = {
  /** Number of steps that may run in parallel. */
  readonly concurrency: number;
  readonly isFatal: (outcome: Outcome) => boolean;
  readonly onEnd: (done: number) => void;
  /** When the signal aborts, no more steps start. */
  readonly stop?: AbortSignal;
};

/**
 * Runs the steps of a plan, several in parallel, each after the steps that it depends on have
 * succeeded. A failing step delays only its dependants (I17). Starts no more steps after an outcome
 * for which `isFatal` returns true (the service is gone, the key is refused).
 * @returns how each step ended, by its index
 */
export function executeSteps(
  steps: readonly Step[],
  perform: (action: Action) => Promise<Outcome>,
  options: Options,
): Promise<StepEnd[]> {
  return new Execution(steps, perform, options).run();
}

/**
 * The end of nearly all steps. It is shared: an object for each would stay in memory until the
 * run's end.
 */
const RAN_WELL: StepEnd = { kind: "ran", outcome: { kind: "done" } };

const NEEDS_FAILED: StepEnd = { kind: "skipped", why: "needs-failed" };
const NONE: readonly number[] = [];

class Execution {
  readonly #steps: readonly Step[];
  readonly #perform: (action: Action) => Promise<Outcome>;
  readonly #options: Options;
  readonly #ends: (StepEnd | undefined)[];
  readonly #waitingFor: number[];
  /** Dependent steps, by step. */
  readonly #dependants = new Map<number, number[]>();
  readonly #ready: number[] = [];
  /** Number of entries of `#ready` that were started or skipped. */
  #next = 0;
  #ended = 0;
  #running = 0;
  #stopped = false;

  constructor(steps: readonly Step[], perform: (action: Action) => Promise<Outcome>, options: Options) {
    this.#steps = steps;
    this.#perform = perform;
    this.#options = options;
    this.#ends = new Array(steps.length);
    this.#waitingFor = steps.map((step) => step.after.length);
    for (const [index, { after }] of steps.entries())
      for (const needed of after) {
        const known = this.#dependants.get(needed);
        if (known === undefined) this.#dependants.set(needed, [index]);
        else known.push(index);
      }
    for (let index = 0; index < steps.length; index++) if (this.#waitingFor[index] === 0) this.#ready.push(index);
  }

  run(): Promise<StepEnd[]> {
    const { promise, resolve, reject } = Promise.withResolvers<StepEnd[]>();
    const startReady = (): void => {
      while (this.#next < this.#ready.length && this.#running < this.#options.concurrency) {
        const index = this.#ready[this.#next++]!;
        if (this.#ends[index] !== undefined) continue;
        if (this.#stopped || this.#options.stop?.aborted === true)
          this.#end(index, { kind: "skipped", why: "stopped" });
        else this.#start(index).then(startReady, reject);
      }
      if (this.#ended === this.#steps.length) resolve(this.#ends as StepEnd[]);
      else if (this.#running === 0) reject(new Error("the plan's steps need each other in a circle"));
    };
    startReady();
    return promise;
  }

  async #start(index: number): Promise<void> {
    this.#running++;
    try {
      const outcome = await this.#perform(this.#steps[index]!.action);
      this.#running--;
      if (this.#options.isFatal(outcome)) this.#stopped = true;
      this.#end(index, outcome.kind === "done" ? RAN_WELL : { kind: "ran", outcome });
    } catch (error) {
      // After a bug or a kill, no more steps start: the failed step counts as running forever.
      this.#stopped = true;
      throw error;
    }
  }

  #end(first: number, firstEnd: StepEnd): void {
    const ending: [number, StepEnd][] = [[first, firstEnd]];
    for (let entry = ending.pop(); entry !== undefined; entry = ending.pop()) {
      const [index, result] = entry;
      if (this.#ends[index] !== undefined) continue;
      this.#ends[index] = result;
      this.#ended++;
      const well = result.kind === "ran" && endedWell(result.outcome);
      const skipped = result.kind === "skipped" ? result : NEEDS_FAILED;
      for (const dependant of this.#dependants.get(index) ?? NONE) {
        if (!well) ending.push([dependant, skipped]);
        else if (--this.#waitingFor[dependant]! === 0) this.#ready.push(dependant);
      }
    }
    this.#options.onEnd(this.#ended);
  }
}
