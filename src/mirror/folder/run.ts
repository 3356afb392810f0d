import { join } from "node:path";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { removeCopyBeforeMigration } from "../state/database.ts";
import type { Plan, PlanInput } from "../planner/plan-types.ts";
import { DEFAULT_GUARD_LIMITS, type GuardLimits, type Policy } from "../model/policy.ts";
import type { Fault } from "../ports/remote.ts";
import type { Stoppable } from "../ports/world.ts";
import type { LocalPath } from "../../contract/path.ts";
import { createMatcher } from "../local/ignore.ts";
import { META } from "../engine/run/meta.ts";
import {
  type SyncProblem,
  listProblems,
  makeBlockProblem,
  listScanProblems,
  countUnsynced,
  type RunReport,
} from "../engine/run/report.ts";
import { planOnly, syncToConvergence } from "../engine/run/converge.ts";
import type { EditorWait, Settings } from "../engine/run/world.ts";
import type { Config } from "../settings/config.ts";
import { type ConflictPolicy, parseTime, parseRetention } from "../settings/settings.ts";
import type { OpenedMirror } from "./open-mirror.ts";
import { makeFaultTrouble } from "./trouble.ts";
import { ok, type Result, type Trouble } from "../../common/trouble.ts";
import type { State } from "../ports/state.ts";
import type { StoredState } from "../state/state.ts";

export type { RunReport } from "../engine/run/report.ts";

export type RunRequest = {
  readonly direction: Policy["direction"];
  /**
   * Largest number of deletions on each side that need no approval (`--max-deletes`); null for the
   * usual limit.
   */
  readonly maxDeletes: number | null;
  /**
   * True if a person waits for the run. Without a person, content goes to review only after two
   * runs have found it unchanged.
   */
  readonly attended: boolean;
  /** True if a timer started the run (`--quiet`). */
  readonly byTimer?: boolean;
};

export const USUAL_RUN: RunRequest = { direction: "both", maxDeletes: null, attended: true };

const DAY_MS = 86_400_000;
/** Milliseconds between two scans. A document is deleted only if both scans find no file. */
const SECOND_SCAN_DELAY_MS = 2_000;

export function rememberPrefer(mirror: OpenedMirror, prefer: Exclude<Policy["prefer"], null>): void {
  const { state } = mirror.world;
  state.setMeta(META.prefer, prefer);
  // Removes the stored number of new conflicts that stopped an earlier run, because the user's
  // preference now resolves these conflicts.
  if (state.meta(META.flood) !== null) state.setMeta(META.flood, null);
}

export function makeRunSettings(mirror: OpenedMirror, request: RunRequest): Settings {
  const { config, world } = mirror;
  const { maxDeletes } = request;
  const guards: GuardLimits =
    maxDeletes === null ? DEFAULT_GUARD_LIMITS : { ...DEFAULT_GUARD_LIMITS, minDeletes: maxDeletes, maxDeletes };
  return {
    names: config.names,
    // If the folder's configuration has only one direction, the run has this direction too.
    direction: config.direction === "both" ? request.direction : config.direction,
    prefer: world.state.meta(META.prefer) as Policy["prefer"],
    conflicts: makeConflictPolicy(config),
    retryRefused: true,
    guards,
    reviewsOnlyUnchanged: !request.attended,
    secondLookMs: SECOND_SCAN_DELAY_MS,
    handsOff: chooseEditorWait(config, request.byTimer === true ? "by-timer" : "manual"),
  };
}

/** Returns trouble if the folder's configuration excludes the run's direction; otherwise null. */
export function refuseOppositeRun(config: Pick<Config, "direction">, { direction }: RunRequest): Trouble | null {
  if (config.direction === "both" || direction === "both" || config.direction === direction) return null;
  const directionText = config.direction === "pull" ? "only downloads" : "only uploads";
  return {
    kind: "usage",
    what: `this linked folder ${directionText} (setting direction: ${config.direction})`,
    next: "sync without this option, or allow both directions: mdmirror config set direction both",
  };
}

/**
 * Returns how long a run waits before replacing a file that was just edited or is open in an
 * editor. A manual run does not wait after an edit, because the user who started the run has
 * finished editing.
 */
export function chooseEditorWait({ handsOff }: Config, trigger: "manual" | "by-timer" | "watch"): EditorWait {
  const unchangedMs = trigger === "manual" ? 0 : parseTime(handsOff.quiet);
  return { unchangedMs, openMs: parseTime(handsOff.open), sleeps: trigger === "by-timer" };
}

export function makeConflictPolicy({ conflicts }: Config): (path: LocalPath) => ConflictPolicy {
  if (typeof conflicts === "string") return () => conflicts;
  const rules = conflicts.map(({ paths, policy }) => ({ matches: createMatcher(paths), policy }));
  return (path) => rules.find(({ matches }) => matches(path))?.policy ?? "conflict-copy";
}

/**
 * Runs cycles until no change is left, and stores the result for `status`.
 * @param stoppable lets a person stop between two steps; undefined if nobody can stop the run
 */
export async function runSync(
  mirror: OpenedMirror,
  request: RunRequest,
  kind: string,
  stoppable?: Stoppable,
): Promise<RunReport> {
  const settings = makeRunSettings(mirror, request);
  const world = stoppable === undefined ? mirror.world : { ...mirror.world, stoppable };
  const report = await syncToConvergence(world, { settings, retryRefused: isRetryDue(mirror, request), kind });
  storeRunFacts(mirror, report, request.maxDeletes);
  pruneDaily(mirror);
  return report;
}

/**
 * Returns true if the run has to repeat changes that the service refused before. The key may have a
 * new grant, which mdmirror cannot see. A manual run always repeats such changes, and a run by a
 * timer once a day.
 */
function isRetryDue(mirror: OpenedMirror, request: RunRequest): boolean {
  const { state, clock } = mirror.world;
  const now = clock.now();
  const lastRetryAt = Number(state.meta(META.retriedAt) ?? 0);
  const byTimer = request.byTimer === true;
  const isDue = !byTimer || now - lastRetryAt >= DAY_MS || now < lastRetryAt;
  if (isDue && byTimer) state.setMeta(META.retriedAt, String(now));
  return isDue;
}

/** Returns the deletion limit of the stopped run; null without a stop, or for the usual limit. */
export function readStopLimit({ world: { state } }: OpenedMirror): number | null {
  const limit = state.meta(META.stopLimit);
  return limit === null ? null : Number(limit);
}

/**
 * Returns a request with the deletion limit of the stopped run, because a plan with another limit
 * might have no stop.
 */
export function makeStoppedRequest(mirror: OpenedMirror, attended: boolean): RunRequest {
  return { ...USUAL_RUN, attended, maxDeletes: readStopLimit(mirror) };
}

/**
 * Returns the usual limits. After the stop of a run with a smaller deletion limit, returns the
 * smaller limit until the stop has ended.
 */
export function readGuardLimits(mirror: OpenedMirror): GuardLimits {
  const limit = readStopLimit(mirror);
  if (limit === null) return DEFAULT_GUARD_LIMITS;
  const { minDeletes, maxDeletes } = DEFAULT_GUARD_LIMITS;
  return {
    ...DEFAULT_GUARD_LIMITS,
    minDeletes: Math.min(minDeletes, limit),
    maxDeletes: Math.min(maxDeletes, limit),
  };
}

/**
 * Stores facts about this run for later runs.
 * - The deletion limit of a stopped run is kept as long as the state has a stop. The result of a
 *   daemon's run does not show that a stop has ended, because such a run does not count pending
 *   deletions.
 * - `--prefer` ends with the first complete run.
 */
export function storeRunFacts(mirror: OpenedMirror, report: RunReport, maxDeletes: number | null): void {
  const { state } = mirror.world;
  if (report.state !== "offline") {
    const isStopOpen = report.state === "stopped" || state.meta(META.safetyStop) !== null;
    const stopLimit = isStopOpen && maxDeletes !== null ? String(maxDeletes) : null;
    if (state.meta(META.stopLimit) !== stopLimit) state.setMeta(META.stopLimit, stopLimit);
  }
  const isPreferOver = report.state === "in-sync" || (report.state === "attention" && !isInUse(report));
  if (isPreferOver && state.meta(META.prefer) !== null) state.setMeta(META.prefer, null);
  // After a run in sync, the copy that was made before an upgrade of the state file is not needed
  // any more.
  if (report.state === "in-sync") removeCopyBeforeMigration(join(mirror.root, MIRROR_FOLDER), "state.db");
}

/** Returns true if a file could not be replaced yet, because it is open or was just edited. */
function isInUse({ attention }: RunReport): boolean {
  return attention.some(({ kind }) => kind === "in-use");
}

/** A plan, with the observed trees that were its input. */
export type SyncPlan = PlanInput & {
  readonly kind: "planned";
  readonly plan: Plan;
  /** Problems that would be open after the sync, as far as the scans show them. */
  readonly open: readonly SyncProblem[];
  /** Changes that the sync would not make, because it has one direction. */
  readonly oneWay: readonly SyncProblem[];
  readonly staysLocal: NonNullable<RunReport["staysLocal"]>;
};

type SyncPreview = { readonly kind: "offline"; readonly fault: Fault } | SyncPlan;

/** Plans a sync. Writes nothing (I23). Returns the fault if the service cannot be reached. */
export async function previewSync(mirror: OpenedMirror, request: RunRequest): Promise<SyncPreview> {
  const planEnd = await planOnly(mirror.world, {
    settings: makeRunSettings(mirror, request),
    retryRefused: true,
    kind: "plan",
  });
  if (planEnd.kind === "offline") return planEnd;
  const { plan, trees, policy, signals, texts } = planEnd;
  const input = { trees, policy, signals, texts };
  const openProblems = listProblems(plan.blocks, listScanProblems(trees, plan, plan.blocks));
  const oneWay = plan.blocks.filter(({ reason }) => reason === "direction-off").map(makeBlockProblem);
  return { kind: "planned", plan, ...input, open: openProblems, oneWay, staysLocal: countUnsynced(trees.local) };
}

/**
 * Plans a sync. Writes nothing (I23). Returns trouble if the service cannot be reached.
 * @param factsHint a clause with the command that shows more about the fault. Default: `mdmirror
 * doctor`
 */
export async function planSync(
  mirror: OpenedMirror,
  request: RunRequest,
  factsHint?: string,
): Promise<Result<SyncPlan>> {
  const preview = await previewSync(mirror, request);
  if (preview.kind === "planned") return ok(preview);
  return { kind: "trouble", trouble: makeFaultTrouble(preview.fault, mirror.url, factsHint) };
}

export function pruneDaily(mirror: OpenedMirror): void {
  const { state, clock, log } = mirror.world;
  if (!isStored(state)) return;
  const now = clock.now();
  const storedTime = state.meta(META.prunedAt);
  const prunedAt = Number(storedTime);
  // If the clock was set back, the stored time may be in the future. Contents are then pruned
  // immediately.
  if (storedTime !== null && now - prunedAt < DAY_MS && now >= prunedAt) return;
  state.setMeta(META.prunedAt, String(now));
  // A new folder has no old contents yet. Pruning reads all contents, so the first pruning waits
  // for a day.
  if (storedTime === null) return;
  state.spellings.removeOld();
  const { texts, events, runs, versions } = state.prune(now, parseRetention(mirror.config.keepHistory)!);
  if (texts + events + runs + versions > 0) log.write("info", "pruned", { texts, events, runs, versions });
}

function isStored(state: State): state is StoredState {
  return "prune" in state;
}
