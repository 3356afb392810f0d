import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Step } from "../model/action.ts";
import type { Block } from "../model/record.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { Policy } from "../model/policy.ts";
import type { TextLookup, Trees } from "../model/tree.ts";

/** The arguments of a plan. The same arguments give the same plan. */
export type PlanInput = {
  readonly trees: Trees;
  readonly policy: Policy;
  readonly signals: Signals;
  readonly texts: TextLookup;
};

export type Plan = {
  /** Steps in an order in which each comes after the steps that it needs. */
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
   * Local names that this plan changes because the service has a document of that name; undefined
   * if there are none.
   */
  readonly renamedForOthers?: readonly RenamedForOther[];
};

/**
 * A document that was renamed because the service has another document with its name: its old and
 * its new local path.
 */
export type RenamedForOther = { readonly from: LocalPath; readonly to: LocalPath };

/**
 * Facts for the safety checks that are not in the three trees. The engine counts them; only
 * `verdict/` uses them.
 */
export type Signals = {
  readonly root: "same" | "missing" | "marker-missing" | "other-marker" | "moved-or-copied";
  /**
   * Number of documents that were deleted, or became empty, within the last hour and after the last
   * approval, by side. The hour is measured by the monotonic clock.
   */
  readonly lossesDone: { readonly local: number; readonly remote: number };
  /** Number of recorded documents that the service lists in an earlier version than base has. */
  readonly earlierChangeIds: number;
  /**
   * True if the service was restored from a backup since the last complete run. Documents that the
   * service lacks were then not deleted by a user.
   */
  readonly restored: boolean;
  /** Number of conflicts opened in this run so far. */
  readonly conflictsOpened: number;
  /**
   * Sides that a safety check found empty when it stopped a run. Since then no scan saw content on
   * these sides, and no approval accepted them as empty.
   */
  readonly emptied: ReadonlySet<"local" | "remote">;
  /** `guardKey`s of actions that the user approved. */
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

/** Reasons that mean that the service no longer has the folder's documents. */
export const MISSES_DOCUMENTS: ReadonlySet<StopReason> = new Set(["service-restored", "wrong-workspace"]);

/** Reasons for stops that no approval ends: the folder is missing, or was replaced. */
export const NOT_APPROVABLE: ReadonlySet<StopReason> = new Set(["root-missing", "root-replaced"]);

/**
 * Decision whether this plan may run. A stop stops all of the plan, and stays until the user
 * answers or its cause ends.
 */
export type Verdict =
  /** `waived`: approved reasons that still apply. Undefined if there are none. */
  | { readonly kind: "run"; readonly waived?: readonly StopReason[] }
  | {
      readonly kind: "safety-stop";
      readonly reasons: readonly { readonly reason: StopReason; readonly detail: string }[];
      /**
       * Indexes of the steps whose keys an approval contains, alone or together with the reasons.
       */
      readonly stoppedSteps: readonly number[];
      /**
       * True if the reasons themselves are approved. They cast doubt on the folder, the workspace
       * or the service as a whole, and therefore on every step.
       */
      readonly byReason: boolean;
      /**
       * Digest of everything that an approval contains, sorted: the keys of the stopped steps and,
       * if `byReason`, the reasons.
       */
      readonly hash: Digest;
    };
