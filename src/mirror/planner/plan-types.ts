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
  /** Steps in the order of execution, each after those on which it depends. */
  readonly steps: readonly Step[];
  /** Blocks that this plan found, and blocks of earlier plans that still apply. */
  readonly blocks: readonly Block[];
  readonly verdict: Verdict;
  /**
   * Documents whose content must be read before the verdict is final, because blank contents may
   * stop the plan.
   */
  readonly toRead?: readonly DocId[];
  /** Documents that the plan renames locally, because another document needs their local name. */
  readonly renamedForOthers?: readonly LocalRename[];
};

export type LocalRename = { readonly from: LocalPath; readonly to: LocalPath };

/**
 * Facts that the safety checks need in addition to the three trees. The engine computes these
 * facts.
 */
export type SafetySignals = {
  readonly root: "same" | "missing" | "marker-missing" | "other-marker" | "moved-or-copied";
  /**
   * Number of documents on each side that were deleted or became empty in the last hour by the
   * monotonic clock. Losses before the last approval do not count.
   */
  readonly lossesDone: { readonly local: number; readonly remote: number };
  /** Recorded documents with a version on the service that is older than base. */
  readonly earlierVersions: ReadonlySet<DocId>;
  /**
   * True if the service was restored from a backup since the last complete run. A missing document
   * then does not count as deleted, because it may be newer than the backup.
   */
  readonly restored: boolean;
  readonly conflictsOpened: number;
  /**
   * Sides that were empty when a safety check stopped an earlier run. A side leaves the set after a
   * run with a complete scan of it, in which no check stops the remaining deletions.
   */
  readonly emptied: ReadonlySet<"local" | "remote">;
  /**
   * Keys of the actions that the user approved, and approved reasons that concern no single action.
   * A key identifies an action's document, version and content (`toApprovalKey`).
   */
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

/** Reasons for a stop that the user cannot approve, because the linked folder must be repaired. */
export const UNAPPROVABLE_REASONS: ReadonlySet<StopReason> = new Set(["root-missing", "root-replaced"]);

/** A stop prevents every step of the plan, until the user answers or the cause of the stop ends. */
export type Verdict =
  /** The plan may run. `waived`: reasons for a stop that the user has approved. */
  | { readonly kind: "run"; readonly waived?: readonly StopReason[] }
  | {
      readonly kind: "safety-stop";
      readonly reasons: readonly { readonly reason: StopReason; readonly detail: string }[];
      readonly stoppedSteps: readonly number[];
      /**
       * True if the user must also approve the reasons for the stop, because each step is doubtful.
       */
      readonly byReason: boolean;
      /**
       * Digest of everything that the user has to approve: the sorted keys of the stopped steps
       * and, if `byReason` is true, the reasons.
       */
      readonly hash: Digest;
    };
