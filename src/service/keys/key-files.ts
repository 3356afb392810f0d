import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** The two keys that lie in a data folder, and the chance that all keys are made of. */

/** @returns null: there is none */
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

/** Writes the whole key or nothing: a killed process leaves no half of it. */
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

/**
 * Fetches random bytes of the system by the thousand: an id takes 20, and one call costs more than
 * making the id.
 */
export function pooledRandom(): (bytes: number) => Uint8Array {
  const POOL_BYTES = 4_096;
  let pool = randomBytes(POOL_BYTES);
  return (bytes) => {
    if (bytes > pool.length) pool = randomBytes(Math.max(POOL_BYTES, bytes));
    const taken = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  };
}
