import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../model/digest.ts";
import { leavesUndecided } from "../../model/hold.ts";
import type { LocalPath } from "../../model/path.ts";
import { endsApproval } from "../run/guard-facts.ts";
import { META } from "../run/meta.ts";
import { runPass } from "../run/pass.ts";
import { type Observers, type PassEnd, zeroTally } from "../run/pass-context.ts";
import type { RunReport } from "../run/report.ts";
import { haltNote, rememberHalt, renamedBy, reportOf, wantsMore, wasCutOff } from "../run/sync.ts";
import { type Settings, type World, zeroCounts } from "../run/world.ts";

/**
 * One run of the daemon: passes until nothing is left, as in `sync`, with the daemon's eyes. A run
 * that finds nothing to do leaves no trace.
 */

const MAX_PASSES = 5;

export type RunInput = {
  readonly settings: Settings;
  readonly retryRefused: boolean;
  readonly observers: Observers;
  /** Asked before each pass. */
  readonly quietTexts: () => ReadonlyMap<DocId, Digest>;
  readonly absentTwice: () => ReadonlySet<LocalPath>;
  /** After each pass, before the next. */
  readonly onPass: (end: PassEnd) => void;
};

export type RunEnd = { readonly report: RunReport; readonly end: PassEnd; readonly didSomething: boolean };

export async function runPasses(world: World, input: RunInput): Promise<RunEnd> {
  const { state } = world;
  const counts = zeroCounts();
  const tally = zeroTally();
  const run = lazyRun(world);
  const settings: Settings = { ...input.settings, reviewAfterQuiet: false, secondLookMs: null };
  let end: PassEnd;
  let passes = 0;
  do {
    passes++;
    end = await runPass(world, {
      get run() {
        return run.number();
      },
      settings,
      counts,
      tally,
      retryRefused: input.retryRefused && passes === 1,
      quietTexts: input.quietTexts(),
      dry: false,
      observers: input.observers,
      absentTwice: input.absentTwice(),
    });
    input.onPass(end);
  } while (passes < MAX_PASSES && end.kind === "planned" && !wasCutOff(end.ends) && wantsMore(end, tally));
  if (end.kind === "planned" && needsHaltNote(world, end)) rememberHalt(world, run.number(), end.plan.verdict);
  const more = end.kind === "planned" && wantsMore(end, tally);
  const report = { ...reportOf(world, run.begun() ?? 0, passes, counts, end, more), renamed: renamedBy(world, tally) };
  const traits = JSON.stringify(world.remote.traits());
  if (traits !== state.meta(META.traits)) state.setMeta(META.traits, traits);
  run.end(report);
  return { report, end, didSomething: run.begun() !== null };
}

/** A run that gets its number with the first thing that is written down. */
export function lazyRun({ state, clock }: World) {
  let begun: number | null = null;
  return {
    begun: () => begun,
    number(): number {
      begun ??= state.beginRun("watch", clock.now());
      return begun;
    },
    end(report: RunReport): void {
      if (begun === null) return;
      state.endRun(begun, clock.now(), JSON.stringify({ state: report.state, counts: report.counts }));
    },
  };
}

/**
 * Whether there is a halt or an approval to begin or to end: else nothing is written. A run in
 * which something waits, to settle or for its grace, has not judged that: it ends neither a halt
 * nor an approval (I22).
 */
function needsHaltNote(world: World, end: Extract<PassEnd, { kind: "planned" }>): boolean {
  const { state } = world;
  const { verdict, holds } = end.plan;
  const known = state.meta(META.halt);
  if (verdict.kind === "halt") return known !== haltNote(verdict);
  if (leavesUndecided(holds)) return false;
  return known !== null || endsApproval(world, verdict);
}
