/** Reads and writes the two key files of a data folder: `admin-key`, and `key` for a workspace. */

import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/**
 * Reads a key.
 * @returns null if the file does not exist
 */
export function readKey(file: string): string | null {
  try {
    const key = readFileSync(file, "utf8").trim();
    chmodSync(file, 0o600);
    return key === "" ? null : key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Writes the file completely or not at all, so that a killed process leaves no partial key. */
export function writeKey(file: string, key: string): void {
  const temporary = `${file}.new`;
  writeFileSync(temporary, `${key}\n`, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}

export function makeAdminKey(file: string): string {
  const key = `mdm_admin_${randomBytes(32).toString("base64url")}`;
  writeKey(file, key);
  return key;
}
