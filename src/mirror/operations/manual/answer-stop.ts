import { type Digest, digestOf } from "../../../contract/digest.ts";
import { byPath } from "../../model/by-path.ts";
import { NOT_APPROVABLE } from "../../planner/plan-types.ts";
import { type Reason, actionsOfStop } from "../../planner/verdict/stops.ts";
import { guardKey } from "../../planner/verdict/guard-key.ts";
import { approvedKeys } from "../../engine/run/guard-facts.ts";
import { META } from "../../engine/run/meta.ts";
import { recordEvent } from "../../engine/run/world.ts";
import type { Action } from "../../model/action.ts";
import { faultTrouble } from "../../folder/fault-trouble.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { type Preview, previewSync, stoppedRun } from "../../folder/run.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { type GuestOptions, withMirror } from "../../folder/with-mirror.ts";
import { APPROVE, REJECT } from "../declared/stop.ts";
import type { ResultOf } from "../define.ts";
import { actionPath, actionWords, type PathOf } from "../results/actions.ts";
import { NEXT_WITHOUT_ROOT } from "../results/attention.ts";
import { pathsOf } from "../results/plan.ts";
import { insteadOf, REJECTION_WORDS } from "../results/stop.ts";
import type { Operation } from "../run-operation.ts";
import { leftAsIs } from "./many.ts";
import { planRejection, type RejectItem, rejectStop } from "./reject.ts";

/** Both answers to a stop. Each applies only to the stop that the person saw. */

type StopResult = ResultOf<typeof APPROVE>;
type StopItem = StopResult["items"][number];

/** The present stop. `back`: effect of a rejection, or why nothing can be undone. */
export type StopView = { readonly stop: StopResult; readonly back: Result<StopResult> };

/** Returns the changes that the next sync would stop. Writes nothing. */
export function readStop(root: string, options: GuestOptions): Promise<Result<StopView>> {
  return withMirror<StopView>(root, { ...options, mode: "read", what: "plan" }, async (mirror) => {
    const planned = await planAnswer(mirror, true);
    if (planned.kind === "trouble") return planned;
    const back = rejectable(planned.value);
    return ok({
      stop: approve.preview(planned.value),
      back: back.kind === "trouble" ? back : ok(reject.preview(back.value)),
    });
  });
}

/**
 * The changes that a safety check stops now, for an answer to exactly these changes. mdmirror plans
 * again, so that the user sees the next sync. Approved actions run if they still mean the same; new
 * actions are stopped (I21).
 */
export type StopPlan =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "stopped";
      readonly reasons: readonly Reason[];
      /** Actions that the answer is about. */
      readonly stopped: readonly Action[];
      /** Number of other steps of the plan, which wait until the user answers. */
      readonly waiting: number;
      readonly keys: readonly string[];
      readonly pathOf: PathOf;
      /** Files and documents that `reject` restores. */
      readonly back: readonly RejectItem[];
      readonly next: "daemon" | "sync";
    };

type Stopped = Extract<StopPlan, { kind: "stopped" }>;

/**
 * Returns what a safety check stops in a plan. Returns trouble if no answer is possible, because
 * the folder is missing or is another one.
 */
export function stopOf(mirror: OpenedMirror, { plan, trees }: Extract<Preview, { kind: "planned" }>): Result<StopPlan> {
  const { verdict, steps } = plan;
  if (verdict.kind === "run") return ok({ kind: "nothing" });
  const { reasons, stoppedSteps, byReason } = verdict;
  const names = reasons.map(({ reason }) => reason);
  if (names.some((reason) => NOT_APPROVABLE.has(reason))) {
    const why = reasons.map(({ reason, detail }) => `${detail} (${reason})`).join("; ");
    const what = `this stop has no answer, because the folder itself has changed: ${why}`;
    return trouble("usage", what, NEXT_WITHOUT_ROOT, { code: "lost-root" });
  }
  const stopped = actionsOfStop(verdict, steps);
  // Some reasons concern the folder or the workspace as a whole: then the approval names the reason
  // itself.
  const keys = [...(byReason ? names : []), ...stoppedSteps.map((index) => guardKey(steps[index]!.action))];
  return ok({
    kind: "stopped",
    reasons,
    stopped,
    waiting: steps.length - stopped.length,
    keys,
    pathOf: pathsOf(trees.base),
    back: planRejection(mirror.world.state, plan, trees, names),
    next: mirror.borrowed === true ? "daemon" : "sync",
  });
}

type Answer = Operation<typeof APPROVE, StopPlan>;

/** Lets the next sync carry out the changes of the stop. */
export const approve: Answer = {
  declared: APPROVE,
  plan: (mirror, { attended = false }) => planAnswer(mirror, attended),
  hasWork: ({ kind }) => kind === "stopped",
  seen: (_mirror, plan) => ({ stop: versionOf(plan) }),
  preview: (plan) => resultOf(plan, plan.kind === "nothing" ? [] : plan.stopped.map((one) => rowOf(one, plan))),
  async run(mirror, plan) {
    if (plan.kind === "stopped") storeApproval(mirror, plan);
    const { items, ...rest } = approve.preview(plan);
    return ok({ ...rest, items: items.map((item) => ({ ...item, end: "done" })) });
  },
};

/** Undoes the changes that led to the stop. */
export const reject: Answer = {
  declared: REJECT,
  async plan(mirror, { attended = false }) {
    const planned = await planAnswer({ ...mirror, world: { ...mirror.world, ignoresApproval: true } }, attended);
    return planned.kind === "trouble" ? planned : rejectable(planned.value);
  },
  hasWork: ({ kind }) => kind === "stopped",
  seen: (_mirror, plan) => ({ stop: versionOf(plan) }),
  preview: (plan) => resultOf(plan, plan.kind === "nothing" ? [] : plan.back.map(itemOf)),
  async run(mirror, plan) {
    if (plan.kind === "nothing") return ok(resultOf(plan, []));
    const { world } = mirror;
    withdrawApproval(mirror);
    const ends = await rejectStop(world, plan.back);
    const items = plan.back.map((item, index): StopItem => ({ ...ends[index]!, what: itemOf(item).what }));
    return ok(resultOf(plan, items));
  },
};

/** Returns the plan of a rejection, or why nothing can be undone. */
function rejectable(plan: StopPlan): Result<StopPlan> {
  if (plan.kind === "nothing" || plan.back.some(({ kind }) => kind !== "left")) return ok(plan);
  const next = plan.reasons.map(({ reason }) => insteadOf(reason)).join("; ");
  const what = "there is nothing to undo: nothing was deleted or changed on either side";
  return trouble("usage", what, next, { code: "nothing-to-reject" });
}

async function planAnswer(mirror: OpenedMirror, attended: boolean): Promise<Result<StopPlan>> {
  const preview = await previewSync(mirror, stoppedRun(mirror, attended));
  if (preview.kind === "offline") return { kind: "trouble", trouble: faultTrouble(preview.fault, mirror.url) };
  return stopOf(mirror, preview);
}

/** Returns the version of a stop, which an answer to it names; null if nothing is stopped. */
export function versionOf(plan: StopPlan): Digest | null {
  if (plan.kind === "nothing") return null;
  return digestOf(JSON.stringify([plan.keys.toSorted(), plan.back.map(({ kind, path }) => [kind, path])]));
}

function resultOf(plan: StopPlan, items: readonly StopItem[]): StopResult {
  const version = versionOf(plan);
  if (plan.kind === "nothing") return { run: null, reasons: [], version, waiting: 0, next: "sync", items };
  const { waiting, next } = plan;
  const reasons = plan.reasons.map(({ reason, detail }) => ({ reason, detail }));
  return { run: null, reasons, version, waiting, next, items: items.toSorted(byPath) };
}

function rowOf(action: Action, { pathOf }: Stopped): StopItem {
  const { arrow, label } = actionWords(action);
  const notes = action.why === "" ? [] : [action.why];
  return { path: actionPath(action, pathOf), end: "planned", why: "", notes, what: `${arrow} ${label}` };
}

function itemOf(item: RejectItem): StopItem {
  if (item.kind === "left") return { ...leftAsIs(item.path, item.why), what: "left alone" };
  return { path: item.path, end: "planned", why: "", notes: [], what: REJECTION_WORDS[item.kind] };
}

/** Withdraws an approval that no run has used yet. */
function withdrawApproval({ world: { state } }: OpenedMirror): void {
  if (state.meta(META.approved) !== null) state.setMeta(META.approved, null);
}

/** Stores the approval. The approval lasts until a run without a stop. */
function storeApproval({ world }: OpenedMirror, { keys, reasons }: Stopped): void {
  const { state, clock } = world;
  state.transact(() => {
    const approved = new Set([...approvedKeys(world), ...keys]);
    state.setMeta(META.approved, JSON.stringify([...approved].sort()));
    const run = state.beginRun("approve", clock.now());
    const detail = reasons.map(({ reason, detail: why }) => `${reason}: ${why}`).join("; ");
    recordEvent(world, run, { kind: "approve", side: "both", id: null, path: "", detail });
    state.endRun(run, clock.now(), JSON.stringify({ approved: keys.length }));
  });
}
