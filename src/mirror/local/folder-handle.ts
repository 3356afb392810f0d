/**
 * Keeps folders open between a check and the system calls that follow it. If somebody replaces a
 * checked folder with a symlink meanwhile, the calls still act in the checked folder (I26).
 */

import { type DiskFolding, pathKey } from "../../contract/path.ts";
import type { FolderHandle, Fs, FsStat } from "../ports/fs.ts";
import { nullOnErrno } from "./errno.ts";
import { isSameInode } from "./stamp.ts";

/**
 * Returns true if folders can be kept open. Returns false if the system reports a wrong path for an
 * open folder, because a check then proves nothing.
 * @param real real path of the root
 */
export function canKeepFoldersOpen(fs: Fs, real: string): boolean {
  const handle = fs.handle?.(real);
  if (handle === undefined) return false;
  try {
    return handle.path() === real;
  } finally {
    handle.close();
  }
}

/**
 * Opens a folder inside the root, and checks that the open folder is at the expected path.
 * @param below path of the folder, relative to the root
 * @param folding which names the disk treats as equal; null if unknown
 * @returns null if the folder is missing or was replaced by something else
 */
export function openFolderInRoot(
  fs: Fs,
  root: { readonly realPath: string; readonly stat: FsStat },
  below: string,
  folding: DiskFolding | null,
): FolderHandle | null {
  const expected = below === "" ? root.realPath : `${root.realPath}/${below}`;
  const handle = openFolder(fs, expected);
  if (handle === null) return null;
  return closeUnless(handle, () => {
    if (handle.stat().dev !== root.stat.dev || !isFolderAt(handle, expected, folding)) return false;
    // `..` from the open folder must lead to the root. Comparing paths from the root down proves
    // less, because a part of such a path may have become a symlink.
    const pathUp = below === "" ? "/." : "/..".repeat(below.split("/").length);
    return isSameInode(fs.lstat(`${handle.handlePath}${pathUp}`), root.stat);
  });
}

/** Keeps the folder open that a scan is reading. */
export class ScanFolder {
  readonly #fs: Fs;
  readonly #canKeepOpen: boolean;
  readonly #folding: DiskFolding;
  #current: { readonly abs: string; readonly stat: FsStat; readonly handle: FolderHandle } | null = null;

  constructor(fs: Fs, canKeepOpen: boolean, folding: DiskFolding) {
    this.#fs = fs;
    this.#canKeepOpen = canKeepOpen;
    this.#folding = folding;
  }

  /**
   * Opens a folder, and returns a path of the open folder for the next system calls. Closes the
   * folder that was opened before, so that a deep tree does not use up the file handles.
   * @param stat stat of the folder when the scan found it; another folder at the same path is not
   * accepted
   * @throws ESTALE if the folder does not exist any more, or its path contains a symlink
   */
  open(abs: string, stat: FsStat): string {
    if (!this.#canKeepOpen) return abs;
    if (this.#current?.abs === abs && isSameInode(this.#current.stat, stat)) return this.#current.handle.handlePath;
    this.close();
    const openedFolder = openFolder(this.#fs, abs);
    const handle = openedFolder && closeUnless(openedFolder, () => isFolderAt(openedFolder, abs, this.#folding));
    if (handle === null) throw Object.assign(new Error(`ESTALE: '${abs}'`), { code: "ESTALE" });
    this.#current = { abs, stat, handle };
    return handle.handlePath;
  }

  close(): void {
    this.#current?.handle.close();
    this.#current = null;
  }
}

function openFolder(fs: Fs, abs: string): FolderHandle | null {
  return nullOnErrno(["ENOENT", "ENOTDIR", "ELOOP"], () => fs.handle?.(abs) ?? null);
}

/**
 * Returns true if an open folder is at the expected path, and no part of that path is a symlink. A
 * disk that treats several spellings as equal may report the path in another spelling.
 */
function isFolderAt(handle: FolderHandle, expected: string, folding: DiskFolding | null): boolean {
  const path = handle.path();
  if (path === expected) return true;
  const folds = folding ?? { foldsCase: true, foldsUnicode: true };
  return pathKey(path, folds) === pathKey(expected, folds);
}

function closeUnless(handle: FolderHandle, isRight: () => boolean): FolderHandle | null {
  let isKept = false;
  try {
    isKept = isRight();
  } finally {
    if (!isKept) handle.close();
  }
  return isKept ? handle : null;
}
