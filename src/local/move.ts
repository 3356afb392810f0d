import { type Digest, digestOf } from "../core/digest.ts";
import { isWithin, type LocalPath, nameOf, parentOf, pathKey } from "../core/path.ts";
import type { DiskOutcome, Written } from "../core/ports/disk.ts";
import { attempt, done, errnoText, fault, stale, unless } from "./errno.ts";
import { type Ground, statOrNull } from "./ground.ts";
import { isLitterName } from "./ignore.ts";
import { dropName, moveName } from "./names.ts";
import { sameInode, stampOf } from "./stamp.ts";
import { digestOrNull, NO_FILE, putBackOr } from "./write.ts";

/**
 * Moves a file, never over anything.
 * ORDER: the caller journals (from, to) before. The inode is at `from`, at both or at `to` at every moment; called again, it is completed.
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
      if (ended.kind === "moved") return done({ stamp: stampOf(ended.stat) });
      return stale(ended.kind === "taken" ? "something is at the new path now" : "it was saved in this moment");
    }
    if (isSameEntry(ground, from, to, target.abs)) {
      ground.fs.rename(source.abs, target.abs);
      return done({ stamp: stampOf(ground.fs.lstat(target.abs)) });
    }
    // Two names of one inode: a move that a crash cut short.
    if (!sameInode(there, found.stat)) return stale("something is at the new path now");
    if (dropName(ground, source.abs, there) === "other") return stale("it was saved in this moment");
    return done({ stamp: stampOf(ground.fs.lstat(target.abs)) });
  });
}

/** Whether two spellings are one entry of a folder here (`Note.md` → `note.md`): inode numbers of some disks could not say. */
function isSameEntry(ground: Ground, from: string, to: string, target: string): boolean {
  const folding = ground.folding();
  if (pathKey(from, folding) !== pathKey(to, folding)) return false;
  return !ground.fs.readdir(parentOf(target)).some((entry) => entry.name === nameOf(to));
}

/**
 * Takes a file aside to `trash/…`; there it is looked at, and put back unless it is what was expected.
 * ORDER: the caller journals (path, trashPath) before; recovery puts back what is at `trashPath` if the path is free.
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
    if (expect === null ? ground.fs.lstat(trash.abs).kind === "file" : digestOrNull(ground.fs, trash.abs) === expect)
      return done(null);
    return putBackOr(ground, trash.abs, source.abs, stale("the text changed in this moment"));
  });
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
    const { dev, ino, birthMs } = ground.fs.lstat(place.abs);
    return done({ dev, ino, birthMs });
  });
}

/** RACE: an empty folder that is made at `to` between the look and the rename is replaced (nothing is lost with it); anything else stops it. */
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
    const entries = ground.fs.readdir(place.abs);
    if (entries.some(({ name, kind }) => !isLitterName(name) || (kind !== "file" && kind !== "symlink")))
      return stale("the folder is not empty");
    for (const { name } of entries) {
      const trash = ground.mirrorPlace(`${trashPath}/${name}`, true);
      if (!trash.ok) return trash.outcome;
      if (statOrNull(ground.fs, trash.abs) !== null) return stale(`${trashPath}/${name} is taken`);
      unless(["ENOENT"], () => ground.fs.rename(`${place.abs}/${name}`, trash.abs));
    }
    const removed = unless(["ENOTEMPTY", "EEXIST", "ENOENT"], () => {
      ground.fs.rmdir(place.abs);
      return true;
    });
    return removed === null ? stale(`the folder is not empty, or is gone: ${errnoText("ENOTEMPTY")}`) : done(null);
  });
}
