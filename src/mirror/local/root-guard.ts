import type { DiskOutcome, FolderHandle, Fs, FsStat } from "../ports/disk.ts";
import {
  type DiskFolding,
  type DiskNames,
  EXACT_DISK,
  type LocalPath,
  nameOf,
  parentOf,
  pathKey,
} from "../../contract/path.ts";
import type { Random } from "../../common/random.ts";
import { faultOutcome, isSameInode, nullOnAnyErrno, nullOnErrno, staleOutcome } from "./results.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";

/** Result of an effect that changed nothing. */
export type NotDoneOutcome = Exclude<DiskOutcome<never>, { readonly kind: "done" }>;

/**
 * Absolute path for the next system calls, or the reason why the path cannot be used. `absent`:
 * true if certainly nothing exists at the path.
 */
type DiskPlace =
  | { readonly ok: true; readonly abs: string }
  | { readonly ok: false; readonly outcome: NotDoneOutcome; readonly absent: boolean };

export type RootFolder = { readonly realPath: string; readonly stat: FsStat };

// Characters that some disks (HFS+) ignore in names: such a disk reads `.md\u200cmirror` as
// `.mdmirror`.
const IGNORED_CHARACTERS = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * Checks paths, and returns absolute paths that cannot lead out of the linked folder. All code in
 * `local/` that touches a file uses only paths from this class (I26).
 */
export class RootGuard {
  readonly fs: Fs;
  readonly random: Pick<Random, "hex">;
  readonly #path: string;
  #names: DiskNames | null = null;
  /** Root that `identify` found, with which later checks compare the folder. */
  #identifiedRoot: RootFolder | null = null;
  #canKeepOpen = false;
  /** Open folders by path; null outside an effect. */
  #openFolders: Map<string, FolderHandle> | null = null;

  constructor(fs: Fs, root: string, random: Pick<Random, "hex">) {
    if (!root.startsWith("/")) throw new TypeError("the root must be an absolute path");
    this.fs = fs;
    this.random = random;
    this.#path = root;
  }

  /**
   * Finds the root and remembers its inode for later checks. Returns null if no folder is at the
   * path.
   */
  identify(): RootFolder | null {
    // A root that cannot be read counts as missing, because its disk may have been unplugged.
    const root = nullOnAnyErrno(() => {
      const realPath = this.fs.realpath(this.#path);
      const stat = this.fs.lstat(realPath);
      return stat.kind === "folder" ? { realPath, stat } : null;
    });
    this.#identifiedRoot = root;
    this.#canKeepOpen = root !== null && nullOnAnyErrno(() => canKeepFoldersOpen(this.fs, root.realPath)) === true;
    return root;
  }

  /**
   * Returns the root's real path and stat. Null if the root is missing, or if another folder
   * replaced it.
   */
  root(): RootFolder | null {
    const knownRoot = this.#identifiedRoot ?? this.identify();
    if (knownRoot === null) return null;
    const currentRoot = nullOnAnyErrno(() => this.fs.lstat(knownRoot.realPath));
    return currentRoot?.kind === "folder" && isSameInode(currentRoot, knownRoot.stat)
      ? { realPath: knownRoot.realPath, stat: currentRoot }
      : null;
  }

  names(): DiskNames {
    return this.#names ?? EXACT_DISK;
  }

  learnNames(learned: DiskNames): void {
    this.#names = learned;
  }

  /**
   * Runs one effect. Each folder that the effect checks stays open until the effect ends. System
   * calls thus act in the checked folders, even if somebody moves a folder meanwhile. On systems
   * without `/proc`, folders cannot stay open, and the effect uses plain paths.
   */
  withFoldersOpen<T>(work: () => T): T {
    if (this.#openFolders !== null) return work();
    const openFolders = new Map<string, FolderHandle>();
    this.#openFolders = openFolders;
    try {
      return work();
    } finally {
      this.#openFolders = null;
      for (const handle of openFolders.values()) handle.close();
    }
  }

  openScanFolder(): ScanFolder {
    return new ScanFolder(this.fs, this.#canKeepOpen, this.names());
  }

  /**
   * Returns the path by which system calls must change entries of a folder. During
   * `withFoldersOpen`, the path goes through the open folder, on systems that can keep folders
   * open. Otherwise returns `abs`.
   * @param abs absolute path of the folder from `place`, in the same effect, because `inside` does
   * not check `abs` again
   */
  inside(path: LocalPath, abs: string): DiskPlace {
    return this.#openFolders === null || !this.#canKeepOpen ? { ok: true, abs } : this.#folderAt(path);
  }

  /** Returns the absolute path of a file or folder, after a check of the folder above it. */
  place(path: LocalPath, kind: "file" | "folder"): DiskPlace {
    if (!maySyncPath(path, kind))
      return refusePlace(faultOutcome("EINVAL", `${path}: not a path of the linked folder`), false);
    return joinPlace(this.#folderAt(parentOf(path)), path);
  }

  /**
   * Returns the absolute path of a `tmp/…` or `trash/…` path below `.mdmirror/`.
   * @param mayCreate true to create missing folders above the path
   */
  mirrorPlace(path: string, mayCreate: boolean): DiskPlace {
    if (!isPlainPath(path) || !/^(?:tmp|trash)\/./.test(path))
      return refusePlace(faultOutcome("EINVAL", `${path}: not a place for files that are set aside`), false);
    const folderPath = `${MIRROR_FOLDER}/${parentOf(path)}`;
    const folder = this.#folderAt(folderPath);
    return joinPlace(!folder.ok && folder.absent && mayCreate ? this.#makeFolders(folderPath) : folder, path);
  }

  /**
   * Returns a path to a folder, after a check that no part of the path is a symlink or on another
   * disk.
   * @param below path of the folder, relative to the root
   */
  #folderAt(below: string): DiskPlace {
    const knownRoot = this.#identifiedRoot ?? this.identify();
    if (this.#openFolders === null || knownRoot === null || !this.#canKeepOpen) return this.#folderByPath(below);
    const handle = this.#openFolders.get(below) ?? openFolderInRoot(this.fs, knownRoot, below, this.#names);
    if (handle !== null) {
      this.#openFolders.set(below, handle);
      return { ok: true, abs: handle.handlePath };
    }
    const place = this.#folderByPath(below);
    return place.ok ? refusePlace(staleOutcome("a folder above it was replaced at this moment"), false) : place;
  }

  /**
   * RACE: without `/proc`, folders cannot stay open, and Node lacks `openat`. In the microseconds
   * between this check and the next system call, somebody may replace a folder of the path with a
   * symlink. Such a replacement needs write access to the linked folder.
   */
  #folderByPath(below: string): DiskPlace {
    const currentRoot = this.root();
    if (currentRoot === null)
      return refusePlace(staleOutcome("the linked folder does not exist, or is another folder"), false);
    const folding = this.names();
    const expectedPath = below === "" ? currentRoot.realPath : `${currentRoot.realPath}/${below}`;
    const realPath = nullOnErrno(["ENOENT", "ENOTDIR"], () => this.fs.realpath(expectedPath));
    if (realPath === null) return refusePlace(staleOutcome("the folder is missing"), true);
    // A disk that treats several spellings as equal may report another spelling of the path.
    if (realPath !== expectedPath && pathKey(realPath, folding) !== pathKey(expectedPath, folding))
      return refusePlace(staleOutcome("a folder above it is a symbolic link"), false);
    const stat = statOrNull(this.fs, expectedPath);
    if (stat === null) return refusePlace(staleOutcome("the folder is missing"), true);
    if (stat.kind !== "folder") return refusePlace(staleOutcome("its folder is not a folder"), true);
    if (stat.dev !== currentRoot.stat.dev) return refusePlace(staleOutcome("another disk is mounted above it"), false);
    return { ok: true, abs: expectedPath };
  }

  /**
   * Makes the folders of a path below `.mdmirror`, which only the owner can read. Checks each
   * folder before it makes the next folder inside.
   */
  #makeFolders(below: string): DiskPlace {
    let folder = this.#folderAt("");
    let madePath = "";
    for (const name of below.split("/")) {
      if (!folder.ok) return folder;
      const parent = folder.abs;
      madePath = madePath === "" ? name : `${madePath}/${name}`;
      folder = this.#folderAt(madePath);
      if (!folder.ok && folder.absent) {
        nullOnErrno(["EEXIST"], () => this.fs.mkdir(`${parent}/${name}`, 0o700));
        folder = this.#folderAt(madePath);
      }
    }
    return folder;
  }
}

function joinPlace(folder: DiskPlace, path: string): DiskPlace {
  return folder.ok ? { ok: true, abs: `${folder.abs}/${nameOf(path)}` } : folder;
}

function refusePlace(outcome: NotDoneOutcome, absent: boolean): DiskPlace {
  return { ok: false, outcome, absent };
}

function isPlainPath(path: string): boolean {
  if (path.includes("\0")) return false;
  return path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}

/**
 * Returns true if the linked folder may contain a path. Refuses folders that begin with a dot, and
 * each spelling that some disk treats as `.mdmirror`.
 */
function maySyncPath(path: LocalPath, kind: "file" | "folder"): boolean {
  if (!isPlainPath(path)) return false;
  const names = path.replace(IGNORED_CHARACTERS, "").split("/");
  return names.every((name, index) => {
    const isFile = kind === "file" && index === names.length - 1;
    return isFile ? name.toLowerCase() !== MIRROR_FOLDER : !name.startsWith(".");
  });
}

export function statOrNull(fs: Fs, abs: string): FsStat | null {
  return nullOnErrno(["ENOENT", "ENOTDIR"], () => fs.lstat(abs));
}

/**
 * Returns true if folders can be kept open. Returns false if the system reports a wrong path for an
 * open folder, because a check then proves nothing.
 * @param real real path of the root
 */
function canKeepFoldersOpen(fs: Fs, real: string): boolean {
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
 * @returns null if the folder is missing or was replaced by another item
 */
function openFolderInRoot(
  fs: Fs,
  root: { readonly realPath: string; readonly stat: FsStat },
  below: string,
  folding: DiskFolding | null,
): FolderHandle | null {
  const expectedPath = below === "" ? root.realPath : `${root.realPath}/${below}`;
  const handle = openFolder(fs, expectedPath);
  if (handle === null) return null;
  return closeUnless(handle, () => {
    if (handle.stat().dev !== root.stat.dev || !isFolderAt(handle, expectedPath, folding)) return false;
    // `..` from the open folder must lead to the root. A comparison of paths from the root down
    // proves less, because a part of such a path may have become a symlink.
    const pathUp = below === "" ? "/." : "/..".repeat(below.split("/").length);
    return isSameInode(fs.lstat(`${handle.handlePath}${pathUp}`), root.stat);
  });
}

/** Keeps one folder open while a scan reads it. */
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
   * folder that was open before, so that a deep tree does not use up the file handles.
   * @param stat stat of the folder when the scan found it; another folder at the same path is not
   * accepted
   * @throws ESTALE if the folder no longer exists, or its path contains a symlink
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
  const knownFolding = folding ?? { foldsCase: true, foldsUnicode: true };
  return pathKey(path, knownFolding) === pathKey(expected, knownFolding);
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
