import { type DocumentRow, pathOn, type Row, SIDES } from "../match/row.ts";
import { baseFolderOf, type Forest } from "../match/forest.ts";
import type { Link } from "../../model/link.ts";
import type { LocalFile } from "../../model/tree.ts";
import { nameOf } from "../../../contract/path.ts";

/** Finds out which side changed what since base, by two axes: content and place. */

/** `never`: missing and never linked. `unknown`: the scan could not tell. */
export type LocalContent = "unchanged" | "edited" | "deleted" | "created" | "never" | "unknown";
export type RemoteContent = "unchanged" | "edited" | "gone" | "unseen" | "outside" | "created" | "never";
export type WhoMoved = "nobody" | "local" | "remote" | "both";

export type PlaceChange = { readonly local: LocalContent; readonly remote: RemoteContent; readonly place: WhoMoved };

export function placeChangeOf(forest: Forest, row: DocumentRow): PlaceChange {
  return { local: localContent(row), remote: remoteContent(row), place: whoMoved(forest, row) };
}

function localContent(row: DocumentRow): LocalContent {
  const { link } = row;
  const { seen } = row.local;
  if (seen.kind === "unknown") return "unknown";
  if (seen.kind === "absent") return link === null ? "never" : "deleted";
  if (link === null) return "created";
  return holdsBaseText(link, seen.value) ? "unchanged" : "edited";
}

/**
 * Returns true if a file is as base has it. The base's own content counts as well: the file may
 * have lost only its line ends, BOM or final newline.
 */
export function holdsBaseText(link: Link, file: LocalFile): boolean {
  return file.digest === link.localDigest || file.digest === link.digest;
}

function remoteContent(row: DocumentRow): RemoteContent {
  const { link } = row;
  const { seen } = row.remote;
  if (seen.kind !== "present") return seen.kind;
  if (link === null) return "created";
  return seen.file.changeId === link.changeId ? "unchanged" : "edited";
}

/**
 * Returns which side moved a row, by (parent folder, name) compared with base's: a row that moves
 * with its folder has not moved itself.
 */
export function whoMoved(forest: Forest, row: Row): WhoMoved {
  const { link } = row;
  if (link === null) return "nobody";
  const [here, there] = SIDES.map((side) => {
    const parent = baseFolderOf(forest, side, link);
    const { now } = row[side];
    return now !== null && (now.parent !== parent || now.name !== nameOf(pathOn(link, side)));
  });
  if (here) return there ? "both" : "local";
  return there ? "remote" : "nobody";
}
