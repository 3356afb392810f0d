import * as nodeFs from "node:fs";
import type { Fs, OpenToWrite } from "../ports/fs.ts";

// As in `node-fs.ts`: such a descriptor identifies a file and neither reads nor blocks it.
const O_PATH = 0o10000000;

/** A file that a process has open. */
type OpenFile = {
  /** Path below `/proc` that leads to it. */
  readonly at: string;
  /** `major:minor` of its file system; null if no namespace that was read has its mount. */
  readonly device: string | null;
  /** Null if the kernel does not give it (Linux before 5.14). */
  readonly ino: string | null;
};

/**
 * Reads which files other processes have open to write: on Linux of the user's own processes, and
 * of all processes if the user is root. Only `/proc` is read. A stat would ask the file's own file
 * system, and one that does not answer (a network mount) would block this process forever.
 * @param proc mount point of the system's list of processes
 * @param stat asks a file system; called only for files on the device of the file in question
 */
export function filesOpenToWrite(
  proc = "/proc",
  stat: (path: string) => { readonly dev: number; readonly ino: number } = nodeFs.statSync,
): OpenToWrite {
  const mounts = new Mounts(proc);
  const open: OpenFile[] = [];
  for (const pid of entriesOf(proc)) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    for (const fd of entriesOf(`${proc}/${pid}/fd`)) {
      // Pipes, sockets and the like have no path.
      if (orNull(() => nodeFs.readlinkSync(`${proc}/${pid}/fd/${fd}`))?.startsWith("/") !== true) continue;
      const info = infoOf(proc, pid, fd);
      if (mayWrite(info)) open.push(openFile(mounts, proc, pid, fd, info));
    }
  }
  return { has: (path) => withOpened(mounts, proc, path, (own) => open.some((other) => isSame(own, other, stat))) };
}

/**
 * Opens the file itself, so that the kernel describes it like the descriptors of others: `stat`
 * gives other numbers on btrfs and overlayfs.
 */
function withOpened(mounts: Mounts, proc: string, path: string, ask: (own: OpenFile) => boolean): boolean {
  const fd = orErrno(() => nodeFs.openSync(path, O_PATH | nodeFs.constants.O_NOFOLLOW));
  // A file that cannot be opened may be in use; an absent one is not.
  if (typeof fd === "string") return fd !== "ENOENT";
  try {
    return ask(openFile(mounts, proc, "self", String(fd), infoOf(proc, "self", String(fd))));
  } finally {
    nodeFs.closeSync(fd);
  }
}

/** Returns true also if the two cannot be told apart without asking another device. */
function isSame(own: OpenFile, other: OpenFile, stat: Parameters<typeof filesOpenToWrite>[1] & {}): boolean {
  const isDeviceKnown = own.device !== null && other.device !== null;
  if (isDeviceKnown && own.device !== other.device) return false;
  if (own.ino !== null && other.ino !== null) return own.ino === other.ino;
  if (!isDeviceKnown) return true;
  const [mine, theirs] = [own, other].map(({ at }) => orNull(() => stat(at)));
  return mine?.ino === theirs?.ino && mine?.dev === theirs?.dev;
}

/** Devices of mounts. A mount's number is the same in all namespaces; each lists its own. */
class Mounts {
  readonly #proc: string;
  readonly #devices = new Map<string, string | null>();

  constructor(proc: string) {
    this.#proc = proc;
    this.#read("self");
  }

  deviceOf(pid: string, mount: string): string | null {
    if (!this.#devices.has(mount)) this.#read(pid);
    // A process whose root hides the mount does not list it.
    if (!this.#devices.has(mount)) this.#devices.set(mount, null);
    return this.#devices.get(mount) ?? null;
  }

  #read(pid: string): void {
    const lines = orNull(() => nodeFs.readFileSync(`${this.#proc}/${pid}/mountinfo`, "utf8")) ?? "";
    for (const [, mount = "", device = ""] of lines.matchAll(/^(\d+) \d+ (\d+:\d+) /gm))
      this.#devices.set(mount, device);
  }
}

function openFile(mounts: Mounts, proc: string, pid: string, fd: string, info: Info): OpenFile {
  const mount = info.get("mnt_id");
  return {
    at: `${proc}/${pid}/fd/${fd}`,
    device: mount === undefined ? null : mounts.deviceOf(pid, mount),
    ino: info.get("ino") ?? null,
  };
}

type Info = ReadonlyMap<string, string>;

function infoOf(proc: string, pid: string, fd: string): Info {
  const text = orNull(() => nodeFs.readFileSync(`${proc}/${pid}/fdinfo/${fd}`, "utf8")) ?? "";
  return new Map([...text.matchAll(/^(flags|mnt_id|ino):\s*(\d+)$/gm)].map(([, key = "", value = ""]) => [key, value]));
}

/** The flags of `open` are octal; the last two bits are 0 for a descriptor that only reads. */
function mayWrite(info: Info): boolean {
  return (Number.parseInt(info.get("flags") ?? "0", 8) & 3) !== 0;
}

function entriesOf(folder: string): readonly string[] {
  return orNull(() => nodeFs.readdirSync(folder)) ?? [];
}

/** Returns null if a process has ended, is another user's, or the system has no `/proc`. */
function orNull<T>(look: () => T): T | null {
  const found = orErrno(() => ({ value: look() }));
  return typeof found === "string" ? null : found.value;
}

function orErrno<T>(look: () => T): T | string {
  try {
    return look();
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (typeof syscall !== "string" || code === undefined) throw error;
    return code;
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
