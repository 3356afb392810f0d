import type { DirId, DocId } from "../../../contract/ids.ts";
import type { DirLink, Link, Tombstone } from "../../model/link.ts";
import type { LocalPath, RemotePath } from "../../../contract/path.ts";
import type { Seen } from "../../model/seen.ts";
import type { LocalFile, RemoteFile } from "../../model/tree.ts";
import type { Evidence } from "./matching.ts";

/**
 * What has a place. A place is (parent folder, name), not a path: when a folder moves, what is
 * below it has not moved itself. Rows are made anew for each plan and are mutable within it.
 */

export type Side = "local" | "remote";

export const SIDES = ["local", "remote"] as const;

export function otherSide(side: Side): Side {
  return side === "local" ? "remote" : "local";
}

export type Place = { readonly parent: FolderRow; readonly name: string };

/** Where something is, and where the plan wants it; null: not there. `wantAt` sets the goal. */
type Whereabouts = { now: Place | null; readonly goal: Place | null };

type CommonRow = {
  /** Unique in a plan; the order of making, which is that of the input, sorted. */
  readonly key: number;
  readonly local: Whereabouts;
  readonly remote: Whereabouts;
};

export type FolderRow = CommonRow & {
  readonly kind: "folder";
  link: DirLink | null;
  /** The linked or listed id; null for a folder that the service has not, or has not shown. */
  dirId: DirId | null;
  /** Path on disk before the plan; null when it is not there. */
  localPath: LocalPath | null;
  remotePath: RemotePath | null;
  localSeen: "present" | "absent" | "unknown";
  /**
   * `implied`: not listed, but a document's path shows it. `gone`: proven. `unknown`: linked, and
   * not listed in this pass.
   */
  remoteSeen: "listed" | "implied" | "gone" | "unknown" | "absent";
  /** The id of the link, where the folder at its place now has another one. */
  replaced: DirId | null;
  /**
   * It was a linked folder's, which is another one here now: what is in it goes there, and it goes
   * when it is empty.
   */
  vacated: boolean;
  /**
   * The service kept it while it was gone here, and what stands at its path is another folder on
   * disk.
   */
  rehoused: boolean;
  /** It has moved on the service to where another folder stood here, which it is now. */
  merged: boolean;
};

export type RemoteSeen =
  | { readonly kind: "present"; readonly file: RemoteFile }
  | { readonly kind: "gone" }
  | { readonly kind: "outside" }
  | { readonly kind: "unseen"; readonly why: string }
  /** Nothing was ever linked: a new local file. */
  | { readonly kind: "never" };

export type DocumentRow = CommonRow & {
  readonly kind: "document";
  readonly id: DocId | null;
  readonly link: Link | null;
  readonly tombstone: Tombstone | null;
  readonly local: Whereabouts & { readonly seen: Seen<LocalFile> };
  readonly remote: Whereabouts & { readonly seen: RemoteSeen };
  readonly evidence: Evidence | null;
};

export type Row = FolderRow | DocumentRow;

/** Says where the plan wants a row on a side; null: not there. Nothing else sets a goal. */
export function wantAt(row: Row, side: Side, place: Place | null): void {
  const whereabouts: { goal: Place | null } = row[side];
  whereabouts.goal = place;
}

/** Wants a row on both sides where it is. */
export function wantInPlace(row: Row): void {
  for (const side of SIDES) wantAt(row, side, row[side].now);
}

export function samePlace(a: Place | null, b: Place | null): boolean {
  return a === b || (a !== null && b !== null && a.parent === b.parent && a.name === b.name);
}

/** Whether the plan wants a row on a side, at another place than it has there. */
export function isMoving(row: Row, side: Side): boolean {
  return row[side].goal !== null && !samePlace(row[side].goal, row[side].now);
}

/** By which rules a row is named. */
export function nameKindOf(row: Row): "file" | "folder" {
  return row.kind === "document" ? "file" : "folder";
}

/**
 * What a local name is made of where the disk cannot hold the remote one: the id, or the path of a
 * folder that shows none.
 */
export function idOf(row: Row): string {
  return (row.kind === "document" ? row.id : row.dirId) ?? (row.kind === "folder" ? (row.remotePath ?? "") : "");
}

/** The path that a link, or a folder's row, has on a side. */
export function pathOn<P>(one: { readonly localPath: P; readonly remotePath: P }, side: Side): P {
  return side === "local" ? one.localPath : one.remotePath;
}
