import type { Action } from "../../model/action.ts";
import type { Plan } from "../../planner/plan-types.ts";
import { makePlan } from "../../planner/plan.ts";
import { leavesUndecided } from "../../model/hold.ts";
import type { Trees } from "../../model/tree.ts";
import { keepHere } from "../apply/text-name.ts";
import { flushNow } from "../apply/flush.ts";
import { policyOf, textFinder } from "../run/policy.ts";
import { applyPlan } from "../run/apply-plan.ts";
import { converge, type ConvergeInput, rememberTraits, reportRun, RunEntry } from "../run/converge.ts";
import { isRestored, rememberGeneration } from "../run/generation.ts";
import { checkRoot, endsApproval, gatherSignals, haltNote, rememberHalt } from "../run/guard-facts.ts";
import { filesInUse } from "../run/hands-off.ts";
import { markLosses } from "../run/losses-lately.ts";
import { META } from "../run/meta.ts";
import { PassContext, type PassEnd, type Planned } from "../run/pass-context.ts";
import type { RunReport } from "../run/report.ts";
import { type Settings, type World, zeroCounts } from "../run/world.ts";

/**
 * Runs of the daemon. They look through its observers, and a run that finds nothing to do writes
 * nothing.
 */

export type RunEnd = { readonly report: RunReport; readonly end: PassEnd; readonly didSomething: boolean };

/** Runs passes until nothing is left to do, as `sync` does. */
export async function runPasses(
  world: World,
  input: Pick<ConvergeInput, "settings" | "retryRefused" | "refused" | "look" | "onPass">,
): Promise<RunEnd> {
  const run = new RunEntry(world, "watch");
  const settings = watched(input.settings);
  const ended = await converge(world, { ...input, run, settings, judgesRefusedBases: false });
  const { end } = ended;
  if (end.kind === "planned") {
    // ORDER: a halt's approval, which ends here, says that what the service lacks is settled.
    rememberGeneration(world, end.plan, end.trees);
    if (needsHaltNote(world, end)) rememberHalt(world, run.number, end.plan.verdict);
  }
  markLosses(world);
  const report = reportRun(world, run.begun ?? 0, ended);
  rememberTraits(world);
  run.end(report);
  return { report, end, didSomething: run.begun !== null };
}

/** The settings of a daemon: it waits by itself for a text to rest and for a second look. */
function watched(settings: Settings): Settings {
  return { ...settings, reviewAfterQuiet: false, secondLookMs: null };
}

/**
 * Whether a halt or an approval begins or ends, so that it must be noted. A run in which something
 * still waits, to settle or for its grace, has not judged everything: it ends neither (I22).
 */
function needsHaltNote(world: World, { plan: { verdict, holds } }: Planned): boolean {
  const known = world.state.meta(META.safetyStop);
  if (verdict.kind === "safety-stop") return known !== haltNote(verdict);
  if (leavesUndecided(holds)) return false;
  return known !== null || endsApproval(world, verdict);
}

/**
 * A run over a part of the trees: documents that were edited where they stand, or are new on the
 * service, while all else is in sync. Only what they need is loaded and compared; with 10,000
 * documents, loading the rest was most of the time between a save and its PUT.
 * @param last the report of the last whole run, which still holds for all other documents
 * @returns `whole`: more is needed than to carry these texts across, and nothing was done; `done:
 * false`: a step did not end well
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
  const local = world.links?.read(part, { policy, texts }, keepHere(world.state, part.base), false) ?? part.local;
  const trees = { ...part, local };
  ctx.notes.local = local;
  for (const folder of trees.remote.folders.values()) ctx.notes.folderIds.set(folder.path, folder.id);
  const signals = gatherSignals(ctx, trees.base, trees.remote, root);
  const plan = makePlan(trees, policy, signals, texts);
  // A file that somebody has in hand is held, by a whole pass.
  if (!isPlain(world, plan) || filesInUse(ctx, plan, trees.base).size > 0) return "whole";
  const ends = await applyPlan(ctx, plan);
  await flushNow(ctx);
  const report = {
    ...last,
    run: run.begun ?? last.run,
    passes: 1,
    counts: { ...counts, blocked: last.counts.blocked },
  };
  run.end(report);
  const done = ends.every((end) => end.kind === "ran" && end.outcome.kind === "done");
  return { report, end: { kind: "planned", plan, trees, ends }, didSomething: run.begun !== null, done };
}

/**
 * Whether a whole pass must settle first what was cut off. An old file that was taken aside waits
 * for its second look anyway, which is about no other document.
 */
function isLeftOpen({ state }: World, { base, remote }: Trees): boolean {
  return state
    .intents()
    .some(({ intent }) => intent.kind !== "set-aside" || base.links.has(intent.id) || remote.files.has(intent.id));
}

/** Whether each step carries one text across, at the place where its document is on both sides. */
function isPlain({ links }: World, { steps, holds, verdict, toRead }: Plan): boolean {
  if (verdict.kind !== "run" || holds.length > 0 || toRead !== undefined) return false;
  // Where links are translated, what comes here may change how others are spelled.
  return steps.every(({ action }) => (links === undefined || action.kind === "put") && carriesText(action));
}

function carriesText(action: Action): boolean {
  if (action.kind === "put") return !action.review;
  if (action.kind === "create-local") return action.localPath === action.remotePath;
  return action.kind === "write-local" || action.kind === "note-facts";
}
