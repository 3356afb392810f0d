import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import { byPath } from "../../model/by-path.ts";
import type { Action } from "../../model/action.ts";
import type { Reason } from "../../planner/verdict/stops.ts";
import { faultTrouble } from "../../folder/fault-trouble.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { stoppedRun } from "../../folder/run.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { type GuestOptions, withMirror } from "../../folder/with-mirror.ts";
import { APPROVE, REJECT } from "../declared/stop.ts";
import type { ResultOf } from "../define.ts";
import { actionPath, actionWords } from "../results/actions.ts";
import { NEXT_WITHOUT_ROOT } from "../results/attention.ts";
import { insteadOf } from "../results/stop.ts";
import type { Operation } from "../run-operation.ts";
import { findStop, type StoppedPlan, storeApproval, withdrawApproval } from "./approve.ts";
import { planRejection, type RejectItem, rejectStop } from "./reject.ts";

/** Both answers to a stop. Each applies only to the stop that the person saw. */

/** One stopped change. */
export type StoppedRow = {
  readonly arrow: string;
  readonly what: string;
  /** Path of the change; of a move, both paths. */
  readonly path: string;
  readonly why: string;
};

export type StopView =
  | { readonly kind: "nothing" }
  /** No approval is possible: the folder is missing, or is another one. */
  | { readonly kind: "not-approvable"; readonly reasons: readonly Reason[] }
  | {
      readonly kind: "stopped";
      readonly reasons: readonly Reason[];
      /** Digest of the stopped changes and of the restores that `reject` would do. */
      readonly seen: Digest;
      /** Sorted by path. */
      readonly stopped: readonly StoppedRow[];
      /** Number of other steps of the plan, which wait until the user answers. */
      readonly waiting: number;
      /** True if the answer is about the whole plan, because a reason concerns a whole side. */
      readonly byReason: boolean;
      readonly back: readonly RejectItem[];
    };

type Decidable = Extract<StoppedPlan, { kind: "stopped" }>;

/** Returns the changes that the next sync would stop. Writes nothing. */
export function readStop(root: string, options: GuestOptions): Promise<Result<StopView>> {
  return withMirror<StopView>(root, { ...options, mode: "read", what: "plan" }, async (mirror) => {
    const halted = await findStop(mirror, stoppedRun(mirror, true));
    if (halted.kind === "offline") return { kind: "trouble", trouble: faultTrouble(halted.fault, mirror.url) };
    return ok(viewOf(mirror, halted));
  });
}

/** Returns the version of a stop, which an answer to it names. */
export function versionOfStop(mirror: OpenedMirror, halted: Exclude<StoppedPlan, { kind: "offline" }>): Digest | null {
  return halted.kind === "stopped" ? seenOf(halted, backOf(mirror, halted)) : null;
}

export type StopPlan =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "stopped";
      readonly halted: Decidable;
      /** Files and documents that `reject` restores. */
      readonly back: readonly RejectItem[];
      readonly next: "daemon" | "sync";
    };

type Answer = Operation<typeof APPROVE, StopPlan>;

/** Lets the next sync carry out the changes of the stop. */
export const approve: Answer = {
  declared: APPROVE,
  plan: (mirror, { attended = false }) => planAnswer(mirror, attended),
  hasWork: ({ kind }) => kind === "stopped",
  seen: (_mirror, plan) => versionOf(plan),
  preview: (plan) =>
    resultOf(plan, plan.kind === "nothing" ? [] : plan.halted.stopped.map((one) => rowIn(plan, one)).toSorted(byPath)),
  async run(mirror, plan) {
    if (plan.kind === "stopped") storeApproval(mirror, plan.halted);
    const { items, ...rest } = approve.preview(plan);
    return ok({ ...rest, items: items.map((item) => ({ ...item, end: "done" })) });
  },
};

/** Undoes the changes that led to the stop. */
export const reject: Answer = {
  declared: REJECT,
  async plan(mirror, { attended = false }) {
    const planned = await planAnswer({ ...mirror, world: { ...mirror.world, ignoresApproval: true } }, attended);
    if (planned.kind === "trouble" || planned.value.kind === "nothing") return planned;
    const { halted, back } = planned.value;
    if (back.some(({ kind }) => kind !== "left")) return planned;
    const next = halted.reasons.map(({ reason }) => insteadOf(reason)).join("; ");
    const what = "there is nothing to undo: nothing was deleted or changed on either side";
    return trouble("usage", what, next, { code: "nothing-to-reject" });
  },
  hasWork: ({ kind }) => kind === "stopped",
  seen: (_mirror, plan) => versionOf(plan),
  preview: (plan) => resultOf(plan, plan.kind === "nothing" ? [] : plan.back.map(itemOf)),
  async run(mirror, plan) {
    if (plan.kind === "nothing") return ok(resultOf(plan, []));
    const { world } = mirror;
    withdrawApproval(mirror);
    const ends = await rejectStop(world, plan.back);
    const items = ends.map(({ item: { path }, done, note }): StopItem => {
      if (done) return { path, end: "done", why: "", notes: note === "" ? [] : [note] };
      return { path, end: "left", why: note, notes: [] };
    });
    return ok(resultOf(plan, items));
  },
};

type StopItem = ResultOf<typeof APPROVE>["items"][number];

async function planAnswer(mirror: OpenedMirror, attended: boolean): Promise<Result<StopPlan>> {
  const halted = await findStop(mirror, stoppedRun(mirror, attended));
  switch (halted.kind) {
    case "offline":
      return { kind: "trouble", trouble: faultTrouble(halted.fault, mirror.url) };
    case "nothing":
      return ok(halted);
    case "not-approvable": {
      const reasons = halted.reasons.map(({ reason, detail }) => `${detail} (${reason})`).join("; ");
      const what = `this stop has no answer, because the folder itself has changed: ${reasons}`;
      return trouble("usage", what, NEXT_WITHOUT_ROOT, { code: "lost-root" });
    }
    case "stopped":
      return ok({
        kind: "stopped",
        halted,
        back: backOf(mirror, halted),
        next: mirror.borrowed === true ? "daemon" : "sync",
      });
  }
}

function versionOf(plan: StopPlan) {
  return { stop: plan.kind === "nothing" ? null : seenOf(plan.halted, plan.back) };
}

function resultOf(plan: StopPlan, items: readonly StopItem[]): ResultOf<typeof APPROVE> {
  if (plan.kind === "nothing") return { run: null, reasons: [], next: "sync", items };
  const reasons = plan.halted.reasons.map(({ reason, detail }) => ({ reason, detail }));
  return { run: null, reasons, next: plan.next, items: [...items] };
}

function rowIn({ halted }: Extract<StopPlan, { kind: "stopped" }>, action: Action): StopItem {
  return { path: rowOf(action, halted.trees.base).path, end: "planned", why: "", notes: [] };
}

function itemOf(item: RejectItem): StopItem {
  if (item.kind === "left") return { path: item.path, end: "left", why: item.why, notes: [] };
  return { path: item.path, end: "planned", why: "", notes: [] };
}

function viewOf(mirror: OpenedMirror, halted: Exclude<StoppedPlan, { kind: "offline" }>): StopView {
  if (halted.kind !== "stopped") return halted;
  const { reasons, plan, trees } = halted;
  const back = backOf(mirror, halted);
  const byReason = plan.verdict.kind === "safety-stop" && plan.verdict.byReason;
  const stopped = halted.stopped.map((action) => rowOf(action, trees.base));
  return {
    kind: "stopped",
    reasons,
    seen: seenOf(halted, back),
    stopped: stopped.toSorted(byPath),
    waiting: halted.waiting,
    byReason,
    back,
  };
}

function backOf({ world }: OpenedMirror, { plan, trees, reasons }: Decidable): RejectItem[] {
  return planRejection(
    world.state,
    plan,
    trees,
    reasons.map(({ reason }) => reason),
  );
}

function seenOf({ keys }: Decidable, back: readonly RejectItem[]): Digest {
  return digestOf(JSON.stringify([keys.toSorted(), back.map(({ kind, path }) => [kind, path])]));
}

function rowOf(action: Action, { links, dirs }: Decidable["trees"]["base"]): StoppedRow {
  const { arrow, label } = actionWords(action);
  const pathOf = (id: string) => (links.get(id as DocId) ?? dirs.get(id as DirId))?.localPath ?? null;
  return { arrow, what: label, path: actionPath(action, pathOf), why: action.why };
}
