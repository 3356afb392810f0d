import { MAX_NAME_BYTES } from "../model/path.ts";
import { errnoOf } from "./errno.ts";
import type { RootGuard } from "./root-guard.ts";

/**
 * Learns how many bytes the longest name has that the disk under the root takes, by looking for
 * names of several lengths; nothing is written. eCryptfs, for one, takes 143 bytes.
 */
export function learnNameLimit(guard: RootGuard): number {
  const root = guard.root()?.real;
  if (root === undefined || !isTooLong(guard, `${root}/${"x".repeat(MAX_NAME_BYTES)}`)) return MAX_NAME_BYTES;
  let [longest, tooLong] = [0, MAX_NAME_BYTES];
  while (tooLong - longest > 1) {
    const bytes = Math.floor((longest + tooLong) / 2);
    if (isTooLong(guard, `${root}/${"x".repeat(bytes)}`)) tooLong = bytes;
    else longest = bytes;
  }
  return longest;
}

function isTooLong(guard: RootGuard, path: string): boolean {
  try {
    guard.fs.lstat(path);
    return false;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    return errno === "ENAMETOOLONG";
  }
}
