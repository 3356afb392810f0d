/** Records of changes that a store keeps for listeners. */

import type { Level } from "../store/rows.ts";

/** A change; the current state of its item is read when the event is sent. */
export type OutboxRow = {
  /**
   * Position of the row in the outbox. Each store defines the form of a position, of at most 44
   * ASCII characters.
   */
  readonly position: string;
  readonly workspace: number;
  /** `access`: the access of a key changed, was given or was taken away. */
  readonly kind: "file" | "folder" | "access";
  /** Row number of the file or folder; for `access`, of the key, or 0 for all keys. */
  readonly seq: number;
  /** Id of the file or folder; empty for an `access`. */
  readonly id: string;
  readonly change: "created" | "edited" | "moved" | "gone";
  /** Row number of the former parent folder of a moved or removed item; null for other changes. */
  readonly formerParent: number | null;
  /** Grants on the item that were removed with it. */
  readonly grants: readonly FormerGrant[];
};

type FormerGrant = { readonly key: number; readonly level: Level };

/** A removed folder: its former parent, and the grants on it. */
export type GoneFolder = { readonly parent: number; readonly grants: readonly FormerGrant[] };

/** Rows of the outbox. `upTo`: the position after them; `more`: true if more rows may follow. */
export type OutboxPage = { readonly rows: readonly OutboxRow[]; readonly upTo: string; readonly more: boolean };

/**
 * The outbox, as one transaction sees it. Rows are read in the order of their positions. A row that
 * is committed later never has a position before a row that was already read.
 */
export type OutboxTable = {
  /** Returns the position after all rows that can be read now. */
  newest(): Promise<string>;
  /**
   * Returns the rows after a place.
   * @param workspace row number of the workspace whose rows are read; undefined: all
   * @returns null if some later rows are no longer kept, or the position is not of this database
   */
  after(position: string, most: number, workspace?: number): Promise<OutboxPage | null>;
  /** Returns which of these folders are known to be removed. */
  goneFolders(seqs: readonly number[]): Promise<ReadonlyMap<number, GoneFolder>>;
  /** Records that the grants of a key changed, for which the database has no trigger. */
  noteAccess(key: number): void;
};
