import * as fs from "node:fs";
import type { Stats } from "node:fs";
import { judge } from "../../common/unsafe-path.ts";

/** Enters `.mdmirror/` and the folders in it: held open, and through no symbolic link. */

const { O_RDONLY, O_DIRECTORY } = fs.constants;
// ASSUMES: a POSIX system, as in `own-files.ts`.
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0;

let procWorks: boolean | null = null;

/**
 * Returns true if a path through `/proc/self/fd` works, which replaces `openat`: `/proc` must be
 * mounted and show this process.
 */
function reachesByProc(fd: number): boolean {
  procWorks ??= process.platform === "linux" && procLeadsTo(fd);
  return procWorks;
}

function procLeadsTo(fd: number): boolean {
  const found = statOrNull(`/proc/self/fd/${fd}/.`);
  const held = fs.fstatSync(fd);
  return found !== null && found.dev === held.dev && found.ino === held.ino;
}

/** The folder that `withOwnFolderOpen` holds open. */
let held: { readonly folder: string; readonly at: string; readonly fd: number } | null = null;

/**
 * Holds `.mdmirror` open, and checked, while `work` opens many files in it: opening it takes longer
 * than the work in it. If it does not exist, nothing is held.
 * @param work must not wait
 * @throws UnsafePath; exceptions of `work`
 */
export function withOwnFolderOpen<T>(folder: string, work: () => T): T {
  if (held?.folder === folder || statOrNull(folder) === null) return work();
  return inFolder(folder, folder, (at, fd) => {
    const before = held;
    held = { folder, at, fd };
    try {
      return work();
    } finally {
      held = before;
    }
  });
}

/**
 * Runs `work` in a folder that is held open: `.mdmirror` itself (`below` ""), or one in it. RACE:
 * without `/proc` the path is checked and then used by name; somebody who can swap it in between
 * can write in `.mdmirror` already.
 * @param work its argument is a path of the folder, valid for this call alone
 * @throws UnsafePath; an errno if a folder is missing
 */
export function inOwnFolder<T>(folder: string, below: string, work: (at: string, fd: number) => T): T {
  const enter = (at: string, fd: number): T =>
    below === "" ? work(at, fd) : inBelow(at, folder, below.split("/"), work);
  return held?.folder === folder ? enter(held.at, held.fd) : inFolder(folder, folder, enter);
}

function inBelow<T>(at: string, shown: string, names: readonly string[], work: (at: string, fd: number) => T): T {
  const [name, ...rest] = names;
  return inFolder(`${at}/${name}`, `${shown}/${name}`, (inner, fd) =>
    rest.length === 0 ? work(inner, fd) : inBelow(inner, `${shown}/${name}`, rest, work),
  );
}

/** @param shown the path as messages show it */
export function inFolder<T>(path: string, shown: string, work: (at: string, fd: number) => T): T {
  judge(shown, fs.lstatSync(path), "folder");
  const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    judge(shown, fs.fstatSync(fd), "folder");
    return work(reachesByProc(fd) ? `/proc/self/fd/${fd}` : path, fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Returns null if nothing exists. */
export function statOrNull(path: string): Stats | null {
  return fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;
}
