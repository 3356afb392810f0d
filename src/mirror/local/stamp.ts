import type { Stamp } from "../model/record.ts";
import type { FsStat } from "../ports/fs.ts";

export function toStamp(stat: FsStat): Stamp {
  const { dev, ino, size, mtimeMs, ctimeMs, birthMs, nlink } = stat;
  return { dev, ino, size, mtimeMs, ctimeMs, birthMs, nlink };
}

export function isSameInode(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/**
 * Milliseconds between two time stamps on the disks with the coarsest clock (FAT: 2 s for mtime).
 * Two writes within this time may get the same stamp.
 */
const STAMP_GRANULARITY_MS = 2_000;

/**
 * Returns true if the stamp is so old that any later write to the file must change it. Checks mtime
 * and ctime: any program can set mtime, and some disks do not keep ctime.
 * @param diskNow the disk's own time at the start of the scan, in milliseconds since the epoch. If
 * null (unknown), the result is false
 */
export function isOldStamp(stamp: Stamp, diskNow: number | null): boolean {
  return diskNow !== null && Math.max(stamp.mtimeMs, stamp.ctimeMs) + STAMP_GRANULARITY_MS < diskNow;
}
