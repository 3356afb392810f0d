import * as nodeFs from "node:fs";
import { nameOf } from "../../contract/path.ts";
import type { Fs, OpenToWrite } from "../ports/fs.ts";

// As in `node-fs.ts`: such a descriptor identifies a file and neither reads nor blocks it.
const O_PATH = 0o10000000;

/** A descriptor of a process: its path below `/proc`, the path of its file, and facts about it. */
type OpenFile = { readonly procPath: string; readonly path: string; readonly info: FdInfo };

/**
 * Reads which files other processes have open for writing: on Linux those of the user's own
 * processes, or of all processes if the user is root. Reads only `/proc`. A stat would ask the
 * file's own file system, and a file system that does not answer (a network mount) would block this
 * process forever.
 * @param proc mount point of the system's list of processes
 * @param stat asks a file system; called only for files on the mount of the file in question
 */
export function filesOpenToWrite(
  proc = "/proc",
  stat: (path: string) => { readonly dev: number; readonly ino: number } = nodeFs.statSync,
): OpenToWrite {
  const open: OpenFile[] = [];
  for (const pid of entriesOf(proc)) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    for (const fd of entriesOf(`${proc}/${pid}/fd`)) {
      const procPath = `${proc}/${pid}/fd/${fd}`;
      const path = orNull(() => nodeFs.readlinkSync(procPath));
      // Pipes, sockets and the like have no path.
      if (path?.startsWith("/") !== true) continue;
      const info = infoOf(proc, pid, fd);
      if (mayWrite(info)) open.push({ procPath, path, info });
    }
  }
  return { has: (path) => withOpened(proc, path, (ownFile) => open.some((other) => isSame(ownFile, other, stat))) };
}

/**
 * Opens the file, so that the kernel describes it like the descriptors of other processes: `stat`
 * returns other numbers on btrfs and overlayfs.
 */
function withOpened(proc: string, path: string, isOpen: (ownFile: OpenFile) => boolean): boolean {
  const fd = orErrno(() => nodeFs.openSync(path, O_PATH | nodeFs.constants.O_NOFOLLOW));
  // A file that cannot be opened may be in use; a missing file is not.
  if (typeof fd === "string") return fd !== "ENOENT";
  try {
    return isOpen({ procPath: `${proc}/self/fd/${fd}`, path, info: infoOf(proc, "self", String(fd)) });
  } finally {
    nodeFs.closeSync(fd);
  }
}

/**
 * Returns true if two descriptors are of one inode. Linux before 5.14 reports no inode; then equal
 * names suffice, because set-aside files have random names, or equal stats on one mount. A wrong
 * true only keeps a set-aside file for longer.
 */
function isSame(ownFile: OpenFile, other: OpenFile, stat: Parameters<typeof filesOpenToWrite>[1] & {}): boolean {
  const [mine, theirs] = [ownFile, other].map(({ info }) => info.get("ino"));
  if (mine !== undefined && theirs !== undefined) return mine === theirs;
  if (nameOf(ownFile.path) === nameOf(other.path)) return true;
  if (ownFile.info.get("mnt_id") !== other.info.get("mnt_id")) return false;
  const [ours, others] = [ownFile, other].map(({ procPath }) => orNull(() => stat(procPath)));
  return ours?.ino === others?.ino && ours?.dev === others?.dev;
}

type FdInfo = ReadonlyMap<string, string>;

function infoOf(proc: string, pid: string, fd: string): FdInfo {
  const text = orNull(() => nodeFs.readFileSync(`${proc}/${pid}/fdinfo/${fd}`, "utf8")) ?? "";
  return new Map([...text.matchAll(/^(flags|mnt_id|ino):\s*(\d+)$/gm)].map(([, key = "", value = ""]) => [key, value]));
}

/** The flags of `open` are octal; the last two bits are 0 for a descriptor that only reads. */
function mayWrite(info: FdInfo): boolean {
  return (Number.parseInt(info.get("flags") ?? "0", 8) & 3) !== 0;
}

function entriesOf(folder: string): readonly string[] {
  return orNull(() => nodeFs.readdirSync(folder)) ?? [];
}

/**
 * Returns the result of a read. Null if a process has ended, belongs to another user, or the system
 * has no `/proc`.
 */
function orNull<T>(read: () => T): T | null {
  const found = orErrno(() => ({ value: read() }));
  return typeof found === "string" ? null : found.value;
}

function orErrno<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (typeof syscall !== "string" || code === undefined) throw error;
    return code;
  }
}

/** The files that other processes have open, read once for all set-aside files. */
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

  /**
   * Forgets the list of open files, because a file may have been set aside or closed since it was
   * read.
   */
  forget(): void {
    this.#known = null;
  }
}
