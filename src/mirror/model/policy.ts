import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { DiskFolding, LocalPath } from "../../contract/path.ts";

/**
 * Settings of the user and facts about the deployment. The trees and the policy determine the plan
 * (I24).
 */
export type Policy = {
  /**
   * `map`: a local name that the service refuses is uploaded under a legal name; `block`: its file
   * is blocked.
   */
  readonly names: "map" | "block";
  /** Characters that this deployment refuses in names, as far as learned. */
  readonly refusedCharacters: string;
  /** Spellings that this deployment treats as one name, as far as learned. */
  readonly remoteFolding: DiskFolding;
  /** `pull` never changes the service, `push` never changes local files. */
  readonly direction: "both" | "pull" | "push";
  /**
   * First sync only: side that wins if both are new at one path. null and `each`: a conflict for
   * each.
   */
  readonly prefer: "local" | "remote" | "each" | null;
  /**
   * Result for two versions that do not merge. Default `conflict-copy`: the local version stays,
   * and the service's is put beside it.
   */
  readonly conflicts: (path: LocalPath) => "conflict-copy" | "copy" | "local" | "remote";
  /**
   * False if the deployment answered 404, 405 or 400 to a folder PATCH: folders then move file by
   * file.
   */
  readonly canMoveFolders: boolean;
  /** False if `parentId: null` was refused: moves to the root are blocked. */
  readonly canMoveToRoot: boolean;
  /** True if refused requests are sent again: at start, in manual syncs, once a day. */
  readonly retryRefused: boolean;
  /**
   * Contents of protected documents that did not change since the previous cycle, and may go to
   * review now. Null: any may.
   */
  readonly unchangedContents: ReadonlyMap<DocId, Digest> | null;
  /**
   * Recorded paths that the second scan did not find either: `sync` scans twice before it counts a
   * file as absent. Null: one scan is enough.
   */
  readonly absentTwice: ReadonlySet<LocalPath> | null;
  /**
   * Local files that somebody is editing, with the evidence as a clause: no version replaces these
   * files yet. Undefined if there are none.
   */
  readonly inUse?: ReadonlyMap<LocalPath, string>;
  readonly guards: GuardLimits;
};

export const DEFAULT_GUARDS = {
  /**
   * Deletions that need no approval: max(minDeletes, min(share of known documents, maxDeletes)).
   */
  minDeletes: 10,
  deleteShare: 0.1,
  maxDeletes: 100,
  minConflicts: 10,
  conflictShare: 0.01,
};

export type GuardLimits = Readonly<Record<keyof typeof DEFAULT_GUARDS, number>>;
