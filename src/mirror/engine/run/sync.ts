import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { LocalTree } from "../../model/tree.ts";
import { converge, rememberTraits, reportRun, RunEntry } from "./converge.ts";
import { rememberGeneration } from "./generation.ts";
import { rememberFlood, rememberStop } from "./guard-facts.ts";
import { markLosses } from "./losses-lately.ts";
import { META } from "./meta.ts";
import { runPass } from "./pass.ts";
import type { PassEnd, Planned } from "./pass-context.ts";
import type { RunReport } from "./report.ts";
import { rememberReport } from "./run-state.ts";
import { type Settings, type World, zeroCounts } from "./world.ts";

/** A single run, and its preview. */

type SyncOptions = {
  readonly settings: Settings;
  /** True if refused changes are tried again: on a user's request and at a start. */
  readonly retryRefused: boolean;
  /** The name of this run in the log: `sync`, `init`. */
  readonly kind: string;
  /** Receives the last scan of the run, with all files. */
  readonly onWalk?: (local: LocalTree) => void;
};

export async function syncToConvergence(world: World, options: SyncOptions): Promise<RunReport> {
  const { settings, retryRefused } = options;
  const entry = new RunEntry(world, options.kind);
  const run = entry.number;
  const quietTexts = settings.reviewAfterQuiet ? readQuiet(world) : null;
  const common = { run: entry, settings, retryRefused, judgesRefusedBases: true };
  const ended = await converge(world, {
    ...common,
    look: () => ({ quietTexts, leavesOut: options.onWalk === undefined }),
  });
  const report = reportRun(world, run, ended);
  const { end, counts } = ended;
  if (end.kind === "planned") {
    if (!end.trees.local.unseen.has("")) options.onWalk?.(end.trees.local);
    rememberFlood(world, end.plan.verdict, counts.conflicts);
    // ORDER: an approval of a stopped sync, which ends here, also confirms what the service lacks.
    rememberGeneration(world, end.plan, end.trees);
    rememberStop(world, run, end.plan.verdict);
    if (settings.reviewAfterQuiet) writeQuiet(world, end);
  }
  markLosses(world);
  rememberTraits(world);
  rememberReport(world, report);
  entry.end(report);
  return report;
}

/** Returns what a sync would do: the same look and the same plan, and no write anywhere (I23). */
export async function planOnly(world: World, options: SyncOptions): Promise<PassEnd> {
  const quietTexts = options.settings.reviewAfterQuiet ? readQuiet(world) : null;
  return runPass(world, {
    run: { number: 0 },
    settings: options.settings,
    counts: zeroCounts(),
    retryRefused: options.retryRefused,
    quietTexts,
    dry: true,
  });
}

function readQuiet(world: World): ReadonlyMap<DocId, Digest> {
  const text = world.state.meta(META.quiet);
  return new Map(text === null ? [] : (JSON.parse(text) as [DocId, Digest][]));
}

function writeQuiet(world: World, end: Planned): void {
  const waiting = end.plan.blocks.flatMap((block) =>
    block.reason === "review-delayed" && block.digest !== null ? [[block.key, block.digest]] : [],
  );
  const text = waiting.length === 0 ? null : JSON.stringify(waiting);
  if (text !== world.state.meta(META.quiet)) world.state.setMeta(META.quiet, text);
}
