/** Runs a sync of a linked folder for a command. */

import { join } from "node:path";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { removeCopyBeforeMigration } from "../state/before-migration.ts";
import type { Plan, PlanInput } from "../planner/plan-types.ts";
import { DEFAULT_GUARDS, type GuardLimits, type Policy } from "../model/policy.ts";
import type { Fault } from "../ports/remote.ts";
import type { Stoppable } from "../ports/world.ts";
import type { LocalPath } from "../../contract/path.ts";
import { createMatcher } from "../local/ignore.ts";
import { META } from "../engine/run/meta.ts";
import {
  type Attention,
  attentionOf,
  attentionOfBlock,
  attentionOfScan,
  countUnsynced,
  type RunReport,
} from "../engine/run/report.ts";
import { planOnly, syncToConvergence } from "../engine/run/sync.ts";
import type { EditorWait, Settings } from "../engine/run/world.ts";
import type { Config } from "../settings/config.ts";
import { type ConflictPolicy, timeMs, retentionOf } from "../settings/settings.ts";
import type { OpenedMirror } from "./open-mirror.ts";
import { faultTrouble } from "./fault-trouble.ts";
import { ok, type Result, type Trouble } from "../../common/trouble.ts";
import type { State } from "../ports/state.ts";
import type { StoredState } from "../state/state.ts";

export type { RunReport } from "../engine/run/report.ts";

export type RunRequest = {
  readonly direction: Policy["direction"];
  /**
   * Value of `--max-deletes`: deletions on each side that need no approval in this run; null for
   * the usual limit.
   */
  readonly maxDeletes: number | null;
  /**
   * True if a person waits for the run. Otherwise protected content is sent only after two runs saw
   * it unchanged.
   */
  readonly attended: boolean;
  /** True if a timer started the run (`--quiet`). */
  readonly byTimer?: boolean;
};

export const USUAL_RUN: RunRequest = { direction: "both", maxDeletes: null, attended: true };

const RETRY_MS = 86_400_000;
/** Milliseconds between the two scans that prove a local deletion. */
const SECOND_SCAN_DELAY_MS = 2_000;

export function rememberPrefer(mirror: OpenedMirror, prefer: Exclude<Policy["prefer"], null>): void {
  const { state } = mirror.world;
  state.setMeta(META.prefer, prefer);
  // The policy resolves the conflicts for which a safety check stopped earlier runs.
  if (state.meta(META.flood) !== null) state.setMeta(META.flood, null);
}

export function settingsOf(mirror: OpenedMirror, request: RunRequest): Settings {
  const { config, world } = mirror;
  const { maxDeletes } = request;
  const guards: GuardLimits =
    maxDeletes === null ? DEFAULT_GUARDS : { ...DEFAULT_GUARDS, minDeletes: maxDeletes, maxDeletes };
  return {
    names: config.names,
    // A request narrows the folder's direction and never widens it.
    direction: config.direction === "both" ? request.direction : config.direction,
    prefer: world.state.meta(META.prefer) as Policy["prefer"],
    conflicts: conflictPolicy(config),
    retryRefused: true,
    guards,
    reviewsOnlyUnchanged: !request.attended,
    secondLookMs: SECOND_SCAN_DELAY_MS,
    handsOff: editorWaitOf(config, request.byTimer === true ? "by-timer" : "manual"),
  };
}

/** Refuses a run in the direction that is switched off for the folder; null for any other run. */
export function oppositeTrouble(config: Pick<Config, "direction">, { direction }: RunRequest): Trouble | null {
  if (config.direction === "both" || direction === "both" || config.direction === direction) return null;
  const does = config.direction === "pull" ? "only downloads" : "only uploads";
  return {
    kind: "usage",
    what: `this linked folder ${does} (setting direction: ${config.direction})`,
    next: "sync without this option, or allow both directions: mdmirror config set direction both",
  };
}

/**
 * Returns how long a run waits for editors. A manual run replaces a file that has just changed,
 * because the user of the command has finished editing. No run replaces a file that an editor has
 * open.
 */
export function editorWaitOf({ handsOff }: Config, trigger: "manual" | "by-timer" | "watch"): EditorWait {
  const unchangedMs = trigger === "manual" ? 0 : timeMs(handsOff.quiet);
  return { unchangedMs, openMs: timeMs(handsOff.open), sleeps: trigger === "by-timer" };
}

/** Returns the policy for conflicts at a path, in the planner's form. */
export function conflictPolicy({ conflicts }: Config): (path: LocalPath) => ConflictPolicy {
  if (typeof conflicts === "string") return () => conflicts;
  const rules = conflicts.map(({ paths, policy }) => ({ matches: createMatcher(paths), policy }));
  return (path) => rules.find(({ matches }) => matches(path))?.policy ?? "conflict-copy";
}

/**
 * Runs cycles until nothing is left to do, and stores the result for `status`.
 * @param stoppable runs the steps of the plans; undefined: nobody can stop them
 */
export async function runSync(
  mirror: OpenedMirror,
  request: RunRequest,
  kind: string,
  stoppable?: Stoppable,
): Promise<RunReport> {
  const settings = settingsOf(mirror, request);
  const world = stoppable === undefined ? mirror.world : { ...mirror.world, stoppable };
  const report = await syncToConvergence(world, { settings, retryRefused: isRetryDue(mirror, request), kind });
  storeFactsOf(mirror, report, request.maxDeletes);
  pruneDaily(mirror);
  return report;
}

/**
 * Returns true if refused writes are sent again. mdmirror cannot see new grants, so a manual run
 * always sends them, and a run by a timer once a day.
 */
function isRetryDue(mirror: OpenedMirror, request: RunRequest): boolean {
  const { state, clock } = mirror.world;
  const now = clock.now();
  const before = Number(state.meta(META.retriedAt) ?? 0);
  const byTimer = request.byTimer === true;
  const due = !byTimer || now - before >= RETRY_MS || now < before;
  if (due && byTimer) state.setMeta(META.retriedAt, String(now));
  return due;
}

/**
 * Returns the request for the plan of an approval, with the limit of the run that was stopped: with
 * another limit, the plan might not stop.
 */
export function requestOfStoppedRun({ world: { state } }: OpenedMirror, attended: boolean): RunRequest {
  const maxDeletes = state.meta(META.stopLimit);
  return { ...USUAL_RUN, attended, maxDeletes: maxDeletes === null ? null : Number(maxDeletes) };
}

/**
 * Returns the limits of the next run: the usual limits, or a smaller limit of the run whose stop is
 * still open.
 */
export function limitsSinceStop(mirror: OpenedMirror): GuardLimits {
  const { maxDeletes: least } = requestOfStoppedRun(mirror, true);
  if (least === null) return DEFAULT_GUARDS;
  const { minDeletes, maxDeletes } = DEFAULT_GUARDS;
  return { ...DEFAULT_GUARDS, minDeletes: Math.min(minDeletes, least), maxDeletes: Math.min(maxDeletes, least) };
}

/**
 * Stores facts about a run for later runs: the limit of a stopped run while its stop is open, and
 * the end of `--prefer` after the first complete run. A daemon's run that still delays deletions
 * has not checked them against the limit.
 */
export function storeFactsOf(mirror: OpenedMirror, report: RunReport, maxDeletes: number | null = null): void {
  const { state } = mirror.world;
  if (report.state !== "offline") {
    const isStopOpen = report.state === "stopped" || state.meta(META.safetyStop) !== null;
    const stopLimit = isStopOpen && maxDeletes !== null ? String(maxDeletes) : null;
    if (state.meta(META.stopLimit) !== stopLimit) state.setMeta(META.stopLimit, stopLimit);
  }
  const ended = report.state === "in-sync" || (report.state === "attention" && !isInUse(report));
  if (ended && state.meta(META.prefer) !== null) state.setMeta(META.prefer, null);
  // After a run in sync, the copy of the state from before an update is no longer needed.
  if (report.state === "in-sync") removeCopyBeforeMigration(join(mirror.root, MIRROR_FOLDER), "state.db");
}

/**
 * Returns true if the service's version is not written yet because a program has the file open, or
 * the file has just changed.
 */
function isInUse({ attention }: RunReport): boolean {
  return attention.some(({ kind }) => kind === "in-use");
}

/** Plan of a run, with both sides as the scans show them. */
export type SyncPlan = PlanInput & {
  readonly kind: "planned";
  readonly plan: Plan;
  /** Problems that would be open after the run, as far as the scans show. */
  readonly open: readonly Attention[];
  /** Changes that stay on their side, because the sync has one direction. */
  readonly oneWay: readonly Attention[];
  readonly staysLocal: NonNullable<RunReport["staysLocal"]>;
};

type Preview = { readonly kind: "offline"; readonly fault: Fault } | SyncPlan;

/** Plans a run without writing anything (I23). */
export async function previewSync(mirror: OpenedMirror, request: RunRequest): Promise<Preview> {
  const end = await planOnly(mirror.world, { settings: settingsOf(mirror, request), retryRefused: true, kind: "plan" });
  if (end.kind === "offline") return end;
  const { plan, trees, policy, signals, texts } = end;
  const input = { trees, policy, signals, texts };
  const open = attentionOf(plan.blocks, attentionOfScan(trees, plan, plan.blocks));
  const oneWay = plan.blocks.filter(({ reason }) => reason === "direction-off").map(attentionOfBlock);
  return { kind: "planned", plan, ...input, open, oneWay, staysLocal: countUnsynced(trees.local) };
}

/**
 * Plans a run without writing anything (I23). Returns trouble if the service cannot be reached.
 * @param factsHint as for `faultTrouble`
 */
export async function planSync(
  mirror: OpenedMirror,
  request: RunRequest,
  factsHint?: string,
): Promise<Result<SyncPlan>> {
  const preview = await previewSync(mirror, request);
  if (preview.kind === "planned") return ok(preview);
  return { kind: "trouble", trouble: faultTrouble(preview.fault, mirror.url, factsHint) };
}

const DAY_MS = 86_400_000;

/** Deletes old contents after a run, once a day. */
export function pruneDaily(mirror: OpenedMirror): void {
  const { state, clock, log } = mirror.world;
  if (!isStored(state)) return;
  const now = clock.now();
  const storedTime = state.meta(META.prunedAt);
  const prunedAt = Number(storedTime);
  // A time in the future is ignored, so that a clock that was set back does not stop pruning
  // forever.
  if (storedTime !== null && now - prunedAt < DAY_MS && now >= prunedAt) return;
  state.setMeta(META.prunedAt, String(now));
  // A new folder has no old content, and pruning would read all contents to find that out.
  if (storedTime === null) return;
  state.spellings.removeOld();
  const { texts, events, runs, versions } = state.prune(now, retentionOf(mirror.config.keepHistory)!);
  if (texts + events + runs + versions > 0) log.write("info", "pruned", { texts, events, runs, versions });
}

function isStored(state: State): state is StoredState {
  return "prune" in state;
}
