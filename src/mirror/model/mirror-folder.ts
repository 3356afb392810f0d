import type { LocalPath } from "../../contract/path.ts";

/** mdmirror's own folder, in the root. Nothing in it is ever synced. */
export const MIRROR_FOLDER = ".mdmirror";

/** Configuration file in `.mdmirror`: without this file, the folder is not linked. */
export const CONFIG_FILE = "config.json";

/**
 * File in `.mdmirror` while a daemon watches. It contains the socket's path, so that a process with
 * another environment finds the socket too.
 */
export const CONTROL_FILE = "daemon.json";

/**
 * `replaced`: a new file is written beside the old one and renamed over it. `in-place`: one inode
 * that is written repeatedly; a second hard link to it would be written too. `folder`: a folder for
 * mdmirror's own files. `store`: a folder with unchanged files of the user.
 */
export type OwnKind = "replaced" | "in-place" | "folder" | "store";

const SQLITE_FILES = ["state.db", "texts.db", "search.db"];
const REPLACED_FILES = ["marker", CONFIG_FILE, "key", "lock.json", "quiet.json", CONTROL_FILE];
const LOGS = ["mdmirror.log", "mdmirror.log.1", "mdmirror.log.2", "mdmirror.log.3", "mdmirror.log.4", "launchd.err"];

/**
 * Everything that mdmirror ever creates in `.mdmirror/`, by the path in that folder. Files have
 * mode 0600, folders 0700.
 */
export const OWN_ENTRIES: ReadonlyMap<string, OwnKind> = new Map<string, OwnKind>([
  [".gitignore", "replaced"],
  ...REPLACED_FILES.flatMap((name): [string, OwnKind][] => [
    [name, "replaced"],
    [`${name}.new`, "replaced"],
  ]),
  ["texts.suspect", "replaced"],
  ["state.db.before", "replaced"],
  // SQLite writes into this file, by its path.
  ["state.db.before.new", "in-place"],
  ["lock.db", "in-place"],
  ["lock.db-journal", "in-place"],
  ...SQLITE_FILES.flatMap((name): [string, OwnKind][] =>
    ["", "-wal", "-shm", "-journal"].map((end) => [`${name}${end}`, "in-place"]),
  ),
  ["log", "folder"],
  ...LOGS.map((name): [string, OwnKind] => [`log/${name}`, "in-place"]),
  ["tmp", "store"],
  ["trash", "store"],
  ["damaged", "store"],
  ["unlinked", "store"],
]);

/** Path of the linked folder itself in operands and inputs; elsewhere this path is "". */
export const WHOLE_FOLDER = ".";

/** Converts operands of a command to paths. */
export function pathsOfOperands(paths: readonly string[]): readonly LocalPath[] {
  return paths.map((path) => (path === WHOLE_FOLDER ? "" : path));
}
