/**
 * Finds the program that has a file open, by a lock or swap file beside the file. A lock of a dead
 * process is ignored. A lock without a process id, or from another machine, cannot be checked, so
 * mdmirror assumes that the program still runs. The caller ignores such a lock after some time.
 */

import { hostname, uptime } from "node:os";
import type { LocalPath } from "../../contract/path.ts";
import type { FileUse, Fs } from "../ports/disk.ts";
import { attemptCall, nullOnAnyErrno } from "./results.ts";
import type { RootGuard } from "./root-guard.ts";

export type ProcessProbe = {
  /** Returns the name of the machine, as programs write it into their locks. */
  readonly host: () => string;
  readonly isAlive: (pid: number) => boolean;
  /**
   * Returns the time when the machine started, in milliseconds since the epoch; null if unknown.
   */
  readonly bootedAt: () => number | null;
};

export const SYSTEM_PROCESS_PROBE: ProcessProbe = {
  host: hostname,
  isAlive: isProcessAlive,
  bootedAt: () => Date.now() - uptime() * 1_000,
};

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM proves that the process runs, under another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/**
 * Tolerance in milliseconds for a comparison of a lock's time with the time when the machine
 * started. The clocks of disk and machine may differ, and a user may set the clock.
 */
const BOOT_TOLERANCE_MS = 60_000;

export function findProgramWithFileOpen(fs: Fs, abs: string, processProbe: ProcessProbe): string | null {
  const slash = abs.lastIndexOf("/");
  const [folder, name] = [abs.slice(0, slash), abs.slice(slash + 1)];
  const hiddenName = name.startsWith(".") ? name : `.${name}`;
  for (const ending of SWAP_ENDINGS) {
    const editor = findSwapOwner(fs, `${folder}/${hiddenName}.${ending}`, processProbe);
    if (editor !== null) return editor;
  }
  return findEmacsOwner(fs, `${folder}/.#${name}`, processProbe) ?? findOfficeOwner(fs, `${folder}/.~lock.${name}#`);
}

/**
 * Endings of swap files. If a `.swp` file exists already, for example after a crash, Vim uses the
 * next ending.
 */
const SWAP_ENDINGS = ["swp", "swo", "swn"] as const;

/**
 * Byte offsets in the first block of a swap file of Vim or nano. The block begins with `b0` and ten
 * characters for the version.
 */
const VIM_BLOCK = { version: 2, pid: 24, host: 68, hostBytes: 40, minBytes: 108 } as const;

function findSwapOwner(fs: Fs, path: string, processProbe: ProcessProbe): string | null {
  const lock = attemptCall(() => fs.readFile(path));
  // A swap file that cannot be read still proves an open file. The program may be writing the swap
  // file now, or the swap file belongs to another user.
  if ("errno" in lock) return NO_LOCK_ERRORS.has(lock.errno) ? null : "vim";
  const swapFile = lock.value;
  const block = Buffer.from(swapFile.bytes.buffer, swapFile.bytes.byteOffset, swapFile.bytes.byteLength);
  if (block.length < VIM_BLOCK.minBytes || block.toString("latin1", 0, 2) !== "b0") return null;
  const editor = /^nano/i.test(block.toString("latin1", VIM_BLOCK.version, VIM_BLOCK.version + 4)) ? "nano" : "vim";
  const host = readUntilNul(block.subarray(VIM_BLOCK.host, VIM_BLOCK.host + VIM_BLOCK.hostBytes));
  const pid = block.readUInt32LE(VIM_BLOCK.pid);
  return isDead({ host, pid, since: swapFile.stat.mtimeMs }, processProbe) ? null : editor;
}

function readUntilNul(bytes: Buffer): string {
  const nulOffset = bytes.indexOf(0);
  return bytes.toString("utf8", 0, nulOffset === -1 ? bytes.length : nulOffset);
}

/**
 * Finds a lock of Emacs: a symlink to `user@host.pid:boot`, whose target does not exist, or a file
 * with that content.
 */
function findEmacsOwner(fs: Fs, path: string, processProbe: ProcessProbe): string | null {
  const stat = nullOnAnyErrno(() => fs.lstat(path));
  if (stat === null) return null;
  const readContent = () => new TextDecoder().decode(fs.readFile(path).bytes.subarray(0, 1_024));
  const text = nullOnAnyErrno(stat.kind === "symlink" ? () => fs.readLink(path) : readContent);
  const match = /^[^@]*@(.*)\.(\d{1,10})(?::\d{1,12})?\s*$/.exec(text ?? "");
  if (match === null) return null;
  const [, host, pid] = match;
  return isDead({ host: host!, pid: Number(pid), since: stat.mtimeMs }, processProbe) ? null : "Emacs";
}

/**
 * Finds a lock of LibreOffice. Such a lock names a user and a machine, but no process, so mdmirror
 * cannot check whether the program still runs.
 */
function findOfficeOwner(fs: Fs, path: string): string | null {
  return nullOnAnyErrno(() => fs.lstat(path))?.kind === "file" ? "LibreOffice" : null;
}

/** Process that wrote a lock. `since`: time of the lock, in milliseconds since the epoch. */
type LockOwner = { readonly host: string; readonly pid: number; readonly since: number };

function isDead({ host, pid, since }: LockOwner, processProbe: ProcessProbe): boolean {
  if (!isSameHost(host, processProbe.host())) return false;
  if (pid > 0 && !processProbe.isAlive(pid)) return true;
  // A lock from before a restart of the machine counts as dead, because a new process may have the
  // id of the dead process.
  const bootedAt = processProbe.bootedAt();
  return bootedAt !== null && since < bootedAt - BOOT_TOLERANCE_MS;
}

/**
 * Returns true if the name in a lock is the name of this machine. Some programs shorten the name,
 * others add the domain.
 */
function isSameHost(written: string, thisHost: string): boolean {
  const [a, b] = [written.toLowerCase(), thisHost.toLowerCase()];
  if (a === "" || a === b || (a.length >= VIM_BLOCK.hostBytes - 1 && b.startsWith(a))) return true;
  return a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}

const NO_LOCK_ERRORS: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EISDIR", "EINVAL"]);

/**
 * Returns when a file was last changed and saved, and the program that has the file open. If the
 * file or its folder cannot be read, all fields are null, because the later write reports the
 * error.
 */
export function readFileUse(guard: RootGuard, path: LocalPath, processProbe: ProcessProbe): FileUse {
  const place = nullOnAnyErrno(() => guard.place(path, "file"));
  if (!place?.ok) return { changedMs: null, savedMs: null, openIn: null };
  const stat = nullOnAnyErrno(() => guard.fs.lstat(place.abs));
  const file = stat?.kind === "file" ? stat : null;
  const times = { changedMs: file?.ctimeMs ?? null, savedMs: file?.mtimeMs ?? null };
  return { ...times, openIn: findProgramWithFileOpen(guard.fs, place.abs, processProbe) };
}
