/**
 * Writes files atomically. At every moment, a path has the complete old content, the complete new
 * content, or no file. A path has no file only during a replacement that the journal names.
 */

import { type Digest, digestOf } from "../../contract/digest.ts";
import { type LocalPath, parentOf } from "../../contract/path.ts";
import type { DiskOutcome, WrittenStamp } from "../ports/disk.ts";
import type { Fs } from "../ports/fs.ts";
import {
  nullOnAnyErrno,
  attemptCall,
  attemptEffect,
  doneOutcome,
  readErrno,
  describeErrno,
  faultOutcome,
  staleOutcome,
  succeeds,
  nullOnErrno,
} from "./errno.ts";
import { type RootGuard, type NotDoneOutcome, statOrNull } from "./root-guard.ts";
import { findListedSpelling, makeTempPath, renameWithoutReplacing, TEMP_PREFIX, removeTempFile } from "./names.ts";
import { toStamp } from "./stamp.ts";
import { encodeText } from "../../common/text.ts";

/**
 * Errors that mean that the path has no regular file. ENXIO: the path is a socket. ENOTDIR: a file
 * has replaced a folder above the path.
 */
export const NO_FILE_ERRORS = ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "EINVAL", "ENXIO"];

/**
 * Creates a file at a free path. Does not flush the file: `flush` does so later for many files at
 * once. Until then, the record of the document says that a power loss may damage the file.
 */
export function createFile(guard: RootGuard, path: LocalPath, text: string): DiskOutcome<WrittenStamp> {
  const bytes = encodeText(text);
  if (bytes === null) return faultOutcome("EILSEQ", `${path}: ${describeErrno("EILSEQ")}`);
  return attemptEffect(path, () => {
    const target = guard.place(path, "file");
    if (!target.ok) return target.outcome;
    // Does not check first whether the path is free: only the hard link itself can prove that.
    const temp = makeTempPath(guard, TEMP_PREFIX);
    guard.fs.writeNew(temp, bytes, null, false);
    return removeTempOnFault(guard, temp, () => {
      const stat = renameWithoutReplacing(guard, temp, target.abs);
      if (stat !== null) return doneOutcome({ stamp: toStamp(stat) });
      removeTempFile(guard, temp);
      return staleOutcome("this path is taken now");
    });
  });
}

/**
 * Replaces the content of a file without losing a save of another program. First moves the file to
 * `setAsideAt`, and checks its content. Then gives the new file the path by a hard link, which
 * overwrites nothing.
 * ORDER: the caller has already written path, digests and `setAsideAt` to the journal. After a
 * crash, recovery decides by the files that it finds:
 * - There is no set-aside file: the replacement did not begin, or was undone.
 * - There is a set-aside file, and the path is free: recovery moves the file back.
 * - The path has the new content: the replacement is complete.
 * - The path has any other content: that content stays.
 * @param expect digest that the file must have
 */
export function replaceFile(
  guard: RootGuard,
  path: LocalPath,
  text: string,
  expect: Digest,
  setAsideAt: string,
): DiskOutcome<WrittenStamp> {
  return attemptEffect(path, () => {
    const ready = prepareWrite(guard, path, text, expect);
    if (ready.kind !== "ready") return ready;
    const setAside = guard.mirrorPlace(setAsideAt, true);
    if (!setAside.ok) return setAside.outcome;
    if (statOrNull(guard.fs, setAside.abs) !== null)
      return faultOutcome("EEXIST", `${setAsideAt}: ${describeErrno("EEXIST")}`);
    return exchangeFile(guard, ready, setAside.abs, expect);
  });
}

/**
 * Replaces the content of a file without the journal, as an editor does, because a daemon has the
 * lock. As in `replaceFile`, no save of another program is lost. During the replacement, the old
 * file is beside the document, under a name that is not synced. If the process is killed at that
 * moment, the document looks renamed. mdmirror then blocks the document, and does not delete it on
 * the service.
 * @param expect digest that the file must have
 * @param keepAt a free `trash/…` path where the old file stays, because an editor may still write
 * to it
 */
export function saveBesideDaemon(
  guard: RootGuard,
  path: LocalPath,
  text: string,
  expect: Digest,
  keepAt: string,
): DiskOutcome<WrittenStamp> {
  return attemptEffect(path, () => {
    const ready = prepareWrite(guard, path, text, expect);
    if (ready.kind !== "ready") return ready;
    const keep = guard.mirrorPlace(keepAt, true);
    if (!keep.ok) return keep.outcome;
    const besidePath = `${parentOf(ready.target)}/${OLD_FILE_PREFIX}${guard.random.hex(16)}`;
    const outcome = exchangeFile(guard, ready, besidePath, expect);
    // If the disk refuses this move, the old file stays beside the document, under a name that is
    // not synced.
    nullOnAnyErrno(
      () => statOrNull(guard.fs, besidePath) !== null && renameWithoutReplacing(guard, besidePath, keep.abs),
    );
    return outcome;
  });
}

type PreparedWrite = {
  readonly kind: "ready";
  readonly bytes: Uint8Array;
  readonly target: string;
  readonly mode: number;
};

/**
 * Checks a file before it is replaced. The outcome is `done` if the file already has the new
 * content.
 */
function prepareWrite(
  guard: RootGuard,
  path: LocalPath,
  text: string,
  expect: Digest,
): PreparedWrite | DiskOutcome<WrittenStamp> {
  const bytes = encodeText(text);
  if (bytes === null) return faultOutcome("EILSEQ", `${path}: ${describeErrno("EILSEQ")}`);
  const target = guard.place(path, "file");
  if (!target.ok) return target.outcome;
  const currentFile = nullOnErrno(NO_FILE_ERRORS, () => guard.fs.readFile(target.abs));
  if (currentFile === null) return staleOutcome("no file is at this path now");
  const digest = digestOf(currentFile.bytes);
  if (digest === digestOf(bytes)) return doneOutcome({ stamp: toStamp(currentFile.stat) });
  if (digest !== expect) return staleOutcome("the content changed meanwhile");
  return { kind: "ready", bytes, target: findListedSpelling(guard, target.abs), mode: currentFile.stat.mode };
}

function exchangeFile(
  guard: RootGuard,
  { bytes, target, mode }: PreparedWrite,
  oldPath: string,
  expect: Digest,
): DiskOutcome<WrittenStamp> {
  const temp = makeTempPath(guard, TEMP_PREFIX);
  guard.fs.writeNew(temp, bytes, mode, true);
  return removeTempOnFault(guard, temp, () => swapFiles(guard, temp, target, oldPath, expect));
}

/**
 * Prefix of the old file of a document, while `saveBesideDaemon` replaces it. Files with this
 * prefix are not synced (`ignore.ts`).
 */
export const OLD_FILE_PREFIX = ".~mdmirror-";

/**
 * Moves the old file to `oldPath`, checks its content, and gives the new file the path. If a step
 * fails, moves the old file back; the result has `isSetAside` if the old file stays at `oldPath`.
 */
function swapFiles(
  guard: RootGuard,
  temp: string,
  target: string,
  oldPath: string,
  expect: Digest,
): DiskOutcome<WrittenStamp> {
  // RACE: nothing checks again that `oldPath` is free. Only this process writes in `.mdmirror`, and
  // outside of `.mdmirror` the name is random.
  if (!succeeds(["ENOENT", "ENOTDIR"], () => guard.fs.rename(target, oldPath))) {
    removeTempFile(guard, temp);
    return staleOutcome("no file is at this path now");
  }
  let failedOutcome: NotDoneOutcome = staleOutcome("the content changed at this moment");
  try {
    if (readDigestOrNull(guard.fs, oldPath) === expect) {
      const stat = renameWithoutReplacing(guard, temp, target);
      if (stat !== null) return doneOutcome({ stamp: toStamp(stat) });
      removeTempFile(guard, temp);
      return {
        ...staleOutcome("another file appeared at this path; the replaced version was set aside"),
        isSetAside: true,
      };
    }
  } catch (error) {
    const errno = readErrno(error);
    if (errno === null) throw error;
    failedOutcome = faultOutcome(errno, describeErrno(errno));
  }
  removeTempFile(guard, temp);
  return putBackOrReport(guard, oldPath, target, failedOutcome);
}

/**
 * Returns the digest of a file's content. Null if the path has no regular file, if the file is too
 * large, or if a program is writing the file at this moment.
 */
export function readDigestOrNull(fs: Fs, abs: string): Digest | null {
  const fileContent = nullOnErrno([...NO_FILE_ERRORS, "EAGAIN", "EFBIG"], () => fs.readFile(abs));
  return fileContent === null ? null : digestOf(fileContent.bytes);
}

/**
 * Moves a set-aside file back to its path, if the path is free.
 * @param ended outcome of the failed replacement or move
 * @returns `ended`, whose message then also says where the file is; with `isSetAside` if the file
 * could not be moved back
 */
export function putBackOrReport(
  guard: RootGuard,
  oldPath: string,
  target: string,
  ended: NotDoneOutcome,
): NotDoneOutcome {
  const moveResult = attemptCall(() => renameWithoutReplacing(guard, oldPath, target));
  if ("value" in moveResult && moveResult.value !== null)
    return { ...ended, detail: `${ended.detail}; it was restored` };
  const why = "errno" in moveResult ? describeErrno(moveResult.errno) : "another file is at its path";
  return {
    ...ended,
    detail: `${ended.detail}; it was set aside, because it could not be moved back: ${why}`,
    isSetAside: true,
  };
}

/** If the process is killed, `sweepTempFiles` later removes the temporary file. */
function removeTempOnFault<T>(guard: RootGuard, temp: string, work: () => DiskOutcome<T>): DiskOutcome<T> {
  try {
    return work();
  } catch (error) {
    if (readErrno(error) !== null) removeTempFile(guard, temp);
    throw error;
  }
}
