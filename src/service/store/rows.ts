import type { Grant, ReviewReason } from "../../contract/resources.ts";

/**
 * What a store holds, as the handlers see it. A `seq` is a row number: it grows in the order of
 * creation, is never used again, and is what cursors stand on.
 */

/** The `parent` of root folders and the `folder` of root files: the root itself has no row. */
export const ROOT = 0;

export type WorkspaceState = "open" | "closed" | "restoring";

export type WorkspaceRow = {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly state: WorkspaceState;
  /** Seconds that a 503 tells its caller to wait. */
  readonly retryAfter: number;
  /** 1: ids in it have the first version's form; they never change, and stay valid. */
  readonly firstIds: 0 | 1;
};

export type CountedWorkspace = WorkspaceRow & {
  readonly documents: number;
  /** How many changes wait for review. */
  readonly inReview: number;
};

export type FileRow = {
  readonly seq: number;
  readonly id: string;
  readonly folder: number;
  /** null: the root. */
  readonly folderId: string | null;
  readonly name: string;
  /** Without a leading slash. */
  readonly path: string;
  readonly protected: 0 | 1;
  /** The live change: `changes.text` of it is the live text. */
  readonly changeId: string;
};

/**
 * A file as an answer shows it.
 * @property shown the row, as JSON
 * @property json its live text, as JSON
 */
export type ShownText = { readonly row: FileRow; readonly shown: string; readonly json: string };

/** Rows in their order, each by its number and as it is shown. */
export type ShownPage = { readonly seqs: readonly number[]; readonly texts: readonly string[] };

export type FolderRow = {
  readonly seq: number;
  readonly id: string;
  readonly parent: number;
  /** null: the root. */
  readonly parentId: string | null;
  readonly name: string;
  /** Without a leading slash. */
  readonly path: string;
};

/**
 * `saved`: is or was the live text. The others never were: they wait for review, or were accepted
 * (as another, saved change) or rejected.
 */
export type ChangeStatus = "saved" | "in_review" | "accepted" | "rejected";

export type ChangeRow = {
  readonly seq: number;
  readonly id: string;
  /** Row number of its file. */
  readonly file: number;
  readonly baseId: string | null;
  readonly status: ChangeStatus;
  /** Why it went to review; null for saved changes. */
  readonly reason: ReviewReason | null;
  /** Milliseconds since the epoch, from the service's clock. */
  readonly at: number;
};

/** A change that went to review, with its file as it is now. */
export type Reviewed = { readonly change: ChangeRow; readonly file: FileRow; readonly workspaceId: string };

export type KeyRow = {
  readonly seq: number;
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  readonly rateRequests: number | null;
  readonly rateSeconds: number | null;
  /** Milliseconds since the epoch; null: it does not expire. */
  readonly expiresAt: number | null;
  /** When it was made, in milliseconds since the epoch. */
  readonly at: number;
  /** As it was saved last, in milliseconds since the epoch; null: never. */
  readonly lastUsedAt: number | null;
};

/** What of a key can be changed, but for its grants. */
export type KeyMembers = Pick<KeyRow, "label" | "rateRequests" | "rateSeconds" | "expiresAt">;

export type NewKey = Omit<KeyRow, "seq" | "lastUsedAt"> & {
  /** SHA-256 of the key; the key itself is never stored. */
  readonly hash: Buffer;
};

/** `none` revokes, in a subtree, what a grant further up gives. */
export type Level = Grant | "none";

/** `target`: row number of the file or folder; `ROOT` for the whole workspace. */
export type GrantRow = { readonly kind: "root" | "folder" | "file"; readonly target: number; readonly level: Level };

/** A grant of one of several keys. */
export type GrantOfKey = GrantRow & { readonly key: number };

/**
 * A grant on a file or folder, and its place. `parent` is the row number of the folder above it.
 */
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

/** A grant as it is shown: on an id, on a path where nothing is, or on everything (null). */
export type ShownGrant = {
  readonly key: number;
  readonly on: { readonly id: string } | { readonly keptPath: string } | null;
  /** Where that is now; "" is the root. */
  readonly path: string;
  readonly level: Level;
};

/** At most `requests` at once, refilled evenly over `seconds`. */
export type RateLimit = { readonly requests: number; readonly seconds: number };

/** What an operator sets for the whole service, kept in the database. */
export type Settings = {
  /** The limit of keys that have none of their own; null: none. */
  readonly rateLimit: RateLimit | null;
  /** Versions that were replaced longer ago lose their text; null: all are kept. */
  readonly keepVersionsDays: number | null;
  /** So many versions of a document keep their text, the live one among them; null: all. */
  readonly keepVersions: number | null;
};

export const DEFAULT_SETTINGS: Settings = { rateLimit: null, keepVersionsDays: null, keepVersions: null };

/** All that a request needs of its key, in one look. */
export type Holder = {
  readonly key: KeyRow;
  /** undefined: it was removed. */
  readonly workspace: WorkspaceRow | undefined;
  readonly grants: readonly GrantRow[];
  readonly settings: Settings;
  /**
   * When it was looked up, in milliseconds since the epoch, by the clock of a database that many
   * processes share. Left out: the clock of the one process counts.
   */
  readonly at?: number;
};
