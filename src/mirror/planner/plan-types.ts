import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Step } from "../model/action.ts";
import type { Hold } from "../model/link.ts";
import type { LocalPath } from "../../contract/path.ts";

/** The result of the five pure steps. */
export type Plan = {
  /** Topologically sorted: a step comes after those it needs. */
  readonly steps: readonly Step[];
  /** All holds after this plan, with remembered ones that still apply. */
  readonly holds: readonly Hold[];
  readonly verdict: Verdict;
  /**
   * Documents whose new text on the service must be read before the verdict counts, because it may
   * be blank. Not set: none.
   */
  readonly toRead?: readonly DocId[];
  /** Local names that this plan changes in favour of the service's; left out: none. */
  readonly gaveWay?: readonly GaveWay[];
};

/**
 * A document that was renamed because the service has another one of its name: its old and its new
 * local path.
 */
export type GaveWay = { readonly from: LocalPath; readonly to: LocalPath };

/**
 * Facts for the guards that the three trees do not hold. Counted by the engine; judged by
 * `verdict/` alone.
 */
export type Signals = {
  readonly root: "same" | "missing" | "marker-missing" | "other-marker" | "moved-or-copied";
  /**
   * How many documents were deleted, or became empty, within the last hour and after the last
   * approval, by side. The hour is measured by the clock that only grows.
   */
  readonly lossesDone: { readonly local: number; readonly remote: number };
  /** How many linked documents are listed with a change id that was an earlier one of theirs. */
  readonly earlierChangeIds: number;
  /**
   * How many PUTs of this run were answered `invalid_base_change` although their base had been
   * read.
   */
  readonly refusedBases: number;
  /**
   * Whether the service was restored from a backup since all was settled with it last: what is gone
   * from it was not deleted there.
   */
  readonly restored: boolean;
  /** Conflicts opened in this run so far. */
  readonly conflictsOpened: number;
  /** Sides that a halt found emptied, and that were neither seen otherwise nor approved since. */
  readonly emptied: ReadonlySet<"local" | "remote">;
  /** `guardKey`s of actions that the user approved. */
  readonly approved: ReadonlySet<string>;
};

export type HaltReason =
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

/** Reasons by which the service no longer has what the folder has. */
export const MISSES_DOCUMENTS: ReadonlySet<HaltReason> = new Set(["service-restored", "wrong-workspace"]);

/** Halts that no approval ends: the folder is missing, or not this mirror's. */
export const NOT_APPROVABLE: ReadonlySet<HaltReason> = new Set(["root-missing", "root-replaced"]);

/**
 * May this plan run? A halt stops all of it, and persists until it is answered or its cause ends.
 */
export type Verdict =
  /** `waived`: approved reasons that are still there. Not set: none. */
  | { readonly kind: "run"; readonly waived?: readonly HaltReason[] }
  | {
      readonly kind: "safety-stop";
      readonly reasons: readonly { readonly reason: HaltReason; readonly detail: string }[];
      /** Indexes of the steps that are approved, by themselves or with the reasons. */
      readonly stoppedSteps: readonly number[];
      /**
       * Whether the reasons themselves are approved: they doubt the folder, the workspace or the
       * service as a whole, and so every step.
       */
      readonly byReason: boolean;
      /** Of what `approve` approves, sorted: the keys of the stopped steps, and such reasons. */
      readonly hash: Digest;
    };
