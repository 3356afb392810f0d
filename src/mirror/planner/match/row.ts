/**
 * Rows: the documents and folders of one plan. A row's place on each side consists of a parent
 * folder and a name. It is not a path, so a folder that moves does not change the places of the
 * rows in it.
 */

import type { DirId, DocId } from "../../../contract/ids.ts";
import type { FolderRecord, DocumentRecord, Tombstone } from "../../model/record.ts";
import type { LocalPath, RemotePath } from "../../../contract/path.ts";
import type { Observation } from "../../model/seen.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";

export type Side = "local" | "remote";

export const SIDES = ["local", "remote"] as const;

export function otherSide(side: Side): Side {
  return side === "local" ? "remote" : "local";
}

export type Place = { readonly parent: FolderRow; readonly name: string };

/**
 * Places of a row on one side, now and after the plan; null if the row is not on that side. Only
 * `setGoal` sets `goal`.
 */
type RowPlaces = { now: Place | null; readonly goal: Place | null };

type CommonRow = {
  /** Id of the row, unique in the plan. Equal trees give equal ids. */
  readonly key: number;
  readonly local: RowPlaces;
  readonly remote: RowPlaces;
};

export type FolderRow = CommonRow & {
  readonly kind: "folder";
  record: FolderRecord | null;
  /** Id of the folder; null if the service does not have the folder, or did not show it. */
  dirId: DirId | null;
  /** Path before the plan; null if the folder is not on disk. */
  localPath: LocalPath | null;
  remotePath: RemotePath | null;
  localSeen: "present" | "absent" | "unknown";
  /**
   * State on the service.
   * - `implied`: not listed, but the path of a listed document contains the folder
   * - `gone`: the absence is proven
   * - `unknown`: recorded, but not listed in this cycle
   */
  remoteSeen: "listed" | "implied" | "gone" | "unknown" | "absent";
  /**
   * Recorded id, if the folder now has another id, because it was created again on the service;
   * otherwise null.
   */
  replaced: DirId | null;
  /**
   * True for the old local folder of a folder that was merged into another one. Its documents are
   * moved to the other folder. The empty folder is then removed.
   */
  isVacated: boolean;
  /**
   * True if the folder was removed locally, the service cannot delete it, and another local folder
   * now has its path.
   */
  isPathTaken: boolean;
  /** True if this folder was moved on the service to the path of a new local folder. */
  isMerged: boolean;
};

export type RemoteSeen =
  | { readonly kind: "present"; readonly file: RemoteFile }
  | { readonly kind: "gone" }
  | { readonly kind: "outside" }
  | { readonly kind: "unseen"; readonly why: string }
  | { readonly kind: "never" };

export type DocumentRow = CommonRow & {
  readonly kind: "document";
  readonly id: DocId | null;
  readonly record: DocumentRecord | null;
  readonly tombstone: Tombstone | null;
  readonly local: RowPlaces & { readonly seen: Observation<LocalFile> };
  readonly remote: RowPlaces & { readonly seen: RemoteSeen };
};

export type PlanRow = FolderRow | DocumentRow;

/**
 * Sets the planned place; null if the row will not be on this side. No other function sets planned
 * places.
 */
export function setGoal(row: PlanRow, side: Side, place: Place | null): void {
  const mutablePlaces: { goal: Place | null } = row[side];
  mutablePlaces.goal = place;
}

export function setGoalToCurrent(row: PlanRow): void {
  for (const side of SIDES) setGoal(row, side, row[side].now);
}

export function isSamePlace(a: Place | null, b: Place | null): boolean {
  return a === b || (a !== null && b !== null && a.parent === b.parent && a.name === b.name);
}

export function isMoving(row: PlanRow, side: Side): boolean {
  return row[side].goal !== null && !isSamePlace(row[side].goal, row[side].now);
}

export function getNameKind(row: PlanRow): "file" | "folder" {
  return row.kind === "document" ? "file" : "folder";
}

/**
 * Returns the text that makes a converted name unique: the id; for a folder without an id, its
 * path; for a document without an id, "".
 */
export function toUniqueId(row: PlanRow): string {
  return (row.kind === "document" ? row.id : row.dirId) ?? (row.kind === "folder" ? (row.remotePath ?? "") : "");
}

export function getPathOnSide<P>(record: { readonly localPath: P; readonly remotePath: P }, side: Side): P {
  return side === "local" ? record.localPath : record.remotePath;
}
