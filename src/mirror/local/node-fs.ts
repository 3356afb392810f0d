import * as nodeFs from "node:fs";
import { spawn } from "node:child_process";
import type { Dirent, Stats } from "node:fs";
import type { FolderHandle, Fs, FsStat, FilesOpenToWrite } from "../ports/disk.ts";
import { once } from "../../common/once.ts";
import { nameOf } from "../../contract/path.ts";
import { attemptCall, nullOnAnyErrno } from "./results.ts";

// O_NONBLOCK keeps `open` from waiting forever if the path is a FIFO.
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = nodeFs.constants;

// Flag of Linux for which Node has no name; the value is the same on every processor that Node
// supports. A handle with this flag identifies a folder without read permission, but cannot read
// the folder.
const O_PATH = 0o10000000;

/**
 * LIMIT: number of bytes of a file, so that one huge file does not use up the memory. Documents are
 * much smaller. Reading a larger file fails with EFBIG.
 */
export const MAX_READ_BYTES = 64 * 1024 * 1024;

/**
 * Creates the file system port over node:fs. All calls are synchronous. Synchronous calls are
 * faster for small files, and leave less time between a check and the call that depends on the
 * check.
 */
export function createNodeFs(): Fs {
  return {
    lstat,
    readdir,
    readFile,
    writeNew,
    readLink: (path) => nodeFs.readlinkSync(path),
    rename: (from, to) => nodeFs.renameSync(from, to),
    link: (existing, path) => nodeFs.linkSync(existing, path),
    unlink: (path) => nodeFs.unlinkSync(path),
    mkdir: (path, mode) => void nodeFs.mkdirSync(path, mode),
    rmdir: (path) => nodeFs.rmdirSync(path),
    realpath: (path) => nodeFs.realpathSync.native(path),
    sync,
    ...(process.platform === "linux" ? { syncDisk, listOpenToWrite: () => readFilesOpenToWrite() } : {}),
    ...(canReachFilesByHandle() ? { handle: openFolderHandle } : {}),
  };
}

function lstat(path: string): FsStat {
  return fsStat(nodeFs.lstatSync(path));
}

function readdir(path: string): ReturnType<Fs["readdir"]> {
  return nodeFs.readdirSync(path, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
}

/**
 * Returns true if paths through the handle of an open folder work, as `/proc/self/fd/N/name`. Such
 * paths replace the system call `openat`, which Node lacks, and need a mounted `/proc` that shows
 * this process.
 */
function canReachFilesByHandle(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const root = openFolderHandle("/");
    try {
      return root.path() === "/" && nodeFs.lstatSync(`${root.handlePath}/.`).ino === root.stat().ino;
    } finally {
      root.close();
    }
  } catch {
    return false;
  }
}

function openFolderHandle(path: string): FolderHandle {
  const fd = nodeFs.openSync(path, O_PATH | nodeFs.constants.O_DIRECTORY | O_NOFOLLOW);
  const handlePath = `/proc/self/fd/${fd}`;
  return {
    handlePath,
    stat: () => fsStat(nodeFs.fstatSync(fd)),
    path: () => nodeFs.readlinkSync(handlePath),
    close: () => nodeFs.closeSync(fd),
  };
}

type EntryKinds = Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">;

function kindOf(entry: EntryKinds): FsStat["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "symlink" : "special";
}

function fsStat(stats: Stats): FsStat {
  return {
    dev: stats.dev,
    ino: stats.ino,
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
    birthMs: stats.birthtimeMs,
    nlink: stats.nlink,
    kind: kindOf(stats),
    mode: stats.mode & 0o7777,
  };
}

function readFile(path: string, brief?: "brief"): { bytes: Uint8Array; stat: FsStat } {
  const fd = nodeFs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const statBefore = fsStat(nodeFs.fstatSync(fd));
    if (statBefore.kind === "folder") throw createFsError("EISDIR", "read", path);
    if (statBefore.kind !== "file") throw createFsError("EINVAL", "read", path);
    if (statBefore.size > MAX_READ_BYTES) throw createFsError("EFBIG", "read", path);
    const bytes = readAll(fd, statBefore.size, brief === "brief");
    const statAfter = fsStat(nodeFs.fstatSync(fd));
    const isSame =
      statAfter.size === statBefore.size &&
      statAfter.mtimeMs === statBefore.mtimeMs &&
      statAfter.ctimeMs === statBefore.ctimeMs;
    if (bytes === null || !isSame) throw createFsError("EAGAIN", "read", path);
    return { bytes, stat: statAfter };
  } finally {
    nodeFs.closeSync(fd);
  }
}

const USUAL_FILE_BYTES = 64 * 1024;
/**
 * All files share one buffer. Separate buffers would be outside V8's heap, and V8 would free them
 * too late.
 */
const sharedBuffer = once(() => Buffer.allocUnsafeSlow(USUAL_FILE_BYTES));

/**
 * Reads a file of `size` bytes; returns null if the file has another length now.
 * @param brief true if the caller uses the bytes only until the next read, so that the result may
 * be the shared buffer
 */
function readAll(fd: number, size: number, brief: boolean): Uint8Array | null {
  // One byte more than `size` is read, to notice whether the file grew.
  const buffer = brief && size < USUAL_FILE_BYTES ? sharedBuffer() : Buffer.allocUnsafeSlow(size + 1);
  let [length, count] = [0, 0];
  do {
    count = nodeFs.readSync(fd, buffer, length, size + 1 - length, null);
    length += count;
  } while (count > 0 && length < size);
  return length === size ? buffer.subarray(0, size) : null;
}

function writeNew(path: string, bytes: Uint8Array, mode: number | null, sync: boolean): void {
  const fd = nodeFs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode ?? 0o666);
  try {
    try {
      writeAll(fd, bytes);
      if (mode !== null) nodeFs.fchmodSync(fd, mode);
      if (sync) nodeFs.fsyncSync(fd);
    } finally {
      nodeFs.closeSync(fd);
    }
  } catch (error) {
    nodeFs.unlinkSync(path);
    throw error;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let length = 0; length < bytes.length; ) length += nodeFs.writeSync(fd, bytes, length);
}

async function sync(path: string): Promise<void> {
  const handle = await nodeFs.promises.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * File systems on which `syncfs` flushes journal, data and the cache inside the drive, like an
 * fsync of every file. On a network or FUSE disk, `syncfs` may flush only the local part.
 */
const FULLY_SYNCED_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994,
]);
/**
 * LIMIT: milliseconds for the command that flushes the whole disk, so that a caller does not wait
 * too long. The command also flushes files of other programs.
 */
const MAX_SYNC_MS = 10_000;

/**
 * Runs a command instead of the system call `syncfs`, which Node lacks. Returns false if the
 * command failed or took too long.
 */
async function syncDisk(path: string): Promise<boolean> {
  if (!FULLY_SYNCED_FILE_SYSTEMS.has(nodeFs.statfsSync(path).type)) return false;
  const child = spawn("sync", ["--file-system", "--", path], { stdio: "ignore", env: { PATH: process.env["PATH"] } });
  return new Promise((resolve) => {
    const finish = (done: boolean) => {
      clearTimeout(timer);
      resolve(done);
    };
    const timer = setTimeout(() => {
      // A process that waits for the drive does not end on SIGKILL until the drive responds.
      child.kill("SIGKILL");
      child.unref();
      finish(false);
    }, MAX_SYNC_MS);
    child.once("error", () => finish(false));
    child.once("exit", (code) => finish(code === 0));
  });
}

function createFsError(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, syscall, path });
}

/**
 * One open file of a process. `procPath`: path of the descriptor below `/proc`. `info`: fields of
 * its `fdinfo`.
 */
type OpenFile = { readonly procPath: string; readonly path: string; readonly info: FdInfo };

/**
 * Reads which files other processes have open for writing. Covers the processes of the same user,
 * or of all users if the user is root. Reads only `/proc`, because a stat of an open file could
 * block forever on a network mount that does not respond. A read below `/proc` may fail: the
 * process has ended or belongs to another user, or the system has no `/proc`.
 * @param stat returns device and inode of a file; called only for open files on the same mount as
 * the caller's file
 */
export function readFilesOpenToWrite(
  proc = "/proc",
  stat: (path: string) => { readonly dev: number; readonly ino: number } = nodeFs.statSync,
): FilesOpenToWrite {
  const openFiles: OpenFile[] = [];
  for (const pid of listEntries(proc)) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    for (const fd of listEntries(`${proc}/${pid}/fd`)) {
      const procPath = `${proc}/${pid}/fd/${fd}`;
      const path = nullOnAnyErrno(() => nodeFs.readlinkSync(procPath));
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
  const fdOrErrno = attemptCall(() => nodeFs.openSync(path, O_PATH | O_NOFOLLOW));
  // A missing file is not in use. A file that cannot be opened for another reason may be in use.
  if ("errno" in fdOrErrno) return fdOrErrno.errno !== "ENOENT";
  const fd = fdOrErrno.value;
  try {
    return isOpen({ procPath: `${proc}/self/fd/${fd}`, path, info: readFdInfo(proc, "self", String(fd)) });
  } finally {
    nodeFs.closeSync(fd);
  }
}

/**
 * Returns true if two descriptors belong to one file. Compares the inodes, which Linux reports
 * since 5.14. On older systems, equal file names or equal stats on one mount are enough, because
 * set-aside files have random names. If the result is wrongly true, a set-aside file is only kept
 * longer than needed.
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
  const [ours, others] = [ownFile, other].map(({ procPath }) => nullOnAnyErrno(() => stat(procPath)));
  return ours?.ino === others?.ino && ours?.dev === others?.dev;
}

type FdInfo = ReadonlyMap<string, string>;

function readFdInfo(proc: string, pid: string, fd: string): FdInfo {
  const text = nullOnAnyErrno(() => nodeFs.readFileSync(`${proc}/${pid}/fdinfo/${fd}`, "utf8")) ?? "";
  return new Map([...text.matchAll(/^(flags|mnt_id|ino):\s*(\d+)$/gm)].map(([, key = "", value = ""]) => [key, value]));
}

/**
 * Returns true if a descriptor can write. The flags are an octal number with the last two bits 0
 * for a descriptor that only reads.
 */
function canWrite(info: FdInfo): boolean {
  return (Number.parseInt(info.get("flags") ?? "0", 8) & 3) !== 0;
}

function listEntries(folder: string): readonly string[] {
  return nullOnAnyErrno(() => nodeFs.readdirSync(folder)) ?? [];
}

/** Remembers one read of `/proc`, which serves many set-aside files. */
export class OpenFiles {
  readonly #fs: Pick<Fs, "listOpenToWrite">;
  #known: FilesOpenToWrite | null = null;

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
