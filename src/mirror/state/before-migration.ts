import { basename, dirname } from "node:path";
import type Sqlite from "better-sqlite3";
import { fillOwn } from "./own-database.ts";
import { statOwn, removeOwn, renameOwn } from "./own-files.ts";

/**
 * Keeps the state from before a migration until a run ends in sync once more, so that the earlier
 * program can be used again.
 */

/** Beside `state.db`: the file of the older schema, compact and whole. */
const END = ".before";

/**
 * ORDER: whole and on the disk before the first step of the migration. An interrupted copy
 * (`….before.new`) is made again.
 * @throws as SQLite and node:fs do: then nothing was changed
 */
export function keepBefore(db: Sqlite.Database, path: string): void {
  const [folder, name] = [dirname(path), `${basename(path)}${END}`];
  const fresh = `${name}.new`;
  removeOwn(folder, fresh);
  try {
    fillOwn(folder, fresh, (file) => void db.prepare("VACUUM INTO ?").run(file));
    renameOwn(folder, fresh, name);
  } catch (error) {
    removeOwn(folder, fresh);
    throw error;
  }
}

/**
 * The newer program has proven itself.
 * @param folder absolute path of `.mdmirror`
 */
export function dropBefore(folder: string, file: string): void {
  if (statOwn(folder, `${file}${END}`, "file") !== null) removeOwn(folder, `${file}${END}`);
}
