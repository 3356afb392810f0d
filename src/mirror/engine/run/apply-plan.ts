/** Runs the steps of a plan. Logs the steps that fail, and remembers them. */
import { type Action, type ActionOf, getSubject, type Outcome, type Step } from "../../model/action.ts";
import { isDocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Plan } from "../../planner/plan-types.ts";
import { executeSteps, type StepEnd } from "./execute.ts";
import { type CycleContext, isFutileRepeat, noteFutileAction, readEarlierOutcome } from "./cycle-context.ts";
import { createLocal, journalNewFiles, meetDocument, writeLocal } from "../apply/download.ts";
import { recordEvent } from "./world.ts";
import { noteMissingCopy, dropConflict, endConflict, renewConflict } from "../apply/conflict-course.ts";
import { staleIfInUse } from "../apply/effect.ts";
import {
  forgetFolder,
  makeFolderLocal,
  makeFolderRemote,
  recordFolder,
  removeFolderLocal,
  removeFolderRemote,
} from "../apply/folder.ts";
import { moveDocument, moveFolderRemote } from "../apply/move-remote.ts";
import { merge, settleReview } from "../apply/merge.ts";
import { moveLocal } from "../apply/move-local.ts";
import { recordNewPaths } from "../apply/place.ts";
import { deleteRemote, forgetDocument, trashLocal, updateRecordFlags } from "../apply/presence.ts";
import { createRemote } from "../apply/create-remote.ts";
import { putContent } from "../apply/put.ts";
import { runEffect, runLocalEffect } from "../apply/run-effect.ts";
import { orderTargetsFirst } from "../../../common/targets-first.ts";
import type { MirrorLinks } from "../links/mirror-links.ts";

/**
 * LIMIT: number of steps that run at the same time, so that memory stays bounded: each step has its
 * content in memory (I33). More steps than parallel requests are useful, because some steps write
 * files or wait for a commit.
 */
const MAX_PARALLEL_STEPS = 40;

/**
 * Runs the steps of a plan.
 * @param stop after this signal aborts, no step starts
 * @returns how each step ended, by the step's index
 */
export async function applyPlan(ctx: CycleContext, { steps }: Plan, stop?: AbortSignal): Promise<StepEnd[]> {
  const { progress } = ctx.world;
  if (steps.length > 0) progress.report("apply", 0, steps.length);
  const newFileActions = steps.flatMap(({ action }) => (action.kind === "create-local" ? [action] : []));
  const runSteps = () =>
    executeSteps(steps, (action) => ctx.group.during(() => performAndNote(ctx, action)), {
      concurrency: MAX_PARALLEL_STEPS,
      isFatal: (outcome) => outcome.kind === "later" && outcome.unreachable,
      onEnd: (done) => progress.report("apply", done, steps.length),
      ...(stop === undefined ? {} : { stop }),
    });
  try {
    return await journalNewFiles(ctx, newFileActions, runSteps);
  } finally {
    ctx.group.abandon();
  }
}

/**
 * Returns the recorded path of a document, because a message never shows an id; "" if `id` is not
 * the id of a document.
 */
function findRecordedPath({ world }: CycleContext, id: string | null): LocalPath {
  return (isDocId(id) ? world.state.record(id)?.localPath : null) ?? "";
}

/**
 * Runs an action. Remembers a failed action, so that mdmirror does not repeat the same action
 * forever.
 */
async function performAndNote(ctx: CycleContext, action: Action): Promise<Outcome> {
  const { tally, isListed } = ctx.notes;
  if (isFutileRepeat(tally, action, isListed)) return readEarlierOutcome(tally, action);
  const { progress } = ctx.world;
  progress.step?.(action, "begun");
  const outcome = await performAction(ctx, action).finally(() => progress.step?.(action, "ended"));
  if (outcome.kind === "done" || outcome.kind === "submitted") return outcome;
  if (outcome.kind === "stale" || outcome.kind === "uncertain") noteFutileAction(tally, action, outcome);
  noteFailure(ctx, action, outcome);
  return outcome;
}

function noteFailure(
  ctx: CycleContext,
  action: Action,
  outcome: Exclude<Outcome, { kind: "done" | "submitted" }>,
): void {
  const { state, log } = ctx.world;
  const subject = getSubject(action);
  const { id } = subject;
  const path = subject.path === "" ? findRecordedPath(ctx, id) : subject.path;
  const { kind, detail } = outcome;
  const requestId = outcome.kind === "stale" ? null : outcome.requestId;
  log.write(kind === "stale" ? "debug" : "warn", kind, { action: action.kind, id, path, detail, requestId });
  if (outcome.kind === "stale") return;
  const { block, code } = outcome.kind === "refused" ? outcome : { block: null, code: null };
  const fault = { id, path, detail: `${action.kind}: ${detail}`, outcome: kind, code, requestId };
  state.transact(() => {
    if (block !== null) state.putBlock(block);
    recordEvent(ctx.world, ctx.run, { kind: "fault", side: "both", ...fault });
  });
}

type PerformFunction<K extends Action["kind"]> = (ctx: CycleContext, action: ActionOf<K>) => Outcome | Promise<Outcome>;

const EFFECTS: { readonly [K in Action["kind"]]: PerformFunction<K> } = {
  "create-local": createLocal,
  // ORDER: `staleIfInUse` runs before the download, because a download for a file in use would be
  // useless. The write checks again whether the file is in use.
  "write-local": (ctx, action) => staleIfInUse(ctx, action) ?? writeLocal(ctx, action),
  "create-remote": (ctx, action) => runEffect(ctx, createRemote, action),
  put: (ctx, action) => runEffect(ctx, putContent, action),
  merge: (ctx, action) => staleIfInUse(ctx, action) ?? merge(ctx, action),
  meet: meetDocument,
  "settle-review": settleReview,
  "trash-local": trashLocal,
  "delete-remote": deleteRemote,
  forget: forgetDocument,
  "note-facts": updateRecordFlags,
  "move-local": (ctx, action) => runLocalEffect(ctx, moveLocal, { ...action, kind: "move" }),
  "rename-remote": (ctx, action) => runEffect(ctx, moveDocument, action),
  "reparent-remote": (ctx, action) => runEffect(ctx, moveDocument, action),
  relink: recordNewPaths,
  "end-conflict": endConflict,
  "look-again": noteMissingCopy,
  "renew-conflict": renewConflict,
  "move-conflict-copy": (ctx, action) => runLocalEffect(ctx, moveLocal, { ...action, kind: "move" }),
  "drop-conflict": (ctx, action) => runLocalEffect(ctx, dropConflict, action),
  "make-folder-local": makeFolderLocal,
  "make-folder-remote": (ctx, action) => runEffect(ctx, makeFolderRemote, action),
  "link-folder": recordFolder,
  "move-folder-local": (ctx, action) => runLocalEffect(ctx, moveLocal, { ...action, kind: "move-folder" }),
  "rename-folder-remote": (ctx, action) => runEffect(ctx, moveFolderRemote, action),
  "reparent-folder-remote": (ctx, action) => runEffect(ctx, moveFolderRemote, action),
  "remove-folder-local": removeFolderLocal,
  "remove-folder-remote": (ctx, action) => runEffect(ctx, removeFolderRemote, action),
  "forget-folder": forgetFolder,
};

export async function performAction(ctx: CycleContext, action: Action): Promise<Outcome> {
  return (EFFECTS[action.kind] as PerformFunction<Action["kind"]>)(ctx, action as never);
}

/**
 * Orders a plan so that a document is created before the documents that link to it. The links can
 * then contain the id of the target. If links form a circle, one document is sent with a link
 * without a target, and is sent again in the next cycle.
 */
export function orderByLinks(plan: Plan, links: MirrorLinks): Plan {
  const creatingSteps = new Map<LocalPath, number>();
  for (const [index, { action }] of plan.steps.entries())
    if (action.kind === "create-remote") creatingSteps.set(action.localPath, index);
  if (creatingSteps.size === 0 || links.forms.known.isEmpty()) return plan;
  const targetsByStep = plan.steps.map(({ action }) => findTargetSteps(action, creatingSteps, links));
  const positionByStep = orderTargetsFirst(targetsByStep, creatingSteps.values());
  const steps = plan.steps.map((step, index): Step => {
    const stepIndex = positionByStep.get(index) ?? Number.POSITIVE_INFINITY;
    const targetSteps = targetsByStep[index]!.filter(
      (target) => target !== index && positionByStep.get(target)! < stepIndex,
    );
    return targetSteps.length === 0 ? step : { ...step, after: [...step.after, ...targetSteps] };
  });
  return { ...plan, steps };
}

function findTargetSteps(action: Action, creating: ReadonlyMap<LocalPath, number>, links: MirrorLinks): number[] {
  if (action.kind !== "create-remote" && action.kind !== "put") return [];
  const linkTargets = links.leadsOf(action.localPath, action.expect);
  return linkTargets.flatMap(({ at, to }) => {
    const target = to === null && at !== null ? creating.get(at) : undefined;
    return target === undefined ? [] : [target];
  });
}
