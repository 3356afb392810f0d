import type { LocalPath } from "../../contract/path.ts";

/** mdmirror's own folder in the root of the linked folder, whose contents are never synced. */
export const MIRROR_FOLDER = ".mdmirror";

/** Configuration file in `.mdmirror`. A folder without this file is not linked. */
export const CONFIG_FILE = "config.json";

/**
 * File in `.mdmirror` that exists while a daemon runs, with the path of the daemon's socket. Other
 * processes may have another environment, from which they could not derive that path.
 */
export const CONTROL_FILE = "daemon.json";

/**
 * Kinds of files and folders in `.mdmirror`.
 * - `replaced`: a file that mdmirror always replaces by the rename of a new file
 * - `in-place`: a file that mdmirror writes in place, such as a database; a second hard link to it
 *   would show these changes too
 * - `folder`: a folder for mdmirror's own files
 * - `store`: a folder with files of the user that mdmirror keeps unchanged
 */
export type OwnEntryKind = "replaced" | "in-place" | "folder" | "store";

const SQLITE_FILES = ["state.db", "texts.db", "search.db"];
const REPLACED_FILES = ["marker", CONFIG_FILE, "key", "lock.json", "quiet.json", CONTROL_FILE];
const LOG_FILES = [
  "mdmirror.log",
  "mdmirror.log.1",
  "mdmirror.log.2",
  "mdmirror.log.3",
  "mdmirror.log.4",
  "launchd.err",
];

/** All files (mode 0600) and folders (mode 0700) that mdmirror creates in `.mdmirror/`. */
export const OWN_ENTRIES: ReadonlyMap<string, OwnEntryKind> = new Map<string, OwnEntryKind>([
  [".gitignore", "replaced"],
  ...REPLACED_FILES.flatMap((name): [string, OwnEntryKind][] => [
    [name, "replaced"],
    [`${name}.new`, "replaced"],
  ]),
  ["texts.suspect", "replaced"],
  ["state.db.before", "replaced"],
  ["state.db.before.new", "in-place"],
  ["lock.db", "in-place"],
  ["lock.db-journal", "in-place"],
  ...SQLITE_FILES.flatMap((name): [string, OwnEntryKind][] =>
    ["", "-wal", "-shm", "-journal"].map((end) => [`${name}${end}`, "in-place"]),
  ),
  ["log", "folder"],
  ...LOG_FILES.map((name): [string, OwnEntryKind] => [`log/${name}`, "in-place"]),
  ["tmp", "store"],
  ["trash", "store"],
  ["damaged", "store"],
  ["unlinked", "store"],
]);

/** Argument of commands for the whole linked folder, whose path is "" in the code. */
export const WHOLE_FOLDER = ".";

export function toPaths(paths: readonly string[]): readonly LocalPath[] {
  return paths.map((path) => (path === WHOLE_FOLDER ? "" : path));
}

/** mdmirror's ignore file. Files that are excluded stay unchanged, even if they have a record. */
export const IGNORE_FILE = ".mdmirrorignore";
/**
 * Git's ignore file, if the user has set mdmirror to use it. This file excludes only paths without
 * a record.
 */
export const GITIGNORE_FILE = ".gitignore";

export function isRuleFile(name: string): boolean {
  return name === IGNORE_FILE || name === GITIGNORE_FILE;
}
