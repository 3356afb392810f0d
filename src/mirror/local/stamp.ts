import type { Stamp } from "../model/record.ts";
import type { FsStat } from "../ports/fs.ts";

export function stampOf(stat: FsStat): Stamp {
  const { dev, ino, size, mtimeMs, ctimeMs, birthMs, nlink } = stat;
  return { dev, ino, size, mtimeMs, ctimeMs, birthMs, nlink };
}

export function sameInode(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/**
 * Granularity in milliseconds: the coarsest stamps of any disk (FAT: 2 s for mtime). If a stamp was
 * younger than this during the scan, a later write could get the same stamp.
 */
const STAMP_GRANULARITY_MS = 2_000;

/**
 * Returns true if any later write must change the stamp: the stamp is older than `diskNow`, the
 * disk's own time at the start of the scan, by the granularity. Any program can set mtime, and none
 * can set ctime. But some disks keep no ctime, so both must be old.
 * @param diskNow null if the disk was not asked; then no stamp is trusted
 */
export function isOldStamp(stamp: Stamp, diskNow: number | null): boolean {
  return diskNow !== null && Math.max(stamp.mtimeMs, stamp.ctimeMs) + STAMP_GRANULARITY_MS < diskNow;
}
