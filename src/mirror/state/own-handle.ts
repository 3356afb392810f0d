/** Opens `.mdmirror/` and its folders without following symbolic links, and keeps them open. */

import * as fs from "node:fs";
import type { Stats } from "node:fs";
import { checkPath } from "../../common/unsafe-path.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;

let isProcUsable: boolean | null = null;

/**
 * Returns true if paths through `/proc/self/fd` work. They are used in place of `openat`, and need
 * a mounted `/proc` that shows this process.
 */
function canReachByProc(fd: number): boolean {
  isProcUsable ??= process.platform === "linux" && doesProcLeadTo(fd);
  return isProcUsable;
}

function doesProcLeadTo(fd: number): boolean {
  const statByProc = statOrNull(`/proc/self/fd/${fd}/.`);
  const statByDescriptor = fs.fstatSync(fd);
  return statByProc !== null && statByProc.dev === statByDescriptor.dev && statByProc.ino === statByDescriptor.ino;
}

/** The open folder of the current call of `withOwnFolderOpen`; null outside such a call. */
let openFolder: { readonly folder: string; readonly dir: string; readonly fd: number } | null = null;

/**
 * Opens `.mdmirror` once for `work`, which opens many files in it. To open the folder again for
 * each file would take longer than the work itself. If the folder does not exist, only runs `work`.
 * @param work must be synchronous
 * @throws UnsafePathError; exceptions of `work`
 */
export function withOwnFolderOpen<T>(folder: string, work: () => T): T {
  if (openFolder?.folder === folder || statOrNull(folder) === null) return work();
  return withFolder(folder, folder, (dir, fd) => {
    const previousFolder = openFolder;
    openFolder = { folder, dir, fd };
    try {
      return work();
    } finally {
      openFolder = previousFolder;
    }
  });
}

/**
 * Opens `.mdmirror` itself (`below` is ""), or a folder in it, and runs `work`.
 * RACE: without `/proc`, the path is checked first, and the folder is then used by its path. A swap
 * in between needs write access to `.mdmirror`.
 * @param work receives a path of the folder, which is valid only during this call
 * @throws UnsafePathError; an errno if a folder is missing
 */
export function withOwnFolder<T>(folder: string, below: string, work: (dir: string, fd: number) => T): T {
  const openAndRun = (dir: string, fd: number): T =>
    below === "" ? work(dir, fd) : withFolderBelow(dir, folder, below.split("/"), work);
  return openFolder?.folder === folder
    ? openAndRun(openFolder.dir, openFolder.fd)
    : withFolder(folder, folder, openAndRun);
}

function withFolderBelow<T>(
  dir: string,
  shown: string,
  names: readonly string[],
  work: (dir: string, fd: number) => T,
): T {
  const [name, ...rest] = names;
  return withFolder(`${dir}/${name}`, `${shown}/${name}`, (inner, fd) =>
    rest.length === 0 ? work(inner, fd) : withFolderBelow(inner, `${shown}/${name}`, rest, work),
  );
}

/**
 * Opens a folder, and runs `work`.
 * @param shown path of the folder for messages
 */
export function withFolder<T>(path: string, shown: string, work: (dir: string, fd: number) => T): T {
  checkPath(shown, fs.lstatSync(path), "folder");
  const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    checkPath(shown, fs.fstatSync(fd), "folder");
    return work(canReachByProc(fd) ? `/proc/self/fd/${fd}` : path, fd);
  } finally {
    fs.closeSync(fd);
  }
}

export function statOrNull(path: string): Stats | null {
  return fs.lstatSync(path, { throwIfNoEntry: false }) ?? null;
}
