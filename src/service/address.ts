import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Address at which administrators reach a running service: a file in its data folder. */

export type ServiceAddress = {
  /** `http://HOST:PORT` on loopback. */
  readonly url: string;
  readonly pid: number;
};

const ADDRESS_FILE = "address";

/**
 * Writes the file completely or not at all, readable by this user only.
 * @throws as node:fs does
 */
export function leaveAddress(dir: string, address: ServiceAddress): void {
  const file = join(dir, ADDRESS_FILE);
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(temporary, file);
}

/**
 * Removes the address file. ORDER: before the database is unlocked. After that, the file may belong
 * to the next service.
 */
export function removeAddress(dir: string): void {
  rmSync(join(dir, ADDRESS_FILE), { force: true });
}

/**
 * Reads the address.
 * @returns null if there is no address, or its process has ended. Another process may have the same
 * process id by now, so the address is only reliable if the database is also locked
 */
export function readAddress(dir: string): ServiceAddress | null {
  const address = parseAddress(readOrNothing(join(dir, ADDRESS_FILE)));
  return address !== null && lives(address.pid) ? address : null;
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/**
 * Returns the address in a text; null for a text of another form. mdmirror writes the file
 * completely or not at all, so another program wrote such a text.
 */
function parseAddress(text: string): ServiceAddress | null {
  const [, url, pid] = /^\{"url":"(http:\/\/[^"\\\s]+)","pid":(\d{1,10})\}\n$/.exec(text) ?? [];
  return url === undefined ? null : { url, pid: Number(pid) };
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
