import type { Plan } from "../../planner/plan-types.ts";
import { DEFAULT_GUARDS, type GuardLimits, type Policy } from "../../model/policy.ts";
import type { Fault } from "../../ports/remote.ts";
import type { LocalPath } from "../../model/path.ts";
import type { LocalTree, Trees } from "../../model/tree.ts";
import { createMatcher } from "../../local/ignore.ts";
import { META } from "../../engine/run/meta.ts";
import {
  type Attention,
  attentionOf,
  attentionOfLooks,
  countStaying,
  type RunReport,
} from "../../engine/run/report.ts";
import { planOnly, syncToConvergence } from "../../engine/run/sync.ts";
import type { Settings } from "../../engine/run/world.ts";
import type { Config, ConflictPolicy } from "./config.ts";
import type { OpenedMirror } from "./open-mirror.ts";
import { keepUp } from "./upkeep.ts";

/** One run of a mirror, as a command asks for it. */

export type { RunReport } from "../../engine/run/report.ts";

export type RunRequest = {
  readonly direction: Policy["direction"];
  /**
   * `--max-deletes`: so many deletions a side without a question, in this run; null: the usual
   * budget.
   */
  readonly maxDeletes: number | null;
  /**
   * Whether somebody sees it: without, protected texts wait until they were the same in two runs.
   */
  readonly attended: boolean;
  /** Run by a timer (`--quiet`) rather than asked for by somebody. */
  readonly byTimer?: boolean;
};

export const USUAL_RUN: RunRequest = { direction: "both", maxDeletes: null, attended: true };

const RETRY_MS = 86_400_000;
/** Between the two looks at what is gone from the disk. */
const SECOND_LOOK_MS = 2_000;

export function rememberPrefer(mirror: OpenedMirror, prefer: Exclude<Policy["prefer"], null>): void {
  const { state } = mirror.world;
  state.setMeta(META.prefer, prefer);
  // It answers what a flood of conflicts asked.
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
  };
}

/** The policy of a path, as the planner asks for it. */
export function conflictPolicy({ conflicts }: Config): (path: LocalPath) => ConflictPolicy {
  if (typeof conflicts === "string") return () => conflicts;
  const rules = conflicts.map(({ paths, policy }) => ({ matches: createMatcher(paths), policy }));
  return (path) => rules.find(({ matches }) => matches(path))?.policy ?? "sidecar";
}

/** Passes to convergence; what the run told is kept for `status`. */
export async function runSync(mirror: OpenedMirror, request: RunRequest, kind: string): Promise<RunReport> {
  const settings = settingsOf(mirror, request);
  let walked: LocalTree | null = null;
  const report = await syncToConvergence(mirror.world, {
    settings,
    retryRefused: isRetryDue(mirror, request),
    kind,
    onWalk: (local) => {
      walked = local;
    },
  });
  noteReport(mirror, report, request.maxDeletes);
  await keepUp(mirror, walked);
  return report;
}

/**
 * A grant is invisible, so what was refused is tried again: when asked for always, on a terminal or
 * not; by a timer once a day.
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
 * The run that an answer to a halt is planned with: with the budget of the run that halted, or it
 * would find nothing halted.
 */
export function runThatHalted({ world: { state } }: OpenedMirror, attended: boolean): RunRequest {
  const maxDeletes = state.meta(META.haltedWith);
  return { ...USUAL_RUN, attended, maxDeletes: maxDeletes === null ? null : Number(maxDeletes) };
}

/**
 * Notes what outlives a run: the budget that it halted with. Ends what held until the first run
 * that reached its end.
 */
export function noteReport(mirror: OpenedMirror, report: RunReport, maxDeletes: number | null = null): void {
  const { state } = mirror.world;
  if (report.state !== "offline") {
    const haltedWith = report.state === "halted" && maxDeletes !== null ? String(maxDeletes) : null;
    if (state.meta(META.haltedWith) !== haltedWith) state.setMeta(META.haltedWith, haltedWith);
  }
  const ended = report.state === "in-sync" || report.state === "attention";
  if (ended && state.meta(META.prefer) !== null) state.setMeta(META.prefer, null);
}

export type Preview =
  | { readonly kind: "offline"; readonly fault: Fault }
  | {
      readonly kind: "planned";
      readonly plan: Plan;
      readonly trees: Trees;
      /** What would be open after it, as far as the looks tell. */
      readonly open: readonly Attention[];
      readonly staysLocal: NonNullable<RunReport["staysLocal"]>;
    };

/** The plan of a run, and nothing written (I23). */
export async function previewSync(mirror: OpenedMirror, request: RunRequest): Promise<Preview> {
  const end = await planOnly(mirror.world, { settings: settingsOf(mirror, request), retryRefused: true, kind: "plan" });
  if (end.kind === "offline") return end;
  const { plan, trees } = end;
  const open = attentionOf(plan.holds, attentionOfLooks(trees, plan.holds));
  return { kind: "planned", plan, trees, open, staysLocal: countStaying(trees.local) };
}
