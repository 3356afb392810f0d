/**
 * What programs get: the objects of `--json`, which the library returns too. None holds a text of a
 * document. Words of `kind` and `code` may be added in a minor version.
 */

/** One thing that is open. */
export type AttentionEntry = {
  /** Below the mirrored folder; "": it is about the whole folder. */
  readonly path: string;
  /** Why: `conflict`, `refused`, `in-review`, `offline` … */
  readonly kind: string;
  /** The service's or the system's code, where it has one. */
  readonly code: string | null;
  readonly detail: string;
  /** What to do about it, as a clause; often a command. */
  readonly next: string;
};

/** What a run did, in documents. */
export type SyncCounts = {
  readonly uploaded: number;
  readonly downloaded: number;
  readonly createdRemote: number;
  readonly createdLocal: number;
  readonly movedRemote: number;
  readonly movedLocal: number;
  readonly deletedRemote: number;
  readonly deletedLocal: number;
  /** Two edits made into one text, in whatever way. */
  readonly merged: number;
  readonly submitted: number;
  /** Files whose links were written anew, because documents had moved. */
  readonly respelled: number;
  readonly conflicts: number;
  readonly blocked: number;
};

export type SyncReport = {
  /**
   * `in-sync`: both sides were listed to the end, and nothing is left to do. `attention`: something
   * is open. `stopped`: a guard stopped a part, or all. `offline`: the service was not reached, or
   * refused the key.
   */
  readonly state: "in-sync" | "attention" | "stopped" | "offline";
  /** The number of the run in this mirror, from 1. */
  readonly run: number;
  readonly counts: SyncCounts;
  readonly attention: readonly AttentionEntry[];
  /**
   * Links of the texts that were sent which lead to no document, so that the service has them as
   * `ref://…`. Left out: there are none.
   */
  readonly inertLinks?: readonly InertLinksEntry[];
};

/** One reason for it, with the first of the links. */
type InertLinksEntry = {
  /** `no-target`, `no-document`, `not-mirrored`, `not-created`, `outside`, `pending` … */
  readonly reason: string;
  readonly count: number;
  readonly first: readonly { readonly path: string; readonly to: string }[];
};

/** How one path stands when a wait ends. */
export type WaitedPath = {
  readonly path: string;
  /**
   * `live`: the service has what was on disk at the call, or a later text. `gone`: nothing is there
   * on both sides. `waiting`: it is on its way, or cannot go yet.
   */
  readonly state: "live" | "gone" | "in-review" | "conflict" | "blocked" | "waiting";
  readonly id: string | null;
  /** The last version that both sides had; for `live`, the one that holds the text. */
  readonly changeId: string | null;
  /** The changes in review, as far as the service named them. */
  readonly reviews: readonly string[];
  /** Why it is not live, as in `attention`; null: it is, or it is on its way. */
  readonly kind: string | null;
  readonly code: string | null;
  readonly detail: string;
  readonly next: string;
};

/** The object of `wait --json`. */
export type WaitReport = {
  /**
   * The worst of its paths. `attention`: in conflict, or held. `too-slow`: something was on its way
   * still when the time was over; `stopped`, `offline`, `paused`: and why it does not move on.
   */
  readonly state: "live" | "in-review" | "attention" | "too-slow" | "stopped" | "offline" | "paused";
  /** Why nothing moves on, as a clause; "": it does. */
  readonly detail: string;
  readonly documents: number;
  readonly live: number;
  /** How many paths are not told. */
  readonly more: number;
  /** What was named, and in a named folder what was not live at the first look; the worst first. */
  readonly paths: readonly WaitedPath[];
};

/** One step of the next sync. */
export type PlannedStep = {
  readonly kind: string;
  /** Where it is done; `none`: it only notes something. */
  readonly side: "local" | "remote" | "both" | "none";
  readonly path: string;
  /** Of a move: where it is now. */
  readonly from: string | null;
  /** Of the document or folder; null: it has none yet. */
  readonly id: string | null;
  readonly why: string;
  /** Indexes of the steps that end before it. */
  readonly after: readonly number[];
  /** A guard stops it until it is approved. */
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

/** How a mirror stands, by what its runs left in its state, without the network. */
export type StatusReport = {
  /** `never`: no run has ended well yet. The others are those of a run. */
  readonly state: "in-sync" | "attention" | "stopped" | "offline" | "never";
  /** Seconds since it was last proven in sync; null: it never was. */
  readonly ageSeconds: number | null;
  /** The same as a time: milliseconds since the epoch. */
  readonly syncedAt: number | null;
  readonly url: string;
  /** The mirrored folder of the workspace; "" is the whole. */
  readonly remote: string;
  readonly documents: number;
  readonly folders: number;
  /** Effects that were cut off; the next run settles them. */
  readonly pending: number;
  /** Paths in conflict. */
  readonly conflicts: readonly string[];
  /** Paths whose text waits for a reviewer. */
  readonly reviews: readonly string[];
  readonly safetyStop: { readonly reasons: readonly SafetyStopReason[]; readonly approved: boolean } | null;
  readonly attention: readonly AttentionEntry[];
};
