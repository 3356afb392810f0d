import { leavesUndecided } from "../../model/block.ts";
import type { Trees } from "../../model/tree.ts";
import { converge, type ConvergeInput, rememberTraits, reportRun, RunEntry } from "../run/converge.ts";
import { rememberGeneration } from "../run/generation.ts";
import { endsApproval, stopNote, rememberStop } from "../run/guard-facts.ts";
import { markLosses } from "../run/losses-lately.ts";
import { META } from "../run/meta.ts";
import { runNarrowPass } from "../run/pass.ts";
import type { PassEnd, Planned } from "../run/pass-context.ts";
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
 * Runs one cycle over a few documents. Only their rows are loaded and compared: with 10,000
 * documents, loading the rest took most of the time between a save and its PUT.
 * @param last the report of the last run over everything, which still holds for all other documents
 * @returns `whole`: more is needed than to transfer content, and nothing was done
 */
export async function runNarrowly(
  world: World,
  settings: Settings,
  narrow: Trees,
  last: RunReport,
): Promise<"whole" | (RunEnd & { readonly end: Planned })> {
  const counts = zeroCounts();
  const run = new RunEntry(world, "watch");
  const input = { run, settings: watched(settings), counts, retryRefused: false, quietTexts: null, dry: false };
  const end = await runNarrowPass(world, { ...input, absentTwice: new Set() }, narrow);
  if (end === null) return "whole";
  // These belong to the last run, and are reported once.
  const { renamed: _renamed, madeWay: _madeWay, oneWay: _oneWay, inert: _inert, ...lasting } = last;
  const report = {
    ...lasting,
    run: run.begun ?? last.run,
    passes: 1,
    counts: { ...counts, blocked: last.counts.blocked },
  };
  run.end(report);
  return { report, end, didSomething: run.begun !== null };
}
