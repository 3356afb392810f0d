/** Checks `.mdmirror/` as a whole, before anything in it is used. */

import * as fs from "node:fs";
import { OWN_ENTRIES, type OwnKind } from "../model/mirror-folder.ts";
import { statOwn, makeOwnFolder } from "./own-files.ts";
import { withOwnFolderOpen, inOwnFolder } from "./own-handle.ts";
import { type ExpectedFile, checkPath } from "../../common/unsafe-path.ts";

const EXPECTED: Readonly<Record<OwnKind, ExpectedFile>> = {
  replaced: "file",
  "in-place": "own-file",
  folder: "folder",
  store: "folder",
};

/**
 * Checks every file that mdmirror may ever open in its folder. So a command reports unsafe files at
 * its start, and files that SQLite opens by path were checked before. A missing folder is accepted.
 * @throws UnsafePathError
 */
export function examineOwnFolder(folder: string): void {
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  inOwnFolder(folder, "", (dir) => {
    for (const [name, kind] of OWN_ENTRIES) {
      const stat = fs.lstatSync(`${dir}/${name}`, { throwIfNoEntry: false });
      if (stat !== undefined) checkPath(`${folder}/${name}`, stat, EXPECTED[kind]);
    }
  });
}

/**
 * Files whose mode mdmirror does not change. The key's mode is checked when the key is read:
 * mdmirror then reports that other users may have read the key.
 */
const UNCHANGED_MODES: ReadonlySet<string> = new Set(["key", "key.new"]);

/**
 * Closes folders that other users may enter, then files that they may read or write. Called before
 * writing.
 * @throws UnsafePathError; otherwise as node:fs does
 */
export function tightenOwnFolder(folder: string): void {
  // The folder is missing. Its disk may be unmounted, so nothing is created.
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  examineOwnFolder(folder);
  makeOwnFolder(folder, "");
  withOwnFolderOpen(folder, () => {
    closeFoldersToOthers(folder);
    closeFilesToOthers(folder);
  });
}

function isFolder(kind: OwnKind): boolean {
  return EXPECTED[kind] === "folder";
}

function closeFoldersToOthers(folder: string): void {
  for (const [name, kind] of OWN_ENTRIES) {
    if (isFolder(kind) && statOwn(folder, name, "folder") !== null) makeOwnFolder(folder, name);
  }
}

function closeFilesToOthers(folder: string): void {
  inOwnFolder(folder, "", (dir) => {
    for (const [name, kind] of OWN_ENTRIES) {
      if (isFolder(kind) || UNCHANGED_MODES.has(name)) continue;
      const stat = fs.lstatSync(`${dir}/${name}`, { throwIfNoEntry: false });
      if (stat === undefined || (stat.mode & 0o077) === 0) continue;
      checkPath(`${folder}/${name}`, stat, EXPECTED[kind]);
      // RACE: the mode is set by path, because closing a descriptor of a database would release
      // this process's locks on it. At this point, other users can no longer enter the folder.
      restrictByName(`${dir}/${name}`);
    }
  });
}

/** Sets the mode by path. A disk without modes may refuse. */
function restrictByName(path: string): void {
  try {
    fs.chmodSync(path, 0o600);
  } catch (error) {
    if (!/^(EPERM|ENOTSUP|EROFS)$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}
