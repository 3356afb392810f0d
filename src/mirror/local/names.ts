/** Adds and removes names of files. Removes a name only if it belongs to the expected inode. */

import { foldsNames, nameOf, parentOf, pathKey } from "../../contract/path.ts";
import type { FsStat } from "../ports/fs.ts";
import { anyErrno, errnoOf, succeeds } from "./errno.ts";
import { type RootGuard, statOrNull } from "./root-guard.ts";
import { sameInode } from "./stamp.ts";

/** Prefix of temporary files: never the only copy of content, so `sweep` may remove them. */
export const TEMP_PREFIX = "w-";
/**
 * Prefix of files that were set aside: such a file may be somebody's last save, so `sweep` keeps
 * it.
 */
export const SET_ASIDE_PREFIX = "a-";

// Errors of a disk without hard links. FAT, exFAT and some network and FUSE disks answer with
// different errors, and the kernel's protected_hardlinks with EPERM.
const NO_LINK_ERRORS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EACCES"];

/**
 * Returns `abs` with the name under which its folder lists the entry. A disk that folds names also
 * finds the entry under other spellings, and a user may have changed only the case of its letters.
 * LIMIT: reads the whole folder for each file that is replaced in it. RACE: letters that change
 * between this call and the next are changed back.
 */
export function listedSpelling(guard: RootGuard, abs: string): string {
  const folding = guard.names();
  if (!foldsNames(folding)) return abs;
  const [folder, name] = [parentOf(abs), nameOf(abs)];
  const names = guard.fs.readdir(folder).map((entry) => entry.name);
  if (names.includes(name)) return abs;
  const key = pathKey(name, folding);
  const listed = names.find((one) => pathKey(one, folding) === key);
  return listed === undefined ? abs : `${folder}/${listed}`;
}

/** Returns a free name in `.mdmirror/tmp`. */
export function freshName(guard: RootGuard, prefix: string): string {
  const place = guard.mirrorPlace(`tmp/${prefix}${guard.random.hex(16)}`, true);
  if (!place.ok) throw notReady(place.outcome.detail);
  return place.abs;
}

// Returns the error for an unusable `.mdmirror` (a symlink, another disk). Each effect handles this
// error as a fault of the disk.
function notReady(detail: string): Error {
  return Object.assign(new Error(`.mdmirror/tmp: ${detail}`), { code: "ENOTDIR" });
}

/**
 * Makes a hard link. Returns true if it was made, false if `to` is taken, null if this disk (or
 * this inode) has no hard links.
 */
function tryLink(guard: RootGuard, from: string, to: string): boolean | null {
  try {
    guard.fs.link(from, to);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST") return false;
    if (errno !== null && NO_LINK_ERRORS.includes(errno)) return null;
    throw error;
  }
}

/**
 * Renames a file of `.mdmirror` (where nobody else writes) to a path of the tree, without
 * overwriting. RACE: without hard links, and for anything but a regular file, a file that is made
 * at `to` between the check and the rename is overwritten.
 * @returns the current stat of `to`, or null if the path is taken (nothing was changed)
 */
export function renameWithoutReplacing(guard: RootGuard, from: string, to: string): FsStat | null {
  const { fs } = guard;
  const stat = fs.lstat(from);
  // `link` follows a symlink on some systems, and a folder has no hard links.
  const linked = stat.kind === "file" ? tryLink(guard, from, to) : null;
  if (linked === false) return null;
  if (linked === null) {
    if (statOrNull(fs, to) !== null) return null;
    fs.rename(from, to);
  } else {
    unlinkLeftover(guard, from);
  }
  return statNow(guard, to, stat);
}

/**
 * Returns the current stat of an inode that has just got a path. If another inode has replaced it
 * at that path, returns `fallback`.
 */
export function statNow(guard: RootGuard, abs: string, fallback: FsStat): FsStat {
  const current = anyErrno(() => guard.fs.lstat(abs));
  return current !== null && current.ino === fallback.ino ? current : fallback;
}

export type MoveEnd =
  | { readonly kind: "moved"; readonly stat: FsStat }
  | { readonly kind: "taken" }
  /** Another inode has got the name `from` since the check; nothing was changed. */
  | { readonly kind: "changed" }
  /** `hasBothNames`: mdmirror could not undo the move, so the file has both names. */
  | { readonly kind: "failed"; readonly errno: string; readonly hasBothNames: boolean };

/**
 * Moves a file of the tree to a free path. The inode has both names for a moment, so that it can be
 * found after a crash.
 * @throws errors with an errno, as long as nothing was changed
 */
export function moveName(guard: RootGuard, from: string, to: string, expect: FsStat): MoveEnd {
  // ORDER: both free names are found before the file gets a second name. An unusable `.mdmirror`
  // thus stops the move before it begins.
  const [setAsidePath, undone] = [freshName(guard, SET_ASIDE_PREFIX), freshName(guard, SET_ASIDE_PREFIX)];
  const linked = tryLink(guard, from, to);
  if (linked === false) return { kind: "taken" };
  if (linked === null) return moveByRename(guard, from, to, expect);
  let errno: string | null = null;
  try {
    // If a save came just before or after the link, `from` is the name of the saved file. Nothing
    // is removed then.
    if (dropName(guard, from, expect, setAsidePath) === "dropped")
      return { kind: "moved", stat: statNow(guard, to, expect) };
  } catch (error) {
    errno = errnoOf(error);
    if (errno === null) throw error;
  }
  const isUndone = anyErrno(() => dropName(guard, to, expect, undone));
  if (errno === null) return { kind: "changed" };
  return { kind: "failed", errno, hasBothNames: isUndone === null };
}

/**
 * Moves by a plain rename. RACE: without hard links a file that is made at `to` between the check
 * and the rename is overwritten.
 */
function moveByRename(guard: RootGuard, from: string, to: string, expect: FsStat): MoveEnd {
  const { fs } = guard;
  if (statOrNull(fs, to) !== null) return { kind: "taken" };
  fs.rename(from, to);
  const current = statNow(guard, to, expect);
  // A save came before the rename, so the saved file was moved. It is moved back, unless yet
  // another file is at the path.
  const isBack =
    !sameInode(current, expect) &&
    anyErrno(() => {
      if (statOrNull(fs, from) !== null) return false;
      fs.rename(to, from);
      return true;
    });
  return isBack ? { kind: "changed" } : { kind: "moved", stat: current };
}

/**
 * Removes a name of the inode `expect`. A plain `unlink` would remove any file that has the name at
 * that moment, perhaps an editor's save. So the file is first set aside, and checked. If an
 * editor's save took the inode's other name, this name is the last one: the file stays set aside,
 * because a program may still write to it, and `sweep` keeps it. RACE: a save that takes the other
 * name between the check and the `unlink`.
 * @param setAsidePath a free path in `.mdmirror/tmp`
 * @returns `other` if another inode had the name, and has it again
 */
export function dropName(guard: RootGuard, abs: string, expect: FsStat, setAsidePath: string): "dropped" | "other" {
  if (!succeeds(["ENOENT"], () => guard.fs.rename(abs, setAsidePath))) return "dropped";
  const stat = anyErrno(() => guard.fs.lstat(setAsidePath));
  if (stat !== null && sameInode(stat, expect)) {
    if (stat.nlink > 1) unlinkLeftover(guard, setAsidePath);
    return "dropped";
  }
  const isBack = anyErrno(() => renameWithoutReplacing(guard, setAsidePath, abs) ?? "taken");
  // If the path is taken now, or the disk refuses, `sweep` keeps the file unless it has another
  // name.
  return isBack === null ? "dropped" : "other";
}

/** Removes a name in `.mdmirror/tmp`; if the disk refuses, `sweep` does it later. */
export function unlinkLeftover(guard: RootGuard, abs: string): void {
  anyErrno(() => guard.fs.unlink(abs));
}
