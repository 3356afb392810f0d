/**
 * Reads and writes small files of a data folder. Only the owner of the folder may read these files.
 * `admin-key` and `key` contain keys; `address` contains the address of the running service.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";

/** Returns the key in a file; null if the file is empty or does not exist. */
export function readKey(file: string): string | null {
  const text = readIfExists(file);
  if (text === null) return null;
  chmodSync(file, 0o600);
  const key = text.trim();
  return key === "" ? null : key;
}

export function makeAdminKey(file: string): string {
  const key = `mdm_admin_${randomBytes(32).toString("base64url")}`;
  writeOwnFile(file, key);
  return key;
}

const ADDRESS_FILE = "address";

/** @param url `http://HOST:PORT`, where HOST is a loopback address */
export function writeAddress(dir: string, url: string): void {
  writeOwnFile(join(dir, ADDRESS_FILE), JSON.stringify({ url }));
}

/**
 * ORDER: call this function while this process still has the lock of the database. Without the
 * lock, another service may have written its own address into the file.
 */
export function removeAddress(dir: string): void {
  rmSync(join(dir, ADDRESS_FILE), { force: true });
}

/**
 * Returns the address of the service; null if the folder contains no address. A killed service
 * leaves its address in the folder, so the caller must check whether the database is locked.
 */
export function readAddress(dir: string): string | null {
  return /^\{"url":"(http:\/\/[^"\\\s]+)"\}\n$/.exec(readIfExists(join(dir, ADDRESS_FILE)) ?? "")?.[1] ?? null;
}

/** Writes a file of one line completely or not at all, even if the process is killed. */
export function writeOwnFile(file: string, line: string): void {
  const temporaryFile = `${file}.new`;
  rmSync(temporaryFile, { force: true });
  writeFileSync(temporaryFile, `${line}\n`, { mode: 0o600, flag: "wx" });
  renameSync(temporaryFile, file);
}

function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Name of a file in the data folder, which shows that the documents are in PostgreSQL. The process
 * that serves the documents locks this marker file; the operating system ends the lock with the
 * process. So the address in the data folder is valid only while the marker file is locked.
 */
const MARKER_FILE = "database";

export class WrongStoreError extends Error {
  readonly code = "other-data";
}

export function isDatabaseFolder(dir: string): boolean {
  return existsSync(join(dir, MARKER_FILE));
}

/**
 * Marks a data folder as one whose documents are in PostgreSQL, and locks the marker file.
 * @returns a function that releases the lock
 * @throws SQLITE_BUSY if another process has locked the marker file
 */
export function lockMarker(dir: string): () => void {
  const lock = new Sqlite(join(dir, MARKER_FILE), { timeout: 0 });
  try {
    lock.pragma("locking_mode = EXCLUSIVE");
    lock.exec("BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (by INTEGER); COMMIT");
    return () => lock.close();
  } catch (error) {
    lock.close();
    throw error;
  }
}
