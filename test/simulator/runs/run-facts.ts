import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import type { Sighted } from "./oracle-undone.ts";

/** Facts about one `sync` of one mirror, for the oracle. */
export type RunFacts = {
  readonly report: RunReport | null;
  readonly killed: boolean;
  readonly before: ReadonlyMap<string, string>;
  /** Changes of each side to documents before; null: a write is on its way that may revert them. */
  readonly sighted: Sighted | null;
  readonly intervened: boolean;
  readonly unmounted: boolean;
  /**
   * Documents for which the service showed a superseded version before the run: it was restored
   * from a backup, and no user has accepted that.
   */
  readonly superseded: readonly string[];
  /** Files that were replaced before the run, and a program saved into the old file since. */
  readonly savedLate: ReadonlySet<string>;
  /** True if a user has approved, and the run ends the approval. */
  readonly approved: boolean;
  /** Number of disk calls that changed something outside `.mdmirror/`. */
  readonly diskWrites: number;
  /** Statuses that the mirror received; 0 for no answer. */
  readonly heard: readonly number[];
};
