/** The outbox: the table in which a store records each change for the listeners. */

import type { Level } from "../store/rows.ts";

/** Row about one change of an item. The new state of the item is read when the event is sent. */
export type OutboxRow = {
  /** Position of the row: at most 44 ASCII characters, in a form that the store chooses. */
  readonly position: string;
  readonly workspace: number;
  /** Kind of the changed item. `access`: the access of one key, or of all keys, has changed. */
  readonly kind: "file" | "folder" | "access";
  /** Row number of the file or folder. For `access`: row number of the key, or 0 for all keys. */
  readonly seq: number;
  /** Id of the file or folder; empty if the kind is `access`. */
  readonly id: string;
  readonly change: "created" | "edited" | "moved" | "gone";
  /** Row number of the former parent folder of a moved or removed item; null for other changes. */
  readonly formerParent: number | null;
  /** Grants on the item before it was removed; empty for other changes. */
  readonly grants: readonly FormerGrant[];
};

type FormerGrant = { readonly key: number; readonly level: Level };

export type GoneFolder = { readonly parent: number; readonly grants: readonly FormerGrant[] };

/** Consecutive rows. `upTo`: position after these rows; `more`: true if others may follow. */
export type OutboxPage = { readonly rows: readonly OutboxRow[]; readonly upTo: string; readonly more: boolean };

/**
 * The outbox, as one transaction sees it. Rows are read in the order of their positions. A row that
 * is committed later always has a position after all rows that were already read.
 */
export type OutboxTable = {
  /** Returns the position after all rows that can be read now. */
  newest(): Promise<string>;
  /**
   * Returns at most `most` rows after a position.
   * @param workspace row number of the workspace whose rows are read; undefined for all workspaces
   * @returns null if rows after the position were pruned, or if the position is from another
   * database
   */
  after(position: string, most: number, workspace?: number): Promise<OutboxPage | null>;
  /**
   * Returns those folders of `seqs` that were removed and whose outbox rows still exist. The map's
   * key is the row number of the folder.
   */
  goneFolders(seqs: readonly number[]): Promise<ReadonlyMap<number, GoneFolder>>;
  /** Adds a row about changed grants of a key, because no trigger records changes of grants. */
  noteAccess(key: number): void;
};
