import { constants } from "node:os";
import { readErrorCode } from "../../common/trouble.ts";
import type { DiskOutcome, FsStat } from "../ports/disk.ts";
import type { Stamp } from "../model/record.ts";

type StaleOutcome = Extract<DiskOutcome<never>, { kind: "stale" }>;
type FaultOutcome = Extract<DiskOutcome<never>, { kind: "fault" }>;

/**
 * Returns the errno of a failed system call. Returns null for any other error, which is a bug and
 * must not be caught.
 */
export function readErrno(error: unknown): string | null {
  const code = readErrorCode(error);
  return code !== null && (Object.hasOwn(constants.errno, code) || /^E\d+$/.test(code)) ? code : null;
}

export function nullOnErrno<T>(expected: readonly string[], call: () => T): T | null {
  try {
    return call();
  } catch (error) {
    const errno = readErrno(error);
    if (errno !== null && expected.includes(errno)) return null;
    throw error;
  }
}

export function succeeds(expected: readonly string[], call: () => void): boolean {
  return nullOnErrno(expected, () => ({ end: call() })) !== null;
}

export function attemptCall<T>(call: () => T): { readonly value: T } | { readonly errno: string } {
  try {
    return { value: call() };
  } catch (error) {
    const errno = readErrno(error);
    if (errno === null) throw error;
    return { errno };
  }
}

export function nullOnAnyErrno<T>(call: () => T): T | null {
  const result = attemptCall(call);
  return "errno" in result ? null : result.value;
}

export function attemptEffect<T>(what: string, effect: () => DiskOutcome<T>): DiskOutcome<T> {
  const result = attemptCall(effect);
  return "errno" in result ? faultOutcome(result.errno, `${what}: ${describeErrno(result.errno)}`) : result.value;
}

export function doneOutcome<T>(value: T): DiskOutcome<T> {
  return { kind: "done", value };
}

export function staleOutcome(detail: string): StaleOutcome {
  return { kind: "stale", detail };
}

export function faultOutcome(errno: string, detail: string): FaultOutcome {
  return { kind: "fault", errno, detail };
}

const DESCRIPTIONS_BY_ERRNO: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EAGAIN: "still being written",
  EBUSY: "in use by another program",
  EDQUOT: "the quota is used up",
  EEXIST: "it exists already",
  EFBIG: "too large to be read",
  EILSEQ: "not valid Unicode",
  EINVAL: "not a path that this system can use",
  EIO: "the disk failed",
  EISDIR: "a folder",
  ELOOP: "a symbolic link",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long for this disk",
  ENOENT: "does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is not a folder",
  ENOTEMPTY: "not empty",
  ENOTSUP: "this disk cannot do that",
  EPERM: "not permitted",
  EROFS: "the disk is read-only",
  ESTALE: "replaced at this moment",
  EXDEV: "on another disk",
};

/** Returns the meaning of an errno, as a clause for an error message. */
export function describeErrno(errno: string): string {
  const text = DESCRIPTIONS_BY_ERRNO[errno];
  return text === undefined ? `the system refused it (${errno})` : `${text} (${errno})`;
}

export function toStamp(stat: FsStat): Stamp {
  const { dev, ino, size, mtimeMs, ctimeMs, birthMs, nlink } = stat;
  return { dev, ino, size, mtimeMs, ctimeMs, birthMs, nlink };
}

export function isSameInode(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/**
 * Milliseconds between two time stamps on the disks with the coarsest clock (FAT: 2 s for mtime).
 * Two writes within this time may get the same stamp.
 */
const STAMP_GRANULARITY_MS = 2_000;

/**
 * Returns true if the stamp is so old that any later write to the file must change the stamp.
 * Checks mtime and ctime: any program can set mtime, and some disks do not keep ctime.
 * @param diskNow the disk's own time at the start of the scan, in milliseconds since the epoch. If
 * null (unknown), the result is false
 */
export function isOldStamp(stamp: Stamp, diskNow: number | null): boolean {
  return diskNow !== null && Math.max(stamp.mtimeMs, stamp.ctimeMs) + STAMP_GRANULARITY_MS < diskNow;
}
