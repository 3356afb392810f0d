import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { DiskFolding, LocalPath } from "../../contract/path.ts";

/**
 * User settings and properties of the deployment, which decide the plan together with the trees
 * (I24).
 */
export type Policy = {
  /**
   * Treatment of a local name that the service refuses. `map`: mdmirror uploads the file with a
   * legal name. `block`: the file is not uploaded.
   */
  readonly names: "map" | "block";
  /** Characters that this deployment is known to refuse in names. */
  readonly refusedCharacters: string;
  /** The service's comparison of names, as far as mdmirror has learned it. */
  readonly remoteFolding: DiskFolding;
  /** Direction of the sync: `pull` never changes the service, `push` never changes local files. */
  readonly direction: "both" | "pull" | "push";
  /**
   * Side that wins if a first sync finds a new document on both sides at one path. With `each` or
   * null, every such document becomes a conflict.
   */
  readonly prefer: "local" | "remote" | "each" | null;
  /**
   * Returns the treatment of two versions of a document that do not merge. Default:
   * `conflict-copy`, which keeps the local version and puts the service's version beside it.
   */
  readonly conflicts: (path: LocalPath) => "conflict-copy" | "copy" | "local" | "remote";
  /**
   * False if the deployment cannot move folders, and answered the PATCH of a folder with 404, 405
   * or 400. The documents in a moved folder are then moved one by one.
   */
  readonly canMoveFolders: boolean;
  /** False if the deployment refused `parentId: null`, so that no item can move to the root. */
  readonly canMoveToRoot: boolean;
  /**
   * True if this cycle sends refused requests again: at the start of the daemon, in each manual
   * sync, and once a day.
   */
  readonly retryRefused: boolean;
  /**
   * Contents of protected documents that may go to review now, because they have not changed since
   * the previous cycle. Null if any content may go to review.
   */
  readonly unchangedContents: ReadonlyMap<DocId, Digest> | null;
  /**
   * Recorded paths at which two scans in a row found no file. Null if one scan is enough: only
   * `sync` scans twice before a file counts as deleted.
   */
  readonly absentTwice: ReadonlySet<LocalPath> | null;
  /**
   * Local files that somebody is editing, each with a clause about the editor. The service's
   * version does not replace such a file yet.
   */
  readonly inUse?: ReadonlyMap<LocalPath, string>;
  readonly guards: GuardLimits;
};

export const DEFAULT_GUARD_LIMITS = {
  /**
   * Formula for the number of deletions without approval: max(minDeletes, min(deleteShare × known
   * documents, maxDeletes)).
   */
  minDeletes: 10,
  deleteShare: 0.1,
  maxDeletes: 100,
  minConflicts: 10,
  conflictShare: 0.01,
};

export type GuardLimits = Readonly<Record<keyof typeof DEFAULT_GUARD_LIMITS, number>>;
