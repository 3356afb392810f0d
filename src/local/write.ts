import { type Digest, digestOf } from "../model/digest.ts";
import type { LocalPath } from "../model/path.ts";
import type { DiskOutcome, Fs, Written } from "../ports/disk.ts";
import { attempt, done, errnoOf, errnoText, fault, stale, unless } from "./errno.ts";
import { type RootGuard, type NotDone, statOrNull } from "./root-guard.ts";
import { freshName, nameMade, nameNew, TEMP_PREFIX, unlinkLeftover } from "./names.ts";
import { stampOf } from "./stamp.ts";
import { encodeText } from "./text.ts";

/**
 * The atomic write: at every moment a path holds all old bytes, all new bytes or, if journalled,
 * nothing.
 */

/**
 * Errors by which `readFile` says that there is no regular file to read. ENXIO: a socket; ENOTDIR:
 * a folder above became a file.
 */
export const NO_FILE = ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "EINVAL", "ENXIO"];

/**
 * A new file. Its bytes are not fsynced: `flush` does that in batches, and until then the link is
 * not durable.
 */
export function createFile(guard: RootGuard, path: LocalPath, text: string): DiskOutcome<Written> {
  return attempt(path, () => {
    const bytes = encodeText(text);
    if (bytes === null) return fault("EILSEQ", `${path}: ${errnoText("EILSEQ")}`);
    const target = guard.place(path, "file");
    if (!target.ok) return target.outcome;
    // Only `link` proves that the path is free: a look before it would prove nothing.
    const temp = freshName(guard, TEMP_PREFIX);
    const made = guard.fs.makeNew(temp, bytes);
    try {
      return orDrop(guard, temp, () => {
        const stat = nameMade(guard, made, temp, target.abs);
        if (stat !== null) return done({ stamp: stampOf(stat) });
        unlinkLeftover(guard, temp);
        return stale("something is at this path now");
      });
    } finally {
      made.close();
    }
  });
}

/**
 * Replaces a text. Whichever inode is at the path at that moment goes to `parkAt`, so that no save
 * is overwritten unseen; it is looked at there, and the new one is given the path by `link`, which
 * overwrites nothing.
 * ORDER: the caller journals (path, parkAt, expect, writes) before. Recovery, by what it finds:
 * nothing parked: not begun, or undone; parked and the path free: `putBack`; parked and the path
 * holds `writes`: done; parked and the path holds another text: that one stays.
 */
export function replaceFile(
  guard: RootGuard,
  path: LocalPath,
  text: string,
  expect: Digest,
  parkAt: string,
): DiskOutcome<Written> {
  return attempt(path, () => {
    const bytes = encodeText(text);
    if (bytes === null) return fault("EILSEQ", `${path}: ${errnoText("EILSEQ")}`);
    const target = guard.place(path, "file");
    if (!target.ok) return target.outcome;
    const found = unless(NO_FILE, () => guard.fs.readFile(target.abs));
    if (found === null) return stale("no file is at this path now");
    const digest = digestOf(found.bytes);
    if (digest === digestOf(bytes)) return done({ stamp: stampOf(found.stat) });
    if (digest !== expect) return stale("the text is another one now");
    const park = guard.mirrorPlace(parkAt, true);
    if (!park.ok) return park.outcome;
    if (statOrNull(guard.fs, park.abs) !== null) return fault("EEXIST", `${parkAt}: ${errnoText("EEXIST")}`);
    const temp = freshName(guard, TEMP_PREFIX);
    guard.fs.writeNew(temp, bytes, found.stat.mode, true);
    return orDrop(guard, temp, () => swap(guard, temp, target.abs, park.abs, expect));
  });
}

/**
 * Exchanges the file. Meanwhile the document is off its path; it ends with the new inode or the old
 * one at the path, or with `parked`.
 */
function swap(guard: RootGuard, temp: string, target: string, park: string, expect: Digest): DiskOutcome<Written> {
  // RACE: `park` is still free, because only this process writes in `.mdmirror`.
  const taken = unless(["ENOENT", "ENOTDIR"], () => {
    guard.fs.rename(target, park);
    return true;
  });
  if (taken === null) {
    unlinkLeftover(guard, temp);
    return stale("no file is at this path now");
  }
  let ended: NotDone = stale("the text changed in this moment");
  try {
    if (digestOrNull(guard.fs, park) === expect) {
      const stat = nameNew(guard, temp, target);
      if (stat !== null) return done({ stamp: stampOf(stat) });
      unlinkLeftover(guard, temp);
      return { ...stale("another file came to this path in this moment; the text before is kept aside"), parked: true };
    }
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    ended = fault(errno, errnoText(errno));
  }
  unlinkLeftover(guard, temp);
  return putBackOr(guard, park, target, ended);
}

/**
 * @returns null where there is no regular file, or it is being written at this moment: either way
 * not what was expected
 */
export function digestOrNull(fs: Fs, abs: string): Digest | null {
  const found = unless([...NO_FILE, "EAGAIN", "EFBIG"], () => fs.readFile(abs));
  return found === null ? null : digestOf(found.bytes);
}

/**
 * Puts a file back that was taken aside, never over anything.
 * @returns `ended`, with `parked` when it could not be put back
 */
export function putBackOr(guard: RootGuard, park: string, target: string, ended: NotDone): NotDone {
  let why = "another file is at its path";
  try {
    if (nameNew(guard, park, target) !== null) return { ...ended, detail: `${ended.detail}; it was put back` };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    why = errnoText(errno);
  }
  return { ...ended, detail: `${ended.detail}; it is kept aside, as it could not be put back: ${why}`, parked: true };
}

/**
 * Removes the temporary file after a fault. When the process is being killed it stays, and `sweep`
 * removes it later.
 */
function orDrop<T>(guard: RootGuard, temp: string, work: () => DiskOutcome<T>): DiskOutcome<T> {
  try {
    return work();
  } catch (error) {
    if (errnoOf(error) !== null) unlinkLeftover(guard, temp);
    throw error;
  }
}
