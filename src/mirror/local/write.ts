/**
 * Writes files atomically: at every moment a path has all old bytes, all new bytes or, if
 * journalled, no file.
 */

import { type Digest, digestOf } from "../../contract/digest.ts";
import { type LocalPath, parentOf } from "../../contract/path.ts";
import type { DiskOutcome, Written } from "../ports/disk.ts";
import type { Fs } from "../ports/fs.ts";
import {
  anyErrno,
  attemptCall,
  attemptEffect,
  done,
  errnoOf,
  errnoText,
  fault,
  stale,
  succeeds,
  nullOnErrno,
} from "./errno.ts";
import { type RootGuard, type NotDone, statOrNull } from "./root-guard.ts";
import { listedSpelling, freshName, renameWithoutReplacing, TEMP_PREFIX, unlinkLeftover } from "./names.ts";
import { stampOf } from "./stamp.ts";
import { encodeText } from "../../common/text.ts";

/**
 * Errors of `readFile` if there is no regular file. ENXIO: a socket; ENOTDIR: a folder above became
 * a file.
 */
export const NO_FILE = ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "EINVAL", "ENXIO"];

/**
 * Creates a file. Its bytes are not flushed: `flush` does that in batches, and until then the
 * record of the file says that a power loss may damage it.
 */
export function createFile(guard: RootGuard, path: LocalPath, text: string): DiskOutcome<Written> {
  const bytes = encodeText(text);
  if (bytes === null) return fault("EILSEQ", `${path}: ${errnoText("EILSEQ")}`);
  return attemptEffect(path, () => {
    const target = guard.place(path, "file");
    if (!target.ok) return target.outcome;
    // Only `link` proves that the path is free: an earlier check would prove nothing.
    const temp = freshName(guard, TEMP_PREFIX);
    guard.fs.writeNew(temp, bytes, null, false);
    return removeTempOnFault(guard, temp, () => {
      const stat = renameWithoutReplacing(guard, temp, target.abs);
      if (stat !== null) return done({ stamp: stampOf(stat) });
      unlinkLeftover(guard, temp);
      return stale("this path is taken now");
    });
  });
}

/**
 * Replaces a file's content. The inode that is at the path at that moment moves to `setAsideAt`, so
 * that no save is overwritten without a check. The old inode is read at `setAsideAt`, and the new
 * one gets the path by `link`, which overwrites nothing. ORDER: the caller journals (path,
 * setAsideAt, expect, writes) before. Recovery decides by the files that it finds:
 * - No file was set aside: the effect did not begin, or was undone.
 * - A file was set aside and the path is free: `putBack`.
 * - The path has `writes`: the effect is done.
 * - The path has other content: that content stays.
 */
export function replaceFile(
  guard: RootGuard,
  path: LocalPath,
  text: string,
  expect: Digest,
  setAsideAt: string,
): DiskOutcome<Written> {
  return attemptEffect(path, () => {
    const ready = prepare(guard, path, text, expect);
    if (ready.kind !== "ready") return ready;
    const setAside = guard.mirrorPlace(setAsideAt, true);
    if (!setAside.ok) return setAside.outcome;
    if (statOrNull(guard.fs, setAside.abs) !== null) return fault("EEXIST", `${setAsideAt}: ${errnoText("EEXIST")}`);
    return exchangeFile(guard, ready, setAside.abs, expect);
  });
}

/**
 * Replaces a file's content without a journal, as an editor saves, while a daemon has the lock. As
 * in `replaceFile`, no save is overwritten without a check. But until the end, the old inode is
 * beside its path, under a name that is not synced. If the process is killed before that, the
 * document seems renamed to such a name: it is blocked, and not deleted on the service.
 * @param keepAt a free `trash/…` path for the old file. It is kept, because an editor that has it
 * open may still write to it
 */
export function saveBesideDaemon(
  guard: RootGuard,
  path: LocalPath,
  text: string,
  expect: Digest,
  keepAt: string,
): DiskOutcome<Written> {
  return attemptEffect(path, () => {
    const ready = prepare(guard, path, text, expect);
    if (ready.kind !== "ready") return ready;
    const keep = guard.mirrorPlace(keepAt, true);
    if (!keep.ok) return keep.outcome;
    const besidePath = `${parentOf(ready.target)}/${OLD_FILE_PREFIX}${guard.random.hex(16)}`;
    const ended = exchangeFile(guard, ready, besidePath, expect);
    // If the disk refuses the move, the old file stays beside the document: it is never uploaded,
    // and never lost.
    anyErrno(() => statOrNull(guard.fs, besidePath) !== null && renameWithoutReplacing(guard, besidePath, keep.abs));
    return ended;
  });
}

type ReadyWrite = {
  readonly kind: "ready";
  readonly bytes: Uint8Array;
  readonly target: string;
  readonly mode: number;
};

/** Checks the file before a write. If the bytes are equal, no write is needed. */
function prepare(guard: RootGuard, path: LocalPath, text: string, expect: Digest): ReadyWrite | DiskOutcome<Written> {
  const bytes = encodeText(text);
  if (bytes === null) return fault("EILSEQ", `${path}: ${errnoText("EILSEQ")}`);
  const target = guard.place(path, "file");
  if (!target.ok) return target.outcome;
  const found = nullOnErrno(NO_FILE, () => guard.fs.readFile(target.abs));
  if (found === null) return stale("no file is at this path now");
  const digest = digestOf(found.bytes);
  if (digest === digestOf(bytes)) return done({ stamp: stampOf(found.stat) });
  if (digest !== expect) return stale("the content changed meanwhile");
  return { kind: "ready", bytes, target: listedSpelling(guard, target.abs), mode: found.stat.mode };
}

function exchangeFile(
  guard: RootGuard,
  { bytes, target, mode }: ReadyWrite,
  oldPath: string,
  expect: Digest,
): DiskOutcome<Written> {
  const temp = freshName(guard, TEMP_PREFIX);
  guard.fs.writeNew(temp, bytes, mode, true);
  return removeTempOnFault(guard, temp, () => swap(guard, temp, target, oldPath, expect));
}

/**
 * Prefix of a document's old file while a save replaces it. `ignore.ts` keeps such files from being
 * synced.
 */
export const OLD_FILE_PREFIX = ".~mdmirror-";

/**
 * Swaps the file. Until the swap ends, the document is not at its path. In the end the new inode or
 * the old one is at the path, or the result has `isSetAside`.
 */
function swap(guard: RootGuard, temp: string, target: string, oldPath: string, expect: Digest): DiskOutcome<Written> {
  // RACE: `oldPath` is still free, because only this process writes in `.mdmirror`, or because its
  // name is random.
  if (!succeeds(["ENOENT", "ENOTDIR"], () => guard.fs.rename(target, oldPath))) {
    unlinkLeftover(guard, temp);
    return stale("no file is at this path now");
  }
  let ended: NotDone = stale("the content changed at this moment");
  try {
    if (digestOrNull(guard.fs, oldPath) === expect) {
      const stat = renameWithoutReplacing(guard, temp, target);
      if (stat !== null) return done({ stamp: stampOf(stat) });
      unlinkLeftover(guard, temp);
      return {
        ...stale("another file appeared at this path; the replaced version was set aside"),
        isSetAside: true,
      };
    }
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    ended = fault(errno, errnoText(errno));
  }
  unlinkLeftover(guard, temp);
  return putBackOr(guard, oldPath, target, ended);
}

/**
 * Returns the digest of a file. Null if the path has no regular file, or a program is writing the
 * file at this moment. In both cases it is not the expected file.
 */
export function digestOrNull(fs: Fs, abs: string): Digest | null {
  const found = nullOnErrno([...NO_FILE, "EAGAIN", "EFBIG"], () => fs.readFile(abs));
  return found === null ? null : digestOf(found.bytes);
}

/**
 * Moves a set-aside file back, without overwriting.
 * @returns `ended`, with `isSetAside` if the file could not be moved back
 */
export function putBackOr(guard: RootGuard, oldPath: string, target: string, ended: NotDone): NotDone {
  const moved = attemptCall(() => renameWithoutReplacing(guard, oldPath, target));
  if ("value" in moved && moved.value !== null) return { ...ended, detail: `${ended.detail}; it was restored` };
  const why = "errno" in moved ? errnoText(moved.errno) : "another file is at its path";
  return {
    ...ended,
    detail: `${ended.detail}; it was set aside, because it could not be moved back: ${why}`,
    isSetAside: true,
  };
}

/**
 * Removes the temporary file after a fault. If the process is killed, the file stays, and `sweep`
 * removes it later.
 */
function removeTempOnFault<T>(guard: RootGuard, temp: string, work: () => DiskOutcome<T>): DiskOutcome<T> {
  try {
    return work();
  } catch (error) {
    if (errnoOf(error) !== null) unlinkLeftover(guard, temp);
    throw error;
  }
}
