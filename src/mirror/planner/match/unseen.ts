import { type DocumentRecord, indexRecordsByPath } from "../../model/record.ts";
import { type LocalPath, parentOf } from "../../../contract/path.ts";
import { NOTHING_LEFT_OUT } from "../../model/left-out.ts";
import { STILL_WRITTEN_REASON, type Unread, makeUnreadable } from "../../model/seen.ts";
import type { Trees } from "../../model/tree.ts";

/**
 * Returns true if the scan could not read a path, or if many files were being moved during the
 * scan.
 */
export function isUnseen(path: LocalPath, trees: Trees): boolean {
  return whyUnseen(path, trees) !== null;
}

export function whyUnseen(path: LocalPath, trees: Trees): Unread | null {
  return whyHidden(path, trees) ?? trees.local.unseen.get("") ?? null;
}

/**
 * Returns the reason why the scan could not read a path or a folder above it; null if it could.
 * Null also after a bulk change during the scan: the scan has read the file, and only absences are
 * doubtful.
 */
export function whyHidden(path: LocalPath, { local: { unseen } }: Trees): Unread | null {
  if (unseen.size === 0) return null;
  for (let above = path; above !== ""; above = parentOf(above)) {
    const unreadReason = unseen.get(above);
    if (unreadReason !== undefined) return unreadReason;
  }
  return null;
}

/**
 * Returns the reason why this scan may have missed a file: files were being written or moved. Null
 * if there is none. Unreadable files do not count, because they may stay unreadable.
 */
export function whyMayBeElsewhere({ local: { unseen } }: Trees): Unread | null {
  for (const { kind } of unseen.values()) if (kind === STILL_WRITTEN_REASON.kind) return STILL_WRITTEN_REASON;
  return unseen.get("") ?? null;
}

/**
 * Returns the reason why this scan proves no absence (I04): a missing file may have been moved to a
 * path that could not be read. Null if the scan proves absences. If the unreadable path is the
 * recorded path of a document, the file there is probably this document's own, unless the document
 * was found elsewhere.
 */
export function whyNothingIsAbsent(
  { base, local, leftOut = NOTHING_LEFT_OUT }: Trees,
  isElsewhere: (record: DocumentRecord) => boolean,
): Unread | null {
  if (local.partial === true) return makeUnreadable("only a part of the folder was scanned");
  if (local.unseen.size === 0) return null;
  const recordByPath = indexRecordsByPath([...base.records.values()].filter((record) => !isElsewhere(record)));
  for (const [path, { kind, why }] of local.unseen) {
    if (recordByPath.has(path) || leftOut.idAt(path) !== null) continue;
    if (kind === "still-being-written") return STILL_WRITTEN_REASON;
    return makeUnreadable(`it may have been moved to ${path}, which could not be read: ${why}`);
  }
  return null;
}
