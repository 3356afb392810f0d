import { join } from "node:path";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { dropBefore } from "../state/before-migration.ts";
import type { Plan } from "../planner/plan-types.ts";
import { DEFAULT_GUARDS, type GuardLimits, type Policy } from "../model/policy.ts";
import type { Fault } from "../ports/remote.ts";
import type { Stoppable } from "../ports/world.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { LocalTree, Trees } from "../model/tree.ts";
import { createMatcher } from "../local/ignore.ts";
import { META } from "../engine/run/meta.ts";
import { type Attention, attentionOf, attentionOfScan, countStaying, type RunReport } from "../engine/run/report.ts";
import { planOnly, syncToConvergence } from "../engine/run/sync.ts";
import type { EditorWait, Settings } from "../engine/run/world.ts";
import type { Config, ConflictPolicy } from "../settings/config.ts";
import { timeMs } from "../settings/config-times.ts";
import type { OpenedMirror } from "./open-mirror.ts";
import { keepUp } from "./upkeep.ts";
import { lstatSync } from "node:fs";

/** One run of a linked folder, as a command asks for it. */

export type { RunReport } from "../engine/run/report.ts";

export type RunRequest = {
  readonly direction: Policy["direction"];
  /**
   * `--max-deletes`: deletions on each side that need no approval in this run; null for the usual
   * limit.
   */
  readonly maxDeletes: number | null;
  /**
   * True if a person sees the run. Otherwise protected content waits until two runs saw it
   * unchanged.
   */
  readonly attended: boolean;
  /** True if a timer runs it (`--quiet`). */
  readonly byTimer?: boolean;
};

export const USUAL_RUN: RunRequest = { direction: "both", maxDeletes: null, attended: true };

const RETRY_MS = 86_400_000;
/** Milliseconds between the two scans that prove a local deletion. */
const SECOND_LOOK_MS = 2_000;

export function rememberPrefer(mirror: OpenedMirror, prefer: Exclude<Policy["prefer"], null>): void {
  const { state } = mirror.world;
  state.setMeta(META.prefer, prefer);
  // A chosen policy answers the question that too many conflicts raised.
  if (state.meta(META.flood) !== null) state.setMeta(META.flood, null);
}

export function settingsOf(mirror: OpenedMirror, request: RunRequest): Settings {
  const { config, world } = mirror;
  const { maxDeletes } = request;
  const guards: GuardLimits =
    maxDeletes === null ? DEFAULT_GUARDS : { ...DEFAULT_GUARDS, minDeletes: maxDeletes, maxDeletes };
  return {
    names: config.names,
    direction: request.direction,
    prefer: world.state.meta(META.prefer) as Policy["prefer"],
    conflicts: conflictPolicy(config),
    retryRefused: true,
    guards,
    reviewAfterQuiet: !request.attended,
    secondLookMs: SECOND_LOOK_MS,
    handsOff: editorWaitOf(config, request.byTimer === true ? "by-timer" : "by-hand"),
  };
}

/**
 * A manual run replaces a file that changed a moment ago, because who runs it has finished. A file
 * that an editor has open is left alone by every run.
 */
export function editorWaitOf({ handsOff }: Config, by: "by-hand" | "by-timer" | "watch"): EditorWait {
  const quietMs = by === "by-hand" ? 0 : timeMs(handsOff.quiet);
  return { quietMs, openMs: timeMs(handsOff.open), sleeps: by === "by-timer" };
}

/** Returns the policy for conflicts at a path, in the planner's form. */
export function conflictPolicy({ conflicts }: Config): (path: LocalPath) => ConflictPolicy {
  if (typeof conflicts === "string") return () => conflicts;
  const rules = conflicts.map(({ paths, policy }) => ({ matches: createMatcher(paths), policy }));
  return (path) => rules.find(({ matches }) => matches(path))?.policy ?? "conflict-copy";
}

/**
 * Runs cycles until nothing is left to do, and stores the result for `status`.
 * @param stoppable runs the steps of its plans. If left out, nobody can stop them
 */
export async function runSync(
  mirror: OpenedMirror,
  request: RunRequest,
  kind: string,
  stoppable?: Stoppable,
): Promise<RunReport> {
  const settings = settingsOf(mirror, request);
  const place = placeOfNotes(mirror.root);
  let walked: LocalTree | null = null;
  const world = stoppable === undefined ? mirror.world : { ...mirror.world, stoppable };
  const ended = await syncToConvergence(world, {
    settings,
    retryRefused: isRetryDue(mirror, request),
    kind,
    onWalk: (local) => {
      walked = local;
    },
  });
  const report = placeOfNotes(mirror.root) === place ? ended : withoutNotes(ended);
  noteReport(mirror, report, request.maxDeletes);
  await keepUp(mirror, walked);
  return report;
}

/**
 * Returns true if refused writes are tried again. A new grant cannot be seen, so a manual run
 * always tries; a run by a timer tries once a day.
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
 * Returns the run for which an approval is planned. It has the limit of the run that was stopped,
 * because with another one the plan might not stop at all.
 */
export function stoppedRun({ world: { state } }: OpenedMirror, attended: boolean): RunRequest {
  const maxDeletes = state.meta(META.haltedWith);
  return { ...USUAL_RUN, attended, maxDeletes: maxDeletes === null ? null : Number(maxDeletes) };
}

/** A manual run with the usual limit replaces an earlier one. */
export function forgetStoppedLimit({ world: { state } }: OpenedMirror): void {
  if (state.meta(META.haltedWith) !== null) state.setMeta(META.haltedWith, null);
}

/** Returns the usual limit, or that of the run whose stop is still open, if it is smaller. */
export function limitsSinceStop(mirror: OpenedMirror): GuardLimits {
  const { maxDeletes: least } = stoppedRun(mirror, true);
  if (least === null) return DEFAULT_GUARDS;
  const { minDeletes, maxDeletes } = DEFAULT_GUARDS;
  return { ...DEFAULT_GUARDS, minDeletes: Math.min(minDeletes, least), maxDeletes: Math.min(maxDeletes, least) };
}

/**
 * Stores facts that outlive a run: the limit with which it was stopped, while that stop is open (a
 * daemon's run in which the deletions are still delayed has not judged them), and the end of
 * `--prefer` after a first complete run.
 */
export function noteReport(mirror: OpenedMirror, report: RunReport, maxDeletes: number | null = null): void {
  const { state } = mirror.world;
  if (report.state !== "offline") {
    const stands = report.state === "stopped" || state.meta(META.safetyStop) !== null;
    const haltedWith = stands && maxDeletes !== null ? String(maxDeletes) : null;
    if (state.meta(META.haltedWith) !== haltedWith) state.setMeta(META.haltedWith, haltedWith);
  }
  const ended = report.state === "in-sync" || (report.state === "attention" && !isInUse(report));
  if (ended && state.meta(META.prefer) !== null) state.setMeta(META.prefer, null);
  // The copy of the state from before an update is no longer needed.
  if (report.state === "in-sync") dropBefore(join(mirror.root, MIRROR_FOLDER), "state.db");
}

/** Returns true if the service's version waits because somebody is editing the file. */
function isInUse({ attention }: RunReport): boolean {
  return attention.some(({ kind }) => kind === "in-use");
}

export type Preview =
  | { readonly kind: "offline"; readonly fault: Fault }
  | {
      readonly kind: "planned";
      readonly plan: Plan;
      readonly trees: Trees;
      /** Problems that would be open after the run, as far as the scans show. */
      readonly open: readonly Attention[];
      readonly staysLocal: NonNullable<RunReport["staysLocal"]>;
    };

/** Plans a run and writes nothing (I23). */
export async function previewSync(mirror: OpenedMirror, request: RunRequest): Promise<Preview> {
  const end = await planOnly(mirror.world, { settings: settingsOf(mirror, request), retryRefused: true, kind: "plan" });
  if (end.kind === "offline") return end;
  const { plan, trees } = end;
  const open = attentionOf(plan.holds, attentionOfScan(trees, plan, plan.holds));
  return { kind: "planned", plan, trees, open, staysLocal: countStaying(trees.local) };
}

/**
 * Identifies the files with a run's results by their inodes. Open files keep working when somebody
 * moves or removes them, and the next run would know nothing of this one.
 */
function placeOfNotes(root: string): string {
  return ["", "state.db"]
    .map((name) => lstatSync(join(root, MIRROR_FOLDER, name), { throwIfNoEntry: false }))
    .map((stat) => (stat === undefined ? "none" : `${stat.dev}:${stat.ino}`))
    .join(" ");
}

/** Returns a report that claims no more than the next run will find stored. */
function withoutNotes(report: RunReport): RunReport {
  const detail = "it was moved or removed during the run; if you moved it, move it back: it has the log of this run";
  return {
    ...report,
    state: report.state === "in-sync" ? "attention" : report.state,
    attention: [
      ...report.attention,
      { path: MIRROR_FOLDER, code: null, requestId: null, kind: "unproven", detail, waits: false },
    ],
  };
}
