/**
 * Rows of a store, in the form that request handlers see. `seq` is a row number: it grows in the
 * order of creation, is never used again, and is the position in a cursor.
 */

import type { Grant } from "../../contract/resources.ts";

/** Value of `parent` for root folders and `folder` for root files: the root itself has no row. */
export const ROOT = 0;

export type WorkspaceState = "open" | "closed" | "restoring";

export type WorkspaceRow = {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly state: WorkspaceState;
  /** Seconds in the Retry-After header of a 503. */
  readonly retryAfter: number;
};

export type CountedWorkspace = Pick<WorkspaceRow, "id" | "name" | "state"> & {
  readonly documents: number;
  /** Number of changes in review. */
  readonly inReview: number;
};

export type FileRow = {
  readonly seq: number;
  readonly id: string;
  readonly folder: number;
  /** Id of the folder; null for the root. */
  readonly folderId: string | null;
  readonly name: string;
  /** Path without a leading slash. */
  readonly path: string;
  readonly protected: 0 | 1;
  /** Id of the published change, whose `changes.text` is the published content. */
  readonly changeId: string;
};

/** At most `count` rows of a workspace after the row number `after`, in order. */
export type RowRange = { readonly workspace: number; readonly after: number; readonly count: number };

/** At most `count` names of a folder after the name `after`, in the order of bytes. */
export type NamePage = {
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
 * never published: they are in review, were rejected, or were accepted as a new change, which is
 * `saved`.
 */
type ChangeStatus = "saved" | "in_review" | "accepted" | "rejected";

/** State of a change that is or was in review. */
export type ReviewStatus = Exclude<ChangeStatus, "saved">;

export type ChangeRow = {
  readonly seq: number;
  readonly id: string;
  /** Row number of the file that the change belongs to. */
  readonly file: number;
  readonly baseId: string | null;
  readonly status: ChangeStatus;
  /** Time of the change in milliseconds since the epoch, by the service's clock. */
  readonly at: number;
};

export type KeyRow = {
  readonly seq: number;
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  readonly rateRequests: number | null;
  readonly rateSeconds: number | null;
  /** Expiry in milliseconds since the epoch; null if the key does not expire. */
  readonly expiresAt: number | null;
  /** Time of creation, in milliseconds since the epoch. */
  readonly at: number;
  /** Last use as saved, in milliseconds since the epoch; null for never. */
  readonly lastUsedAt: number | null;
};

/** Fields of a key that can change, except for its grants. */
export type KeyMembers = Pick<KeyRow, "label" | "expiresAt"> & { readonly rateLimit: RateLimit | null };

export type NewKey = Pick<KeyRow, "id" | "workspaceId" | "at"> &
  KeyMembers & {
    /** SHA-256 of the key; the key itself is never stored. */
    readonly hash: Buffer;
  };

/**
 * Level of a grant. `none` removes, in a subtree, the access from a grant on a folder above or on
 * the whole workspace.
 */
export type Level = Grant | "none";

/** A grant. `target`: row number of the file or folder; `ROOT` for the whole workspace. */
export type GrantRow = { readonly kind: "root" | "folder" | "file"; readonly target: number; readonly level: Level };

export type GrantOfKey = GrantRow & { readonly key: number };

/** A grant on a file or folder, with its place. `parent` is the row number of the parent folder. */
export type PlacedGrant = {
  readonly key: number;
  readonly parent: number;
  readonly path: string;
  readonly level: Level;
};

/** A grant on a path where nothing exists. */
export type KeptGrant = {
  readonly key: number;
  readonly workspace: number;
  readonly path: string;
  readonly level: Level;
};

/** Allows at most `requests` in a burst, refilled evenly over `seconds`. */
export type RateLimit = { readonly requests: number; readonly seconds: number };

/** Settings of the operator for the whole service, kept in the database. */
export type Settings = {
  /** Rate limit of keys that have no limit of their own; null for no limit. */
  readonly rateLimit: RateLimit | null;
  /** Days after which a replaced version loses its content; null keeps all contents. */
  readonly keepVersionsDays: number | null;
  /**
   * Number of a document's versions that keep their content, with the published one; null for all.
   */
  readonly keepVersions: number | null;
};

export const DEFAULT_SETTINGS: Settings = { rateLimit: null, keepVersionsDays: null, keepVersions: null };

/** Facts about a key that a request needs, from one read. */
export type Holder = {
  readonly key: KeyRow;
  /** Workspace of the key; undefined if it was removed. */
  readonly workspace: WorkspaceRow | undefined;
  readonly grants: readonly GrantRow[];
  readonly settings: Settings;
  /**
   * Time of the read in milliseconds since the epoch, by the clock of a database that many
   * processes share. Undefined: the process's own clock counts.
   */
  readonly at?: number;
};

/**
 * Figures for an operator: documents of all workspaces, documents to be indexed, and bytes of the
 * database.
 */
export type Figures = { readonly documents: number; readonly indexing: number; readonly bytes: number };
