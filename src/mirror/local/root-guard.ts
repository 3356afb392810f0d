import type { DiskOutcome } from "../ports/disk.ts";
import type { FolderHandle, Fs, FsStat } from "../ports/fs.ts";
import { type DiskNames, EXACT_DISK, type LocalPath, nameOf, parentOf, pathKey } from "../../contract/path.ts";
import type { Random } from "../../common/random.ts";
import { canKeepFoldersOpen, openFolderInRoot, ScanFolder } from "./folder-handle.ts";
import { anyErrno, fault, stale, nullOnErrno } from "./errno.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { sameInode } from "./stamp.ts";

/** Result of an effect that did not happen. */
export type NotDone = Exclude<DiskOutcome<never>, { readonly kind: "done" }>;

/**
 * Place of a path on the disk, or the reason why the path cannot be used. `absent`: proven that
 * nothing is at the path.
 */
type DiskPlace =
  | { readonly ok: true; readonly abs: string }
  | { readonly ok: false; readonly outcome: NotDone; readonly absent: boolean };

export type Root = { readonly realPath: string; readonly stat: FsStat };

// Some disks (HFS+) ignore these characters in a name: for them `.md\u200cmirror` is `.mdmirror`.
const IGNORED_CHARACTERS = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * Checks paths, and returns absolute paths that lead to the linked folder only. All code in
 * `local/` that touches a file uses this class (I26).
 */
export class RootGuard {
  readonly fs: Fs;
  readonly random: Pick<Random, "hex">;
  readonly #path: string;
  /** Properties of names on the disk. Null: not learned yet. */
  #names: DiskNames | null = null;
  /** The folder that was identified as the root. Every later check must find the same folder. */
  #identified: Root | null = null;
  #canKeepOpen = false;
  /**
   * Folders that are kept open for the current effect, by their paths; null if no effect is
   * running.
   */
  #handles: Map<string, FolderHandle> | null = null;

  constructor(fs: Fs, root: string, random: Pick<Random, "hex">) {
    if (!root.startsWith("/")) throw new TypeError("the root must be an absolute path");
    this.fs = fs;
    this.random = random;
    this.#path = root;
  }

  /**
   * Reads the root and remembers it: every later check must find the same folder. Returns null if
   * the root is missing or not a folder.
   */
  identify(): Root | null {
    // A root that cannot be read (a disk that was unplugged) counts as gone.
    const found = anyErrno(() => {
      const realPath = this.fs.realpath(this.#path);
      const stat = this.fs.lstat(realPath);
      return stat.kind === "folder" ? { realPath, stat } : null;
    });
    this.#identified = found;
    this.#canKeepOpen = found !== null && anyErrno(() => canKeepFoldersOpen(this.fs, found.realPath)) === true;
    return found;
  }

  /**
   * Returns the current root, which the first call identifies; null if it is missing, or was
   * replaced by another folder.
   */
  root(): Root | null {
    const known = this.#identified ?? this.identify();
    if (known === null) return null;
    const currentRoot = anyErrno(() => this.fs.lstat(known.realPath));
    return currentRoot?.kind === "folder" && sameInode(currentRoot, known.stat)
      ? { realPath: known.realPath, stat: currentRoot }
      : null;
  }

  /**
   * Returns the properties of names on the disk. Until they are learned, returns those of a disk
   * that folds nothing.
   */
  names(): DiskNames {
    return this.#names ?? EXACT_DISK;
  }

  learnNames(learned: DiskNames): void {
    this.#names = learned;
  }

  /**
   * Runs `work`, a single effect. The folders that the effect checks are kept open until it ends,
   * so that its calls act in these very folders. A folder that is moved during the effect counts as
   * moved after it. If folders cannot be kept open, a place is a plain path.
   */
  withFoldersOpen<T>(work: () => T): T {
    if (this.#handles !== null) return work();
    const opened = new Map<string, FolderHandle>();
    this.#handles = opened;
    try {
      return work();
    } finally {
      this.#handles = null;
      for (const handle of opened.values()) handle.close();
    }
  }

  /** Opens folders for a scan, one after the other. */
  openScanFolder(): ScanFolder {
    return new ScanFolder(this.fs, this.#canKeepOpen, this.names());
  }

  /**
   * Returns the place of a folder whose entries will change; a call of `place` has just returned
   * `abs` for it.
   */
  inside(path: LocalPath, abs: string): DiskPlace {
    return this.#handles === null || !this.#canKeepOpen ? { ok: true, abs } : this.#folderAt(path);
  }

  /** Returns the place of a file or folder of the tree. Checks the folder above it. */
  place(path: LocalPath, kind: "file" | "folder"): DiskPlace {
    if (!maySync(path, kind)) return refused(fault("EINVAL", `${path}: not a path of the linked folder`), false);
    return placeIn(this.#folderAt(parentOf(path)), path);
  }

  /**
   * Returns the place of a `tmp/…` or `trash/…` path below `.mdmirror/`. `mayCreate`: creates the
   * folders above the path.
   */
  mirrorPlace(path: string, mayCreate: boolean): DiskPlace {
    if (!isPlain(path) || !/^(?:tmp|trash)\/./.test(path))
      return refused(fault("EINVAL", `${path}: not a place for files that are set aside`), false);
    const below = `${MIRROR_FOLDER}/${parentOf(path)}`;
    const folder = this.#folderAt(below);
    return placeIn(!folder.ok && folder.absent && mayCreate ? this.#makeFolders(below) : folder, path);
  }

  /**
   * Returns the folder at `below` (relative to the root), reached through no symlink and on the
   * root's own disk.
   */
  #folderAt(below: string): DiskPlace {
    const known = this.#identified ?? this.identify();
    if (this.#handles === null || known === null || !this.#canKeepOpen) return this.#folderByPath(below);
    const handle = this.#handles.get(below) ?? openFolderInRoot(this.fs, known, below, this.#names);
    if (handle !== null) {
      this.#handles.set(below, handle);
      return { ok: true, abs: handle.handlePath };
    }
    const checked = this.#folderByPath(below);
    return checked.ok ? refused(stale("a folder above it was replaced at this moment"), false) : checked;
  }

  /**
   * Returns a folder by its path. RACE: if folders cannot be kept open (no `/proc`), a component
   * may be swapped for a symlink between this check and the system call that uses the path; Node
   * has no openat. Somebody who can do that can already write in the linked folder; the time for it
   * is some microseconds.
   */
  #folderByPath(below: string): DiskPlace {
    const known = this.root();
    if (known === null) return refused(stale("the linked folder does not exist, or is another folder"), false);
    const folding = this.names();
    const expected = below === "" ? known.realPath : `${known.realPath}/${below}`;
    const real = nullOnErrno(["ENOENT", "ENOTDIR"], () => this.fs.realpath(expected));
    if (real === null) return refused(stale("the folder is missing"), true);
    // A disk that folds names may answer with the spelling under which it keeps the folder.
    if (real !== expected && pathKey(real, folding) !== pathKey(expected, folding))
      return refused(stale("a folder above it is a symbolic link"), false);
    const stat = statOrNull(this.fs, expected);
    if (stat === null) return refused(stale("the folder is missing"), true);
    if (stat.kind !== "folder") return refused(stale("its folder is not a folder"), true);
    if (stat.dev !== known.stat.dev) return refused(stale("another disk is mounted above it"), false);
    return { ok: true, abs: expected };
  }

  /**
   * Makes the folders of a path below `.mdmirror`, accessible to the owner alone. Each is checked
   * before the next is made in it.
   */
  #makeFolders(below: string): DiskPlace {
    let folder = this.#folderAt("");
    let made = "";
    for (const name of below.split("/")) {
      if (!folder.ok) return folder;
      const parent = folder.abs;
      made = made === "" ? name : `${made}/${name}`;
      folder = this.#folderAt(made);
      if (!folder.ok && folder.absent) {
        nullOnErrno(["EEXIST"], () => this.fs.mkdir(`${parent}/${name}`, 0o700));
        folder = this.#folderAt(made);
      }
    }
    return folder;
  }
}

function placeIn(folder: DiskPlace, path: string): DiskPlace {
  return folder.ok ? { ok: true, abs: `${folder.abs}/${nameOf(path)}` } : folder;
}

function refused(outcome: NotDone, absent: boolean): DiskPlace {
  return { ok: false, outcome, absent };
}

/**
 * Returns true for a relative path of plain names: not absolute, no `.` or `..`, no empty name, no
 * NUL.
 */
function isPlain(path: string): boolean {
  if (path.includes("\0")) return false;
  return path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}

/**
 * Returns true if a path may be synced. Dot folders may not, nor may `.mdmirror` in any spelling
 * that some disk treats as equal.
 */
function maySync(path: LocalPath, kind: "file" | "folder"): boolean {
  if (!isPlain(path)) return false;
  const names = path.replace(IGNORED_CHARACTERS, "").split("/");
  return names.every((name, index) => {
    const isFile = kind === "file" && index === names.length - 1;
    return isFile ? name.toLowerCase() !== MIRROR_FOLDER : !name.startsWith(".");
  });
}

export function statOrNull(fs: Fs, abs: string): FsStat | null {
  return nullOnErrno(["ENOENT", "ENOTDIR"], () => fs.lstat(abs));
}
