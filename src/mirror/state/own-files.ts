/**
 * Access to the files in `.mdmirror/`. Somebody else may have created files in this folder.
 * Therefore no call follows a symbolic link below the linked folder, and files of other users are
 * refused. New files are created with O_EXCL, for this user alone.
 *
 * In all calls, `folder` is the absolute path of `.mdmirror`, whose parent is a real path, and
 * `name` is a path in it. All calls throw UnsafePathError, or errors as node:fs does. Only two
 * other parts of the code open files in `.mdmirror/`. `own-database.ts` opens the databases.
 * `local/` accesses `tmp/` and `trash/` by the same rules.
 */
import * as fs from "node:fs";
import type { Stats } from "node:fs";
import { checkPath, type ExpectedFile, isOwner } from "../../common/ownership.ts";
import { dirname } from "node:path";
import { OWN_ENTRIES, type OwnEntryKind } from "../model/mirror-folder.ts";

let isProcUsable: boolean | null = null;

/**
 * Returns true if paths through `/proc/self/fd` work, which replace the missing `openat`. Such
 * paths need a mounted `/proc` that shows this process.
 */
function canReachByProc(fd: number): boolean {
  isProcUsable ??= process.platform === "linux" && doesProcLeadTo(fd);
  return isProcUsable;
}

function doesProcLeadTo(fd: number): boolean {
  const statByProc = statOrNull(`/proc/self/fd/${fd}/.`);
  const statByDescriptor = fs.fstatSync(fd);
  return statByProc !== null && statByProc.dev === statByDescriptor.dev && statByProc.ino === statByDescriptor.ino;
}

/** The open folder of the current call of `withOwnFolderOpen`; null outside such a call. */
let openFolder: { readonly folder: string; readonly dir: string; readonly fd: number } | null = null;

/**
 * Opens `.mdmirror` once for `work`, which opens many files in it. Opening the folder again for
 * each file would take longer than the work. If the folder does not exist, only runs `work`.
 * @param work must be synchronous
 * @throws UnsafePathError; exceptions of `work`
 */
export function withOwnFolderOpen<T>(folder: string, work: () => T): T {
  if (openFolder?.folder === folder || statOrNull(folder) === null) return work();
  return withFolder(folder, folder, (dir, fd) => {
    const previousFolder = openFolder;
    openFolder = { folder, dir, fd };
    try {
      return work();
    } finally {
      openFolder = previousFolder;
    }
  });
}

/**
 * Opens `.mdmirror` (`below` is ""), or a folder in it, and runs `work`.
 * RACE: without `/proc`, the folder is used by its path after the check. A swap in between needs
 * write access to `.mdmirror`.
 * @param work receives a path of the folder, which is valid only during this call
 * @throws UnsafePathError; an errno if a folder is missing
 */
export function withOwnFolder<T>(folder: string, below: string, work: (dir: string, fd: number) => T): T {
  const openAndRun = (dir: string, fd: number): T =>
    below === "" ? work(dir, fd) : withFolderBelow(dir, folder, below.split("/"), work);
  return openFolder?.folder === folder
    ? openAndRun(openFolder.dir, openFolder.fd)
    : withFolder(folder, folder, openAndRun);
}

function withFolderBelow<T>(
  dir: string,
  shown: string,
  names: readonly string[],
  work: (dir: string, fd: number) => T,
): T {
  const [name, ...rest] = names;
  return withFolder(`${dir}/${name}`, `${shown}/${name}`, (inner, fd) =>
    rest.length === 0 ? work(inner, fd) : withFolderBelow(inner, `${shown}/${name}`, rest, work),
  );
}

/**
 * Opens a folder, and runs `work`.
 * @param shown path of the folder for messages
 */
function withFolder<T>(path: string, shown: string, work: (dir: string, fd: number) => T): T {
  checkPath(shown, fs.lstatSync(path), "folder");
  const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    checkPath(shown, fs.fstatSync(fd), "folder");
    return work(canReachByProc(fd) ? `/proc/self/fd/${fd}` : path, fd);
  } finally {
    fs.closeSync(fd);
  }
}

function statOrNull(path: string): Stats | null {
  return fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

// With O_NONBLOCK, `open` does not wait if somebody has put a FIFO at the path.
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
 * Replaces a whole file by renaming a new file (`NAME.new`).
 * @param survives true if the file must survive a power loss; otherwise a power loss may leave the
 * file empty
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

/** Appends text to a file. Creates a missing file. */
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

function setPermissions(fd: number, mode: number): void {
  if ((fs.fstatSync(fd).mode & 0o7777) !== mode) setModeIfPossible(() => fs.fchmodSync(fd, mode));
}

/**
 * Sets permissions, and ignores a disk without permissions (FAT), whose mount options decide who
 * may read the files.
 */
function setModeIfPossible(setMode: () => void): void {
  try {
    setMode();
  } catch (error) {
    if (!/^(EPERM|ENOTSUP|EROFS)$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

/**
 * Gives a new file to the owner of its folder, because a user's files must belong to that user even
 * if mdmirror runs under sudo.
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

/** Empties an existing file. The inode stays. */
export function emptyOwnFile(folder: string, name: string): void {
  const { fd } = openOwnFile(folder, name, O_WRONLY, "own-file");
  try {
    fs.ftruncateSync(fd, 0);
  } finally {
    fs.closeSync(fd);
  }
}

/** Removes a file if it exists. Removes a symbolic link at the path, not its target. */
export function removeOwnFile(folder: string, name: string): void {
  const { below, last } = splitName(name);
  returnNullIfAbsent(() => withOwnFolder(folder, below, (dir) => fs.unlinkSync(`${dir}/${last}`)));
}

/** Renames a file or folder; replaces a file at `to`. Renames a symbolic link, not its target. */
export function renameOwnFile(folder: string, from: string, to: string): void {
  const [source, target] = [splitName(from), splitName(to)];
  withOwnFolder(folder, source.below, (dir) =>
    withOwnFolder(folder, target.below, (into) => fs.renameSync(`${dir}/${source.last}`, `${into}/${target.last}`)),
  );
}

/**
 * Creates a folder in `.mdmirror`, or `.mdmirror` if `name` is "", for this user alone. Removes
 * other users' permissions from an existing folder. The parent folder must exist.
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

const EXPECTED_KINDS: Readonly<Record<OwnEntryKind, ExpectedFile>> = {
  replaced: "file",
  "in-place": "own-file",
  folder: "folder",
  store: "folder",
};

/**
 * Checks all files that mdmirror may open in `.mdmirror`. Called at the start of a command, so that
 * unsafe files are reported before SQLite opens any of them by path. Accepts a missing folder.
 * @throws UnsafePathError
 */
export function examineOwnFolder(folder: string): void {
  if (statOrNull(folder) === null) return;
  withOwnFolder(folder, "", (dir) => {
    for (const [name, kind] of OWN_ENTRIES) {
      const stat = statOrNull(`${dir}/${name}`);
      if (stat !== null) checkPath(`${folder}/${name}`, stat, EXPECTED_KINDS[kind]);
    }
  });
}

/**
 * Files that contain the API key. If other users can read these files, mdmirror reports the mode,
 * and does not change it.
 */
const UNCHANGED_MODES: ReadonlySet<string> = new Set(["key", "key.new"]);

/**
 * Removes other users' permissions from all folders, then from all files.
 * ORDER: called before any file is written, so that other users cannot read new content.
 * @throws UnsafePathError; otherwise as node:fs does
 */
export function tightenOwnFolder(folder: string): void {
  // A missing folder is not created, because its disk may not be mounted.
  if (statOrNull(folder) === null) return;
  examineOwnFolder(folder);
  makeOwnFolder(folder, "");
  withOwnFolderOpen(folder, () => {
    closeFoldersToOthers(folder);
    closeFilesToOthers(folder);
  });
}

function isFolder(kind: OwnEntryKind): boolean {
  return EXPECTED_KINDS[kind] === "folder";
}

function closeFoldersToOthers(folder: string): void {
  for (const [name, kind] of OWN_ENTRIES) {
    if (isFolder(kind) && statOwnFile(folder, name, "folder") !== null) makeOwnFolder(folder, name);
  }
}

function closeFilesToOthers(folder: string): void {
  withOwnFolder(folder, "", (dir) => {
    for (const [name, kind] of OWN_ENTRIES) {
      if (isFolder(kind) || UNCHANGED_MODES.has(name)) continue;
      const stat = statOrNull(`${dir}/${name}`);
      if (stat === null || (stat.mode & 0o077) === 0) continue;
      checkPath(`${folder}/${name}`, stat, EXPECTED_KINDS[kind]);
      // RACE: the permissions are set by path, so another process could swap the file between the
      // check and this call. But other users can no longer enter the folder. An open file is no
      // alternative: closing the file would release this process's locks on a database.
      setModeIfPossible(() => fs.chmodSync(`${dir}/${name}`, 0o600));
    }
  });
}
