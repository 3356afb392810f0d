import { OWN_ENTRIES, type OwnKind } from "../model/mirror-folder.ts";
import { inOwnFolder, lookAtOwn, makeOwnFolder } from "./own-files.ts";
import { type Expected, judge } from "./unsafe-path.ts";

const fs = process.getBuiltinModule("node:fs");

/** `.mdmirror/` as a whole, before anything in it is used. */

const EXPECTED: Readonly<Record<OwnKind, Expected>> = {
  replaced: "file",
  "in-place": "own-file",
  folder: "folder",
  store: "folder",
};

/**
 * Looks at everything that the mirror may ever open in its folder (some 30 `lstat`, a tenth of a
 * millisecond), so that a command says at its start what it does not trust, and SQLite, which opens
 * by path, finds what was looked at. A folder that is not there is in order.
 * @throws UnsafePath
 */
export function examineOwnFolder(folder: string): void {
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  inOwnFolder(folder, "", (at) => {
    for (const [name, kind] of OWN_ENTRIES) {
      const stat = fs.lstatSync(`${at}/${name}`, { throwIfNoEntry: false });
      if (stat !== undefined) judge(`${folder}/${name}`, stat, EXPECTED[kind]);
    }
  });
}

/** The key's own mode is judged where it is read: who may have read it is told, not hidden. */
const LEFT_AS_IT_IS: ReadonlySet<string> = new Set(["key", "key.new"]);

/**
 * For who writes in it: folders that others may enter are closed to them first, then files that
 * they may read or write.
 * @throws UnsafePath; else as node:fs does
 */
export function tightenOwnFolder(folder: string): void {
  // Nothing is made where a disk was taken away.
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  examineOwnFolder(folder);
  makeOwnFolder(folder, "");
  closeFoldersToOthers(folder);
  closeFilesToOthers(folder);
}

function isFolder(kind: OwnKind): boolean {
  return EXPECTED[kind] === "folder";
}

function closeFoldersToOthers(folder: string): void {
  for (const [name, kind] of OWN_ENTRIES) {
    if (isFolder(kind) && lookAtOwn(folder, name, "folder") !== null) makeOwnFolder(folder, name);
  }
}

function closeFilesToOthers(folder: string): void {
  inOwnFolder(folder, "", (at) => {
    for (const [name, kind] of OWN_ENTRIES) {
      if (isFolder(kind) || LEFT_AS_IT_IS.has(name)) continue;
      const stat = fs.lstatSync(`${at}/${name}`, { throwIfNoEntry: false });
      if (stat === undefined || (stat.mode & 0o077) === 0) continue;
      judge(`${folder}/${name}`, stat, EXPECTED[kind]);
      // RACE: by path, for a descriptor of a database that is closed would drop this process's
      // locks on it. The folder is closed to others by now.
      restrictByName(`${at}/${name}`);
    }
  });
}

/** A disk without modes may refuse. */
function restrictByName(path: string): void {
  try {
    fs.chmodSync(path, 0o600);
  } catch (error) {
    if (!/^(EPERM|ENOTSUP|EROFS)$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}
