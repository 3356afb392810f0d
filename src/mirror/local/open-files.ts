import * as nodeFs from "node:fs";
import { basename } from "node:path";
import type { Fs, OpenToWrite } from "../ports/fs.ts";

/**
 * Reads which set-aside files other processes have open to write: on Linux of the user's own
 * processes, and of all processes if the user is root. The names of set-aside files are random, so
 * a name identifies the file, whatever folders lead to it for the other process. Only `/proc` is
 * read. A stat would ask the file's own file system, and one that does not answer (a network mount)
 * would block this process forever.
 */
export function filesOpenToWrite(): OpenToWrite {
  const names = new Set<string>();
  for (const pid of entriesOf("/proc")) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    for (const fd of entriesOf(`/proc/${pid}/fd`)) {
      const path = orNull(() => nodeFs.readlinkSync(`/proc/${pid}/fd/${fd}`));
      // Pipes, sockets and the like have no path.
      if (path?.startsWith("/") === true && mayWrite(pid, fd)) names.add(basename(path));
    }
  }
  return { has: (path) => names.has(basename(path)) };
}

/** The flags of `open` are octal; the last two bits are 0 for a descriptor that only reads. */
function mayWrite(pid: string, fd: string): boolean {
  const info = orNull(() => nodeFs.readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8")) ?? "";
  const [, flags = "0"] = /^flags:\s*(\d+)$/m.exec(info) ?? [];
  return (Number.parseInt(flags, 8) & 3) !== 0;
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
