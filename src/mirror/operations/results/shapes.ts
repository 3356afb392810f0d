/** Results of `--json` and the library, without content. A minor version may add kinds. */

export type AttentionEntry = {
  /** Path below the linked folder; "" for the whole folder. */
  readonly path: string;
  /** Kind of problem: `conflict`, `refused`, `in-review`, `offline` … */
  readonly kind: string;
  /** Error code of the service or the operating system; null if there is none. */
  readonly code: string | null;
  readonly detail: string;
  /** Next step for the user, as a clause, often with a command. */
  readonly next: string;
};

/** Numbers of documents that a run changed, by kind of change. */
export type SyncCounts = {
  readonly uploaded: number;
  readonly downloaded: number;
  readonly createdRemote: number;
  readonly createdLocal: number;
  readonly movedRemote: number;
  readonly movedLocal: number;
  readonly deletedRemote: number;
  readonly deletedLocal: number;
  /** Number of documents with two edits that were merged, by any method. */
  readonly merged: number;
  readonly submitted: number;
  /** Number of files with links that were rewritten after the targets had moved. */
  readonly respelled: number;
  readonly conflicts: number;
  readonly blocked: number;
};

export type SyncReport = {
  /**
   * State at the end of the sync.
   * - `in-sync`: both sides were listed completely, and no change is left
   * - `attention`: a problem is open
   * - `stopped`: a safety check stopped some or all steps
   * - `offline`: the service was not reached, or refused the key
   */
  readonly state: "in-sync" | "attention" | "stopped" | "offline";
  /** Number of the run in this linked folder, from 1. */
  readonly run: number;
  readonly counts: SyncCounts;
  readonly attention: readonly AttentionEntry[];
  /**
   * Changes that this sync did not make, because it had only one direction; undefined if there are
   * none.
   */
  readonly oneWay?: readonly { readonly path: string; readonly detail: string }[];
  /** Links without a target, which the service stores as `ref://…`; undefined if there are none. */
  readonly inertLinks?: readonly InertLinksEntry[];
};

/** Links that have no target for the same reason. */
type InertLinksEntry = {
  /** Reason: `no-target`, `no-document`, `not-mirrored`, `not-created`, `outside`, `pending` … */
  readonly reason: string;
  readonly count: number;
  readonly first: readonly { readonly path: string; readonly to: string }[];
};

export type PlannedStep = {
  readonly kind: string;
  /** Side that the step changes; `none` if the step only updates the state file. */
  readonly side: "local" | "remote" | "both" | "none";
  readonly path: string;
  /** Earlier path of the document or folder, if the step moves it; otherwise null. */
  readonly from: string | null;
  /** Id of the document or folder; null if the service has not given it an id yet. */
  readonly id: string | null;
  readonly why: string;
  /** Indexes, from 0, of the steps that must end before this step. */
  readonly after: readonly number[];
  /** True if a safety check stops the step until the user approves it. */
  readonly stopped: boolean;
};

export type BlockedPath = {
  readonly path: string;
  readonly reason: string;
  readonly code: string | null;
  readonly detail: string;
  readonly requestId: string | null;
};

export type SafetyStopReason = { readonly reason: string; readonly detail: string };

/** State of a linked folder after the last run, read without the network. */
export type StatusReport = {
  /** State at the end of the last run; `never` if no run has completed yet. */
  readonly state: "in-sync" | "attention" | "stopped" | "offline" | "never";
  /** Seconds since both sides were last found equal; null if they were never found equal. */
  readonly ageSeconds: number | null;
  /**
   * Time when both sides were last found equal, in milliseconds since the epoch; null if they were
   * never found equal.
   */
  readonly syncedAt: number | null;
  readonly url: string;
  /** Linked part of the workspace: path of a folder, list of paths, or "" for everything. */
  readonly remote: string | readonly string[];
  readonly documents: number;
  readonly folders: number;
  /** Number of interrupted effects, which the next run completes. */
  readonly pending: number;
  readonly conflicts: readonly string[];
  readonly reviews: readonly string[];
  readonly safetyStop: { readonly reasons: readonly SafetyStopReason[]; readonly approved: boolean } | null;
  readonly attention: readonly AttentionEntry[];
};
