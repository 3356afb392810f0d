import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import type { ChangesBefore } from "./oracle-undone.ts";

/** Facts about one sync of one mirror, for the oracle. */
export type RunFacts = {
  readonly report: RunReport | null;
  readonly killed: boolean;
  readonly before: ReadonlyMap<string, string>;
  /**
   * Changes of each side before the sync; null if a write that may revert them is still on its way.
   */
  readonly sighted: ChangesBefore | null;
  readonly intervened: boolean;
  readonly unmounted: boolean;
  /**
   * Documents for which the service showed an outdated version before the sync: it was restored
   * from a backup, and no user has accepted that.
   */
  readonly superseded: readonly string[];
  /**
   * Paths of files that were replaced before the sync, and into whose old file a program has saved
   * since.
   */
  readonly savedLate: ReadonlySet<string>;
  /** True if a user had approved a stopped plan, and the sync ends the approval. */
  readonly approved: boolean;
  /** Number of disk calls that changed something outside `.mdmirror/`. */
  readonly diskWrites: number;
  /** Statuses of the mirror's requests; 0 for no answer. */
  readonly heard: readonly number[];
};
