/**
 * Finds the program that has a file open, by a lock or swap file beside it. A lock whose process
 * has died does not count. If the lock names no process, or one of another machine, it counts; the
 * caller ignores it after a time.
 */

import { hostname, uptime } from "node:os";
import type { LocalPath } from "../../contract/path.ts";
import type { FileUse } from "../ports/disk.ts";
import type { Fs } from "../ports/fs.ts";
import { anyErrno, attemptCall } from "./errno.ts";
import type { RootGuard } from "./root-guard.ts";

/** Facts about the processes of this machine. */
export type ProcessProbe = {
  /** Name of the machine, as programs write it into their locks. */
  readonly host: () => string;
  readonly isAlive: (pid: number) => boolean;
  /** Start of the machine, in milliseconds since the epoch; null if unknown. */
  readonly bootedAt: () => number | null;
};

export const SYSTEM_PROCESS_PROBE: ProcessProbe = { host: hostName, isAlive, bootedAt };

function hostName(): string {
  return hostname();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process belongs to another user, and it is running.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function bootedAt(): number | null {
  return Date.now() - uptime() * 1_000;
}

/** Tolerance, because the disk's clock may differ from the machine's, and users may set a clock. */
const BOOT_TOLERANCE_MS = 60_000;

/**
 * Returns the name of the program that has a file open; null if no lock shows one.
 * @param abs absolute path, from the root guard
 */
export function programWithFileOpen(fs: Fs, abs: string, processProbe: ProcessProbe): string | null {
  const slash = abs.lastIndexOf("/");
  const [folder, name] = [abs.slice(0, slash), abs.slice(slash + 1)];
  const hidden = name.startsWith(".") ? name : `.${name}`;
  for (const ending of SWAP_ENDINGS) {
    const editor = swapOwner(fs, `${folder}/${hidden}.${ending}`, processProbe);
    if (editor !== null) return editor;
  }
  return emacsOwner(fs, `${folder}/.#${name}`, processProbe) ?? officeOwner(fs, `${folder}/.~lock.${name}#`);
}

/**
 * Endings of swap files. Vim uses the next ending if the first file exists already, as after a
 * crash.
 */
const SWAP_ENDINGS = ["swp", "swo", "swn"] as const;

/**
 * First block of a swap file of Vim, as nano writes it too: `b0`, ten characters of the program's
 * version, then at 24 the process, at 68 the machine's name.
 */
const VIM_BLOCK = { version: 2, pid: 24, host: 68, hostBytes: 40, minBytes: 108 } as const;

function swapOwner(fs: Fs, path: string, processProbe: ProcessProbe): string | null {
  const lock = attemptCall(() => fs.readFile(path));
  // A swap file that cannot be read counts: a program is just writing it, or it belongs to another
  // user.
  if ("errno" in lock) return ABSENT_CODES.has(lock.errno) ? null : "vim";
  const found = lock.value;
  const block = Buffer.from(found.bytes.buffer, found.bytes.byteOffset, found.bytes.byteLength);
  if (block.length < VIM_BLOCK.minBytes || block.toString("latin1", 0, 2) !== "b0") return null;
  const editor = /^nano/i.test(block.toString("latin1", VIM_BLOCK.version, VIM_BLOCK.version + 4)) ? "nano" : "vim";
  const host = untilNul(block.subarray(VIM_BLOCK.host, VIM_BLOCK.host + VIM_BLOCK.hostBytes));
  const pid = block.readUInt32LE(VIM_BLOCK.pid);
  return isDead({ host, pid, since: found.stat.mtimeMs }, processProbe) ? null : editor;
}

function untilNul(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end === -1 ? bytes.length : end);
}

/**
 * Returns the owner of a file by its Emacs lock: a symlink without a target, `user@host.pid:boot`,
 * or a file with that text.
 */
function emacsOwner(fs: Fs, path: string, processProbe: ProcessProbe): string | null {
  const stat = anyErrno(() => fs.lstat(path));
  if (stat === null) return null;
  const read = () => new TextDecoder().decode(fs.readFile(path).bytes.subarray(0, 1_024));
  const text = anyErrno(stat.kind === "symlink" ? () => fs.readLink(path) : read);
  const match = /^[^@]*@(.*)\.(\d{1,10})(?::\d{1,12})?\s*$/.exec(text ?? "");
  if (match === null) return null;
  const [, host, pid] = match;
  return isDead({ host: host!, pid: Number(pid), since: stat.mtimeMs }, processProbe) ? null : "Emacs";
}

/**
 * Returns the owner of a file by the lock of an office program. The lock contains a user and a
 * machine, but no process.
 */
function officeOwner(fs: Fs, path: string): string | null {
  return anyErrno(() => fs.lstat(path))?.kind === "file" ? "LibreOffice" : null;
}

/** `since`: time of the lock, in milliseconds since the epoch. */
type Owner = { readonly host: string; readonly pid: number; readonly since: number };

function isDead({ host, pid, since }: Owner, processProbe: ProcessProbe): boolean {
  if (!isSameHost(host, processProbe.host())) return false;
  if (pid > 0 && !processProbe.isAlive(pid)) return true;
  // After a restart of the machine, another process may have the number of the dead one.
  const booted = processProbe.bootedAt();
  return booted !== null && since < booted - BOOT_TOLERANCE_MS;
}

/**
 * Returns true if two names of machines mean the same. Programs shorten the name, or write it with
 * the domain.
 */
function isSameHost(written: string, thisHost: string): boolean {
  const [a, b] = [written.toLowerCase(), thisHost.toLowerCase()];
  if (a === "" || a === b || (a.length >= VIM_BLOCK.hostBytes - 1 && b.startsWith(a))) return true;
  return a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

const ABSENT_CODES: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EISDIR", "EINVAL"]);

/**
 * Returns the program that uses a file. If the file or its folder cannot be read, returns none: the
 * effect itself will report the fault.
 */
export function useOf(guard: RootGuard, path: LocalPath, processProbe: ProcessProbe): FileUse {
  const place = anyErrno(() => guard.place(path, "file"));
  if (!place?.ok) return { changedMs: null, savedMs: null, openIn: null };
  const stat = anyErrno(() => guard.fs.lstat(place.abs));
  const file = stat?.kind === "file" ? stat : null;
  const times = { changedMs: file?.ctimeMs ?? null, savedMs: file?.mtimeMs ?? null };
  return { ...times, openIn: programWithFileOpen(guard.fs, place.abs, processProbe) };
}
