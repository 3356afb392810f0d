/**
 * Folders that are kept open, so that no swap between a check and a call can lead the call
 * elsewhere (I26).
 */

import { type DiskFolding, pathKey } from "../../contract/path.ts";
import type { FolderHandle, Fs, FsStat } from "../ports/fs.ts";
import { nullOnErrno } from "./errno.ts";
import { sameInode } from "./stamp.ts";

/**
 * Returns true if the system reports the path `real` for an open folder. Otherwise the paths of
 * open folders prove nothing.
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
 * Opens the folder at `below` in the root, and keeps it open.
 * @param root real path and stat of the root
 * @param folding spellings that the disk treats as one; null if unknown
 * @returns null if the folder is missing or was replaced; the caller finds out which
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
    if (handle.stat().dev !== root.stat.dev || !isAt(handle, expected, folding)) return false;
    // Goes up from the open folder itself, because the names of the path could lead elsewhere:
    // the folder must be in the root.
    const pathUp = below === "" ? "/." : "/..".repeat(below.split("/").length);
    return sameInode(fs.lstat(`${handle.handlePath}${pathUp}`), root.stat);
  });
}

/** Keeps the folder open that a scan is reading. */
export class ScanFolder {
  readonly #fs: Fs;
  readonly #canKeepOpen: boolean;
  readonly #folding: DiskFolding;
  #current: { readonly abs: string; readonly stat: FsStat; readonly handle: FolderHandle } | null = null;

  /** @param canKeepOpen true if folders can be kept open */
  constructor(fs: Fs, canKeepOpen: boolean, folding: DiskFolding) {
    this.#fs = fs;
    this.#canKeepOpen = canKeepOpen;
    this.#folding = folding;
  }

  /**
   * Returns a path of the folder for the next calls. One folder is open at a time, so that a deep
   * tree does not use up the file handles.
   * @param stat distinguishes the folder from an earlier folder at this path
   * @throws ESTALE if the folder is gone, or its path contains a symlink
   */
  open(abs: string, stat: FsStat): string {
    if (!this.#canKeepOpen) return abs;
    if (this.#current?.abs === abs && sameInode(this.#current.stat, stat)) return this.#current.handle.handlePath;
    this.close();
    const opened = openFolder(this.#fs, abs);
    const handle = opened && closeUnless(opened, () => isAt(opened, abs, this.#folding));
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
 * Returns true if an open folder is at the expected path, without a symlink. The system returns the
 * path of the folder at one moment. A disk that folds names may answer with the spelling under
 * which it keeps the folder.
 */
function isAt(handle: FolderHandle, expected: string, folding: DiskFolding | null): boolean {
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
