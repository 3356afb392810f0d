import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import { byPath } from "../../model/by-path.ts";
import type { Action } from "../../model/action.ts";
import type { Reason } from "../../planner/verdict/stops.ts";
import { faultTrouble } from "../../folder/fault-trouble.ts";
import type { MirrorOptions, OpenedMirror } from "../../folder/open-mirror.ts";
import { stoppedRun } from "../../folder/run.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { type GuestOptions, withMirror } from "../../folder/with-mirror.ts";
import { actionPath, actionWords } from "../results/actions.ts";
import { approve, findStop, type StoppedPlan } from "./approve.ts";
import { planRejection, rejectStop, type RejectEnd, type RejectItem } from "./reject.ts";

/**
 * Both answers to a stop that a person looked at first: an answer applies only to the stop that was
 * shown.
 */

/** One stopped change. */
export type StoppedRow = {
  readonly arrow: string;
  readonly what: string;
  /** Both ends of a move. */
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
      /** Digest of the stopped changes and of what `reject` would restore. */
      readonly seen: Digest;
      /** Sorted by path. */
      readonly stopped: readonly StoppedRow[];
      /** Number of other steps of the plan that wait for the answer. */
      readonly waiting: number;
      /** True if the answer concerns the whole plan. */
      readonly byReason: boolean;
      readonly back: readonly RejectItem[];
    };

type Decidable = Extract<StoppedPlan, { kind: "stopped" }>;

/** Returns the changes that the next sync would stop. Writes nothing. */
export function readStop(root: string, options: GuestOptions): Promise<Result<StopView>> {
  return withHalt(root, { ...options, mode: "read", what: "plan" }, (mirror, halted) => ok(viewOf(mirror, halted)));
}

/** `nothing`: the stop has ended. `changed`: other changes are stopped than were shown. */
export type Decided<T> = { readonly kind: "nothing" | "changed" | "not-approvable" } | ({ readonly kind: "done" } & T);

/** `borrowed`: a daemon continues with it. */
type LetGo = { readonly borrowed: boolean };
type Brought = LetGo & { readonly ends: readonly RejectEnd[] };

/** Approves the stop that was shown. */
export function approveShownStop(root: string, seen: string, options: GuestOptions): Promise<Result<Decided<LetGo>>> {
  return withHalt<Decided<LetGo>>(root, { ...options, mode: "write", what: "approve" }, (mirror, halted) => {
    const other = otherThan(mirror, halted, seen);
    if (other !== null) return ok({ kind: other });
    approve(mirror, halted as Decidable);
    return ok({ kind: "done", borrowed: mirror.borrowed === true });
  });
}

/** Rejects the stop that was shown. */
export function rejectShownStop(root: string, seen: string, options: GuestOptions): Promise<Result<Decided<Brought>>> {
  return withHalt<Decided<Brought>>(root, { ...options, mode: "write", what: "reject" }, async (mirror, halted) => {
    const other = otherThan(mirror, halted, seen);
    if (other !== null) return ok({ kind: other });
    const ends = await rejectStop(mirror.world, itemsOf(mirror, halted as Decidable));
    return ok({ kind: "done", borrowed: mirror.borrowed === true, ends });
  });
}

function withHalt<T>(
  root: string,
  options: MirrorOptions,
  work: (mirror: OpenedMirror, halted: Exclude<StoppedPlan, { kind: "offline" }>) => Result<T> | Promise<Result<T>>,
): Promise<Result<T>> {
  return withMirror(root, options, async (mirror) => {
    const halted = await findStop(mirror, stoppedRun(mirror, true));
    if (halted.kind === "offline") return { kind: "trouble", trouble: faultTrouble(halted.fault, mirror.url) };
    return work(mirror, halted);
  });
}

function otherThan(
  mirror: OpenedMirror,
  halted: Exclude<StoppedPlan, { kind: "offline" }>,
  seen: string,
): Exclude<Decided<unknown>["kind"], "done"> | null {
  if (halted.kind !== "stopped") return halted.kind;
  return seenOf(halted, itemsOf(mirror, halted)) === seen ? null : "changed";
}

function viewOf(mirror: OpenedMirror, halted: Exclude<StoppedPlan, { kind: "offline" }>): StopView {
  if (halted.kind !== "stopped") return halted;
  const { reasons, plan, trees } = halted;
  const back = itemsOf(mirror, halted);
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

function itemsOf({ world }: OpenedMirror, { plan, trees, reasons }: Decidable): RejectItem[] {
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
