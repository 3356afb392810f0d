import { digestOf } from "../../contract/digest.ts";
import type { Conflict, ShownVersion } from "./record.ts";
import { cutToBytes, joinPath, type LocalPath, nameOf, parentOf } from "../../contract/path.ts";

/**
 * Side of the content in a conflict copy: `theirs` is the service's version of an open conflict,
 * `mine` is a local version that was replaced.
 */
type CopySide = "theirs" | "mine";

/**
 * Returns `note (theirs).md`, or `note (mine).md`, for `note.md`. The service refuses such names,
 * so no document can have one. If the name is too long for the disk, its stem is cut, and 8 hex
 * digits of the whole name's digest distinguish it from others with the same beginning.
 * @param nth from the second copy on, the name contains this number: `note (mine 2).md`
 * @param maxBytes bytes of the longest name that the disk accepts; the same in all of this module
 */
export function conflictCopyPath(path: LocalPath, side: CopySide, nth: number, maxBytes: number): LocalPath {
  const name = nameOf(path);
  const stem = name.replace(/\.md$/, "");
  const suffix = ` (${nth === 1 ? side : `${side} ${nth}`}).md`;
  if (Buffer.byteLength(stem) + suffix.length <= maxBytes) return joinPath(parentOf(path), `${stem}${suffix}`);
  const tail = `-${digestOf(name).slice(0, 8)}${suffix}`;
  return joinPath(parentOf(path), `${cutToBytes(stem, maxBytes - tail.length)}${tail}`);
}

/** A recorded copy of a conflict. `nth`: position of its version in `shown`, counted from 1. */
export type ConflictCopy = {
  readonly nth: number;
  readonly version: ShownVersion;
  /** Last known path of the copy. Only the newest copy's path is recorded. */
  readonly path: LocalPath;
  readonly isNewest: boolean;
};

/** Returns the path of a conflict copy after it was moved to its document. */
export function copyPath(document: LocalPath, nth: number, maxBytes: number): LocalPath {
  return conflictCopyPath(document, "theirs", nth, maxBytes);
}

/**
 * Returns the copies that a conflict has recorded, oldest first. The newest copy is always among
 * them, an earlier one only if its user edited it.
 * @param document path of the document in base
 */
export function copiesOf(
  { shown, newestCopyPath: newest }: Conflict,
  document: LocalPath,
  maxBytes: number,
): ConflictCopy[] {
  return shown.flatMap((version, index): ConflictCopy[] => {
    const nth = index + 1;
    const isNewest = nth === shown.length;
    if (!isNewest && version.ino === 0) return [];
    return [{ nth, version, path: isNewest ? newest : copyPath(document, nth, maxBytes), isNewest }];
  });
}
