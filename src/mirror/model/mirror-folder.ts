/** mdmirror's own folder, in the root. Nothing in it is ever synced. */
export const MIRROR_FOLDER = ".mdmirror";

/** File in it with the configuration: without it, the folder is not linked. */
export const CONFIG_FILE = "config.json";

/**
 * File in it while a daemon watches the folder: it names the socket, so that a process with another
 * environment finds it too.
 */
export const CONTROL_FILE = "daemon.json";

/**
 * `replaced`: a new file is written beside it and renamed over it. `in-place`: one inode that is
 * written repeatedly, so a second name of it would be written too. `folder`: of mdmirror's own
 * files. `store`: a folder of files that were the user's, as they were.
 */
export type OwnKind = "replaced" | "in-place" | "folder" | "store";

const SQLITE_FILES = ["state.db", "texts.db", "search.db"];
const REPLACED = ["marker", CONFIG_FILE, "key", "lock.json", "quiet.json", CONTROL_FILE];
const LOGS = ["mdmirror.log", "mdmirror.log.1", "mdmirror.log.2", "mdmirror.log.3", "mdmirror.log.4", "launchd.err"];

/**
 * Everything that is ever made in `.mdmirror/`, by its path in it. Files have mode 0600, folders
 * 0700.
 */
export const OWN_ENTRIES: ReadonlyMap<string, OwnKind> = new Map<string, OwnKind>([
  [".gitignore", "replaced"],
  ...REPLACED.flatMap((name): [string, OwnKind][] => [
    [name, "replaced"],
    [`${name}.new`, "replaced"],
  ]),
  ["texts.suspect", "replaced"],
  ["state.db.before", "replaced"],
  // SQLite writes into it, by path.
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
