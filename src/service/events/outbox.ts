import type { Level } from "../store/rows.ts";

/** What a store keeps of what changed, for those who listen. */

/** Something happened; what it is now is looked up when somebody is told. */
export type OutboxRow = {
  /** Where it stands; a store gives places their form, of at most 44 characters of ASCII. */
  readonly place: string;
  readonly workspace: number;
  /** `access`: what a key may read, or whether it may read at all. */
  readonly kind: "file" | "folder" | "access";
  /** Row number of the file or folder; of the key, 0 for all keys of the workspace. */
  readonly seq: number;
  /** "" of an `access`. */
  readonly id: string;
  readonly change: "created" | "edited" | "moved" | "gone";
  /** The folder that it was in, where it was moved or is gone. */
  readonly was: number | null;
  /** The grants on itself that went with it. */
  readonly grants: readonly GrantThen[];
};

type GrantThen = { readonly key: number; readonly level: Level };

/** A folder that is gone: what was above it, and the grants on it. */
export type GoneFolder = { readonly parent: number; readonly grants: readonly GrantThen[] };

/** `upTo`: the place after these rows; `more`: others may follow by now. */
export type OutboxPage = { readonly rows: readonly OutboxRow[]; readonly upTo: string; readonly more: boolean };

/**
 * The outbox as one transaction sees it. Rows are read in the order of their places, and nothing
 * that is committed later ever comes before what was read.
 */
export type OutboxTable = {
  /** The place after all that can be read now. */
  newest(): Promise<string>;
  /**
   * @param workspace row number of the one whose rows are read; left out: those of all
   * @returns null where not all that followed is kept any more, or where the place is none of this
   * database
   */
  after(place: string, most: number, workspace?: number): Promise<OutboxPage | null>;
  /** Of these folders, those that are known to be gone. */
  goneFolders(seqs: readonly number[]): Promise<ReadonlyMap<number, GoneFolder>>;
};
