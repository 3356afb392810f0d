import type { Action, Outcome } from "../../model/action.ts";
import { sequels } from "../../planner/sequel.ts";
import { endedWell, metAnotherEdit, type StepEnd } from "./execute.ts";
import { META } from "./meta.ts";
import { runPass } from "./pass.ts";
import { type PassEnd, type PassInput, type Tally, zeroTally } from "./pass-context.ts";
import { isVainRepeat } from "./repeat-guard.ts";
import { reportOf, type RunReport } from "./report.ts";
import { type Counts, type Settings, type World, zeroCounts } from "./world.ts";

/** Passes to convergence, with a daemon or without one: until nothing is left to do. */

const MAX_PASSES = 5;

/** What a pass that was planned ended with. */
export type Planned = Extract<PassEnd, { kind: "planned" }>;

/** A run in the log: it gets its number with the first thing that is written down of it. */
export class RunEntry {
  readonly #world: World;
  readonly #kind: string;
  #begun: number | null = null;

  /** @param kind what the run is, for the log: `sync`, `watch`, `init` */
  constructor(world: World, kind: string) {
    this.#world = world;
    this.#kind = kind;
  }

  /** null: nothing was written down. */
  get begun(): number | null {
    return this.#begun;
  }

  get number(): number {
    this.#begun ??= this.#world.state.beginRun(this.#kind, this.#world.clock.now());
    return this.#begun;
  }

  end({ state, counts }: RunReport): void {
    if (this.#begun !== null)
      this.#world.state.endRun(this.#begun, this.#world.clock.now(), JSON.stringify({ state, counts }));
  }
}

export type ConvergeInput = {
  readonly run: RunEntry;
  readonly settings: Settings;
  /** Refused rows are tried again, by the first pass. */
  readonly retryRefused: boolean;
  /** How the next pass looks: asked before each. */
  readonly look: () => Pick<PassInput, "quietTexts" | "observers" | "absentTwice">;
  /** After each pass, before the next. */
  readonly onPass?: (end: PassEnd) => void;
  /**
   * Bases that were read and are refused may mean a restored service. Set: the next pass's guard
   * judges that, before anything else is written; else the next run's does.
   */
  readonly judgesRefusedBases: boolean;
};

type Converged = {
  readonly end: PassEnd;
  readonly passes: number;
  readonly counts: Counts;
  readonly tally: Tally;
};

export async function converge(world: World, input: ConvergeInput): Promise<Converged> {
  const { run, settings, judgesRefusedBases } = input;
  const counts = zeroCounts();
  const tally = zeroTally();
  for (let passes = 1; ; passes++) {
    const refusedBefore = tally.refusedBases;
    const retryRefused = input.retryRefused && passes === 1;
    const end = await runPass(world, { run, settings, counts, tally, retryRefused, dry: false, ...input.look() });
    input.onPass?.(end);
    const mustJudge = judgesRefusedBases && tally.refusedBases !== refusedBefore;
    if (passes === MAX_PASSES || !needsAnother(end, tally, mustJudge)) return { end, passes, counts, tally };
    await waitToLookAgain(world, settings, end);
  }
}

function needsAnother(end: PassEnd, tally: Tally, mustJudge: boolean): end is Planned {
  if (end.kind === "offline" || wasCutOff(end.ends)) return false;
  return wantsMore(end, tally) || mustJudge;
}

/**
 * A sidecar that was found gone is looked at once more, as far apart as any absence: an editor may
 * be between its two steps of a save.
 */
async function waitToLookAgain({ clock }: World, { secondLookMs }: Settings, { plan }: Planned): Promise<void> {
  if (secondLookMs === null) return;
  if (plan.steps.some(({ action }) => action.kind === "look-again")) await clock.sleep(secondLookMs);
}

/** @param run its number; 0: it wrote nothing */
export function reportRun(world: World, run: number, { end, passes, counts, tally }: Converged): RunReport {
  const more = end.kind === "planned" && wantsMore(end, tally);
  // What was renamed here for the service's sake, and is there by now.
  const renamed = [...tally.gaveWay].flatMap(([from, to]) =>
    world.disk.look(to).kind === "absent" ? [] : [{ from, to }],
  );
  return { ...reportOf(world.state.holds(), run, passes, counts, end, more), renamed };
}

/** What was learned of the deployment, for the next run. Writes nothing that is as it was. */
export function rememberTraits({ state, remote }: World): void {
  const traits = JSON.stringify(remote.traits());
  if (traits !== state.meta(META.traits)) state.setMeta(META.traits, traits);
}

function wasCutOff(ends: readonly StepEnd[]): boolean {
  return ends.some((end) => end.kind === "ran" && end.outcome.kind === "later" && end.outcome.unreachable);
}

/**
 * Another pass is worth its listing when something moved, or is to be tried anew, and may have left
 * more to do.
 */
function wantsMore({ plan, trees, ends }: Planned, tally: Tally): boolean {
  const ran = ends.flatMap((step, index) =>
    step.kind === "ran" ? [{ outcome: step.outcome, action: plan.steps[index]!.action }] : [],
  );
  const isBlocked = ends.some((step) => step.kind === "skipped" && step.why === "needs-failed");
  // What waited for a step that is held from now on has a way without it, or is held with it (I17).
  if (isBlocked && ran.some(({ outcome }) => outcome.kind === "refused" && outcome.hold !== null)) return true;
  const hasSequel = sequels(plan, trees);
  const progressed = ran.some((step) => isProgress(step.outcome, step.action, tally));
  const leavesMore = (outcome: Outcome, action: Action) =>
    !endedWell(outcome) || metAnotherEdit(outcome) || hasSequel(action);
  return progressed && (isBlocked || ran.some(({ outcome, action }) => leavesMore(outcome, action)));
}

function isProgress(outcome: Outcome, action: Action, tally: Tally): boolean {
  return endedWell(outcome) || (outcome.kind === "stale" && !isVainRepeat(tally, action));
}
