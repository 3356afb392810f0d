import * as nodeFs from "node:fs";
import { nameOf } from "../../contract/path.ts";
import type { Fs, OpenToWrite } from "../ports/fs.ts";

// Same flag as in `node-fs.ts`: a descriptor with this flag identifies a file, and neither reads
// nor blocks the file.
const O_PATH = 0o10000000;

/**
 * One open file of a process. `procPath`: path of the descriptor below `/proc`. `info`: fields of
 * its `fdinfo`.
 */
type OpenFile = { readonly procPath: string; readonly path: string; readonly info: FdInfo };

/**
 * Reads which files other processes have open for writing. Covers the processes of the same user,
 * or of all users if the user is root. Reads only `/proc`, because a stat of an open file could
 * block forever on a network mount that does not respond.
 * @param stat returns device and inode of a file; called only for open files on the same mount as
 * the file that the caller asks about
 */
export function readFilesOpenToWrite(
  proc = "/proc",
  stat: (path: string) => { readonly dev: number; readonly ino: number } = nodeFs.statSync,
): OpenToWrite {
  const openFiles: OpenFile[] = [];
  for (const pid of listEntries(proc)) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    for (const fd of listEntries(`${proc}/${pid}/fd`)) {
      const procPath = `${proc}/${pid}/fd/${fd}`;
      const path = nullOnError(() => nodeFs.readlinkSync(procPath));
      if (path?.startsWith("/") !== true) continue;
      const info = readFdInfo(proc, pid, fd);
      if (canWrite(info)) openFiles.push({ procPath, path, info });
    }
  }
  return {
    has: (path) => withOpenFile(proc, path, (ownFile) => openFiles.some((other) => isSameFile(ownFile, other, stat))),
  };
}

/**
 * Opens a file without reading it, so that its inode number comes from `fdinfo`, like the inode
 * numbers of other open files. On btrfs and overlayfs, `stat` returns a different number than
 * `fdinfo`.
 */
function withOpenFile(proc: string, path: string, isOpen: (ownFile: OpenFile) => boolean): boolean {
  const fd = codeOnError(() => nodeFs.openSync(path, O_PATH | nodeFs.constants.O_NOFOLLOW));
  // A missing file is not in use. A file that cannot be opened for another reason may be in use.
  if (typeof fd === "string") return fd !== "ENOENT";
  try {
    return isOpen({ procPath: `${proc}/self/fd/${fd}`, path, info: readFdInfo(proc, "self", String(fd)) });
  } finally {
    nodeFs.closeSync(fd);
  }
}

/**
 * Returns true if two descriptors belong to one file. Compares the inodes, which Linux reports
 * since 5.14. On older systems, equal file names are enough, because set-aside files have random
 * names. Equal stats on one mount are enough, too. If the result is wrongly true, the only effect
 * is that a set-aside file is kept longer than needed.
 */
function isSameFile(
  ownFile: OpenFile,
  other: OpenFile,
  stat: Parameters<typeof readFilesOpenToWrite>[1] & {},
): boolean {
  const [mine, theirs] = [ownFile, other].map(({ info }) => info.get("ino"));
  if (mine !== undefined && theirs !== undefined) return mine === theirs;
  if (nameOf(ownFile.path) === nameOf(other.path)) return true;
  if (ownFile.info.get("mnt_id") !== other.info.get("mnt_id")) return false;
  const [ours, others] = [ownFile, other].map(({ procPath }) => nullOnError(() => stat(procPath)));
  return ours?.ino === others?.ino && ours?.dev === others?.dev;
}

type FdInfo = ReadonlyMap<string, string>;

function readFdInfo(proc: string, pid: string, fd: string): FdInfo {
  const text = nullOnError(() => nodeFs.readFileSync(`${proc}/${pid}/fdinfo/${fd}`, "utf8")) ?? "";
  return new Map([...text.matchAll(/^(flags|mnt_id|ino):\s*(\d+)$/gm)].map(([, key = "", value = ""]) => [key, value]));
}

/** The flags are an octal number. Their last two bits are 0 for a descriptor that only reads. */
function canWrite(info: FdInfo): boolean {
  return (Number.parseInt(info.get("flags") ?? "0", 8) & 3) !== 0;
}

function listEntries(folder: string): readonly string[] {
  return nullOnError(() => nodeFs.readdirSync(folder)) ?? [];
}

/**
 * Runs a read below `/proc`. Returns null if it fails: the process has ended or belongs to another
 * user, or the system has no `/proc`.
 */
function nullOnError<T>(read: () => T): T | null {
  const readResult = codeOnError(() => ({ value: read() }));
  return typeof readResult === "string" ? null : readResult.value;
}

function codeOnError<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (typeof syscall !== "string" || code === undefined) throw error;
    return code;
  }
}

/** Remembers one read of `/proc`, which is enough for many set-aside files. */
export class OpenFiles {
  readonly #fs: Pick<Fs, "listOpenToWrite">;
  #known: OpenToWrite | null = null;

  constructor(fs: Pick<Fs, "listOpenToWrite">) {
    this.#fs = fs;
  }

  has(path: string): boolean {
    this.#known ??= this.#fs.listOpenToWrite?.() ?? null;
    return this.#known?.has(path) ?? false;
  }

  forget(): void {
    this.#known = null;
  }
}
