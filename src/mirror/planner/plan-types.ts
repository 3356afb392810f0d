import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Step } from "../model/action.ts";
import type { Block } from "../model/record.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { Policy } from "../model/policy.ts";
import type { TextLookup, Trees } from "../model/tree.ts";

export type PlanInput = {
  readonly trees: Trees;
  readonly policy: Policy;
  readonly signals: SafetySignals;
  readonly texts: TextLookup;
};

export type Plan = {
  /** Steps in the order of execution: each comes after the steps that it depends on. */
  readonly steps: readonly Step[];
  /** All blocks after this plan, including remembered blocks that still apply. */
  readonly blocks: readonly Block[];
  readonly verdict: Verdict;
  /**
   * Documents whose new content on the service must be read before the verdict is final: if it is
   * blank, a safety check may stop the plan. Undefined if there are none.
   */
  readonly toRead?: readonly DocId[];
  /**
   * Documents that this plan renames locally, because another document on the service needs their
   * local name. Undefined if there are none.
   */
  readonly renamedForOthers?: readonly LocalRename[];
};

/**
 * Old and new local path of a document that is renamed, because another document on the service
 * needs its local name.
 */
export type LocalRename = { readonly from: LocalPath; readonly to: LocalPath };

/** Facts that the safety checks need in addition to the three trees. The engine computes them. */
export type SafetySignals = {
  readonly root: "same" | "missing" | "marker-missing" | "other-marker" | "moved-or-copied";
  /**
   * Number of documents on each side that were deleted or became empty. Counts the last hour (of
   * the monotonic clock), but nothing before the last approval.
   */
  readonly lossesDone: { readonly local: number; readonly remote: number };
  /** Number of recorded documents for which the service lists an earlier version than base. */
  readonly earlierChangeIds: number;
  /**
   * True if the service was restored from a backup since the last complete run. A document that the
   * service lacks may then be newer than the backup, and was not deleted by a user.
   */
  readonly restored: boolean;
  /** Number of conflicts that were opened in this run so far. */
  readonly conflictsOpened: number;
  /**
   * Sides that were empty when a safety check stopped an earlier run. A side is removed from this
   * set when a scan finds content on it, or the user approves the stop.
   */
  readonly emptied: ReadonlySet<"local" | "remote">;
  /** Keys of the actions that the user approved (`guardKey`). */
  readonly approved: ReadonlySet<string>;
};

export type StopReason =
  | "root-missing"
  | "root-replaced"
  | "root-moved-or-copied"
  | "local-emptied"
  | "remote-emptied"
  | "delete-budget-local"
  | "delete-budget-remote"
  | "emptied"
  | "wrong-workspace"
  | "service-restored"
  | "conflict-flood"
  | "conflict-copies-gone";

/** Reasons for a stop that show that the service has lost documents of the linked folder. */
export const LOST_DOCUMENT_REASONS: ReadonlySet<StopReason> = new Set(["service-restored", "wrong-workspace"]);

/**
 * Reasons for a stop that the user cannot approve: the linked folder is missing, or was replaced.
 */
export const UNAPPROVABLE_REASONS: ReadonlySet<StopReason> = new Set(["root-missing", "root-replaced"]);

/**
 * Result of the safety checks. A stop prevents every step of the plan, until the user answers or
 * the cause of the stop ends.
 */
export type Verdict =
  /**
   * The plan may run. `waived`: reasons for a stop that still apply, but that the user has
   * approved; undefined if there are none.
   */
  | { readonly kind: "run"; readonly waived?: readonly StopReason[] }
  | {
      readonly kind: "safety-stop";
      readonly reasons: readonly { readonly reason: StopReason; readonly detail: string }[];
      /** Indexes of the steps that the user has to approve. */
      readonly stoppedSteps: readonly number[];
      /**
       * True if the user also has to approve the reasons. Such a reason casts doubt on every step,
       * because the folder, the workspace or the service as a whole may be wrong.
       */
      readonly byReason: boolean;
      /**
       * Digest of everything that the user has to approve: the keys of the stopped steps and, if
       * `byReason`, the reasons. Sorted before hashing.
       */
      readonly hash: Digest;
    };
