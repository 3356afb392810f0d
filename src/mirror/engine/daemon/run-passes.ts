import type { Action } from "../../model/action.ts";
import type { Plan } from "../../planner/plan-types.ts";
import { makePlan } from "../../planner/plan.ts";
import { leavesUndecided } from "../../model/block.ts";
import type { Trees } from "../../model/tree.ts";
import { storeLocalContents } from "../apply/text-name.ts";
import { flushNow } from "../apply/flush.ts";
import { policyOf, textFinder } from "../run/policy.ts";
import { applyPlan } from "../run/apply-plan.ts";
import { converge, type ConvergeInput, rememberTraits, reportRun, RunEntry } from "../run/converge.ts";
import { isRestored, rememberGeneration } from "../run/generation.ts";
import { checkRoot, endsApproval, gatherSignals, stopNote, rememberStop } from "../run/guard-facts.ts";
import { filesInUse } from "../run/files-in-editors.ts";
import { markLosses } from "../run/losses-lately.ts";
import { META } from "../run/meta.ts";
import { PassContext, type PassEnd, type Planned } from "../run/pass-context.ts";
import type { RunReport } from "../run/report.ts";
import { type Settings, type World, zeroCounts } from "../run/world.ts";

/**
 * Runs of the daemon. They see both sides through its observers, and a run that finds nothing to do
 * writes nothing.
 */

export type RunEnd = { readonly report: RunReport; readonly end: PassEnd; readonly didSomething: boolean };

/** Runs cycles until nothing is left to do, as `sync` does. */
export async function runPasses(
  world: World,
  input: Pick<ConvergeInput, "settings" | "retryRefused" | "refused" | "look" | "onPass">,
): Promise<RunEnd> {
  const run = new RunEntry(world, "watch");
  const settings = watched(input.settings);
  const ended = await converge(world, { ...input, run, settings, judgesRefusedBases: false });
  const { end } = ended;
  if (end.kind === "planned") {
    // ORDER: an approval of a stopped sync, which ends here, also confirms what the service lacks.
    rememberGeneration(world, end.plan, end.trees);
    if (needsHaltNote(world, end)) rememberStop(world, run.number, end.plan.verdict);
  }
  markLosses(world);
  const report = reportRun(world, run.begun ?? 0, ended);
  rememberTraits(world);
  run.end(report);
  return { report, end, didSomething: run.begun !== null };
}

/** The daemon's settings: the daemon itself waits until files settle, and for the second scan. */
function watched(settings: Settings): Settings {
  return { ...settings, reviewAfterQuiet: false, secondLookMs: null };
}

/**
 * Returns true if a stop or an approval begins or ends, and must be recorded. While something waits
 * to settle or for its delay, a run has not judged everything, and ends neither (I22).
 */
function needsHaltNote(world: World, { plan: { verdict, blocks } }: Planned): boolean {
  const known = world.state.meta(META.safetyStop);
  if (verdict.kind === "safety-stop") return known !== stopNote(verdict);
  if (leavesUndecided(blocks)) return false;
  return known !== null || endsApproval(world, verdict);
}

/**
 * Runs over a part of the trees: documents that were edited in place, or are new on the service,
 * while everything else is in sync. Only their rows are loaded and compared: with 10,000 documents,
 * loading the rest took most of the time between a save and its PUT.
 * @param last the report of the last run over everything, which still holds for all other documents
 * @returns `whole`: more is needed than to transfer this content, and nothing was done; `done:
 * false`: a step failed
 */
export async function runPart(
  world: World,
  settings: Settings,
  part: Trees,
  last: RunReport,
): Promise<"whole" | (RunEnd & { readonly done: boolean })> {
  const { root, inodesTrusted } = checkRoot(world);
  if (root !== "same" || !inodesTrusted || isLeftOpen(world, part)) return "whole";
  if (isRestored(world.state, world.remote.generation())) return "whole";
  const counts = zeroCounts();
  const run = new RunEntry(world, "watch");
  const input = { run, settings: watched(settings), counts, retryRefused: false, quietTexts: null, dry: false };
  const ctx = new PassContext(world, input);
  world.links?.begin(false);
  const policy = policyOf(ctx, input, new Set());
  const texts = textFinder(ctx);
  const local =
    world.links?.read(part, { policy, texts }, storeLocalContents(world.state, part.base), false) ?? part.local;
  const trees = { ...part, local };
  ctx.notes.local = local;
  for (const folder of trees.remote.folders.values()) ctx.notes.folderIds.set(folder.path, folder.id);
  const signals = gatherSignals(ctx, trees.base, trees.remote, root);
  const plan = makePlan(trees, policy, signals, texts);
  // A file that a program has open is blocked by a run over everything.
  if (!isPlain(world, plan) || filesInUse(ctx, plan, trees.base).size > 0) return "whole";
  const ends = await applyPlan(ctx, plan);
  await flushNow(ctx);
  // These belong to the last run, and are reported once.
  const { renamed: _renamed, madeWay: _madeWay, oneWay: _oneWay, inert: _inert, ...lasting } = last;
  const report = {
    ...lasting,
    run: run.begun ?? last.run,
    passes: 1,
    counts: { ...counts, blocked: last.counts.blocked },
  };
  run.end(report);
  const done = ends.every((end) => end.kind === "ran" && end.outcome.kind === "done");
  return { report, end: { kind: "planned", plan, trees, ends }, didSomething: run.begun !== null, done };
}

/**
 * Returns true if a run over everything must first finish an interrupted effect. A set-aside file,
 * or content that was sent and not found, concerns no other document.
 */
function isLeftOpen({ state }: World, { base, remote }: Trees): boolean {
  return state.intents().some(({ intent }) => {
    if (intent.kind !== "set-aside" && intent.kind !== "sent") return true;
    return intent.id === null || base.links.has(intent.id) || remote.files.has(intent.id);
  });
}

/**
 * Returns true if each step transfers one content, and its document is at the same path on both
 * sides.
 */
function isPlain({ links }: World, { steps, blocks, verdict, toRead }: Plan): boolean {
  if (verdict.kind !== "run" || blocks.length > 0 || toRead !== undefined) return false;
  // If links are converted, a new document may change the links in others.
  return steps.every(({ action }) => (links === undefined || action.kind === "put") && carriesText(action));
}

function carriesText(action: Action): boolean {
  if (action.kind === "put") return !action.review;
  if (action.kind === "create-local") return action.localPath === action.remotePath;
  return action.kind === "write-local" || action.kind === "note-facts";
}
