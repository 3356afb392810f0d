/** Address at which administrators reach a running service: a file in its data folder. */

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ADDRESS_FILE = "address";

/**
 * Writes the file completely or not at all, readable by this user only.
 * @param url `http://HOST:PORT` on loopback
 * @throws as node:fs does
 */
export function writeAddress(dir: string, url: string): void {
  const file = join(dir, ADDRESS_FILE);
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify({ url })}\n`, { mode: 0o600, flag: "wx" });
  renameSync(temporary, file);
}

/**
 * Removes the address file. ORDER: called before the database is unlocked. After that, the file may
 * belong to the next service.
 */
export function removeAddress(dir: string): void {
  rmSync(join(dir, ADDRESS_FILE), { force: true });
}

/**
 * Reads the address.
 * @returns null if there is none. A killed service leaves its address, so the address is reliable
 * only while the database is locked
 */
export function readAddress(dir: string): string | null {
  return /^\{"url":"(http:\/\/[^"\\\s]+)"\}\n$/.exec(readOrNothing(join(dir, ADDRESS_FILE)))?.[1] ?? null;
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
