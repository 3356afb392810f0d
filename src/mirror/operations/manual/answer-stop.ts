/** The operations `approve` and `reject`. An answer applies only to the stop that the user saw. */

import { digestOf } from "../../../contract/digest.ts";
import { compareByPath } from "../../model/by-path.ts";
import { quoteForShell } from "../../model/shell-word.ts";
import { UNAPPROVABLE_REASONS, type StopReason, LOST_DOCUMENT_REASONS, type Plan } from "../../planner/plan-types.ts";
import { listActionsOfStop, toApprovalKey } from "../../planner/verdict/stops.ts";
import { readApprovedKeys } from "../../engine/run/guard-facts.ts";
import { META } from "../../engine/run/meta.ts";
import { recordEvent } from "../../engine/run/world.ts";
import type { Action } from "../../model/action.ts";
import { type OpenedMirror, type HostOptions, withMirror } from "../../folder/open-mirror.ts";
import { planSync, type SyncPlan, makeStoppedRequest } from "../../folder/run.ts";
import { ok, refusal, type Result } from "../../../common/trouble.ts";
import { APPROVE, REJECT } from "../declared/writes.ts";
import type { ResultOf } from "../define.ts";
import { readActionPath, describeAction, type PathLookup } from "../results/actions.ts";
import { findStepWithoutUndo, NEXT_WITHOUT_ROOT, REJECTION_WORDS, type RejectionKind } from "../results/attention.ts";
import { makePathLookup } from "../results/plan.ts";
import type { Operation } from "../run-operation.ts";
import { hasWork, makePlannedRow, listRows, runItems, makeLeftRow, type PlanItem } from "./many.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { State } from "../../ports/state.ts";
import type { Trees } from "../../model/tree.ts";
import * as manual from "../../engine/manual/undo.ts";

type StopResult = ResultOf<typeof APPROVE>;
type StopItem = StopResult["items"][number];

/** Plans the next sync, and returns the changes that a safety check would stop. Writes nothing. */
export function readStop(root: string, options: HostOptions): Promise<Result<StopPlan>> {
  return withMirror(root, { ...options, mode: "read", what: "plan" }, (mirror) => planAnswer(mirror, true));
}

/** Changes that a safety check stopped. An answer applies to exactly these changes (I21). */
export type StopPlan = {
  readonly stop: StopResult;
  readonly deleted: ReadonlySet<string>;
  readonly keys: readonly string[];
  /** Items that a rejection restores, or leaves alone. */
  readonly back: readonly RejectItem[];
};

const NO_STOP: StopPlan = {
  stop: { run: null, reasons: [], version: null, waiting: 0, next: "sync", items: [] },
  deleted: new Set(),
  keys: [],
  back: [],
};

/** Returns trouble if the linked folder is not at its path, because no answer is then possible. */
export function findStop(mirror: OpenedMirror, { plan, trees }: SyncPlan): Result<StopPlan> {
  const { verdict, steps } = plan;
  if (verdict.kind === "run") return ok(NO_STOP);
  const { reasons, stoppedSteps, byReason } = verdict;
  const names = reasons.map(({ reason }) => reason);
  if (names.some((reason) => UNAPPROVABLE_REASONS.has(reason))) {
    const reasonText = reasons.map(({ reason, detail }) => `${detail} (${reason})`).join("; ");
    const problem = `this stop has no answer, because the folder itself has changed: ${reasonText}`;
    return refusal(problem, NEXT_WITHOUT_ROOT, "lost-root");
  }
  const stoppedActions = listActionsOfStop(verdict, steps);
  // A reason that concerns the whole folder or workspace belongs to no single step, so the approval
  // names the reason itself.
  const keys = [...(byReason ? names : []), ...stoppedSteps.map((index) => toApprovalKey(steps[index]!.action))];
  const rejectItems = planRejection(mirror.world.state, plan, trees);
  const pathOf = makePathLookup(trees.base);
  return ok({
    stop: {
      run: null,
      reasons: reasons.map(({ reason, detail }) => ({ reason, detail })),
      version: digestOf(JSON.stringify([keys.toSorted(), rejectItems.map(({ kind, path }) => [kind, path])])),
      waiting: steps.length - stoppedActions.length,
      next: mirror.isBorrowed ? "daemon" : "sync",
      items: stoppedActions.map((action) => makeRow(action, pathOf)).toSorted(compareByPath),
    },
    deleted: new Set(stoppedActions.filter(isDeletion).map((action) => readActionPath(action, pathOf))),
    keys,
    back: rejectItems,
  });
}

type AnswerOperation = Operation<typeof APPROVE, StopPlan>;

const ANSWER_PARTS = {
  hasWork: ({ stop }: StopPlan) => stop.version !== null,
  seen: (_mirror: OpenedMirror, { stop: { version } }: StopPlan) => ({ stop: version }),
};

export const approve: AnswerOperation = {
  ...ANSWER_PARTS,
  declared: APPROVE,
  plan: (mirror, { attended = false }) => planAnswer(mirror, attended),
  preview: ({ stop }) => stop,
  async run(mirror, plan) {
    storeApproval(mirror, plan);
    return ok({ ...plan.stop, items: plan.stop.items.map((item) => ({ ...item, end: "done" })) });
  },
};

export const reject: AnswerOperation = {
  ...ANSWER_PARTS,
  declared: REJECT,
  async plan(mirror, { attended = false }) {
    const planResult = await planAnswer({ ...mirror, world: { ...mirror.world, ignoresApproval: true } }, attended);
    return planResult.kind === "trouble" ? planResult : requireRejectable(planResult.value);
  },
  preview: ({ stop, back }) => ({ ...stop, items: listRows({ items: back }) }),
  async run({ world }, { stop, back }) {
    // If no run has used an earlier approval yet, a rejection withdraws that approval.
    if (world.state.meta(META.approved) !== null) world.state.setMeta(META.approved, null);
    const runResult = await runItems(world, "reject", { isOne: false, items: back });
    return runResult.kind === "trouble" ? runResult : ok({ ...stop, items: runResult.value.items });
  },
};

/** Returns trouble if a rejection of the stop could restore nothing. */
export function requireRejectable(plan: StopPlan): Result<StopPlan> {
  const { stop, back } = plan;
  if (stop.version === null || hasWork({ items: back })) return ok(plan);
  const nextStep = stop.reasons.map(({ reason }) => findStepWithoutUndo(reason as StopReason)).join("; ");
  const problem = "there is nothing to undo: nothing was deleted or changed on either side";
  return refusal(problem, nextStep, "nothing-to-reject");
}

async function planAnswer(mirror: OpenedMirror, attended: boolean): Promise<Result<StopPlan>> {
  const planResult = await planSync(mirror, makeStoppedRequest(mirror, attended));
  return planResult.kind === "trouble" ? planResult : findStop(mirror, planResult.value);
}

function isDeletion({ kind }: Action): boolean {
  return kind === "delete-remote" || kind === "trash-local";
}

function makeRow(action: Action, pathOf: PathLookup): StopItem {
  const { arrow, label } = describeAction(action);
  const notes = action.why === "" ? [] : [action.why];
  return { ...makePlannedRow(readActionPath(action, pathOf)), notes, what: `${arrow} ${label}` };
}

/** The approval is valid until a run ends without a stop. */
function storeApproval({ world }: OpenedMirror, { keys, stop: { reasons } }: StopPlan): void {
  const { state, clock } = world;
  state.transact(() => {
    const approvedSteps = new Set([...readApprovedKeys(world), ...keys]);
    state.setMeta(META.approved, JSON.stringify([...approvedSteps].sort()));
    const run = state.beginRun("approve", clock.now());
    const detail = reasons.map(({ reason, detail: why }) => `${reason}: ${why}`).join("; ");
    recordEvent(world, run, { kind: "approve", side: "both", id: null, path: "", detail });
    state.endRun(run, clock.now(), JSON.stringify({ approved: keys.length }));
  });
}

type RejectItem = PlanItem<ResultOf<typeof REJECT>["items"][number]> & {
  readonly path: LocalPath;
  readonly kind: RejectionKind | "left";
};

function makeRejectItem(kind: RejectionKind, path: LocalPath, act: NonNullable<RejectItem["act"]>): RejectItem {
  return { kind, path, row: { ...makePlannedRow(path), what: REJECTION_WORDS[kind] }, act };
}

function leaveAlone(path: LocalPath, why: string): RejectItem {
  return { kind: "left", path, row: { ...makeLeftRow(path, why), what: "left alone" }, act: null };
}

/** Plans what a rejection restores. Returns no items for a stop that leaves nothing to restore. */
export function planRejection(state: Pick<State, "isEarlier">, plan: Plan, trees: Trees): RejectItem[] {
  const { verdict, steps } = plan;
  if (verdict.kind === "run") return [];
  const { byReason, reasons, stoppedSteps } = verdict;
  if (byReason && !reasons.every(({ reason }) => LOST_DOCUMENT_REASONS.has(reason))) return [];
  const actions = (byReason ? steps : stoppedSteps.map((index) => steps[index]!)).map(({ action }) => action);
  const contents = byReason ? listOlderOnService(state, trees) : actions.flatMap(listContentItems);
  const editedItems = reasons.some(({ reason }) => reason === "wrong-workspace") ? listEditedAndMissing(plan) : [];
  return [...contents, ...editedItems, ...actions.flatMap((action) => listRejectItems(action, trees))].toSorted(
    compareByPath,
  );
}

function listRejectItems(action: Action, { base }: Trees): RejectItem[] {
  switch (action.kind) {
    case "delete-remote":
      return [makeRejectItem("file-back", action.localPath, (ctx) => manual.restoreDeletedFile(ctx, action))];
    case "trash-local": {
      const { localPath: path } = action;
      if (action.cause === "gone") return [planKeepAsNew(action.id, path)];
      return [leaveAlone(path, "it was moved out of the synced folder; move it back on the service")];
    }
    case "end-conflict": {
      const path = base.records.get(action.id)?.localPath ?? action.localPath;
      return [makeRejectItem("other-version-back", path, (ctx) => manual.restoreConflictCopy(ctx, action.id))];
    }
    case "remove-folder-remote":
      return [
        makeRejectItem("folder-back", action.localPath, (ctx) => manual.restoreRemovedFolder(ctx, action.localPath)),
      ];
    case "remove-folder-local": {
      const { dirId, localPath: path } = action;
      return dirId === null ? [] : [makeRejectItem("folder-stays", path, (ctx) => manual.keepFolder(ctx, dirId))];
    }
    default:
      return [];
  }
}

function planKeepAsNew(id: DocId, path: LocalPath): RejectItem {
  return makeRejectItem("stays-as-new", path, (ctx) => manual.keepFileAsNew(ctx, id, path));
}

/**
 * Lists documents that were edited locally and are gone from the workspace. A rejection keeps these
 * files as new documents, because with the old records each later sync would stop again. These
 * documents are blocked, so no step of the plan names them.
 */
function listEditedAndMissing({ blocks }: Plan): RejectItem[] {
  const missingBlocks = blocks.filter(({ reason }) => reason === "gone-or-unreadable");
  return missingBlocks.map(({ key, path }) => planKeepAsNew(key as DocId, path as LocalPath));
}

/** Plans to restore a document that the action would make empty, locally or on the service. */
function listContentItems(action: Action): RejectItem[] {
  if (!("empties" in action) || action.empties !== true) return [];
  const { localPath: path, id } = action;
  if (action.kind === "put")
    return [makeRejectItem("text-back", path, (ctx) => manual.restoreBaseContent(ctx, action))];
  const { changeId } = action;
  return [makeRejectItem("newer-text-back", path, (ctx) => manual.resendLocalContent(ctx, id, changeId))];
}

/** Plans to upload local content again if the service shows an older version. */
function listOlderOnService(state: Pick<State, "isEarlier">, { base, remote }: Trees): RejectItem[] {
  return [...remote.files.values()].flatMap(({ id, changeId }): RejectItem[] => {
    const record = base.records.get(id);
    if (record === undefined || record.changeId === changeId || !state.isEarlier(id, changeId, record.changeId))
      return [];
    const { localPath: path } = record;
    if (base.conflicts.has(id)) return [leaveAlone(path, `it is in conflict: mdmirror resolve ${quoteForShell(path)}`)];
    return [makeRejectItem("newer-text-back", path, (ctx) => manual.resendLocalContent(ctx, id, changeId))];
  });
}
