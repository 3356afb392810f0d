/**
 * Keeps a copy of the state from before a migration until the next run ends in sync, so that the
 * older mdmirror can be used again.
 */

import { basename, dirname } from "node:path";
import type Sqlite from "better-sqlite3";
import { fillOwn } from "./own-database.ts";
import { removeOwn, renameOwn, statOwn } from "./own-files.ts";

/**
 * Suffix of the copy's name, beside `state.db`. The copy has the older schema, and is compact and
 * complete.
 */
const COPY_SUFFIX = ".before";

/**
 * Copies the file before a migration. ORDER: the copy is complete and flushed to disk before the
 * first step of the migration. An interrupted copy (`….before.new`) is replaced by a new one.
 * @throws as SQLite and node:fs do; nothing was changed then
 */
export function keepCopyBeforeMigration(db: Sqlite.Database, path: string): void {
  const [folder, name] = [dirname(path), `${basename(path)}${COPY_SUFFIX}`];
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
 * Removes the copy, after the newer mdmirror has completed a sync.
 * @param folder absolute path of `.mdmirror`
 */
export function removeCopyBeforeMigration(folder: string, file: string): void {
  if (statOwn(folder, `${file}${COPY_SUFFIX}`, "file") !== null) removeOwn(folder, `${file}${COPY_SUFFIX}`);
}
