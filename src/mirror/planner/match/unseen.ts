import { type DocumentRecord, recordsByPath } from "../../model/record.ts";
import { type LocalPath, parentOf } from "../../../contract/path.ts";
import { NOTHING_LEFT_OUT } from "../../model/left-out.ts";
import { STILL_WRITTEN, type Unread, unreadable } from "../../model/seen.ts";
import type { Trees } from "../../model/tree.ts";

/**
 * Returns true if a recorded path is at or below a path that the scan could not read, or if a bulk
 * change was in progress during the scan.
 */
export function isUnseen(path: LocalPath, trees: Trees): boolean {
  return whyUnseen(path, trees) !== null;
}

export function whyUnseen(path: LocalPath, trees: Trees): Unread | null {
  return whyHidden(path, trees) ?? trees.local.unseen.get("") ?? null;
}

/**
 * Returns why the scan could not read this path, or a folder above it. A bulk change is no reason:
 * the scan has read the file then, although it proves no absence.
 */
export function whyHidden(path: LocalPath, { local: { unseen } }: Trees): Unread | null {
  if (unseen.size === 0) return null;
  for (let above = path; above !== ""; above = parentOf(above)) {
    const unread = unseen.get(above);
    if (unread !== undefined) return unread;
  }
  return null;
}

/**
 * Returns the reason why this scan may have missed the file of a missing document: files were being
 * written or moved. Null if no file was. An unreadable file is no reason, because it may stay
 * unreadable.
 */
export function whyElsewhere({ local: { unseen } }: Trees): Unread | null {
  for (const { kind } of unseen.values()) if (kind === STILL_WRITTEN.kind) return STILL_WRITTEN;
  return unseen.get("") ?? null;
}

/**
 * Returns why this scan proves no absence: a missing file may have been moved to a path that could
 * not be read (I04). At the path of a recorded document, an unreadable file hides only that
 * document. If that document was found at another path, the unreadable file may be any document.
 * @returns null if a missing file counts as absent
 */
export function whyNothingIsAbsent(
  { base, local, leftOut = NOTHING_LEFT_OUT }: Trees,
  isElsewhere: (record: DocumentRecord) => boolean,
): Unread | null {
  if (local.partial === true) return unreadable("only a part of the folder was scanned");
  if (local.unseen.size === 0) return null;
  const recordByPath = recordsByPath([...base.records.values()].filter((record) => !isElsewhere(record)));
  for (const [path, { kind, why }] of local.unseen) {
    if (recordByPath.has(path) || leftOut.idAt(path) !== null) continue;
    if (kind === "still-being-written") return STILL_WRITTEN;
    return unreadable(`it may have been moved to ${path}, which could not be read: ${why}`);
  }
  return null;
}
