import { type Digest, digestOf } from "../model/digest.ts";
import { isWithin, type LocalPath, nameOf, parentOf, pathKey } from "../model/path.ts";
import type { DiskOutcome, Written } from "../ports/disk.ts";
import { anyErrno, attempt, done, errnoOf, errnoText, fault, stale, unless } from "./errno.ts";
import { type Ground, type NotDone, statOrNull } from "./ground.ts";
import { isLitterName } from "./ignore.ts";
import { ASIDE_PREFIX, dropName, freshName, type MoveEnd, moveName, statNow } from "./names.ts";
import { sameInode, stampOf } from "./stamp.ts";
import { digestOrNull, NO_FILE, putBackOr } from "./write.ts";

/**
 * Moves a file, never over anything.
 * ORDER: the caller journals (from, to) before. The inode is at `from`, at both or at `to` at every
 * moment; called again, it is completed.
 */
export function moveFile(ground: Ground, from: LocalPath, to: LocalPath, expect: Digest | null): DiskOutcome<Written> {
  return attempt(from, () => {
    const source = ground.place(from, "file");
    if (!source.ok) return source.outcome;
    const target = ground.place(to, "file");
    if (!target.ok) return target.outcome;
    const found = unless(NO_FILE, () => ground.fs.readFile(source.abs));
    if (found === null) return stale("no file is at this path now");
    if (expect !== null && digestOf(found.bytes) !== expect) return stale("the text is another one now");
    if (from === to) return done({ stamp: stampOf(found.stat) });
    const there = statOrNull(ground.fs, target.abs);
    if (there === null) {
      const ended = moveName(ground, source.abs, target.abs, found.stat);
      return moveOutcome(ended);
    }
    if (isSameEntry(ground, from, to, target.abs)) {
      ground.fs.rename(source.abs, target.abs);
      return done({ stamp: stampOf(statNow(ground, target.abs, found.stat)) });
    }
    // Two names of one inode: a move that a crash cut short.
    if (!sameInode(there, found.stat)) return stale("something is at the new path now");
    if (dropName(ground, source.abs, there, freshName(ground, ASIDE_PREFIX)) === "other")
      return moveOutcome({ kind: "changed" });
    return done({ stamp: stampOf(statNow(ground, target.abs, found.stat)) });
  });
}

function moveOutcome(ended: MoveEnd): DiskOutcome<Written> {
  switch (ended.kind) {
    case "moved":
      return done({ stamp: stampOf(ended.stat) });
    case "taken":
      return stale("something is at the new path now");
    case "changed":
      return stale("it was saved in this moment");
    case "failed": {
      const failed = fault(ended.errno, errnoText(ended.errno));
      return ended.halfway ? { ...failed, parked: true } : failed;
    }
  }
}

/**
 * Whether two spellings are one entry of a folder here (`Note.md` → `note.md`): inode numbers of
 * some disks could not say.
 */
function isSameEntry(ground: Ground, from: string, to: string, target: string): boolean {
  const folding = ground.folding();
  if (pathKey(from, folding) !== pathKey(to, folding)) return false;
  return !ground.fs.readdir(parentOf(target)).some((entry) => entry.name === nameOf(to));
}

/**
 * Takes a file aside to `trash/…`; there it is looked at, and put back unless it is what was
 * expected.
 * ORDER: the caller journals (path, trashPath) before; recovery puts back what is at `trashPath` if
 * the path is free.
 */
export function trashFile(
  ground: Ground,
  path: LocalPath,
  expect: Digest | null,
  trashPath: string,
): DiskOutcome<null> {
  return attempt(path, () => {
    const source = ground.place(path, "file");
    if (!source.ok) return source.outcome;
    const stat = statOrNull(ground.fs, source.abs);
    if (stat?.kind !== "file") return stale("no file is at this path now");
    if (expect !== null && digestOrNull(ground.fs, source.abs) !== expect) return stale("the text is another one now");
    const trash = ground.mirrorPlace(trashPath, true);
    if (!trash.ok) return trash.outcome;
    if (statOrNull(ground.fs, trash.abs) !== null) return stale(`${trashPath} is taken`);
    const taken = unless(["ENOENT", "ENOTDIR"], () => {
      ground.fs.rename(source.abs, trash.abs);
      return true;
    });
    if (taken === null) return stale("no file is at this path now");
    return lookAtTrash(ground, trash.abs, source.abs, expect);
  });
}

function lookAtTrash(ground: Ground, trash: string, path: string, expect: Digest | null): DiskOutcome<null> {
  let ended: NotDone = stale("the text changed in this moment");
  try {
    const isExpected =
      expect === null ? ground.fs.lstat(trash).kind === "file" : digestOrNull(ground.fs, trash) === expect;
    if (isExpected) return done(null);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    ended = fault(errno, errnoText(errno));
  }
  return putBackOr(ground, trash, path, ended);
}

export function makeFolder(
  ground: Ground,
  path: LocalPath,
): DiskOutcome<{ readonly dev: number; readonly ino: number; readonly birthMs: number }> {
  return attempt(path, () => {
    const place = ground.place(path, "folder");
    if (!place.ok) return place.outcome;
    const made = unless(["EEXIST"], () => {
      ground.fs.mkdir(place.abs, 0o777);
      return true;
    });
    if (made === null) return stale("something is at this path now");
    const stat = anyErrno(() => ground.fs.lstat(place.abs));
    if (stat === null) return stale("the folder was made, and cannot be looked at");
    const { dev, ino, birthMs } = stat;
    return done({ dev, ino, birthMs });
  });
}

/**
 * RACE: an empty folder that is made at `to` between the look and the rename is replaced (nothing
 * is lost with it); anything else stops it.
 */
export function moveFolder(ground: Ground, from: LocalPath, to: LocalPath): DiskOutcome<null> {
  return attempt(from, () => {
    if (from !== to && isWithin(to, from)) return fault("EINVAL", `${from}: cannot be moved into itself`);
    const source = ground.place(from, "folder");
    if (!source.ok) return source.outcome;
    const target = ground.place(to, "folder");
    if (!target.ok) return target.outcome;
    if (statOrNull(ground.fs, source.abs)?.kind !== "folder") return stale("no folder is at this path now");
    if (from === to) return done(null);
    if (statOrNull(ground.fs, target.abs) !== null && !isSameEntry(ground, from, to, target.abs))
      return stale("something is at the new path now");
    const moved = unless(["EEXIST", "ENOTEMPTY", "ENOTDIR", "ENOENT"], () => {
      ground.fs.rename(source.abs, target.abs);
      return true;
    });
    return moved === null ? stale("something came to the new path, or the folder went, in this moment") : done(null);
  });
}

export function removeFolder(ground: Ground, path: LocalPath, trashPath: string): DiskOutcome<null> {
  return attempt(path, () => {
    const place = ground.place(path, "folder");
    if (!place.ok) return place.outcome;
    if (statOrNull(ground.fs, place.abs)?.kind !== "folder") return stale("no folder is at this path now");
    const inside = ground.inside(path, place.abs);
    if (!inside.ok) return inside.outcome;
    const entries = ground.fs.readdir(inside.abs);
    if (entries.some(({ name, kind }) => !isLitterName(name) || (kind !== "file" && kind !== "symlink")))
      return stale("the folder is not empty");
    for (const { name } of entries) {
      const trash = ground.mirrorPlace(`${trashPath}/${name}`, true);
      if (!trash.ok) return trash.outcome;
      if (statOrNull(ground.fs, trash.abs) !== null) return stale(`${trashPath}/${name} is taken`);
      unless(["ENOENT"], () => ground.fs.rename(`${inside.abs}/${name}`, trash.abs));
    }
    const removed = unless(["ENOTEMPTY", "EEXIST", "ENOENT"], () => {
      ground.fs.rmdir(place.abs);
      return true;
    });
    return removed === null ? stale(`the folder is not empty, or is gone: ${errnoText("ENOTEMPTY")}`) : done(null);
  });
}
