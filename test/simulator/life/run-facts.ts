import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import type { Sighted } from "./judge-undone.ts";

/** What befell one `sync` of one mirror, as its judges take it. */
export type RunFacts = {
  readonly report: RunReport | null;
  readonly killed: boolean;
  readonly before: ReadonlyMap<string, string>;
  /** What each side had done to documents before; null: a write is under way that may undo it. */
  readonly sighted: Sighted | null;
  readonly meddled: boolean;
  readonly unmounted: boolean;
  /**
   * In whose documents the service showed a version that it had superseded, before the run: it was
   * restored from a backup, and nobody has said that this is well.
   */
  readonly superseded: readonly string[];
  /** Files that were replaced before it, and somebody saved into the old file since. */
  readonly savedLate: ReadonlySet<string>;
  /** Somebody has approved, and the run ends that. */
  readonly approved: boolean;
  /** How many calls of the disk changed something outside `.mdmirror/`. */
  readonly diskWrites: number;
  /** Statuses that the mirror heard; 0 where it heard nothing. */
  readonly heard: readonly number[];
};
