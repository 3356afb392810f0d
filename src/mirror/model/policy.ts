import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { DiskFolding, LocalPath } from "../../contract/path.ts";

/**
 * What the user and the deployment decide; together with the trees it determines the plan (I24).
 */
export type Policy = {
  /** `map`: a refused local name is mirrored under a legal one; `block`: it is blocked. */
  readonly names: "map" | "block";
  /** Characters that this deployment refuses in names, as far as learned. */
  readonly refusedCharacters: string;
  /** Spellings that this deployment takes for one name, as far as learned. */
  readonly remoteFolding: DiskFolding;
  readonly direction: "both" | "pull-only" | "push-only";
  /**
   * First sync only: whose text wins where both sides are new at one path. null and `each`: a
   * conflict each.
   */
  readonly prefer: "local" | "remote" | "each" | null;
  /**
   * What happens to two versions that do not merge. Default `conflict-copy`: the local version
   * stays, and the service's is put beside it.
   */
  readonly conflicts: (path: LocalPath) => "conflict-copy" | "copy" | "local" | "remote";
  /**
   * False where the deployment answered 404, 405 or 400 to a folder PATCH: folders then move file
   * by file.
   */
  readonly folderMoves: boolean;
  /** False where `parentId: null` was refused: moves to the root are held. */
  readonly movesToRoot: boolean;
  /** Try refused rows again: at start, by hand, once a day. */
  readonly retryRefused: boolean;
  /**
   * Texts of protected documents that did not change since the pass before, and may go to review
   * now. null: any may.
   */
  readonly quietTexts: ReadonlyMap<DocId, Digest> | null;
  /**
   * `sync` looks twice before it takes a file for absent: linked paths that the second look found
   * absent too. null: one look is enough.
   */
  readonly absentTwice: ReadonlySet<LocalPath> | null;
  /**
   * Files here that somebody has in hand, and why it is believed, as a clause: nothing is written
   * over them yet. Left out: none.
   */
  readonly inUse?: ReadonlyMap<LocalPath, string>;
  readonly guards: GuardLimits;
};

export type GuardLimits = {
  /**
   * How many deletions need no question: max(minDeletes, min(share of known documents,
   * maxDeletes)).
   */
  readonly minDeletes: number;
  readonly deleteShare: number;
  readonly maxDeletes: number;
  readonly minConflicts: number;
  readonly conflictShare: number;
};

export const DEFAULT_GUARDS: GuardLimits = {
  minDeletes: 10,
  deleteShare: 0.1,
  maxDeletes: 100,
  minConflicts: 10,
  conflictShare: 0.01,
};
