/**
 * Keeps a copy of the state file when a newer mdmirror upgrades it, so that the older mdmirror can
 * be used again. The copy is removed when a run ends in sync.
 */

import { basename, dirname } from "node:path";
import type Sqlite from "better-sqlite3";
import { createFilledOwnFile } from "./own-database.ts";
import { removeOwnFile, renameOwnFile, statOwnFile } from "./own-files.ts";

/** Suffix of the name of the copy beside `state.db`. */
const COPY_SUFFIX = ".before";

/**
 * Copies a state file. ORDER: the copy is flushed to disk before the upgrade begins. A copy that
 * was interrupted (`….before.new`) is written again.
 * @throws as SQLite and node:fs do; the state file is unchanged then
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
 * Removes the copy of the older state file. ORDER: after the newer mdmirror has completed a sync.
 * @param folder absolute path of `.mdmirror`
 */
export function removeCopyBeforeMigration(folder: string, file: string): void {
  if (statOwnFile(folder, `${file}${COPY_SUFFIX}`, "file") !== null) removeOwnFile(folder, `${file}${COPY_SUFFIX}`);
}
