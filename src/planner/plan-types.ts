import type { Digest } from "../model/digest.ts";
import type { Step } from "../model/action.ts";
import type { Hold } from "../model/link.ts";
import type { LocalPath } from "../model/path.ts";

/** The result of the five pure steps. */
export type Plan = {
  /** Topologically sorted: a step comes after those it needs. */
  readonly steps: readonly Step[];
  /** Every hold that is in force after this plan, remembered ones that still apply included. */
  readonly holds: readonly Hold[];
  readonly verdict: Verdict;
  /** Names here that give way to the service's, by this plan; left out: none. */
  readonly gaveWay?: readonly GaveWay[];
};

/**
 * What was renamed, for its name is another's on the service: where it stood here, and where it
 * will.
 */
export type GaveWay = { readonly from: LocalPath; readonly to: LocalPath };

/**
 * Facts for the guards that the three trees do not hold. Counted by the engine; judged by
 * `verdict/` alone.
 */
export type Signals = {
  readonly root: "same" | "missing" | "marker-missing" | "other-marker" | "moved-or-copied";
  /** Deletions done within the last hour, and after the last approval, by side. */
  readonly deletionsDone: { readonly local: number; readonly remote: number };
  /** Linked documents whose listed change id is one that we hold as an earlier one of theirs. */
  readonly earlierChangeIds: number;
  /** PUTs of this run that answered `invalid_base_change` on a base that we had read. */
  readonly refusedBases: number;
  /** Conflicts opened in this run so far. */
  readonly conflictsOpened: number;
  /** Sides that a halt found emptied, and that were not seen otherwise or approved since. */
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
  | "wrong-workspace"
  | "service-restored"
  | "conflict-flood"
  | "sidecars-gone";

/** Halts that no approval ends: the folder is not there, or not this mirror's. */
export const NOT_APPROVABLE: ReadonlySet<HaltReason> = new Set(["root-missing", "root-replaced"]);

/**
 * May this plan run? A halt stops the guarded steps and what needs them; it persists until approved
 * or until its cause ends.
 */
export type Verdict =
  /**
   * `waived`: what would stop all, were it not approved, and what the run leaves as it is. Not set:
   * nothing.
   */
  | { readonly kind: "run"; readonly waived?: readonly HaltReason[] }
  | {
      readonly kind: "halt";
      readonly reasons: readonly { readonly reason: HaltReason; readonly detail: string }[];
      /** Indexes of the guarded steps. Empty when nothing at all may run (`stopsAll`). */
      readonly guarded: readonly number[];
      readonly stopsAll: boolean;
      /** Of the guarded steps' keys alone, sorted: what `approve` approves. */
      readonly hash: Digest;
    };
