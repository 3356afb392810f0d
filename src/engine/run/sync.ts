import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../model/digest.ts";
import type { GaveWay, Verdict } from "../../planner/plan-types.ts";
import { hasSequel } from "../../planner/sequel.ts";
import type { LocalTree } from "../../model/tree.ts";
import type { StepEnd } from "./execute.ts";
import { isVainRepeat } from "./repeat-guard.ts";
import { endApproval, rememberFlood } from "./guard-facts.ts";
import { META } from "./meta.ts";
import { runPass } from "./pass.ts";
import { type PassEnd, type Tally, zeroTally } from "./pass-context.ts";
import {
  attentionOf,
  attentionOfLooks,
  attentionOfSteps,
  attentionOfUnfinished,
  countStaying,
  type RunReport,
} from "./report.ts";
import { rememberReport } from "./standing.ts";
import { type Counts, recordEvent, type Settings, type World, zeroCounts } from "./world.ts";

/** One run: passes until nothing is left to do, `MAX_PASSES` at most. */

const MAX_PASSES = 5;

export type SyncOptions = {
  readonly settings: Settings;
  /** By hand or at start: refused rows are tried again. */
  readonly retryRefused: boolean;
  /** What this run is, for the log: `sync`, `watch`, `init`. */
  readonly kind: string;
  /** Told the last walk of the run. */
  readonly onWalk?: (local: LocalTree) => void;
};

export async function syncToConvergence(world: World, options: SyncOptions): Promise<RunReport> {
  const { state, clock } = world;
  const run = state.beginRun(options.kind, clock.now());
  const counts = zeroCounts();
  const tally = zeroTally();
  const quietTexts = options.settings.reviewAfterQuiet ? readQuiet(world) : null;
  let end: PassEnd | null = null;
  let passes = 0;
  while (passes < MAX_PASSES) {
    passes++;
    const retryRefused = options.retryRefused && passes === 1;
    const refusedBefore = tally.refusedBases;
    end = await runPass(world, {
      run,
      settings: options.settings,
      counts,
      tally,
      retryRefused,
      quietTexts,
      dry: false,
    });
    if (end.kind === "offline" || wasCutOff(end.ends)) break;
    // Bases that were read and are refused may mean a restored service: the next plan's guard
    // judges that, before anything else is written.
    if (!wantsMore(end, tally) && tally.refusedBases === refusedBefore) break;
    // A sidecar that was found gone is looked at once more, as far apart as any absence: an editor
    // may be between its two steps of a save.
    const { secondLookMs } = options.settings;
    const again = end.plan.steps.some((step) => step.action.kind === "look-again");
    if (again && secondLookMs !== null && passes < MAX_PASSES) await clock.sleep(secondLookMs);
  }
  const more = end!.kind === "planned" && wantsMore(end!, tally);
  const report = { ...reportOf(world, run, passes, counts, end!, more), renamed: renamedBy(world, tally) };
  if (end!.kind === "planned") {
    if (!end!.trees.local.unseen.has("")) options.onWalk?.(end!.trees.local);
    rememberFlood(world, end!.plan.verdict, counts.conflicts);
    rememberHalt(world, run, end!.plan.verdict);
    if (options.settings.reviewAfterQuiet) writeQuiet(world, end!);
  }
  state.setMeta(META.traits, JSON.stringify(world.remote.traits()));
  rememberReport(world, report);
  state.endRun(run, clock.now(), JSON.stringify({ state: report.state, counts: report.counts }));
  return report;
}

/** What a sync would do: the same look and the same plan, and no write anywhere (I23). */
export async function planOnly(world: World, options: SyncOptions): Promise<PassEnd> {
  const quietTexts = options.settings.reviewAfterQuiet ? readQuiet(world) : null;
  return runPass(world, {
    run: 0,
    settings: options.settings,
    counts: zeroCounts(),
    retryRefused: options.retryRefused,
    quietTexts,
    dry: true,
  });
}

export function wasCutOff(ends: readonly StepEnd[]): boolean {
  return ends.some((end) => end.kind === "ran" && end.outcome.kind === "later" && end.outcome.unreachable);
}

/**
 * Another pass is worth its listing when something moved, or is to be tried anew, and may have left
 * more to do.
 */
export function wantsMore(end: Extract<PassEnd, { kind: "planned" }>, tally: Tally): boolean {
  const ran = end.ends.flatMap((step, index) =>
    step.kind === "ran" ? [{ outcome: step.outcome, action: end.plan.steps[index]!.action }] : [],
  );
  const progressed = ran.some(
    ({ outcome, action }) =>
      outcome.kind === "done" ||
      outcome.kind === "submitted" ||
      (outcome.kind === "stale" && !isVainRepeat(tally, action)),
  );
  const unfinished = ran.some(
    ({ outcome, action }) => (outcome.kind !== "done" && outcome.kind !== "submitted") || hasSequel(action),
  );
  const skipped = end.ends.some((step) => step.kind === "skipped" && step.why === "needs-failed");
  // What waited for a step that is held from now on has a way without it, or is held with it (I17).
  const wayIsShut = skipped && ran.some(({ outcome }) => outcome.kind === "refused" && outcome.hold !== null);
  return (progressed && (unfinished || skipped)) || wayIsShut;
}

/** @param more whether a further pass would have more to do, were there one */
export function reportOf(
  world: World,
  run: number,
  passes: number,
  counts: Counts,
  end: PassEnd,
  more: boolean,
): RunReport {
  const holds = world.state.holds();
  const withHolds = { ...counts, holds: holds.length };
  const common = { run, passes, counts: withHolds, stopped: [] };
  if (end.kind === "offline") {
    const attention = attentionOf(holds, []);
    return { ...common, state: "offline", attention, beside: [], halt: null, staysLocal: null, fault: end.fault };
  }
  const cut = end.ends.find((step) => step.kind === "ran" && step.outcome.kind === "later" && step.outcome.unreachable);
  const beside = [
    ...attentionOfLooks(end.trees, holds),
    ...attentionOfSteps(end.plan, end.ends),
    ...(cut === undefined ? attentionOfUnfinished(end.plan, end.ends, more) : []),
  ];
  const attention = attentionOf(holds, beside);
  const halt = end.plan.verdict.kind === "halt" ? end.plan.verdict : null;
  const { local } = end.trees;
  const seen = { ...common, attention, beside, staysLocal: local.unseen.has("") ? null : countStaying(local) };
  if (halt !== null)
    return {
      ...seen,
      state: "halted",
      stopped: halt.guarded.map((index) => end.plan.steps[index]!.action),
      halt,
      fault: null,
    };
  if (cut?.kind === "ran" && cut.outcome.kind === "later") {
    const { detail, requestId } = cut.outcome;
    return {
      ...seen,
      state: "offline",
      halt: null,
      fault: { kind: "later", detail, requestId, cause: "unreachable" },
    };
  }
  return { ...seen, state: attention.length > 0 ? "attention" : "in-sync", halt: null, fault: null };
}

/** What was renamed here for the service's sake in a run, and is there by now. */
export function renamedBy({ disk }: World, { gaveWay }: Tally): readonly GaveWay[] {
  return [...gaveWay].flatMap(([from, to]) => (disk.look(to).kind === "absent" ? [] : [{ from, to }]));
}

/** A halt as the state keeps it. */
export function haltNote({ hash, reasons }: Extract<Verdict, { kind: "halt" }>): string {
  return JSON.stringify({ hash, reasons });
}

/** A halt persists until it is approved or its cause ends; a run without one ends its approvals. */
export function rememberHalt(world: World, run: number, verdict: Verdict): void {
  const { state } = world;
  if (verdict.kind === "halt") {
    const known = state.meta(META.halt);
    const halt = haltNote(verdict);
    if (known === halt) return;
    state.setMeta(META.halt, halt);
    const detail = verdict.reasons.map(({ reason, detail }) => `${reason}: ${detail}`).join("; ");
    recordEvent(world, run, { kind: "halt", side: "both", id: null, path: "", detail, outcome: "halted" });
    return;
  }
  state.transact(() => {
    if (state.meta(META.halt) !== null) state.setMeta(META.halt, null);
    endApproval(world, verdict);
  });
}

function readQuiet(world: World): ReadonlyMap<DocId, Digest> {
  const text = world.state.meta(META.quiet);
  return new Map(text === null ? [] : (JSON.parse(text) as [DocId, Digest][]));
}

function writeQuiet(world: World, end: Extract<PassEnd, { kind: "planned" }>): void {
  const waiting = end.plan.holds.flatMap((hold) =>
    hold.reason === "review-quiet" && hold.digest !== null ? [[hold.key, hold.digest]] : [],
  );
  const text = waiting.length === 0 ? null : JSON.stringify(waiting);
  if (text !== world.state.meta(META.quiet)) world.state.setMeta(META.quiet, text);
}
