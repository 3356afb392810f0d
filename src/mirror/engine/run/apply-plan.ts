/** Runs the steps of a plan. Logs the steps that fail, and remembers them. */

import { type Action, type Outcome, getSubject } from "../../model/action.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Plan } from "../../planner/plan-types.ts";
import { executeSteps, type StepEnd } from "./execute.ts";
import { readEarlierOutcome, isFutileRepeat, noteFutileAction } from "./repeat-guard.ts";
import { journalNewFiles } from "../apply/create-local.ts";
import { performAction } from "../apply/perform.ts";
import { recordEvent } from "./world.ts";
import type { CycleContext } from "./cycle-context.ts";

/**
 * LIMIT: number of steps that run at the same time. The number is higher than the client's number
 * of parallel requests, because some steps write files or wait for a commit. A higher number would
 * need more memory, because each step has its content in memory (I33).
 */
const MAX_PARALLEL_STEPS = 40;

/**
 * Runs the steps of a plan. Returns how each step ended, by the step's index.
 * @param stop no more steps start after this signal aborts
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
 * Returns the recorded path of a document, because a message never shows an id. Returns "" if `id`
 * is not the id of a document.
 */
function findRecordedPath({ world }: CycleContext, id: string | null): LocalPath {
  return (id?.startsWith("doc_") === true ? world.state.record(id as DocId)?.localPath : null) ?? "";
}

/** Runs an action. Remembers if it failed, so that mdmirror does not repeat it forever. */
async function performAndNote(ctx: CycleContext, action: Action): Promise<Outcome> {
  const { tally, isListed } = ctx.notes;
  if (isFutileRepeat(tally, action, isListed)) return readEarlierOutcome(tally, action);
  const outcome = await performAndReport(ctx, action);
  if (outcome.kind === "done" || outcome.kind === "submitted") return outcome;
  if (outcome.kind === "stale" || outcome.kind === "uncertain") noteFutileAction(tally, action, outcome);
  noteFailure(ctx, action, outcome);
  return outcome;
}

async function performAndReport(ctx: CycleContext, action: Action): Promise<Outcome> {
  const { progress } = ctx.world;
  progress.step?.(action, "begun");
  try {
    return await performAction(ctx, action);
  } finally {
    progress.step?.(action, "ended");
  }
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
