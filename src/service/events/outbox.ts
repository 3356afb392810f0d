/** The outbox: rows about changes, which a store keeps for the listeners to events. */

import type { Level } from "../store/rows.ts";

/** Row about one change. The new state of the changed item is read when the event is sent. */
export type OutboxRow = {
  /** Position of the row, as at most 44 ASCII characters. Each kind of store defines the form. */
  readonly position: string;
  readonly workspace: number;
  /** Kind of the changed item. `access`: the access of a key was changed, given or taken away. */
  readonly kind: "file" | "folder" | "access";
  /** Row number of the file or folder; for `access`, of the key, or 0 for all keys. */
  readonly seq: number;
  /** Id of the file or folder; empty if the kind is `access`. */
  readonly id: string;
  readonly change: "created" | "edited" | "moved" | "gone";
  /** Row number of the former parent folder of a moved or removed item; null for other changes. */
  readonly formerParent: number | null;
  /** Grants on the item, if the change removed the item and its grants. */
  readonly grants: readonly FormerGrant[];
};

type FormerGrant = { readonly key: number; readonly level: Level };

export type GoneFolder = { readonly parent: number; readonly grants: readonly FormerGrant[] };

/** Consecutive rows. `upTo`: position after these rows; `more`: true if rows may follow. */
export type OutboxPage = { readonly rows: readonly OutboxRow[]; readonly upTo: string; readonly more: boolean };

/**
 * The outbox, as one transaction sees it. Rows are read in the order of their positions. A row that
 * is committed later never has a position before a row that was already read.
 */
export type OutboxTable = {
  /** Returns the position after all rows that can be read now. */
  newest(): Promise<string>;
  /**
   * Returns the rows after a position, at most `most`.
   * @param workspace row number of the workspace whose rows are read; undefined for all workspaces
   * @returns null if some rows after the position were deleted, or the position is of another
   * database
   */
  after(position: string, most: number, workspace?: number): Promise<OutboxPage | null>;
  /** Returns the folders among `seqs` that the outbox reports as removed, by row number. */
  goneFolders(seqs: readonly number[]): Promise<ReadonlyMap<number, GoneFolder>>;
  /** Adds a row for changed grants of a key, because the database has no trigger for them. */
  noteAccess(key: number): void;
};
