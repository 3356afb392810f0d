/**
 * Opens `.mdmirror/` and the folders in it, through no symbolic link, and keeps them open for work
 * in them.
 */

import * as fs from "node:fs";
import type { Stats } from "node:fs";
import { checkPath } from "../../common/unsafe-path.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;

let procWorks: boolean | null = null;

/**
 * Returns true if a path through `/proc/self/fd` works. Such a path replaces `openat`: `/proc` must
 * be mounted and show this process.
 */
function reachesByProc(fd: number): boolean {
  procWorks ??= process.platform === "linux" && procLeadsTo(fd);
  return procWorks;
}

function procLeadsTo(fd: number): boolean {
  const found = statOrNull(`/proc/self/fd/${fd}/.`);
  const opened = fs.fstatSync(fd);
  return found !== null && found.dev === opened.dev && found.ino === opened.ino;
}

/** The folder that `withOwnFolderOpen` keeps open; null if there is none. */
let openFolder: { readonly folder: string; readonly dir: string; readonly fd: number } | null = null;

/**
 * Keeps `.mdmirror` open, after a check, while `work` opens many files in it, because opening the
 * folder takes longer than the work. If the folder does not exist, runs `work` alone.
 * @param work must be synchronous
 * @throws UnsafePathError; exceptions of `work`
 */
export function withOwnFolderOpen<T>(folder: string, work: () => T): T {
  if (openFolder?.folder === folder || statOrNull(folder) === null) return work();
  return inFolder(folder, folder, (dir, fd) => {
    const before = openFolder;
    openFolder = { folder, dir, fd };
    try {
      return work();
    } finally {
      openFolder = before;
    }
  });
}

/**
 * Runs `work` in an open folder: `.mdmirror` itself (`below` ""), or a folder in it. RACE: without
 * `/proc`, the path is checked and then used by name. Only somebody who can write in `.mdmirror`
 * could swap the folder in between.
 * @param work its argument is a path of the folder, valid during this call only
 * @throws UnsafePathError; an errno if a folder is missing
 */
export function inOwnFolder<T>(folder: string, below: string, work: (dir: string, fd: number) => T): T {
  const enter = (dir: string, fd: number): T =>
    below === "" ? work(dir, fd) : inBelow(dir, folder, below.split("/"), work);
  return openFolder?.folder === folder ? enter(openFolder.dir, openFolder.fd) : inFolder(folder, folder, enter);
}

function inBelow<T>(dir: string, shown: string, names: readonly string[], work: (dir: string, fd: number) => T): T {
  const [name, ...rest] = names;
  return inFolder(`${dir}/${name}`, `${shown}/${name}`, (inner, fd) =>
    rest.length === 0 ? work(inner, fd) : inBelow(inner, `${shown}/${name}`, rest, work),
  );
}

/**
 * Runs `work` in an open folder.
 * @param shown path of the folder for messages
 */
export function inFolder<T>(path: string, shown: string, work: (dir: string, fd: number) => T): T {
  checkPath(shown, fs.lstatSync(path), "folder");
  const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    checkPath(shown, fs.fstatSync(fd), "folder");
    return work(reachesByProc(fd) ? `/proc/self/fd/${fd}` : path, fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Returns the stat of an entry, without following a symbolic link; null if nothing exists. */
export function statOrNull(path: string): Stats | null {
  return fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;
}
