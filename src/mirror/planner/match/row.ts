/**
 * A document or folder with its place. A place is a parent folder and a name, not a path: when a
 * folder moves, the rows below it have not moved themselves. Rows are made for each plan, and
 * change while it is made.
 */

import type { DirId, DocId } from "../../../contract/ids.ts";
import type { FolderRecord, DocumentRecord, Tombstone } from "../../model/record.ts";
import type { LocalPath, RemotePath } from "../../../contract/path.ts";
import type { Seen } from "../../model/seen.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";

export type Side = "local" | "remote";

export const SIDES = ["local", "remote"] as const;

export function otherSide(side: Side): Side {
  return side === "local" ? "remote" : "local";
}

export type Place = { readonly parent: FolderRow; readonly name: string };

/** Current place and planned place; null for none. `setGoal` sets the planned place. */
type Whereabouts = { now: Place | null; readonly goal: Place | null };

type CommonRow = {
  /** Key, unique in a plan: number of the row in the order of the sorted input. */
  readonly key: number;
  readonly local: Whereabouts;
  readonly remote: Whereabouts;
};

export type FolderRow = CommonRow & {
  readonly kind: "folder";
  record: FolderRecord | null;
  /**
   * Id in base or in the listing; null for a folder that the service does not have, or has not
   * shown.
   */
  dirId: DirId | null;
  /** Path on disk before the plan; null if the folder is missing. */
  localPath: LocalPath | null;
  remotePath: RemotePath | null;
  localSeen: "present" | "absent" | "unknown";
  /**
   * `implied`: not listed, but a document's path shows it. `gone`: proven. `unknown`: recorded, and
   * not listed in this cycle.
   */
  remoteSeen: "listed" | "implied" | "gone" | "unknown" | "absent";
  /** Id of the record, if the folder at its place on the service now has another id. */
  replaced: DirId | null;
  /**
   * True if the recorded folder was replaced by another local folder: its contents move to the
   * other folder, and the old folder is removed when it is empty.
   */
  isVacated: boolean;
  /**
   * True if the service kept the folder while it was missing locally, and another local folder is
   * at its path now.
   */
  isPathTaken: boolean;
  /**
   * True if the folder was moved on the service to the path of another local folder: the two are
   * now one.
   */
  isMerged: boolean;
};

export type RemoteSeen =
  | { readonly kind: "present"; readonly file: RemoteFile }
  | { readonly kind: "gone" }
  | { readonly kind: "outside" }
  | { readonly kind: "unseen"; readonly why: string }
  /** The document has no record: a new local file. */
  | { readonly kind: "never" };

export type DocumentRow = CommonRow & {
  readonly kind: "document";
  readonly id: DocId | null;
  readonly record: DocumentRecord | null;
  readonly tombstone: Tombstone | null;
  readonly local: Whereabouts & { readonly seen: Seen<LocalFile> };
  readonly remote: Whereabouts & { readonly seen: RemoteSeen };
};

export type Row = FolderRow | DocumentRow;

/** Sets the planned place of a row on a side; null for none. No other code sets a planned place. */
export function setGoal(row: Row, side: Side, place: Place | null): void {
  const places: { goal: Place | null } = row[side];
  places.goal = place;
}

/** Sets the planned place of a row to its current place on both sides. */
export function setGoalToCurrent(row: Row): void {
  for (const side of SIDES) setGoal(row, side, row[side].now);
}

export function samePlace(a: Place | null, b: Place | null): boolean {
  return a === b || (a !== null && b !== null && a.parent === b.parent && a.name === b.name);
}

export function isMoving(row: Row, side: Side): boolean {
  return row[side].goal !== null && !samePlace(row[side].goal, row[side].now);
}

/** Returns whether the naming rules of files or of folders apply to a row. */
export function nameKindOf(row: Row): "file" | "folder" {
  return row.kind === "document" ? "file" : "folder";
}

/**
 * Returns the value that makes a local name unique if the disk cannot have the remote name: the id,
 * or the path of a folder without an id.
 */
export function idOf(row: Row): string {
  return (row.kind === "document" ? row.id : row.dirId) ?? (row.kind === "folder" ? (row.remotePath ?? "") : "");
}

/** Returns the path of a record, or of a folder's row, on a side. */
export function pathOn<P>(record: { readonly localPath: P; readonly remotePath: P }, side: Side): P {
  return side === "local" ? record.localPath : record.remotePath;
}
