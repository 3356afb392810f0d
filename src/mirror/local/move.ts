import { type Digest, digestOf } from "../../contract/digest.ts";
import { isWithin, type LocalPath, nameOf, parentOf, pathKey } from "../../contract/path.ts";
import type { DiskOutcome, Written } from "../ports/disk.ts";
import type { FsStat } from "../ports/fs.ts";
import { anyErrno, attemptCall, attemptEffect, done, errnoText, fault, stale, succeeds, nullOnErrno } from "./errno.ts";
import { type RootGuard, type NotDone, statOrNull } from "./root-guard.ts";
import { isLeftoverName } from "./ignore.ts";
import { SET_ASIDE_PREFIX, dropName, freshName, type MoveEnd, moveName, statNow } from "./names.ts";
import { sameInode, stampOf } from "./stamp.ts";
import { digestOrNull, NO_FILE, putBackOr } from "./write.ts";

/**
 * Moves a file to a free path. If a crash interrupts the move, the inode has the old path, both
 * paths or the new path, and a second call completes the move.
 * ORDER: the caller has already written both paths to the journal.
 * @param expect digest that the file must have; null for any content
 */
export function moveFile(
  guard: RootGuard,
  from: LocalPath,
  to: LocalPath,
  expect: Digest | null,
): DiskOutcome<Written> {
  return attemptEffect(from, () => {
    const source = guard.place(from, "file");
    if (!source.ok) return source.outcome;
    const target = guard.place(to, "file");
    if (!target.ok) return target.outcome;
    const found = nullOnErrno(NO_FILE, () => guard.fs.readFile(source.abs));
    if (found === null) return stale("no file is at this path now");
    if (expect !== null && digestOf(found.bytes) !== expect) return stale("the content changed meanwhile");
    if (from === to) return done({ stamp: stampOf(found.stat) });
    const atTarget = statOrNull(guard.fs, target.abs);
    if (atTarget === null) return moveOutcome(moveName(guard, source.abs, target.abs, found.stat));
    if (!isSameEntry(guard, from, to, target.abs))
      return finishMove(guard, source.abs, target.abs, atTarget, found.stat);
    guard.fs.rename(source.abs, target.abs);
    return done({ stamp: stampOf(statNow(guard, target.abs, found.stat)) });
  });
}

/**
 * Completes a move that a crash interrupted, if both paths are names of one inode. Returns `stale`
 * if the new path belongs to another entry.
 */
function finishMove(guard: RootGuard, from: string, to: string, atTarget: FsStat, moved: FsStat): DiskOutcome<Written> {
  if (!sameInode(atTarget, moved)) return stale("the new path is taken now");
  if (dropName(guard, from, atTarget, freshName(guard, SET_ASIDE_PREFIX)) === "other")
    return moveOutcome({ kind: "changed" });
  return done({ stamp: stampOf(statNow(guard, to, moved)) });
}

function moveOutcome(ended: MoveEnd): DiskOutcome<Written> {
  switch (ended.kind) {
    case "moved":
      return done({ stamp: stampOf(ended.stat) });
    case "taken":
      return stale("the new path is taken now");
    case "changed":
      return stale("it was saved at this moment");
    case "failed": {
      const failed = fault(ended.errno, errnoText(ended.errno));
      return ended.hasBothNames ? { ...failed, isSetAside: true } : failed;
    }
  }
}

/**
 * Returns true if two spellings of a path name one entry of the disk, such as `Note.md` and
 * `note.md`. Compares names, because some disks give each spelling its own inode number.
 */
function isSameEntry(guard: RootGuard, from: string, to: string, target: string): boolean {
  const folding = guard.names();
  if (pathKey(from, folding) !== pathKey(to, folding)) return false;
  return !guard.fs.readdir(parentOf(target)).some((entry) => entry.name === nameOf(to));
}

/**
 * Moves a file to `trash/…`, then checks its content. If the content is not the expected one, the
 * file is moved back.
 * ORDER: the caller has already written both paths to the journal. After a crash, recovery moves
 * the file back if its path is free.
 */
export function trashFile(guard: RootGuard, path: LocalPath, expect: Digest, trashPath: string): DiskOutcome<null> {
  return attemptEffect(path, () => {
    const source = guard.place(path, "file");
    if (!source.ok) return source.outcome;
    const stat = statOrNull(guard.fs, source.abs);
    if (stat?.kind !== "file") return stale("no file is at this path now");
    if (digestOrNull(guard.fs, source.abs) !== expect) return stale("the content changed meanwhile");
    const trash = guard.mirrorPlace(trashPath, true);
    if (!trash.ok) return trash.outcome;
    if (statOrNull(guard.fs, trash.abs) !== null) return stale(`${trashPath} is taken`);
    if (!succeeds(["ENOENT", "ENOTDIR"], () => guard.fs.rename(source.abs, trash.abs)))
      return stale("no file is at this path now");
    return checkTrashed(guard, trash.abs, source.abs, expect);
  });
}

function checkTrashed(guard: RootGuard, trash: string, path: string, expect: Digest): DiskOutcome<null> {
  const isExpected = attemptCall(() => digestOrNull(guard.fs, trash) === expect);
  if ("errno" in isExpected) return putBackOr(guard, trash, path, fault(isExpected.errno, errnoText(isExpected.errno)));
  return isExpected.value ? done(null) : putBackOr(guard, trash, path, stale("the content changed at this moment"));
}

export function makeFolder(
  guard: RootGuard,
  path: LocalPath,
): DiskOutcome<{ readonly dev: number; readonly ino: number; readonly birthMs: number }> {
  return attemptEffect(path, () => {
    const place = guard.place(path, "folder");
    if (!place.ok) return place.outcome;
    if (!succeeds(["EEXIST"], () => guard.fs.mkdir(place.abs, 0o777))) return stale("this path is taken now");
    const stat = anyErrno(() => guard.fs.lstat(place.abs));
    if (stat === null) return stale("the folder was created, but cannot be read");
    const { dev, ino, birthMs } = stat;
    return done({ dev, ino, birthMs });
  });
}

/**
 * Moves a folder to a free path.
 * RACE: the rename replaces an empty folder that is made at the new path just before. Nothing is
 * lost; a folder with entries, or a file, stops the move.
 */
export function moveFolder(guard: RootGuard, from: LocalPath, to: LocalPath): DiskOutcome<null> {
  return attemptEffect(from, () => {
    if (from !== to && isWithin(to, from)) return fault("EINVAL", `${from}: cannot be moved into itself`);
    const source = guard.place(from, "folder");
    if (!source.ok) return source.outcome;
    const target = guard.place(to, "folder");
    if (!target.ok) return target.outcome;
    if (statOrNull(guard.fs, source.abs)?.kind !== "folder") return stale("no folder is at this path now");
    if (from === to) return done(null);
    if (statOrNull(guard.fs, target.abs) !== null && !isSameEntry(guard, from, to, target.abs))
      return stale("the new path is taken now");
    return renameFolder(guard, source.abs, target.abs);
  });
}

function renameFolder({ fs }: RootGuard, from: string, to: string): DiskOutcome<null> {
  const isMoved = succeeds(["EEXIST", "ENOTEMPTY", "ENOTDIR", "ENOENT"], () => fs.rename(from, to));
  return isMoved ? done(null) : stale("at this moment the new path was taken, or the folder was removed");
}

export function removeFolder(guard: RootGuard, path: LocalPath, trashPath: string): DiskOutcome<null> {
  return attemptEffect(path, () => {
    const place = guard.place(path, "folder");
    if (!place.ok) return place.outcome;
    if (statOrNull(guard.fs, place.abs)?.kind !== "folder") return stale("no folder is at this path now");
    const inside = guard.inside(path, place.abs);
    if (!inside.ok) return inside.outcome;
    const entries = guard.fs.readdir(inside.abs);
    if (entries.some(({ name, kind }) => !isLeftoverName(name) || (kind !== "file" && kind !== "symlink")))
      return stale("the folder is not empty");
    for (const { name } of entries) {
      const refusal = trashLeftover(guard, `${inside.abs}/${name}`, `${trashPath}/${name}`);
      if (refusal !== null) return refusal;
    }
    const isRemoved = succeeds(["ENOTEMPTY", "EEXIST", "ENOENT"], () => guard.fs.rmdir(place.abs));
    return isRemoved ? done(null) : stale(`the folder is not empty, or does not exist: ${errnoText("ENOTEMPTY")}`);
  });
}

/**
 * Moves a leftover file of another program to the trash. Returns null if the file was moved or no
 * longer exists, otherwise the reason for the failure.
 */
function trashLeftover(guard: RootGuard, abs: string, trashPath: string): NotDone | null {
  const trash = guard.mirrorPlace(trashPath, true);
  if (!trash.ok) return trash.outcome;
  if (statOrNull(guard.fs, trash.abs) !== null) return stale(`${trashPath} is taken`);
  nullOnErrno(["ENOENT"], () => guard.fs.rename(abs, trash.abs));
  return null;
}
