/**
 * Writes files atomically. At every moment, a path has the complete old content, the complete new
 * content, or no file. A path lacks a file only during a replacement that the journal names. Also
 * reads, restores and removes files that were set aside.
 */
import { type Digest, digestOf } from "../../contract/digest.ts";
import { type LocalPath, parentOf } from "../../contract/path.ts";
import type { DiskOutcome, Fs, LocalText, WrittenStamp } from "../ports/disk.ts";
import {
  attemptCall,
  attemptEffect,
  describeErrno,
  doneOutcome,
  faultOutcome,
  isSameInode,
  nullOnAnyErrno,
  nullOnErrno,
  readErrno,
  staleOutcome,
  succeeds,
  toStamp,
} from "./results.ts";
import { type NotDoneOutcome, type RootGuard, statOrNull } from "./root-guard.ts";
import {
  findListedSpelling,
  makeTempPath,
  readCurrentStat,
  removeTempFile,
  renameWithoutReplacing,
  SET_ASIDE_PREFIX,
  TEMP_PREFIX,
} from "./names.ts";
import { decodeText, encodeText } from "../../common/text.ts";
import type { OpenFiles } from "./node-fs.ts";

/**
 * Errors that mean that no regular file is at the path. ENXIO: a socket is at the path. ENOTDIR: a
 * file has replaced a folder above the path.
 */
export const NO_FILE_ERRORS = ["ENOENT", "ENOTDIR", "ELOOP", "EISDIR", "EINVAL", "ENXIO"];

/**
 * Creates a file at a free path. Does not flush the file: `flush` does so later for many files
 * together. Until then, the document's record says that a power loss may damage the file.
 */
export function createFile(guard: RootGuard, path: LocalPath, text: string): DiskOutcome<WrittenStamp> {
  const bytes = encodeText(text);
  if (bytes === null) return faultOutcome("EILSEQ", `${path}: ${describeErrno("EILSEQ")}`);
  return attemptEffect(path, () => {
    const target = guard.place(path, "file");
    if (!target.ok) return target.outcome;
    // No earlier check could prove that the path is free; only the hard link proves it.
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
 * ORDER: the caller must write path, digests and `setAsideAt` to the journal before the call. After
 * a crash, recovery decides by the files that it finds:
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
    const preparation = prepareWrite(guard, path, text, expect);
    if (preparation.kind !== "ready") return preparation;
    const setAsidePlace = guard.mirrorPlace(setAsideAt, true);
    if (!setAsidePlace.ok) return setAsidePlace.outcome;
    if (statOrNull(guard.fs, setAsidePlace.abs) !== null)
      return faultOutcome("EEXIST", `${setAsideAt}: ${describeErrno("EEXIST")}`);
    return exchangeFile(guard, preparation, setAsidePlace.abs, expect);
  });
}

/**
 * Replaces the content of a file as an editor does, without the journal, because a daemon has the
 * lock. As in `replaceFile`, no save of another program is lost.
 *
 * During the replacement, the old file is beside the document, under a name that is not synced. If
 * the process is killed at that moment, the document looks renamed. mdmirror then blocks the
 * document, and does not delete the document on the service.
 * @param expect digest that the file must have
 * @param keepAt a free `trash/…` path for the old file, to which an editor may still write
 */
export function saveBesideDaemon(
  guard: RootGuard,
  path: LocalPath,
  text: string,
  expect: Digest,
  keepAt: string,
): DiskOutcome<WrittenStamp> {
  return attemptEffect(path, () => {
    const preparation = prepareWrite(guard, path, text, expect);
    if (preparation.kind !== "ready") return preparation;
    const keepPlace = guard.mirrorPlace(keepAt, true);
    if (!keepPlace.ok) return keepPlace.outcome;
    const besidePath = `${parentOf(preparation.target)}/${OLD_FILE_PREFIX}${guard.random.hex(16)}`;
    const outcome = exchangeFile(guard, preparation, besidePath, expect);
    // If the disk refuses this move, the old file stays beside the document, under a name that is
    // not synced.
    nullOnAnyErrno(
      () => statOrNull(guard.fs, besidePath) !== null && renameWithoutReplacing(guard, besidePath, keepPlace.abs),
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
 * Prefix of a document's old file while `saveBesideDaemon` replaces the file. Files with this
 * prefix are not synced (`ignore.ts`).
 */
export const OLD_FILE_PREFIX = ".~mdmirror-";

/**
 * Moves the old file to `oldPath`, checks its content, and gives the new file the path. If a step
 * fails, moves the old file back. The result has `isSetAside` if the old file stays at `oldPath`.
 */
function swapFiles(
  guard: RootGuard,
  temp: string,
  target: string,
  oldPath: string,
  expect: Digest,
): DiskOutcome<WrittenStamp> {
  // RACE: nothing checks again, between the choice of `oldPath` and the rename, that `oldPath` is
  // free. Only this process writes in `.mdmirror`, and outside of `.mdmirror` the name is random.
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
 * Returns the digest of a file's content. Null if no regular file is at the path, if the file is
 * too large, or if a program is just writing it.
 */
export function readDigestOrNull(fs: Fs, abs: string): Digest | null {
  const fileContent = nullOnErrno([...NO_FILE_ERRORS, "EAGAIN", "EFBIG"], () => fs.readFile(abs));
  return fileContent === null ? null : digestOf(fileContent.bytes);
}

/**
 * Moves a set-aside file back to its path, if the path is free.
 * @param ended outcome of the failed replacement or move
 * @returns `ended` with a message that names the path of the file; with `isSetAside` if the file
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

const UNCLAIMED_FOLDER = "trash/unclaimed";

export function readSetAside(guard: RootGuard, setAsideAt: string): DiskOutcome<LocalText | null> {
  return attemptEffect(setAsideAt, () => {
    const place = guard.mirrorPlace(setAsideAt, false);
    if (!place.ok) return place.absent ? doneOutcome(null) : place.outcome;
    return readTextAt(guard, place.abs, setAsideAt, ["ENOENT"]) ?? doneOutcome(null);
  });
}

/**
 * Reads a file as strict UTF-8. Returns null if the read fails with one of the errnos in
 * `absentErrnos`.
 * @param shownPath path of the file in error messages
 */
export function readTextAt(
  { fs }: RootGuard,
  abs: string,
  shownPath: string,
  absentErrnos: readonly string[],
): DiskOutcome<LocalText> | null {
  const file = nullOnErrno(absentErrnos, () => fs.readFile(abs, "brief"));
  if (file === null) return null;
  const { text } = decodeText(file.bytes);
  if (text === null) return faultOutcome("EILSEQ", `${shownPath}: ${describeErrno("EILSEQ")}`);
  return doneOutcome({ text, digest: digestOf(file.bytes), stamp: toStamp(file.stat), stampTrusted: false });
}

/**
 * Moves a set-aside file back to its path. If a crash interrupted an earlier call, the file has
 * both paths, and this call removes the set-aside path.
 */
export function putBackSetAside(guard: RootGuard, setAsideAt: string, path: LocalPath): DiskOutcome<WrittenStamp> {
  return attemptEffect(path, () => {
    const setAsidePlace = guard.mirrorPlace(setAsideAt, false);
    if (!setAsidePlace.ok) return setAsidePlace.outcome;
    const target = guard.place(path, "file");
    if (!target.ok) return target.outcome;
    const setAsideStat = statOrNull(guard.fs, setAsidePlace.abs);
    if (setAsideStat === null) return staleOutcome("no file was set aside at this path");
    const atTarget = statOrNull(guard.fs, target.abs);
    if (atTarget !== null && isSameInode(atTarget, setAsideStat)) {
      removeTempFile(guard, setAsidePlace.abs);
      return doneOutcome({ stamp: toStamp(readCurrentStat(guard, target.abs, atTarget)) });
    }
    const stat = atTarget === null ? renameWithoutReplacing(guard, setAsidePlace.abs, target.abs) : null;
    return stat === null ? staleOutcome("this path is taken now") : doneOutcome({ stamp: toStamp(stat) });
  });
}

export function isOpenToWrite(guard: RootGuard, setAsideAt: string, openFiles: OpenFiles): boolean {
  const place = guard.mirrorPlace(setAsideAt, false);
  return place.ok && openFiles.has(place.abs);
}

/** If the disk refuses the removal, the file stays until `sweepTempFiles` moves it to the trash. */
export function removeSetAside(guard: RootGuard, setAsideAt: string): void {
  const place = guard.mirrorPlace(setAsideAt, false);
  if (place.ok) removeTempFile(guard, place.abs);
}

/**
 * Removes temporary files that a crash left behind. A set-aside file that no journal row names goes
 * to the trash, because it may be a user's last save.
 * @param keep paths of set-aside files that the journal names
 */
export function sweepTempFiles(guard: RootGuard, keep: ReadonlySet<string>): void {
  for (const path of listTempFiles(guard)) {
    // If the disk refuses the removal, the next start of mdmirror tries again.
    if (!keep.has(path)) nullOnAnyErrno(() => sweepTempFile(guard, path));
  }
}

function sweepTempFile(guard: RootGuard, path: string): void {
  const place = guard.mirrorPlace(path, false);
  if (!place.ok) return;
  const stat = statOrNull(guard.fs, place.abs);
  if (stat === null) return;
  const name = path.slice("tmp/".length);
  // After an interrupted move, the set-aside path is a second name of a file in the linked folder.
  const hasOtherName = name.startsWith(SET_ASIDE_PREFIX) && stat.nlink > 1;
  if (stat.kind === "file" && (name.startsWith(TEMP_PREFIX) || hasOtherName)) {
    guard.fs.unlink(place.abs);
    return;
  }
  const trashPlace = guard.mirrorPlace(`${UNCLAIMED_FOLDER}/${name}`, true);
  if (trashPlace.ok && statOrNull(guard.fs, trashPlace.abs) === null) guard.fs.rename(place.abs, trashPlace.abs);
}

function listTempFiles(guard: RootGuard): string[] {
  const folder = guard.mirrorPlace("tmp/any", false);
  if (!folder.ok) return [];
  const entries = nullOnErrno(["ENOENT"], () => guard.fs.readdir(folder.abs.slice(0, -"/any".length))) ?? [];
  return entries.map(({ name }) => `tmp/${name}`).sort();
}
