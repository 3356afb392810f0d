import { digestOf } from "../../contract/digest.ts";
import type { Conflict, ShownVersion } from "./record.ts";
import { cutToBytes, joinPath, type LocalPath, nameOf, parentOf } from "../../contract/path.ts";

/** `theirs`: the service's version in a conflict. `mine`: a local version that was replaced. */
type CopySide = "theirs" | "mine";

/**
 * Returns `note (theirs).md` or `note (mine).md` for `note.md`. On the service, no document can
 * have such a name, because the service refuses it. A name that is too long for the disk is
 * shortened, and gets eight hex digits of the whole name's digest, so that it stays unique.
 * @param nth number of the copy, from 1; a number above 1 is part of the name: `note (mine 2).md`
 * @param maxBytes length of the longest name that the disk accepts, in bytes
 */
export function makeConflictCopyPath(path: LocalPath, side: CopySide, nth: number, maxBytes: number): LocalPath {
  const name = nameOf(path);
  const stem = name.replace(/\.md$/, "");
  const suffix = ` (${nth === 1 ? side : `${side} ${nth}`}).md`;
  if (Buffer.byteLength(stem) + suffix.length <= maxBytes) return joinPath(parentOf(path), `${stem}${suffix}`);
  const shortenedEnding = `-${digestOf(name).slice(0, 8)}${suffix}`;
  return joinPath(parentOf(path), `${cutToBytes(stem, maxBytes - shortenedEnding.length)}${shortenedEnding}`);
}

/** A recorded conflict copy. `nth`: position of its version in `Conflict.shown`, from 1. */
export type ConflictCopy = {
  readonly nth: number;
  readonly version: ShownVersion;
  /**
   * Last known path of the copy. For an older copy, this path is derived from the document's path.
   */
  readonly path: LocalPath;
  readonly isNewest: boolean;
};

export function makeTheirsCopyPath(document: LocalPath, nth: number, maxBytes: number): LocalPath {
  return makeConflictCopyPath(document, "theirs", nth, maxBytes);
}

/**
 * Returns the recorded copies of a conflict, oldest first. The newest copy is always in the list,
 * an older one only if the user edited it.
 * @param document local path of the document in base
 */
export function listConflictCopies(
  { shown, newestCopyPath: newest }: Conflict,
  document: LocalPath,
  maxBytes: number,
): ConflictCopy[] {
  return shown.flatMap((version, index): ConflictCopy[] => {
    const nth = index + 1;
    const isNewest = nth === shown.length;
    if (!isNewest && version.ino === 0) return [];
    return [{ nth, version, path: isNewest ? newest : makeTheirsCopyPath(document, nth, maxBytes), isNewest }];
  });
}
