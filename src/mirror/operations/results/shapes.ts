/**
 * Types for programs: the objects of `--json`, which the library returns too. None has the content
 * of a document. New values of `kind` and `code` may be added in a minor version.
 */

/** One open problem. */
export type AttentionEntry = {
  /** Path below the linked folder; "" for the whole folder. */
  readonly path: string;
  /** Kind of problem: `conflict`, `refused`, `in-review`, `offline` … */
  readonly kind: string;
  /** Code of the service or the system; null if there is none. */
  readonly code: string | null;
  readonly detail: string;
  /** Next step, as a clause; often a command. */
  readonly next: string;
};

/** Numbers of documents, by the change that a run made. */
export type SyncCounts = {
  readonly uploaded: number;
  readonly downloaded: number;
  readonly createdRemote: number;
  readonly createdLocal: number;
  readonly movedRemote: number;
  readonly movedLocal: number;
  readonly deletedRemote: number;
  readonly deletedLocal: number;
  /** Number of documents in which two edits were merged, with any method. */
  readonly merged: number;
  readonly submitted: number;
  /** Number of files whose links were rewritten because documents had moved. */
  readonly respelled: number;
  readonly conflicts: number;
  readonly blocked: number;
};

export type SyncReport = {
  /**
   * `in-sync`: both sides were listed completely, and no change is left. `attention`: a problem is
   * open. `stopped`: a safety check stopped some or all steps. `offline`: the service was not
   * reached, or refused the key.
   */
  readonly state: "in-sync" | "attention" | "stopped" | "offline";
  /** Number of the run in this folder, from 1. */
  readonly run: number;
  readonly counts: SyncCounts;
  readonly attention: readonly AttentionEntry[];
  /**
   * Changes found by this sync that stay on their side, because the sync has one direction;
   * undefined if there are none.
   */
  readonly oneWay?: readonly { readonly path: string; readonly detail: string }[];
  /**
   * Links without a target in uploaded documents, which the service stores as `ref://…`. Undefined
   * if there are none.
   */
  readonly inertLinks?: readonly InertLinksEntry[];
};

/** A reason why links have no target, with the first links that have this reason. */
type InertLinksEntry = {
  /** `no-target`, `no-document`, `not-mirrored`, `not-created`, `outside`, `pending` … */
  readonly reason: string;
  readonly count: number;
  readonly first: readonly { readonly path: string; readonly to: string }[];
};

/** One step of the next sync. */
export type PlannedStep = {
  readonly kind: string;
  /** Side that the step changes; `none` for a step that only updates the state. */
  readonly side: "local" | "remote" | "both" | "none";
  readonly path: string;
  /** Path of a moved document, folder or conflict copy before the step; null for other steps. */
  readonly from: string | null;
  /** Id of the document or folder; null if it has none yet. */
  readonly id: string | null;
  readonly why: string;
  /** Indexes of the steps that must end before this step. */
  readonly after: readonly number[];
  /** True if a safety check stops the step until a person approves it. */
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

/** State of a linked folder after its last runs, without the network. */
export type StatusReport = {
  /** `never`: no run has completed yet. The other values are states of a run. */
  readonly state: "in-sync" | "attention" | "stopped" | "offline" | "never";
  /** Seconds since both sides were last proven equal; null if never. */
  readonly ageSeconds: number | null;
  /**
   * Time when both sides were last proven equal, in milliseconds since the epoch; null if never.
   */
  readonly syncedAt: number | null;
  readonly url: string;
  /**
   * Path of the linked folder in the workspace, or a list of such paths; "" is the whole workspace.
   */
  readonly remote: string | readonly string[];
  readonly documents: number;
  readonly folders: number;
  /** Number of interrupted effects; the next run completes them. */
  readonly pending: number;
  /** Paths in conflict. */
  readonly conflicts: readonly string[];
  /** Paths with a change in review. */
  readonly reviews: readonly string[];
  readonly safetyStop: { readonly reasons: readonly SafetyStopReason[]; readonly approved: boolean } | null;
  readonly attention: readonly AttentionEntry[];
};
