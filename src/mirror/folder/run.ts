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
import { type Attention, attentionOf, attentionOfLooks, countStaying, type RunReport } from "../engine/run/report.ts";
import { planOnly, syncToConvergence } from "../engine/run/sync.ts";
import type { HandsOff, Settings } from "../engine/run/world.ts";
import type { Config, ConflictPolicy } from "../settings/config.ts";
import { timeMs } from "../settings/config-times.ts";
import type { OpenedMirror } from "./open-mirror.ts";
import { keepUp } from "./upkeep.ts";
import { lstatSync } from "node:fs";

/** One run of a mirror, as a command asks for it. */

export type { RunReport } from "../engine/run/report.ts";

export type RunRequest = {
  readonly direction: Policy["direction"];
  /**
   * `--max-deletes`: how many deletions on each side need no approval in this run; null: the usual
   * budget.
   */
  readonly maxDeletes: number | null;
  /**
   * Whether a person sees the run. Without one, protected texts wait until two runs saw them the
   * same.
   */
  readonly attended: boolean;
  /** Run by a timer (`--quiet`), not asked for by somebody. */
  readonly byTimer?: boolean;
};

export const USUAL_RUN: RunRequest = { direction: "both", maxDeletes: null, attended: true };

const RETRY_MS = 86_400_000;
/** Milliseconds between the two looks that prove that a file is gone from the disk. */
const SECOND_LOOK_MS = 2_000;

export function rememberPrefer(mirror: OpenedMirror, prefer: Exclude<Policy["prefer"], null>): void {
  const { state } = mirror.world;
  state.setMeta(META.prefer, prefer);
  // A chosen policy answers the question that a flood of conflicts raised.
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
    handsOff: handsOffOf(config, request.byTimer === true ? "by-timer" : "by-hand"),
  };
}

/**
 * A run that somebody asked for writes over a file that changed a moment ago: who asks has finished
 * with it. What an editor has open is left alone by each.
 */
export function handsOffOf({ handsOff }: Config, by: "by-hand" | "by-timer" | "watch"): HandsOff {
  const quietMs = by === "by-hand" ? 0 : timeMs(handsOff.quiet);
  return { quietMs, openMs: timeMs(handsOff.open), sleeps: by === "by-timer" };
}

/** The policy for conflicts at a path, in the form that the planner asks for. */
export function conflictPolicy({ conflicts }: Config): (path: LocalPath) => ConflictPolicy {
  if (typeof conflicts === "string") return () => conflicts;
  const rules = conflicts.map(({ paths, policy }) => ({ matches: createMatcher(paths), policy }));
  return (path) => rules.find(({ matches }) => matches(path))?.policy ?? "conflict-copy";
}

/**
 * Runs passes to convergence, and keeps the result for `status`.
 * @param stoppable runs the steps of its plans. Left out: nobody stops them
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
 * Whether refused writes are tried again. A new grant cannot be seen, so a run that a person asks
 * for always tries; a run by a timer tries once a day.
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
 * The run for which an approval is planned. It has the budget of the run that halted, because with
 * another one the plan might not halt at all.
 */
export function runThatHalted({ world: { state } }: OpenedMirror, attended: boolean): RunRequest {
  const maxDeletes = state.meta(META.haltedWith);
  return { ...USUAL_RUN, attended, maxDeletes: maxDeletes === null ? null : Number(maxDeletes) };
}

/** A person's run with the usual budget goes by that alone. */
export function forgetBudgetOfHalt({ world: { state } }: OpenedMirror): void {
  if (state.meta(META.haltedWith) !== null) state.setMeta(META.haltedWith, null);
}

/** The usual budget, or that of the run whose halt still stands, where it is smaller. */
export function guardsSinceHalt(mirror: OpenedMirror): GuardLimits {
  const { maxDeletes: least } = runThatHalted(mirror, true);
  if (least === null) return DEFAULT_GUARDS;
  const { minDeletes, maxDeletes } = DEFAULT_GUARDS;
  return { ...DEFAULT_GUARDS, minDeletes: Math.min(minDeletes, least), maxDeletes: Math.min(maxDeletes, least) };
}

/**
 * Keeps what outlives a run: the budget with which it halted, for as long as that halt stands (a
 * run of the daemon in which the deletions still wait has not judged them), and the end of what
 * waited for a first complete run.
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
  // What an update kept of before has served its time.
  if (report.state === "in-sync") dropBefore(join(mirror.root, MIRROR_FOLDER), "state.db");
}

/** Whether the service's text waits to be written over a file that somebody has in hand. */
function isInUse({ attention }: RunReport): boolean {
  return attention.some(({ kind }) => kind === "in-use");
}

export type Preview =
  | { readonly kind: "offline"; readonly fault: Fault }
  | {
      readonly kind: "planned";
      readonly plan: Plan;
      readonly trees: Trees;
      /** What would need the user's attention after the run, as far as the looks show. */
      readonly open: readonly Attention[];
      readonly staysLocal: NonNullable<RunReport["staysLocal"]>;
    };

/** Plans a run and writes nothing (I23). */
export async function previewSync(mirror: OpenedMirror, request: RunRequest): Promise<Preview> {
  const end = await planOnly(mirror.world, { settings: settingsOf(mirror, request), retryRefused: true, kind: "plan" });
  if (end.kind === "offline") return end;
  const { plan, trees } = end;
  const open = attentionOf(plan.holds, attentionOfLooks(trees, plan, plan.holds));
  return { kind: "planned", plan, trees, open, staysLocal: countStaying(trees.local) };
}

/**
 * Which files keep what a run notes, by their inodes. The open ones go on working where somebody
 * moves or removes them, and the next run would know nothing of what this one did.
 */
function placeOfNotes(root: string): string {
  return ["", "state.db"]
    .map((name) => lstatSync(join(root, MIRROR_FOLDER, name), { throwIfNoEntry: false }))
    .map((stat) => (stat === undefined ? "none" : `${stat.dev}:${stat.ino}`))
    .join(" ");
}

/** A report that claims no more than what the next run will find noted. */
function withoutNotes(report: RunReport): RunReport {
  const detail =
    "it was moved or removed during the run; its record of the run is in the moved folder: move that back if you can";
  return {
    ...report,
    state: report.state === "in-sync" ? "attention" : report.state,
    attention: [
      ...report.attention,
      { path: MIRROR_FOLDER, code: null, requestId: null, kind: "unproven", detail, waits: false },
    ],
  };
}
