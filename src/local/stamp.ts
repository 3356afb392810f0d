import type { Stamp } from "../model/link.ts";
import type { FsStat } from "../ports/disk.ts";

export function stampOf(stat: FsStat): Stamp {
  const { dev, ino, size, mtimeMs, ctimeMs, birthMs, nlink } = stat;
  return { dev, ino, size, mtimeMs, ctimeMs, birthMs, nlink };
}

/** Whether a file still is as it was when its bytes were hashed: what saves the re-hash. */
export function sameStamp(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.dev === b.dev;
}

export function sameInode(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/**
 * Milliseconds: the coarsest stamps that a disk gives (FAT: 2 s for mtime), and more than a tick of
 * any other. A stamp younger than this at the time of the walk could be given again to a later
 * write.
 */
const STAMP_GRANULARITY_MS = 2_000;

/**
 * Whether any later write must show in the stamp: it is older than `diskNow`, the disk's own time
 * when the walk began, by the granularity. mtime can be set by anyone and ctime cannot, but some
 * disks keep no ctime, so both must be old.
 * @param diskNow null when the disk was not asked: then nothing is trusted
 */
export function isOldStamp(stamp: Stamp, diskNow: number | null): boolean {
  return diskNow !== null && Math.max(stamp.mtimeMs, stamp.ctimeMs) + STAMP_GRANULARITY_MS < diskNow;
}
