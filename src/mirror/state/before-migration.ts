/**
 * Keeps a copy of the state file before a newer mdmirror upgrades the file. With this copy, the
 * user can go back to the older mdmirror. The copy is removed when a run ends in sync.
 */

import { basename, dirname } from "node:path";
import type Sqlite from "better-sqlite3";
import { createFilledOwnFile } from "./own-database.ts";
import { removeOwnFile, renameOwnFile, statOwnFile } from "./own-files.ts";

/** Suffix of the name of the copy beside `state.db`. */
const COPY_SUFFIX = ".before";

/**
 * Copies a state file. If an earlier copy was interrupted (`….before.new`), copies the file again.
 * ORDER: the copy is flushed to disk before the upgrade begins.
 * @throws as SQLite and node:fs do; the state file is then unchanged
 */
export function keepCopyBeforeMigration(db: Sqlite.Database, path: string): void {
  const [folder, name] = [dirname(path), `${basename(path)}${COPY_SUFFIX}`];
  const newCopyName = `${name}.new`;
  removeOwnFile(folder, newCopyName);
  try {
    createFilledOwnFile(folder, newCopyName, (file) => void db.prepare("VACUUM INTO ?").run(file));
    renameOwnFile(folder, newCopyName, name);
  } catch (error) {
    removeOwnFile(folder, newCopyName);
    throw error;
  }
}

/**
 * Removes the copy of the older state file. ORDER: only after the newer mdmirror has completed a
 * sync.
 * @param folder absolute path of `.mdmirror`
 */
export function removeCopyBeforeMigration(folder: string, file: string): void {
  if (statOwnFile(folder, `${file}${COPY_SUFFIX}`, "file") !== null) removeOwnFile(folder, `${file}${COPY_SUFFIX}`);
}
