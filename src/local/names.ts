import type { FsStat } from "../core/ports/disk.ts";
import { errnoOf, unless } from "./errno.ts";
import { type Ground, statOrNull } from "./ground.ts";
import { sameInode } from "./stamp.ts";

/** Giving and taking names without ever taking one from somebody else's inode. */

/** Ours, and never the only copy of a text: `sweep` may erase it. */
export const TEMP_PREFIX = "w-";
/** A name that was taken from a document: what it holds may be somebody's last save, so `sweep` keeps it. */
export const ASIDE_PREFIX = "a-";

// No hard links here: FAT, exFAT and some network and FUSE disks say so in different words; the kernel's protected_hardlinks says EPERM.
const NO_LINK = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EACCES"];

/** A name in `.mdmirror/tmp` that nothing has yet. */
export function freshName(ground: Ground, prefix: string): string {
  const place = ground.mirrorPlace(`tmp/${prefix}${ground.random.hex(16)}`, true);
  if (!place.ok) throw notReady(place.outcome.detail);
  return place.abs;
}

// The mirror's own folder is not as it must be (a symlink, another disk): an effect ends as a fault, whatever it was doing.
function notReady(detail: string): Error {
  return Object.assign(new Error(`.mdmirror/tmp: ${detail}`), { code: "ENOTDIR" });
}

/** @returns true when both were hard-linked, false when `to` is taken, null when this disk (or this inode) has no hard links */
function tryLink(ground: Ground, from: string, to: string): boolean | null {
  try {
    ground.fs.link(from, to);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST") return false;
    if (errno !== null && NO_LINK.includes(errno)) return null;
    throw error;
  }
}

/**
 * Renames what lies in `.mdmirror` (where nobody else writes) to a path of the tree, never over anything.
 * RACE: without hard links, and for what is no regular file, a file that is made at `to` between the look and the rename is overwritten.
 * @returns what is at `to` now, or null when the path is taken (nothing was changed)
 */
export function nameNew(ground: Ground, from: string, to: string): FsStat | null {
  const { fs } = ground;
  const stat = fs.lstat(from);
  // `link` follows a symlink on some systems, and a folder has no hard links.
  const linked = stat.kind === "file" ? tryLink(ground, from, to) : null;
  if (linked === false) return null;
  if (linked === null) {
    if (statOrNull(fs, to) !== null) return null;
    fs.rename(from, to);
  } else {
    unlinkLeftover(ground, from);
  }
  // Whoever took the path since then acted on what was done here.
  const now = anyErrno(() => fs.lstat(to));
  return now !== null && sameInode(now, stat) ? now : stat;
}

/**
 * Moves a file of the tree to a free path of the tree. The inode has both names for a moment, so a crash leaves it findable at one of them.
 * @returns `moved` with what is at `to` now; `taken`; `changed`: another inode came to `from` meanwhile, and everything is as it was
 */
export function moveName(
  ground: Ground,
  from: string,
  to: string,
  expect: FsStat,
): { readonly kind: "moved"; readonly stat: FsStat } | { readonly kind: "taken" | "changed" } {
  const { fs } = ground;
  const linked = tryLink(ground, from, to);
  if (linked === false) return { kind: "taken" };
  if (linked === null) {
    if (statOrNull(fs, to) !== null) return { kind: "taken" };
    // RACE: without hard links a file that is made at `to` between the look and the rename is overwritten.
    fs.rename(from, to);
    const now = fs.lstat(to);
    if (sameInode(now, expect) || statOrNull(fs, from) !== null) return { kind: "moved", stat: now };
    fs.rename(to, from);
    return { kind: "changed" };
  }
  if (!sameInode(fs.lstat(to), expect)) {
    // A save came between the look and the link: `from` still holds it.
    takeAside(ground, to);
    return { kind: "changed" };
  }
  if (dropName(ground, from, expect) === "other") {
    // A save came between the link and the drop. The inode it replaced goes aside, not away.
    takeAside(ground, to);
    return { kind: "changed" };
  }
  return { kind: "moved", stat: fs.lstat(to) };
}

/**
 * Takes a name away from the inode `expect`, which has another name. A plain `unlink` would take the name from whatever is there by then, and
 * with it an editor's save; so the name goes aside first, and is looked at there.
 * @returns `other` when another inode had the name, and has it again
 */
export function dropName(ground: Ground, abs: string, expect: FsStat): "dropped" | "other" {
  const aside = takeAside(ground, abs);
  if (aside === null) return "dropped";
  if (sameInode(ground.fs.lstat(aside), expect)) {
    unlinkLeftover(ground, aside);
    return "dropped";
  }
  // When the path is taken by now, `sweep` keeps what is aside.
  nameNew(ground, aside, abs);
  return "other";
}

/** @returns where it is now, or null when there was nothing */
function takeAside(ground: Ground, abs: string): string | null {
  const aside = freshName(ground, ASIDE_PREFIX);
  return unless(["ENOENT"], () => {
    ground.fs.rename(abs, aside);
    return aside;
  });
}

/** Removes a name in `.mdmirror/tmp`; where the disk refuses, `sweep` will do it. */
export function unlinkLeftover(ground: Ground, abs: string): void {
  anyErrno(() => ground.fs.unlink(abs));
}

/** @returns null when the system call failed with any errno */
function anyErrno<T>(call: () => T): T | null {
  try {
    return call();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}
