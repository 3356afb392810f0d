/** Adds and removes names of files (hard links). Removes a name only from the expected inode. */

import { foldsNames, nameOf, parentOf, pathKey } from "../../contract/path.ts";
import type { FsStat } from "../ports/disk.ts";
import { isSameInode, nullOnAnyErrno, readErrno, succeeds } from "./results.ts";
import { type RootGuard, statOrNull } from "./root-guard.ts";

/**
 * Prefix of temporary files. `sweepTempFiles` may remove temporary files, because none is the only
 * copy of a version.
 */
export const TEMP_PREFIX = "w-";
/**
 * Prefix of files that were set aside. Such a file may be the only copy of a user's last save.
 * `sweepTempFiles` deletes such a file only if it is a second hard link; otherwise the file goes to
 * the trash.
 */
export const SET_ASIDE_PREFIX = "a-";

// Errors that mean that a file cannot have a hard link. Different disks without hard links (FAT,
// exFAT, some network and FUSE disks) report different errors. The Linux setting
// `protected_hardlinks` causes EPERM.
const NO_LINK_ERRORS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EACCES"];

/**
 * Returns `abs` in the spelling that its folder lists. A disk that treats several spellings as
 * equal finds a file under each spelling, but a write must keep the spelling that the user chose.
 * LIMIT: each call reads the whole folder, because no system call returns the listed spelling.
 * RACE: if a user changes the case of the name between this call and the write, the write changes
 * the case back.
 */
export function findListedSpelling(guard: RootGuard, abs: string): string {
  const folding = guard.names();
  if (!foldsNames(folding)) return abs;
  const [folder, name] = [parentOf(abs), nameOf(abs)];
  const names = guard.fs.readdir(folder).map((entry) => entry.name);
  if (names.includes(name)) return abs;
  const key = pathKey(name, folding);
  const listedName = names.find((one) => pathKey(one, folding) === key);
  return listedName === undefined ? abs : `${folder}/${listedName}`;
}

export function makeTempPath(guard: RootGuard, prefix: string): string {
  const place = guard.mirrorPlace(`tmp/${prefix}${guard.random.hex(16)}`, true);
  if (!place.ok) throw createNotReadyError(place.outcome.detail);
  return place.abs;
}

// Creates the error for an unusable `.mdmirror`: a symlink, or a folder on another disk. The error
// has an errno, so that callers treat it as an error of the disk.
function createNotReadyError(detail: string): Error {
  return Object.assign(new Error(`.mdmirror/tmp: ${detail}`), { code: "ENOTDIR" });
}

/**
 * Makes a hard link. Returns false if the new path is taken; null if the disk does not allow a hard
 * link to this file.
 */
function tryHardLink(guard: RootGuard, from: string, to: string): boolean | null {
  try {
    guard.fs.link(from, to);
    return true;
  } catch (error) {
    const errno = readErrno(error);
    if (errno === "EEXIST") return false;
    if (errno !== null && NO_LINK_ERRORS.includes(errno)) return null;
    throw error;
  }
}

/**
 * Moves a file out of `.mdmirror`, where no other program writes, to a path that must be free.
 * RACE: the rename overwrites a file that appears at the new path after the check. This can happen
 * on disks without hard links, and for anything but a regular file.
 * @returns the stat of the moved file; null if the new path is taken, and nothing was changed
 */
export function renameWithoutReplacing(guard: RootGuard, from: string, to: string): FsStat | null {
  const { fs } = guard;
  const stat = fs.lstat(from);
  // Only regular files get a hard link: some systems would link the target of a symlink instead,
  // and a folder cannot have hard links.
  const isLinked = stat.kind === "file" ? tryHardLink(guard, from, to) : null;
  if (isLinked === false) return null;
  if (isLinked === null) {
    if (statOrNull(fs, to) !== null) return null;
    fs.rename(from, to);
  } else {
    removeTempFile(guard, from);
  }
  return readCurrentStat(guard, to, stat);
}

/**
 * Returns the stat of an inode at its new path, because a rename or a link changes the stat.
 * Returns `fallback` if another inode has the path now.
 */
export function readCurrentStat(guard: RootGuard, abs: string, fallback: FsStat): FsStat {
  const currentStat = nullOnAnyErrno(() => guard.fs.lstat(abs));
  return currentStat !== null && currentStat.ino === fallback.ino ? currentStat : fallback;
}

export type MoveResult =
  | { readonly kind: "moved"; readonly stat: FsStat }
  | { readonly kind: "taken" }
  /**
   * Another program replaced the file at the old path during the move, and mdmirror changed
   * nothing.
   */
  | { readonly kind: "changed" }
  /**
   * The move failed. `hasBothNames`: true if the file has the old and the new path, because
   * mdmirror could not remove the new path again.
   */
  | { readonly kind: "failed"; readonly errno: string; readonly hasBothNames: boolean };

/**
 * Moves a file of the linked folder to a free path. The inode has both paths for a moment, so that
 * recovery can find the file after a crash.
 * @param expect stat of the file to move
 * @throws errors with an errno, if nothing was changed
 */
export function moveName(guard: RootGuard, from: string, to: string, expect: FsStat): MoveResult {
  // ORDER: two free paths in `.mdmirror/tmp` are found before the file gets its new path. If
  // `.mdmirror` is unusable, the move thus fails without a change.
  const [setAsidePath, undone] = [makeTempPath(guard, SET_ASIDE_PREFIX), makeTempPath(guard, SET_ASIDE_PREFIX)];
  const isLinked = tryHardLink(guard, from, to);
  if (isLinked === false) return { kind: "taken" };
  if (isLinked === null) return moveByRename(guard, from, to, expect);
  let errno: string | null = null;
  try {
    // If an editor replaced the file just before or after the link, the editor's file is at the old
    // path now, and must stay.
    if (removeName(guard, from, expect, setAsidePath) === "dropped")
      return { kind: "moved", stat: readCurrentStat(guard, to, expect) };
  } catch (error) {
    errno = readErrno(error);
    if (errno === null) throw error;
  }
  const newNameRemoval = nullOnAnyErrno(() => removeName(guard, to, expect, undone));
  if (errno === null) return { kind: "changed" };
  return { kind: "failed", errno, hasBothNames: newNameRemoval === null };
}

/**
 * Moves a file by a rename, for disks without hard links.
 * RACE: the rename overwrites a file that appears at the new path after the check.
 */
function moveByRename(guard: RootGuard, from: string, to: string, expect: FsStat): MoveResult {
  const { fs } = guard;
  if (statOrNull(fs, to) !== null) return { kind: "taken" };
  fs.rename(from, to);
  const currentStat = readCurrentStat(guard, to, expect);
  // If an editor replaced the file just before the rename, the rename moved the editor's file.
  // mdmirror moves that file back, unless the old path is taken again.
  const isMovedBack =
    !isSameInode(currentStat, expect) &&
    nullOnAnyErrno(() => {
      if (statOrNull(fs, from) !== null) return false;
      fs.rename(to, from);
      return true;
    });
  return isMovedBack ? { kind: "changed" } : { kind: "moved", stat: currentStat };
}

/**
 * Removes a path of the inode `expect`. Sets the file aside, then compares it with the expected
 * inode. `unlink` alone could remove a file that an editor has just saved at this path. If the
 * inode has no other name, the file stays set aside, because a program may still write to it.
 * RACE: an editor may replace the inode's other name between the check and the `unlink`.
 * @param setAsidePath a free path in `.mdmirror/tmp`
 * @returns `other` if another inode had the path. That inode's file was moved back, unless the path
 * was taken again
 */
export function removeName(guard: RootGuard, abs: string, expect: FsStat, setAsidePath: string): "dropped" | "other" {
  if (!succeeds(["ENOENT"], () => guard.fs.rename(abs, setAsidePath))) return "dropped";
  const stat = nullOnAnyErrno(() => guard.fs.lstat(setAsidePath));
  if (stat !== null && isSameInode(stat, expect)) {
    if (stat.nlink > 1) removeTempFile(guard, setAsidePath);
    return "dropped";
  }
  const moveResult = nullOnAnyErrno(() => renameWithoutReplacing(guard, setAsidePath, abs) ?? "taken");
  // A file that cannot move back stays set aside, until `sweepTempFiles` moves the file to the
  // trash.
  return moveResult === null ? "dropped" : "other";
}

export function removeTempFile(guard: RootGuard, abs: string): void {
  nullOnAnyErrno(() => guard.fs.unlink(abs));
}
