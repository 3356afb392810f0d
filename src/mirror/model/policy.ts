import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { DiskFolding, LocalPath } from "../../contract/path.ts";

/** User settings and properties of the deployment. With the trees, they decide the plan (I24). */
export type Policy = {
  /**
   * What happens to a local name that the service refuses. `map`: the file is uploaded with a legal
   * name. `block`: it is not uploaded.
   */
  readonly names: "map" | "block";
  /** Characters that this deployment is known to refuse in names. */
  readonly refusedCharacters: string;
  /** How this deployment compares names, as far as mdmirror knows. */
  readonly remoteFolding: DiskFolding;
  /** Direction of the sync: `pull` never changes the service, `push` never changes local files. */
  readonly direction: "both" | "pull" | "push";
  /**
   * Side that wins if a first sync finds a new document on both sides at one path. `each` and null:
   * each such document becomes a conflict.
   */
  readonly prefer: "local" | "remote" | "each" | null;
  /**
   * What happens to two versions of a document that do not merge. Default: `conflict-copy`, which
   * keeps the local version and puts the service's version beside it.
   */
  readonly conflicts: (path: LocalPath) => "conflict-copy" | "copy" | "local" | "remote";
  /**
   * False if the deployment answered a PATCH of a folder with 404, 405 or 400. The documents in a
   * moved folder are then moved one by one.
   */
  readonly canMoveFolders: boolean;
  /** False if the deployment refused `parentId: null`, so nothing can be moved to the root. */
  readonly canMoveToRoot: boolean;
  /**
   * True if refused requests are sent again: at the start of the daemon, in each manual sync, and
   * once a day.
   */
  readonly retryRefused: boolean;
  /**
   * Contents of protected documents that have not changed since the previous cycle, so that they
   * may be sent to review now. Null if any content may be sent.
   */
  readonly unchangedContents: ReadonlyMap<DocId, Digest> | null;
  /**
   * Recorded paths at which two scans in a row found no file. `sync` scans twice before it treats a
   * file as deleted. Null if one scan is enough.
   */
  readonly absentTwice: ReadonlySet<LocalPath> | null;
  /**
   * Local files that somebody is editing, with a clause about the editor. The service's version
   * does not replace such a file yet.
   */
  readonly inUse?: ReadonlyMap<LocalPath, string>;
  readonly guards: GuardLimits;
};

export const DEFAULT_GUARD_LIMITS = {
  /** max(minDeletes, min(deleteShare × known documents, maxDeletes)) deletions need no approval. */
  minDeletes: 10,
  deleteShare: 0.1,
  maxDeletes: 100,
  minConflicts: 10,
  conflictShare: 0.01,
};

export type GuardLimits = Readonly<Record<keyof typeof DEFAULT_GUARD_LIMITS, number>>;
