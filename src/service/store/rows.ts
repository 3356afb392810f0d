/**
 * Rows of the tables, in the form that request handlers see. `seq` is the row number: it grows in
 * the order of creation, is never used again, and is the position in a cursor.
 */

import type { Grant } from "../../contract/resources.ts";

/** Row number of the root, which has no row, but is the parent of the items in the root. */
export const ROOT = 0;

export type WorkspaceState = "open" | "closed" | "restoring";

export type WorkspaceRow = {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly state: WorkspaceState;
  /** Seconds for the Retry-After header of a 503, while the workspace is not open. */
  readonly retryAfter: number;
};

export type CountedWorkspace = Pick<WorkspaceRow, "id" | "name" | "state"> & {
  readonly documents: number;
  readonly inReview: number;
};

export type FileRow = {
  readonly seq: number;
  readonly id: string;
  readonly folder: number;
  /** Id of the file's folder; null for the root. */
  readonly folderId: string | null;
  readonly name: string;
  /** Path without a leading slash. */
  readonly path: string;
  readonly protected: 0 | 1;
  /** Id of the published change, whose row in table `changes` has the published content. */
  readonly changeId: string;
};

/** Selects at most `count` rows of a workspace after the row number `after`, in order. */
export type RowRange = { readonly workspace: number; readonly after: number; readonly count: number };

/** Selects at most `count` items of a folder after the name `after`, in byte order. */
export type NameRange = {
  readonly workspace: number;
  readonly folder: number;
  readonly after: string;
  readonly count: number;
};

export type FolderRow = {
  readonly seq: number;
  readonly id: string;
  readonly parent: number;
  /** Id of the parent folder; null for the root. */
  readonly parentId: string | null;
  readonly name: string;
  /** Path without a leading slash. */
  readonly path: string;
};

/**
 * State of a change. `saved`: its content is or was published. The content of other changes was
 * never published; accepting a change publishes its content as a new change, which is `saved`.
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
  /** Last saved time of use, in milliseconds since the epoch; null if the key was never used. */
  readonly lastUsedAt: number | null;
};

export type KeyMembers = Pick<KeyRow, "label" | "expiresAt"> & { readonly rateLimit: RateLimit | null };

export type NewKey = Pick<KeyRow, "id" | "workspaceId" | "at"> &
  KeyMembers & {
    /** SHA-256 of the key; the key itself is never stored. */
    readonly hash: Buffer;
  };

/** Level of access. `none` takes away access that a grant above the item would give. */
export type Level = Grant | "none";

/** A grant. `target` is the row number of the file or folder; `ROOT` for the whole workspace. */
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

/** A rate limit: a burst of at most `requests`, refilled evenly over `seconds`. */
export type RateLimit = { readonly requests: number; readonly seconds: number };

export type Settings = {
  /** Rate limit for keys that have no limit of their own; null for no limit. */
  readonly rateLimit: RateLimit | null;
  /** Number of days after which a replaced version loses its content; null keeps all contents. */
  readonly keepVersionsDays: number | null;
  /** Number of newest versions of a document that keep their content; null: all versions. */
  readonly keepVersions: number | null;
};

export const DEFAULT_SETTINGS: Settings = { rateLimit: null, keepVersionsDays: null, keepVersions: null };

/** Facts about a key that every request needs, from one read. */
export type KeyHolder = {
  readonly key: KeyRow;
  /** Workspace of the key; undefined if it was removed. */
  readonly workspace: WorkspaceRow | undefined;
  readonly grants: readonly GrantRow[];
  readonly settings: Settings;
  /**
   * Time of the read in milliseconds since the epoch, by the clock of a database that several
   * processes share. Undefined if the clock of this process decides.
   */
  readonly at?: number;
};

/** `indexing`: number of documents that wait to be indexed; `bytes`: size of the database. */
export type DatabaseFigures = { readonly documents: number; readonly indexing: number; readonly bytes: number };
