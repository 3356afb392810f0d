/** Checks all files and folders in `.mdmirror/` before any of them is used. */

import * as fs from "node:fs";
import { OWN_ENTRIES, type OwnEntryKind } from "../model/mirror-folder.ts";
import { statOwnFile, makeOwnFolder } from "./own-files.ts";
import { withOwnFolderOpen, withOwnFolder } from "./own-handle.ts";
import { type ExpectedFile, checkPath } from "../../common/unsafe-path.ts";

const EXPECTED_KINDS: Readonly<Record<OwnEntryKind, ExpectedFile>> = {
  replaced: "file",
  "in-place": "own-file",
  folder: "folder",
  store: "folder",
};

/**
 * Checks all files that mdmirror may open in `.mdmirror`. A command calls this at its start, so
 * that it reports unsafe files before SQLite opens any of them by path. Accepts a missing folder.
 * @throws UnsafePathError
 */
export function examineOwnFolder(folder: string): void {
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  withOwnFolder(folder, "", (dir) => {
    for (const [name, kind] of OWN_ENTRIES) {
      const stat = fs.lstatSync(`${dir}/${name}`, { throwIfNoEntry: false });
      if (stat !== undefined) checkPath(`${folder}/${name}`, stat, EXPECTED_KINDS[kind]);
    }
  });
}

/**
 * Files that contain the API key. If other users can read them, mdmirror reports that, and does not
 * change their mode.
 */
const UNCHANGED_MODES: ReadonlySet<string> = new Set(["key", "key.new"]);

/**
 * Closes all folders to other users, then all files. ORDER: before anything is written.
 * @throws UnsafePathError; otherwise as node:fs does
 */
export function tightenOwnFolder(folder: string): void {
  // Nothing is created if the folder is missing, because its disk may not be mounted.
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
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
      const stat = fs.lstatSync(`${dir}/${name}`, { throwIfNoEntry: false });
      if (stat === undefined || (stat.mode & 0o077) === 0) continue;
      checkPath(`${folder}/${name}`, stat, EXPECTED_KINDS[kind]);
      // RACE: the permissions are set by path, so another process could swap the file first. But
      // other users can no longer enter the folder. To set them through an open file is impossible:
      // closing that file would release this process's locks on a database.
      setPermissionsByPath(`${dir}/${name}`);
    }
  });
}

/** Sets permissions by path. Ignores a refusal, because some disks have no permissions. */
function setPermissionsByPath(path: string): void {
  try {
    fs.chmodSync(path, 0o600);
  } catch (error) {
    if (!/^(EPERM|ENOTSUP|EROFS)$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}
