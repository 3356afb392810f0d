/** Makes and restores backups of PostgreSQL, in the same form as backups of SQLite. */

import { existsSync } from "node:fs";
import { backUpDatabase, restoreDatabase } from "../store/postgres/backup.ts";
import { type BackupContents, examineBackup, sealBackup } from "../store/sqlite/backup.ts";
import { explainDatabaseError } from "../data-trouble.ts";
import { readErrorCode, ok, type Result } from "../../common/trouble.ts";
import { explainFailedBackup, explainFailedRestore, refuseExisting, type TakenBackup } from "./backup.ts";

/**
 * Makes a backup of a PostgreSQL database.
 * @param url URL of the database, which may contain a password
 * @param out absolute path of the new backup file; must not exist
 */
export async function takeDatabaseBackup(url: string, out: string): Promise<Result<TakenBackup>> {
  if (existsSync(out)) return refuseExisting(out);
  try {
    await backUpDatabase(url, out);
    return ok({ file: out, ...sealBackup(out) });
  } catch (error) {
    const isOfFile = /^E(?:ACCES|EXIST|ISDIR|NOENT|NOSPC|NOTDIR|PERM|ROFS)$/.test(readErrorCode(error) ?? "");
    return isOfFile ? explainFailedBackup(out, error) : explainDatabaseError(url, error);
  }
}

/**
 * Restores a backup into a PostgreSQL database.
 * @param file absolute path of the backup
 * @param url URL of a database that no service uses
 */
export async function restoreToDatabase(file: string, url: string): Promise<Result<BackupContents>> {
  let contents: BackupContents;
  try {
    contents = examineBackup(file);
  } catch (error) {
    return explainFailedRestore(file, error);
  }
  try {
    await restoreDatabase(file, url);
    return ok(contents);
  } catch (error) {
    return explainDatabaseError(url, error);
  }
}
