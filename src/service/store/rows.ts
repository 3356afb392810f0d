/**
 * Types of the rows of tables, for request handlers. `seq` is the row number. Later rows have
 * greater numbers, and no number is used twice. A cursor contains the number of the last row that
 * was read.
 */

import type { Grant } from "../../contract/resources.ts";

/**
 * Number that stands for the root of a workspace. The root has no row; files and folders in the
 * root have this number as their parent.
 */
export const ROOT = 0;

export type WorkspaceState = "open" | "closed" | "restoring";

export type WorkspaceRow = {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly state: WorkspaceState;
  /** Seconds for the Retry-After header of each 503 while the workspace is not open. */
  readonly retryAfter: number;
};

export type CountedWorkspace = Pick<WorkspaceRow, "id" | "name" | "state"> & {
  readonly documents: number;
  readonly inReview: number;
};

/** A file or folder. `parent`: row number of the folder that contains it. */
export type ItemRow = {
  readonly seq: number;
  readonly id: string;
  readonly parent: number;
  /** Id of the parent folder; null for the root. */
  readonly parentId: string | null;
  readonly name: string;
  /** Path without a leading slash. */
  readonly path: string;
};

export type FolderRow = ItemRow;

export type FileRow = ItemRow & {
  readonly protected: 0 | 1;
  /** Id of the published change. The row of this change contains the published content. */
  readonly changeId: string;
};

/** Selects the next `count` rows of a workspace after the row number `after`. */
export type RowRange = { readonly workspace: number; readonly after: number; readonly count: number };

/** Selects the next `count` items of a folder after the name `after`, in the order of bytes. */
export type NameRange = {
  readonly workspace: number;
  readonly folder: number;
  readonly after: string;
  readonly count: number;
};

/**
 * State of a change. `saved`: the content of the change is published, or was published earlier. The
 * content of a change with another state was never published. If a change in review is accepted,
 * its content is published as a new change with the state `saved`.
 */
type ChangeStatus = "saved" | "in_review" | "accepted" | "rejected";

export type ReviewStatus = Exclude<ChangeStatus, "saved">;

export type ChangeRow = {
  readonly seq: number;
  readonly id: string;
  readonly file: number;
  readonly baseId: string | null;
  readonly status: ChangeStatus;
  /** Time of the change in milliseconds since the epoch, by the clock of the service. */
  readonly at: number;
};

export type KeyRow = {
  readonly seq: number;
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  readonly rateRequests: number | null;
  readonly rateSeconds: number | null;
  /** Time at which the key expires, in milliseconds since the epoch; null if it never expires. */
  readonly expiresAt: number | null;
  /** Time of creation, in milliseconds since the epoch. */
  readonly at: number;
  /** Time of the last saved use, in milliseconds since the epoch; null if no use was saved. */
  readonly lastUsedAt: number | null;
};

export type KeyMembers = Pick<KeyRow, "label" | "expiresAt"> & { readonly rateLimit: RateLimit | null };

export type NewKey = Pick<KeyRow, "id" | "workspaceId" | "at"> &
  KeyMembers & {
    /** SHA-256 of the key; the key itself is never stored. */
    readonly hash: Buffer;
  };

/** Level of access. `none` removes the access that a grant above the item gives. */
export type Level = Grant | "none";

/** A grant. `target`: row number of the file or folder; `ROOT` for the whole workspace. */
export type GrantRow = { readonly kind: "root" | "folder" | "file"; readonly target: number; readonly level: Level };

export type GrantOfKey = GrantRow & { readonly key: number };

/** A grant on a file or folder, with its path. `parent`: row number of the parent folder. */
export type PlacedGrant = {
  readonly key: number;
  readonly parent: number;
  readonly path: string;
  readonly level: Level;
};

export type KeptGrant = {
  readonly key: number;
  readonly workspace: number;
  readonly path: string;
  readonly level: Level;
};

/**
 * A rate limit. A client may send `requests` requests without a pause. After these requests, the
 * client may send `requests` more in each `seconds` seconds, spread evenly.
 */
export type RateLimit = { readonly requests: number; readonly seconds: number };

export type Settings = {
  /** Rate limit for keys that have no limit of their own; null for no limit. */
  readonly rateLimit: RateLimit | null;
  /** Number of days until a replaced version loses its content; null if all contents are kept. */
  readonly keepVersionsDays: number | null;
  /** Number of the newest versions of a document that keep their content; null: all versions. */
  readonly keepVersions: number | null;
};

/** Holder of a key: the key with its workspace, its grants and the settings, all from one read. */
export type KeyHolder = {
  readonly key: KeyRow;
  /** Workspace of the key; undefined if it was removed. */
  readonly workspace: WorkspaceRow | undefined;
  readonly grants: readonly GrantRow[];
  readonly settings: Settings;
  /**
   * Time of the read in milliseconds since the epoch, by the clock of the database. Undefined if
   * only this process uses the database; the service then uses its own clock.
   */
  readonly at?: number;
};

/** `indexing`: number of documents that are not indexed yet; `bytes`: size of the database. */
export type DatabaseFigures = { readonly documents: number; readonly indexing: number; readonly bytes: number };
