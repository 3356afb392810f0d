/** Runs cycles until no change is left, with or without a daemon. */
import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import { META } from "./meta.ts";
import { runCycle } from "./cycle.ts";
import {
  type CycleEnd,
  type CycleInput,
  isFutileRepeat,
  makeEmptyTally,
  type PlannedCycle,
  type RunMemory,
  type RunTally,
} from "./cycle-context.ts";
import { findConnectionFault, makeReport, type RunReport } from "./report.ts";
import { rememberReport } from "./run-state.ts";
import type { Settings, World } from "./world.ts";
import type { Action, Outcome } from "../../model/action.ts";
import { isAnyWaitingForScan } from "../../model/block.ts";
import type { Plan } from "../../planner/plan-types.ts";
import { leavesMoreWork } from "../../planner/sequel.ts";
import { hasSucceeded, isReviewOfConflict } from "./execute.ts";
import { markLosses, recordConflictStop, rememberGeneration, rememberStop } from "./guard-facts.ts";

type SyncOptions = {
  readonly settings: Settings;
  /** True to send refused changes again: at a start, and if the user requests it. */
  readonly retryRefused: boolean;
  /** Name of the run in the log: `sync`, `init` or `wait`. */
  readonly kind: string;
};

export async function syncToConvergence(world: World, options: SyncOptions): Promise<RunReport> {
  const { settings, retryRefused } = options;
  const run = new RunEntry(world, options.kind);
  run.begin();
  const unchangedContents = readUnchangedContents(world, settings);
  const scanOptions = () => ({ unchangedContents, leavesOut: true });
  const { report, end } = await runCycles(world, { run, settings, retryRefused, scanOptions });
  if (end.kind === "planned" && settings.reviewsOnlyUnchanged) writeUnchangedContents(world, end);
  rememberReport(world, report);
  run.end(report);
  return report;
}

/** Plans a sync with the scans of a sync, and writes nothing (I23). */
export async function planOnly(world: World, options: SyncOptions): Promise<CycleEnd> {
  const { settings, retryRefused } = options;
  const unchangedContents = readUnchangedContents(world, settings);
  return runCycle(world, { run: { number: 0 }, settings, retryRefused, unchangedContents, dry: true });
}

/** Returns the contents that the last run delayed; null if reviews have no delay. */
function readUnchangedContents(
  { state }: World,
  { reviewsOnlyUnchanged }: Settings,
): ReadonlyMap<DocId, Digest> | null {
  if (!reviewsOnlyUnchanged) return null;
  const text = state.meta(META.delayedReviews);
  return new Map(text === null ? [] : (JSON.parse(text) as [DocId, Digest][]));
}

function writeUnchangedContents(world: World, end: PlannedCycle): void {
  const delayedContents = findDelayedContents(end.plan);
  const text = delayedContents.size === 0 ? null : JSON.stringify([...delayedContents]);
  if (text !== world.state.meta(META.delayedReviews)) world.state.setMeta(META.delayedReviews, text);
}

/** Returns the contents that go to review when a later run finds them unchanged. */
export function findDelayedContents({ blocks }: Plan): Map<DocId, Digest> {
  const delayedContents = new Map<DocId, Digest>();
  for (const { reason, key, digest } of blocks)
    if (reason === "review-delayed" && digest !== null) delayedContents.set(key as DocId, digest);
  return delayedContents;
}

const MAX_CYCLES = 5;

/** A run in the log. The run gets its number at its first write to the state. */
export class RunEntry {
  readonly #world: World;
  readonly #kind: string;
  #begun: number | null = null;

  /** @param kind name of the run in the log: `sync`, `watch`, `init` */
  constructor(world: World, kind: string) {
    this.#world = world;
    this.#kind = kind;
  }

  /** Number of the run; null if the run has written nothing yet. */
  get begun(): number | null {
    return this.#begun;
  }

  get number(): number {
    this.begin();
    return this.#begun!;
  }

  begin(): void {
    this.#begun ??= this.#world.state.beginRun(this.#kind, this.#world.clock.now());
  }

  end({ state, counts }: RunReport): void {
    if (this.#begun !== null)
      this.#world.state.endRun(this.#begun, this.#world.clock.now(), JSON.stringify({ state, counts }));
  }
}

type ConvergeInput = {
  readonly run: RunEntry;
  readonly settings: Settings;
  /** True if the first cycle sends refused changes again. */
  readonly retryRefused: boolean;
  /** Failed and refused actions of earlier runs of this process, to which this run adds. */
  readonly memory?: RunMemory;
  readonly scanOptions: () => Pick<CycleInput, "unchangedContents" | "observers" | "absentTwice" | "leavesOut">;
  readonly onCycle?: (end: CycleEnd) => void;
};

type RunEnd = { readonly report: RunReport; readonly end: CycleEnd };

/** Runs cycles until no change is left. Stores the results that later runs need. */
export async function runCycles(world: World, input: ConvergeInput): Promise<RunEnd> {
  const { run } = input;
  const convergence = await converge(world, input);
  const { end, tally } = convergence;
  if (end.kind === "planned") {
    const { plan, trees } = end;
    recordConflictStop(world, plan.verdict, tally.counts.conflicts);
    // ORDER: the generation is stored before the approval ends (`rememberStop`). While documents
    // are missing, mdmirror may store the generation only because of the approval.
    rememberGeneration(world, plan, trees);
    // The plan lacks changes that wait for a second scan, so this run ends no stop and no approval
    // (I22).
    if (plan.verdict.kind === "safety-stop" || !isAnyWaitingForScan(plan.blocks))
      rememberStop(world, run, plan.verdict);
  }
  markLosses(world);
  const report = reportRun(world, run.begun ?? 0, convergence);
  rememberTraits(world);
  return { report, end };
}

type Convergence = {
  readonly end: CycleEnd;
  readonly cycles: number;
  readonly tally: RunTally;
};

async function converge(world: World, input: ConvergeInput): Promise<Convergence> {
  const { run, settings } = input;
  const tally = { ...makeEmptyTally(), ...input.memory };
  for (let cycles = 1; ; cycles++) {
    const retryRefused = input.retryRefused && cycles === 1;
    const cycleEnd = await runCycle(world, { run, settings, tally, retryRefused, dry: false, ...input.scanOptions() });
    input.onCycle?.(cycleEnd);
    if (cycles === MAX_CYCLES || !shouldContinue(cycleEnd, tally)) return { end: cycleEnd, cycles, tally };
    await waitForNextScan(world, settings, cycleEnd);
  }
}

function shouldContinue(end: CycleEnd, tally: RunTally): end is PlannedCycle {
  if (end.kind === "offline" || end.isStopped === true || findConnectionFault(end.ends) !== null) return false;
  return hasMoreWork(end, tally) || tally.filesMoved;
}

/**
 * Waits before a cycle that must check again whether a conflict copy is missing. A program may be
 * between the two steps of a save, so the delay is as long as for any other missing file.
 */
async function waitForNextScan({ clock }: World, { secondLookMs }: Settings, { plan }: PlannedCycle): Promise<void> {
  if (secondLookMs === null) return;
  if (plan.steps.some(({ action }) => action.kind === "look-again")) await clock.sleep(secondLookMs);
}

/** @param run number of the run; 0 if the run wrote nothing */
function reportRun(world: World, run: number, { end, cycles, tally }: Convergence): RunReport {
  const hasMore = end.kind === "planned" && hasMoreWork(end, tally);
  // This run renamed local files because the service has another document at their path. The report
  // lists only files that are still at their new paths.
  const renamedFiles = [...tally.renamedForOthers].flatMap(([from, to]) =>
    world.disk.look(to).kind === "absent" ? [] : [{ from, to }],
  );
  const inertLinks = end.kind === "planned" ? (world.links?.takeInert(end.trees.local) ?? []) : [];
  const report = {
    ...makeReport(world.state.blocks(), run, cycles, tally.counts, end, hasMore),
    renamed: renamedFiles,
  };
  const { movedOutOfWay, oneWay } = tally;
  return {
    ...report,
    ...(movedOutOfWay.length === 0 ? {} : { movedOutOfWay }),
    ...(oneWay.length === 0 ? {} : { oneWay }),
    ...(inertLinks.length === 0 ? {} : { inert: inertLinks }),
  };
}

/** Stores what this run learned about the service, for later runs. Writes only what has changed. */
function rememberTraits({ state, remote }: World): void {
  const traits = JSON.stringify(remote.traits());
  if (traits !== state.meta(META.traits)) state.setMeta(META.traits, traits);
}

/** Returns true if this cycle changed something, or if a step must be repeated. */
function hasMoreWork({ plan, trees, ends }: PlannedCycle, tally: RunTally): boolean {
  // No list of the steps is built, because a first sync has as many steps as documents.
  const someRan = (matches: (outcome: Outcome, action: Action) => boolean) =>
    ends.some((step, index) => step.kind === "ran" && matches(step.outcome, plan.steps[index]!.action));
  const isBlocked = ends.some((step) => step.kind === "skipped" && step.why === "needs-failed");
  // A step was blocked, so the steps that depend on it did not start. The next cycle plans these
  // steps without the blocked step, or blocks these steps too (I17).
  if (isBlocked && someRan((outcome) => outcome.kind === "refused" && outcome.block !== null)) return true;
  if (!someRan((outcome, action) => isProgressStep(outcome, action, tally))) return false;
  const hasSequel = leavesMoreWork(plan, trees);
  const leavesWork = (outcome: Outcome, action: Action) =>
    !hasSucceeded(outcome) || isReviewOfConflict(outcome) || hasSequel(action);
  return isBlocked || tally.linksOpen || tally.readsOther || someRan(leavesWork);
}

function isProgressStep(outcome: Outcome, action: Action, tally: RunTally): boolean {
  return hasSucceeded(outcome) || (outcome.kind === "stale" && !isFutileRepeat(tally, action));
}
