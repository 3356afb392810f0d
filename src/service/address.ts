import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where a running service is asked about its administration: a file in its data folder. */

export type ServiceAddress = {
  /** `http://HOST:PORT` on this machine's own loopback. */
  readonly url: string;
  readonly pid: number;
};

const ADDRESS_FILE = "address";

/** Written whole or not at all, for this user alone. @throws as node:fs does */
export function leaveAddress(dir: string, address: ServiceAddress): void {
  const file = join(dir, ADDRESS_FILE);
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(temporary, file);
}

/** ORDER: while the database is still held, so that the next service's own address stays. */
export function removeAddress(dir: string): void {
  rmSync(join(dir, ADDRESS_FILE), { force: true });
}

/**
 * @returns null: there is none, or none of a process that still lives. A process id may have been
 * given anew, so it proves nothing unless the database is held too
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

/** It was written by rename, so anything but an address is not ours. */
function parseAddress(text: string): ServiceAddress | null {
  const [, url, pid] = /^\{"url":"(http:\/\/[^"\\\s]+)","pid":(\d{1,10})\}\n$/.exec(text) ?? [];
  return url === undefined ? null : { url, pid: Number(pid) };
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and is another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
