import { makePlan } from "../../planner/plan.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { Trees } from "../../model/tree.ts";
import { applyPlan } from "../run/apply-plan.ts";
import { flushNow } from "../journal/durable.ts";
import { checkRoot, gatherSignals } from "../run/guard-facts.ts";
import { policyOf } from "../observe/look.ts";
import { newContext } from "../run/pass-context.ts";
import type { RunReport } from "../run/report.ts";
import { type Settings, type World, zeroCounts } from "../run/world.ts";
import { lazyRun, type RunEnd } from "./run-passes.ts";

/**
 * A run over a part of the trees: documents that were edited where they stand, while all else is
 * calm. Nothing is loaded or compared that they are not about: at 10,000 documents that was most of
 * the time between a save and its PUT.
 * @param last the report of the last whole run, of which all but these documents is still so
 * @returns `whole`: it is more than PUTs of these texts, and nothing was done; `done: false`: one
 * did not end well
 */
export async function runPart(
  world: World,
  settings: Settings,
  trees: Trees,
  last: RunReport,
): Promise<"whole" | (RunEnd & { readonly done: boolean })> {
  const { root, inodesTrusted } = checkRoot(world);
  // What was cut off is settled by a whole pass, before anything else.
  if (root !== "same" || !inodesTrusted || world.state.intents().length > 0) return "whole";
  const counts = zeroCounts();
  const run = lazyRun(world);
  const input = {
    get run() {
      return run.number();
    },
    settings: { ...settings, reviewAfterQuiet: false, secondLookMs: null },
    counts,
    retryRefused: false,
    quietTexts: null,
    dry: false,
  };
  const ctx = newContext(world, input);
  ctx.notes.local = trees.local;
  for (const folder of trees.remote.folders.values()) ctx.notes.folderIds.set(folder.path, folder.id);
  const signals = gatherSignals(ctx, trees.base, trees.remote, root);
  const plan = makePlan(trees, policyOf(ctx, input, new Set()), signals, (digest) => world.state.text(digest));
  if (!putsAlone(plan)) return "whole";
  const ends = await applyPlan(ctx, plan);
  await flushNow(ctx);
  const report = { ...last, run: run.begun() ?? last.run, passes: 1, counts: { ...counts, holds: last.counts.holds } };
  run.end(report);
  const done = ends.every((end) => end.kind === "ran" && end.outcome.kind === "done");
  return { report, end: { kind: "planned", plan, trees, ends }, didSomething: run.begun() !== null, done };
}

function putsAlone({ steps, holds, verdict }: Plan): boolean {
  if (verdict.kind !== "run" || holds.length > 0) return false;
  return steps.every(({ action }) => action.kind === "put" && !action.review);
}
