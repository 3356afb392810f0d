import * as nodeFs from "node:fs";
import { basename } from "node:path";
import type { Fs, OpenToWrite } from "../ports/fs.ts";

// Only Linux has it. Such a descriptor identifies a file and neither reads nor blocks it.
const O_PATH = 0o10000000;

/** What the kernel appends to the path of a descriptor whose name was removed. */
const DELETED = " (deleted)";

/**
 * Reads which set-aside files other processes have open to write: on Linux of the user's own
 * processes, and of all processes if the user is root. A file is known by its random name. If
 * mdmirror moved the file by a hard link, a process has it under a removed name; then the inode
 * number counts. Two files of different disks may have one number; such a file is kept for longer.
 * Only `/proc` is read. A stat would ask the file's own file system, and one that does not answer
 * (a network mount) would block this process forever. LIMIT: before Linux 5.14, `/proc` has no
 * inode numbers.
 */
export function filesOpenToWrite(): OpenToWrite {
  const names = new Set<string>();
  const inodes = new Set<string | null>();
  for (const pid of entriesOf("/proc")) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    for (const fd of entriesOf(`/proc/${pid}/fd`)) {
      const path = orNull(() => nodeFs.readlinkSync(`/proc/${pid}/fd/${fd}`));
      // Pipes, sockets and the like have no path.
      if (path?.startsWith("/") !== true || !mayWrite(pid, fd)) continue;
      names.add(basename(path));
      if (path.endsWith(DELETED)) inodes.add(readField("ino", pid, fd));
    }
  }
  inodes.delete(null);
  return { has: (path) => names.has(basename(path)) || inodes.has(inodeOf(path)) };
}

/** The flags of `open` are octal; the last two bits are 0 for a descriptor that only reads. */
function mayWrite(pid: string, fd: string): boolean {
  return (Number.parseInt(readField("flags", pid, fd) ?? "0", 8) & 3) !== 0;
}

/** Returns a file's inode number as `/proc` has it: `stat` gives other numbers on overlayfs. */
function inodeOf(path: string): string | null {
  const fd = orNull(() => nodeFs.openSync(path, O_PATH | nodeFs.constants.O_NOFOLLOW));
  if (fd === null) return null;
  try {
    return readField("ino", "self", String(fd));
  } finally {
    nodeFs.closeSync(fd);
  }
}

function readField(name: "flags" | "ino", pid: string, fd: string): string | null {
  const info = orNull(() => nodeFs.readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8")) ?? "";
  return new RegExp(`^${name}:\\s*(\\d+)$`, "m").exec(info)?.[1] ?? null;
}

function entriesOf(folder: string): readonly string[] {
  return orNull(() => nodeFs.readdirSync(folder)) ?? [];
}

/** Returns null if a process has ended, is another user's, or the system has no `/proc`. */
function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== "string") throw error;
    return null;
  }
}

/** The open files, read once for all files that were set aside before. */
export class OpenFiles {
  readonly #fs: Pick<Fs, "heldToWrite">;
  #known: OpenToWrite | null = null;

  constructor(fs: Pick<Fs, "heldToWrite">) {
    this.#fs = fs;
  }

  has(path: string): boolean {
    this.#known ??= this.#fs.heldToWrite?.() ?? null;
    return this.#known?.has(path) ?? false;
  }

  /** Forgets them: a file may have been set aside, or closed, since. */
  forget(): void {
    this.#known = null;
  }
}
