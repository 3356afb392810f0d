/** Finds out which side changed the content or the place of a document since base. */

import { type DocumentRow, getPathOnSide, type PlanRow, SIDES } from "../match/row.ts";
import { findBaseFolder, type FolderForest } from "../match/forest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { LocalFile } from "../../model/tree.ts";
import { nameOf } from "../../../contract/path.ts";

/** State of local content, compared with base. `unknown`: the scan did not show the content. */
export type LocalDrift = "unchanged" | "edited" | "deleted" | "unknown";
export type RemoteDrift = "unchanged" | "edited" | "gone" | "unseen" | "outside";
type NewContents =
  | { readonly local: "created"; readonly remote: "created" | "never" }
  | { readonly local: "never"; readonly remote: "created" };
type DriftContents = { readonly local: LocalDrift; readonly remote: RemoteDrift } | NewContents;
export type WhoMoved = "nobody" | "local" | "remote" | "both";

export type Drift = DriftContents & { readonly place: WhoMoved };

export function compareWithBase(forest: FolderForest, row: DocumentRow): Drift {
  const { record } = row;
  if (record === null) return { ...describeNewContents(row), place: "nobody" };
  return {
    local: compareLocalContent(row, record),
    remote: compareRemoteContent(row, record),
    place: findWhoMoved(forest, row),
  };
}

function describeNewContents({ local, remote }: DocumentRow): NewContents {
  if (local.seen.kind !== "present") return { local: "never", remote: "created" };
  return { local: "created", remote: remote.seen.kind === "present" ? "created" : "never" };
}

function compareLocalContent({ local: { seen } }: DocumentRow, record: DocumentRecord): LocalDrift {
  if (seen.kind === "unknown") return "unknown";
  if (seen.kind === "absent") return "deleted";
  return hasBaseContent(record, seen.value) ? "unchanged" : "edited";
}

/**
 * Returns true if a file has base's local content, or base's content as the service stores it. The
 * two differ by line ends, BOM or final newline, and an editor may have removed such a difference.
 */
export function hasBaseContent(record: DocumentRecord, file: LocalFile): boolean {
  return file.digest === record.localDigest || file.digest === record.digest;
}

function compareRemoteContent({ remote: { seen } }: DocumentRow, record: DocumentRecord): RemoteDrift {
  if (seen.kind === "present") return seen.file.changeId === record.changeId ? "unchanged" : "edited";
  return seen.kind === "never" ? "unseen" : seen.kind;
}

/**
 * Returns the sides on which the parent folder or the name differs from base. A document that moves
 * together with its folder has not moved itself.
 */
export function findWhoMoved(forest: FolderForest, row: PlanRow): WhoMoved {
  const { record } = row;
  if (record === null) return "nobody";
  const [isMovedLocally, isMovedRemotely] = SIDES.map((side) => {
    const parent = findBaseFolder(forest, side, record);
    const { now } = row[side];
    return now !== null && (now.parent !== parent || now.name !== nameOf(getPathOnSide(record, side)));
  });
  if (isMovedLocally) return isMovedRemotely ? "both" : "local";
  return isMovedRemotely ? "remote" : "nobody";
}
