/**
 * Access to the files in `.mdmirror/`. Somebody else may have created files in this folder. So no
 * call follows a symbolic link below the linked folder, and files of other users are refused. New
 * files are created with O_EXCL, for this user alone.
 *
 * In all calls, `folder` is the absolute path of `.mdmirror`, whose parent is a real path, and
 * `name` is a path in it. All calls throw UnsafePathError, or errors as node:fs does. Only two
 * other parts of the code open files in `.mdmirror/`: `own-database.ts` opens the databases, and
 * `local/` accesses `tmp/` and `trash/` by these rules too.
 */

import * as fs from "node:fs";
import type { Stats } from "node:fs";
import { dirname } from "node:path";
import { withFolder, withOwnFolder, statOrNull } from "./own-handle.ts";
import { type ExpectedFile, isOwner, checkPath } from "../../common/unsafe-path.ts";

// O_NONBLOCK: `open` must not wait if somebody has put a FIFO at the path.
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

function splitName(name: string): { readonly below: string; readonly last: string } {
  const slashIndex = name.lastIndexOf("/");
  return { below: name.slice(0, Math.max(0, slashIndex)), last: name.slice(slashIndex + 1) };
}

/** Returns the file's stat; null if nothing is at the path. */
export function statOwnFile(folder: string, name: string, expected: ExpectedFile): Stats | null {
  const { below, last } = splitName(name);
  return returnNullIfAbsent(() =>
    withOwnFolder(folder, below, (dir) => {
      const stat = statOrNull(`${dir}/${last}`);
      if (stat !== null) checkPath(`${folder}/${name}`, stat, expected);
      return stat;
    }),
  );
}

function returnNullIfAbsent<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Returns bytes and stat of a file; null if nothing is at the path. */
export function readOwnFile(folder: string, name: string): { readonly bytes: Buffer; readonly stat: Stats } | null {
  if (statOwnFile(folder, name, "file") === null) return null;
  return returnNullIfAbsent(() => {
    const { fd, stat } = openOwnFile(folder, name, O_RDONLY, "file");
    try {
      return { bytes: fs.readFileSync(fd), stat };
    } finally {
      fs.closeSync(fd);
    }
  });
}

/**
 * Replaces a whole file by renaming a new one (`NAME.new`).
 * @param survives true if the file must survive a power loss; otherwise a power loss may leave it
 * empty
 */
export function replaceOwnFile(folder: string, name: string, text: string, survives = false): void {
  statOwnFile(folder, name, "file");
  if (statOwnFile(folder, `${name}.new`, "file") !== null) removeOwnFile(folder, `${name}.new`);
  const fd = createOwnFile(folder, `${name}.new`);
  try {
    fs.writeFileSync(fd, text);
    if (survives) fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  renameOwnFile(folder, `${name}.new`, name);
  if (survives) withOwnFolder(folder, splitName(name).below, (_at, above) => fs.fsyncSync(above));
}

export function createOwnFileIfMissing(folder: string, name: string): void {
  if (statOwnFile(folder, name, "file") === null) fs.closeSync(createOwnFile(folder, name));
}

/** Appends text to a file. Creates the file if it is missing. */
export function appendToOwnFile(folder: string, name: string, text: string): void {
  const exists = statOwnFile(folder, name, "own-file") !== null;
  const fd = exists ? openOwnFile(folder, name, O_WRONLY | O_APPEND, "own-file").fd : createOwnFile(folder, name);
  try {
    fs.writeFileSync(fd, text);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Creates a file that must not exist yet, for this user alone. Returns the descriptor of the open
 * file.
 */
export function createOwnFile(folder: string, name: string): number {
  const { below, last } = splitName(name);
  return withOwnFolder(folder, below, (dir, above) => {
    const fd = fs.openSync(`${dir}/${last}`, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    setPermissions(fd, 0o600);
    giveToOwner(fd, above);
    return fd;
  });
}

/**
 * Sets the permissions of a file. Ignores a refusal, because some disks (FAT) have no permissions:
 * mount options decide who may read their files.
 */
function setPermissions(fd: number, mode: number): void {
  if ((fs.fstatSync(fd).mode & 0o7777) === mode) return;
  try {
    fs.fchmodSync(fd, mode);
  } catch (error) {
    if (!/^(EPERM|ENOTSUP|EROFS)$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

/**
 * Gives a new file to the owner of its folder. Even if mdmirror runs under sudo, a user's files
 * must belong to that user.
 */
function giveToOwner(fd: number, above: number): void {
  const { uid, gid } = fs.fstatSync(above);
  if (process.geteuid?.() === 0 && uid !== 0 && isOwner(uid)) fs.fchownSync(fd, uid, gid);
}

function openOwnFile(folder: string, name: string, flags: number, expected: ExpectedFile) {
  const { below, last } = splitName(name);
  return withOwnFolder(folder, below, (dir) => {
    const fd = fs.openSync(`${dir}/${last}`, flags | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = fs.fstatSync(fd);
      checkPath(`${folder}/${name}`, stat, expected);
      return { fd, stat };
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  });
}

/** Empties an existing file, and keeps its inode. */
export function emptyOwnFile(folder: string, name: string): void {
  const { fd } = openOwnFile(folder, name, O_WRONLY, "own-file");
  try {
    fs.ftruncateSync(fd, 0);
  } finally {
    fs.closeSync(fd);
  }
}

/** Removes a file if it exists. A symbolic link at the path is removed, not followed. */
export function removeOwnFile(folder: string, name: string): void {
  const { below, last } = splitName(name);
  returnNullIfAbsent(() => withOwnFolder(folder, below, (dir) => fs.unlinkSync(`${dir}/${last}`)));
}

/** Renames a file or folder; replaces a file at `to`. A symbolic link is renamed, not followed. */
export function renameOwnFile(folder: string, from: string, to: string): void {
  const [source, target] = [splitName(from), splitName(to)];
  withOwnFolder(folder, source.below, (dir) =>
    withOwnFolder(folder, target.below, (into) => fs.renameSync(`${dir}/${source.last}`, `${into}/${target.last}`)),
  );
}

/**
 * Creates a folder in `.mdmirror`, or `.mdmirror` itself if `name` is "", for this user alone. If
 * the folder exists, closes it to other users. The parent folder must exist.
 */
export function makeOwnFolder(folder: string, name: string): void {
  const { below, last } = splitName(name);
  if (name === "") {
    const parentDescriptor = fs.openSync(dirname(folder), O_RDONLY | O_DIRECTORY);
    try {
      makeFolderIn(folder, folder, parentDescriptor);
    } finally {
      fs.closeSync(parentDescriptor);
    }
  } else {
    withOwnFolder(folder, below, (dir, above) => makeFolderIn(`${dir}/${last}`, `${folder}/${name}`, above));
  }
}

function makeFolderIn(path: string, shown: string, above: number): void {
  let isNew = true;
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    isNew = false;
  }
  withFolder(path, shown, (_at, fd) => {
    setPermissions(fd, 0o700);
    if (isNew) giveToOwner(fd, above);
  });
}
