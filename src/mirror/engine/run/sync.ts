/** Runs one sync, or only plans it. */

import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import { RunEntry, runCycles } from "./converge.ts";
import { META } from "./meta.ts";
import { runCycle } from "./cycle.ts";
import type { CycleEnd, PlannedCycle } from "./cycle-context.ts";
import type { RunReport } from "./report.ts";
import { rememberReport } from "./run-state.ts";
import type { Settings, World } from "./world.ts";

type SyncOptions = {
  readonly settings: Settings;
  /** True to send refused changes again: if the user requests it, and at a start. */
  readonly retryRefused: boolean;
  /** Name of the run in the log: `sync`, `init` or `wait`. */
  readonly kind: string;
};

export async function syncToConvergence(world: World, options: SyncOptions): Promise<RunReport> {
  const { settings, retryRefused } = options;
  const run = new RunEntry(world, options.kind);
  run.begin();
  const unchangedContents = settings.reviewsOnlyUnchanged ? readUnchangedContents(world) : null;
  const scanOptions = () => ({ unchangedContents, leavesOut: true });
  const { report, end } = await runCycles(world, { run, settings, retryRefused, scanOptions });
  if (end.kind === "planned" && settings.reviewsOnlyUnchanged) writeUnchangedContents(world, end);
  rememberReport(world, report);
  run.end(report);
  return report;
}

/** Plans a sync without writing anything. Uses the same scans as a sync (I23). */
export async function planOnly(world: World, options: SyncOptions): Promise<CycleEnd> {
  const unchangedContents = options.settings.reviewsOnlyUnchanged ? readUnchangedContents(world) : null;
  return runCycle(world, {
    run: { number: 0 },
    settings: options.settings,
    retryRefused: options.retryRefused,
    unchangedContents,
    dry: true,
  });
}

function readUnchangedContents(world: World): ReadonlyMap<DocId, Digest> {
  const text = world.state.meta(META.delayedReviews);
  return new Map(text === null ? [] : (JSON.parse(text) as [DocId, Digest][]));
}

function writeUnchangedContents(world: World, end: PlannedCycle): void {
  const delayedContents = end.plan.blocks.flatMap((block) =>
    block.reason === "review-delayed" && block.digest !== null ? [[block.key, block.digest]] : [],
  );
  const text = delayedContents.length === 0 ? null : JSON.stringify(delayedContents);
  if (text !== world.state.meta(META.delayedReviews)) world.state.setMeta(META.delayedReviews, text);
}
