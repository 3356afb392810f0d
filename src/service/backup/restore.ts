import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDatabaseFolder } from "../database-marker.ts";
import { type BackupContents, NoBackupError, renewBackup } from "../store/sqlite/backup-file.ts";
import { ok, type Result, toSystemTrouble, trouble } from "../../common/trouble.ts";
import { copyFileChecked } from "./take.ts";
import { makeFolders } from "../../common/make-folders.ts";

/**
 * Names of the files of a service's database. A restore refuses a folder with any of them, because
 * SQLite would apply an old journal to the restored database.
 */
const SERVICE_FILES = ["service.db", "service.db-wal", "service.db-journal"];

export type { BackupContents } from "../store/sqlite/backup-file.ts";

/**
 * Creates a data folder from a backup. The backup contains the keys of the workspaces, but not the
 * admin key: the first service that starts in the folder creates an admin key.
 * @param file absolute path of the backup
 * @param dataFolder absolute path; must not contain a service yet
 */
export async function restoreBackup(file: string, dataFolder: string): Promise<Result<BackupContents>> {
  const existingFile = SERVICE_FILES.find((name) => existsSync(join(dataFolder, name)));
  if (existingFile !== undefined || isDatabaseFolder(dataFolder)) {
    const foundService =
      existingFile === "service.db" ? "a service already" : `the remains of a service (${existingFile ?? "database"})`;
    const nextStep = "give a new folder with --data: a restore never overwrites a service";
    return trouble("usage", `${dataFolder} holds ${foundService}`, nextStep, { code: "EEXIST" });
  }
  try {
    makeFolders(dataFolder, 0o700);
    return ok(await copyFileChecked(file, join(dataFolder, "service.db"), renewBackup));
  } catch (error) {
    return explainFailedRestore(file, error);
  }
}

/**
 * Returns the reason why a backup was not restored.
 * @param error error of the restore
 * @throws `error` if it is a bug
 */
export function explainFailedRestore(file: string, error: unknown): Result<never> {
  if (error instanceof NoBackupError) {
    const nextStep =
      "give a file that mdmirror serve backup made; to use a copied service.db, put it into a new folder and start a service with that --data";
    return trouble("usage", `${file} ${error.message}; nothing was restored`, nextStep);
  }
  const nextStep = "use a backup that this user may read and a folder that this user may write";
  return toSystemTrouble(error, `${file} cannot be restored`, nextStep);
}
