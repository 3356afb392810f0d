import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { copyFile, open } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../common/clock.ts";
import { BACKUP_FILE, type BackupContents, NoBackupError, renewBackup, sealBackup } from "../store/sqlite/backup.ts";
import { type OpenWire, reachByFolder } from "../admin/reach.ts";
import { ok, readErrorCode, refusal, type Result, toSystemTrouble, trouble } from "../../common/trouble.ts";
import { isDatabaseFolder } from "../data-files.ts";
import { makeFolders } from "../../common/make-folders.ts";

export type TakenBackup = BackupContents & { readonly file: string };

/**
 * Makes a backup of a service's data folder. The service may run or be stopped. The backup file
 * gets its final name only after a check.
 * @param dataFolder absolute path
 * @param out absolute path of the backup; must not exist
 */
export async function takeBackup(
  dataFolder: string,
  out: string,
  reach: { readonly clock: Clock; readonly openWire: OpenWire },
): Promise<Result<TakenBackup>> {
  if (existsSync(out)) return refuseExisting(out);
  const session = await reachByFolder(dataFolder, reach);
  if (session.kind === "trouble") return session;
  try {
    const answer = await session.value.ask("takeBackup");
    if (answer.kind === "trouble") return answer;
    return await saveBackup(join(dataFolder, BACKUP_FILE), out);
  } finally {
    await session.value.close();
  }
}

async function saveBackup(copy: string, out: string): Promise<Result<TakenBackup>> {
  try {
    const contents = sealBackup(copy);
    await moveFile(copy, out);
    return ok({ file: out, ...contents });
  } catch (error) {
    rmSync(copy, { force: true });
    if (error instanceof NoBackupError)
      return trouble(
        "fault",
        `the new backup ${error.message}`,
        "check the disk, then run mdmirror serve backup again",
      );
    return explainFailedBackup(out, error);
  }
}

/**
 * Returns the reason why a backup cannot be written.
 * @param error error that prevented the backup
 * @throws `error` if it is a bug
 */
export function explainFailedBackup(out: string, error: unknown): Result<never> {
  return toSystemTrouble(error, `${out} cannot be written`, "give another file with --out");
}

/**
 * Moves a file. If the new path is on another disk, makes a complete copy first, then gives the
 * copy its name.
 */
async function moveFile(from: string, to: string): Promise<void> {
  try {
    renameToFree(from, to);
  } catch (error) {
    if (readErrorCode(error) !== "EXDEV") throw error;
    await copyFileChecked(from, to, () => null);
    rmSync(from);
  }
}

/**
 * Copies a file completely.
 * @param check checks the copy before the copy gets its final name
 * @throws the error of node:fs or of `check`; then no file is at `to`
 */
export async function copyFileChecked<T>(from: string, to: string, check: (copy: string) => T): Promise<T> {
  const temporaryFile = `${to}.new`;
  rmSync(temporaryFile, { force: true });
  try {
    // The file gets its permissions before it gets content, so that other users can never read it.
    const file = await open(temporaryFile, "wx", 0o600);
    try {
      await copyFile(from, temporaryFile);
      const checkResult = check(temporaryFile);
      await file.sync();
      renameToFree(temporaryFile, to);
      return checkResult;
    } finally {
      await file.close();
    }
  } catch (error) {
    rmSync(temporaryFile, { force: true });
    throw error;
  }
}

/**
 * Renames a file. Never replaces a file at the new name, because a service may have started in the
 * folder meanwhile.
 * @throws EEXIST if there is a file at the new name
 */
function renameToFree(from: string, to: string): void {
  try {
    linkSync(from, to);
    rmSync(from);
  } catch (error) {
    if (!/^(?:EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(readErrorCode(error) ?? "")) throw error;
    // RACE: on a disk without hard links, a file that is created after the check for an existing
    // file is replaced.
    if (existsSync(to)) throw Object.assign(new Error(`${to} exists already`), { code: "EEXIST" });
    renameSync(from, to);
  }
}

export function refuseExisting(file: string): Result<never> {
  return refusal(`${file} already exists`, "give the name of a new file with --out", "EEXIST");
}

/**
 * Names of the files of a service's database. A restore refuses a folder with any of these files,
 * because SQLite would apply an old journal to the restored database.
 */
const SERVICE_FILES = ["service.db", "service.db-wal", "service.db-journal"];

export type { BackupContents } from "../store/sqlite/backup.ts";

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
    return refusal(`${dataFolder} holds ${foundService}`, nextStep, "EEXIST");
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
    return refusal(`${file} ${error.message}; nothing was restored`, nextStep);
  }
  const nextStep = "use a backup that this user may read and a folder that this user may write";
  return toSystemTrouble(error, `${file} cannot be restored`, nextStep);
}
