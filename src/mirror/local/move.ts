import { type Digest, digestOf } from "../../contract/digest.ts";
import { isWithin, type LocalPath, nameOf, parentOf, pathKey } from "../../contract/path.ts";
import type { DiskOutcome, FsStat, WrittenStamp } from "../ports/disk.ts";
import {
  attemptCall,
  attemptEffect,
  describeErrno,
  doneOutcome,
  faultOutcome,
  isSameInode,
  nullOnAnyErrno,
  nullOnErrno,
  staleOutcome,
  succeeds,
  toStamp,
} from "./results.ts";
import { type RootGuard, type NotDoneOutcome, statOrNull } from "./root-guard.ts";
import { isLeftoverName } from "./ignore.ts";
import { SET_ASIDE_PREFIX, removeName, makeTempPath, type MoveResult, moveName, readCurrentStat } from "./names.ts";
import { readDigestOrNull, NO_FILE_ERRORS, putBackOrReport } from "./write.ts";

/**
 * Moves a file to a free path. If a crash interrupts the move, the inode has the old path, the new
 * path, or both; a second call completes the move.
 * ORDER: the caller must write both paths to the journal before the call, so that recovery finds
 * the file.
 * @param expect digest that the file must have; null for any content
 */
export function moveFile(
  guard: RootGuard,
  from: LocalPath,
  to: LocalPath,
  expect: Digest | null,
): DiskOutcome<WrittenStamp> {
  return attemptEffect(from, () => {
    const source = guard.place(from, "file");
    if (!source.ok) return source.outcome;
    const target = guard.place(to, "file");
    if (!target.ok) return target.outcome;
    const sourceFile = nullOnErrno(NO_FILE_ERRORS, () => guard.fs.readFile(source.abs));
    if (sourceFile === null) return staleOutcome("no file is at this path now");
    if (expect !== null && digestOf(sourceFile.bytes) !== expect) return staleOutcome("the content changed meanwhile");
    if (from === to) return doneOutcome({ stamp: toStamp(sourceFile.stat) });
    const targetStat = statOrNull(guard.fs, target.abs);
    if (targetStat === null) return toMoveOutcome(moveName(guard, source.abs, target.abs, sourceFile.stat));
    if (!isSameEntry(guard, from, to, target.abs))
      return completeMove(guard, source.abs, target.abs, targetStat, sourceFile.stat);
    guard.fs.rename(source.abs, target.abs);
    return doneOutcome({ stamp: toStamp(readCurrentStat(guard, target.abs, sourceFile.stat)) });
  });
}

/**
 * Completes a move that a crash interrupted, if the old and the new path are names of one inode.
 * Returns `stale` if the new path belongs to another file or folder.
 */
function completeMove(
  guard: RootGuard,
  from: string,
  to: string,
  atTarget: FsStat,
  moved: FsStat,
): DiskOutcome<WrittenStamp> {
  if (!isSameInode(atTarget, moved)) return staleOutcome("the new path is taken now");
  if (removeName(guard, from, atTarget, makeTempPath(guard, SET_ASIDE_PREFIX)) === "other")
    return toMoveOutcome({ kind: "changed" });
  return doneOutcome({ stamp: toStamp(readCurrentStat(guard, to, moved)) });
}

function toMoveOutcome(ended: MoveResult): DiskOutcome<WrittenStamp> {
  switch (ended.kind) {
    case "moved":
      return doneOutcome({ stamp: toStamp(ended.stat) });
    case "taken":
      return staleOutcome("the new path is taken now");
    case "changed":
      return staleOutcome("it was saved at this moment");
    case "failed": {
      const failedOutcome = faultOutcome(ended.errno, describeErrno(ended.errno));
      return ended.hasBothNames ? { ...failedOutcome, isSetAside: true } : failedOutcome;
    }
  }
}

/**
 * Returns true if two spellings of a path are the same file or folder, such as `Note.md` and
 * `note.md`. Compares the listed names, because some disks give each spelling its own inode number.
 */
function isSameEntry(guard: RootGuard, from: string, to: string, target: string): boolean {
  const folding = guard.names();
  if (pathKey(from, folding) !== pathKey(to, folding)) return false;
  return !guard.fs.readdir(parentOf(target)).some((entry) => entry.name === nameOf(to));
}

/**
 * Moves a file to `trash/…`, then checks its content. If the content does not have the digest
 * `expect`, moves the file back.
 * ORDER: the caller must write both paths to the journal before the call. After a crash, recovery
 * moves the file back if the old path is free.
 */
export function trashFile(guard: RootGuard, path: LocalPath, expect: Digest, trashPath: string): DiskOutcome<null> {
  return attemptEffect(path, () => {
    const source = guard.place(path, "file");
    if (!source.ok) return source.outcome;
    const stat = statOrNull(guard.fs, source.abs);
    if (stat?.kind !== "file") return staleOutcome("no file is at this path now");
    if (readDigestOrNull(guard.fs, source.abs) !== expect) return staleOutcome("the content changed meanwhile");
    const trashPlace = guard.mirrorPlace(trashPath, true);
    if (!trashPlace.ok) return trashPlace.outcome;
    if (statOrNull(guard.fs, trashPlace.abs) !== null) return staleOutcome(`${trashPath} is taken`);
    if (!succeeds(["ENOENT", "ENOTDIR"], () => guard.fs.rename(source.abs, trashPlace.abs)))
      return staleOutcome("no file is at this path now");
    return checkTrashedFile(guard, trashPlace.abs, source.abs, expect);
  });
}

function checkTrashedFile(guard: RootGuard, trash: string, path: string, expect: Digest): DiskOutcome<null> {
  const isExpected = attemptCall(() => readDigestOrNull(guard.fs, trash) === expect);
  if ("errno" in isExpected)
    return putBackOrReport(guard, trash, path, faultOutcome(isExpected.errno, describeErrno(isExpected.errno)));
  return isExpected.value
    ? doneOutcome(null)
    : putBackOrReport(guard, trash, path, staleOutcome("the content changed at this moment"));
}

export function makeFolder(
  guard: RootGuard,
  path: LocalPath,
): DiskOutcome<{ readonly dev: number; readonly ino: number; readonly birthMs: number }> {
  return attemptEffect(path, () => {
    const place = guard.place(path, "folder");
    if (!place.ok) return place.outcome;
    if (!succeeds(["EEXIST"], () => guard.fs.mkdir(place.abs, 0o777))) return staleOutcome("this path is taken now");
    const stat = nullOnAnyErrno(() => guard.fs.lstat(place.abs));
    if (stat === null) return staleOutcome("the folder was created, but cannot be read");
    const { dev, ino, birthMs } = stat;
    return doneOutcome({ dev, ino, birthMs });
  });
}

/**
 * Moves a folder to a free path.
 * RACE: somebody may make an empty folder at the new path between the check and the rename. The
 * rename replaces this empty folder, and nothing is lost. A file or a folder that is not empty
 * stops the move.
 */
export function moveFolder(guard: RootGuard, from: LocalPath, to: LocalPath): DiskOutcome<null> {
  return attemptEffect(from, () => {
    if (from !== to && isWithin(to, from)) return faultOutcome("EINVAL", `${from}: cannot be moved into itself`);
    const source = guard.place(from, "folder");
    if (!source.ok) return source.outcome;
    const target = guard.place(to, "folder");
    if (!target.ok) return target.outcome;
    if (statOrNull(guard.fs, source.abs)?.kind !== "folder") return staleOutcome("no folder is at this path now");
    if (from === to) return doneOutcome(null);
    if (statOrNull(guard.fs, target.abs) !== null && !isSameEntry(guard, from, to, target.abs))
      return staleOutcome("the new path is taken now");
    return renameFolder(guard, source.abs, target.abs);
  });
}

function renameFolder({ fs }: RootGuard, from: string, to: string): DiskOutcome<null> {
  const isMoved = succeeds(["EEXIST", "ENOTEMPTY", "ENOTDIR", "ENOENT"], () => fs.rename(from, to));
  return isMoved ? doneOutcome(null) : staleOutcome("at this moment the new path was taken, or the folder was removed");
}

export function removeFolder(guard: RootGuard, path: LocalPath, trashPath: string): DiskOutcome<null> {
  return attemptEffect(path, () => {
    const place = guard.place(path, "folder");
    if (!place.ok) return place.outcome;
    if (statOrNull(guard.fs, place.abs)?.kind !== "folder") return staleOutcome("no folder is at this path now");
    const insidePlace = guard.inside(path, place.abs);
    if (!insidePlace.ok) return insidePlace.outcome;
    const entries = guard.fs.readdir(insidePlace.abs);
    if (entries.some(({ name, kind }) => !isLeftoverName(name) || (kind !== "file" && kind !== "symlink")))
      return staleOutcome("the folder is not empty");
    for (const { name } of entries) {
      const refusal = trashLeftover(guard, `${insidePlace.abs}/${name}`, `${trashPath}/${name}`);
      if (refusal !== null) return refusal;
    }
    const isRemoved = succeeds(["ENOTEMPTY", "EEXIST", "ENOENT"], () => guard.fs.rmdir(place.abs));
    return isRemoved
      ? doneOutcome(null)
      : staleOutcome(`the folder is not empty, or does not exist: ${describeErrno("ENOTEMPTY")}`);
  });
}

/**
 * Moves a file that an editor or desktop left behind to the trash.
 * @returns the reason for a failure; null if the file was moved or no longer exists
 */
function trashLeftover(guard: RootGuard, abs: string, trashPath: string): NotDoneOutcome | null {
  const trashPlace = guard.mirrorPlace(trashPath, true);
  if (!trashPlace.ok) return trashPlace.outcome;
  if (statOrNull(guard.fs, trashPlace.abs) !== null) return staleOutcome(`${trashPath} is taken`);
  nullOnErrno(["ENOENT"], () => guard.fs.rename(abs, trashPlace.abs));
  return null;
}
