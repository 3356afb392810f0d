import type { FsStat, OpenFile } from "../ports/disk.ts";
import { anyErrno, errnoOf, unless } from "./errno.ts";
import { type RootGuard, statOrNull } from "./root-guard.ts";
import { sameInode } from "./stamp.ts";

/** Giving and taking names without ever taking one from somebody else's inode. */

/** Ours, and never the only copy of a text: `sweep` may erase it. */
export const TEMP_PREFIX = "w-";
/**
 * A name that was taken from a document: what it holds may be somebody's last save, so `sweep`
 * keeps it.
 */
export const ASIDE_PREFIX = "a-";

// No hard links here: FAT, exFAT and some network and FUSE disks say so in different words; the
// kernel's protected_hardlinks says EPERM.
const NO_LINK = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EACCES"];

/** A name in `.mdmirror/tmp` that nothing has yet. */
export function freshName(guard: RootGuard, prefix: string): string {
  const place = guard.mirrorPlace(`tmp/${prefix}${guard.random.hex(16)}`, true);
  if (!place.ok) throw notReady(place.outcome.detail);
  return place.abs;
}

// The mirror's own folder is not as it must be (a symlink, another disk): an effect ends as a
// fault, whatever it was doing.
function notReady(detail: string): Error {
  return Object.assign(new Error(`.mdmirror/tmp: ${detail}`), { code: "ENOTDIR" });
}

/**
 * @returns true when both were hard-linked, false when `to` is taken, null when this disk (or this
 * inode) has no hard links
 */
function tryLink(guard: RootGuard, from: string, to: string): boolean | null {
  try {
    guard.fs.link(from, to);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST") return false;
    if (errno !== null && NO_LINK.includes(errno)) return null;
    throw error;
  }
}

/**
 * Renames what lies in `.mdmirror` (where nobody else writes) to a path of the tree, never over
 * anything.
 * RACE: without hard links, and for what is no regular file, a file that is made at `to` between
 * the look and the rename is overwritten.
 * @returns what is at `to` now, or null when the path is taken (nothing was changed)
 */
export function nameNew(guard: RootGuard, from: string, to: string): FsStat | null {
  const stat = guard.fs.lstat(from);
  return giveName(guard, from, to, stat.kind === "file") ? statNow(guard, to, stat) : null;
}

/**
 * The same for a file that was just made, and still is open: one `fstat` tells what two `lstat`
 * tell else.
 */
export function nameMade(guard: RootGuard, made: OpenFile, from: string, to: string): FsStat | null {
  if (!giveName(guard, from, to, true)) return null;
  return anyErrno(() => made.stat()) ?? guard.fs.lstat(to);
}

/** @returns false when the path is taken */
function giveName(guard: RootGuard, from: string, to: string, isFile: boolean): boolean {
  const { fs } = guard;
  // `link` follows a symlink on some systems, and a folder has no hard links.
  const linked = isFile ? tryLink(guard, from, to) : null;
  if (linked === false) return false;
  if (linked === null) {
    if (statOrNull(fs, to) !== null) return false;
    fs.rename(from, to);
  } else {
    unlinkLeftover(guard, from);
  }
  return true;
}

/**
 * What is at a path that was just given to an inode. Whoever took it since then acted on what was
 * done: the inode's own stat stands.
 */
export function statNow(guard: RootGuard, abs: string, given: FsStat): FsStat {
  const now = anyErrno(() => guard.fs.lstat(abs));
  return now !== null && now.ino === given.ino ? now : given;
}

export type MoveEnd =
  | { readonly kind: "moved"; readonly stat: FsStat }
  | { readonly kind: "taken" }
  /** Another inode came to `from` meanwhile; everything is as it was. */
  | { readonly kind: "changed" }
  /** `halfway`: the undoing failed too, and the inode has both names. */
  | { readonly kind: "failed"; readonly errno: string; readonly halfway: boolean };

/**
 * Moves a file of the tree to a free path of the tree. The inode has both names for a moment, so a
 * crash leaves it findable at one of them.
 * @throws errors with an errno, while nothing was changed
 */
export function moveName(guard: RootGuard, from: string, to: string, expect: FsStat): MoveEnd {
  // Before the file has two names, so that a mirror folder that is not as it must be stops the move
  // here.
  const [aside, undone] = [freshName(guard, ASIDE_PREFIX), freshName(guard, ASIDE_PREFIX)];
  const linked = tryLink(guard, from, to);
  if (linked === false) return { kind: "taken" };
  if (linked === null) return moveByRename(guard, from, to, expect);
  let errno: string | null = null;
  try {
    // A save that came before the link, or since, still has `from`: then nothing is dropped.
    if (dropName(guard, from, expect, aside) === "dropped") return { kind: "moved", stat: statNow(guard, to, expect) };
  } catch (error) {
    errno = errnoOf(error);
    if (errno === null) throw error;
  }
  // The inode may be nowhere else by now (a save replaced it): it goes aside, not away, and `sweep`
  // judges.
  const isUndone = anyErrno(() => {
    guard.fs.rename(to, undone);
    return true;
  });
  if (errno === null) return { kind: "changed" };
  return { kind: "failed", errno, halfway: isUndone === null };
}

/**
 * RACE: without hard links a file that is made at `to` between the look and the rename is
 * overwritten.
 */
function moveByRename(guard: RootGuard, from: string, to: string, expect: FsStat): MoveEnd {
  const { fs } = guard;
  if (statOrNull(fs, to) !== null) return { kind: "taken" };
  fs.rename(from, to);
  const now = statNow(guard, to, expect);
  // A save came before the rename, and was moved: back to where it was saved, unless there is yet
  // another one.
  const isBack =
    !sameInode(now, expect) &&
    anyErrno(() => {
      if (statOrNull(fs, from) !== null) return false;
      fs.rename(to, from);
      return true;
    });
  return isBack ? { kind: "changed" } : { kind: "moved", stat: now };
}

/**
 * Takes a name away from the inode `expect`, which has another name. A plain `unlink` would take
 * the name from whatever is there by then, and with it an editor's save; so the name goes aside
 * first, and is looked at there.
 * @param aside a free path in `.mdmirror/tmp`
 * @returns `other` when another inode had the name, and has it again
 */
export function dropName(guard: RootGuard, abs: string, expect: FsStat, aside: string): "dropped" | "other" {
  const taken = unless(["ENOENT"], () => {
    guard.fs.rename(abs, aside);
    return true;
  });
  if (taken === null) return "dropped";
  const stat = anyErrno(() => guard.fs.lstat(aside));
  if (stat !== null && sameInode(stat, expect)) {
    unlinkLeftover(guard, aside);
    return "dropped";
  }
  const isBack = anyErrno(() => nameNew(guard, aside, abs) ?? "taken");
  // When the path is taken by now, or the disk refuses, what is aside is kept by `sweep`, unless it
  // has another name.
  return isBack === null ? "dropped" : "other";
}

/** Removes a name in `.mdmirror/tmp`; where the disk refuses, `sweep` will do it. */
export function unlinkLeftover(guard: RootGuard, abs: string): void {
  anyErrno(() => guard.fs.unlink(abs));
}
