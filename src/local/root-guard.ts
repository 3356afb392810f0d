import type { FolderHandle, DiskOutcome, Fs, FsStat } from "../ports/disk.ts";
import { type DiskFolding, EXACT_DISK, type LocalPath, nameOf, parentOf, pathKey } from "../model/path.ts";
import type { Random } from "../ports/world.ts";
import { canHold, createWalkHold, holdFolder, type WalkHold } from "./folder-handle.ts";
import { anyErrno, fault, stale, unless } from "./errno.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { sameInode } from "./stamp.ts";

/** An end of an effect in which it did not happen. */
export type NotDone = Exclude<DiskOutcome<never>, { readonly kind: "done" }>;

/**
 * Where a path is on the disk, or why nothing can be done there. `absent`: proven that nothing is
 * at the path.
 */
export type Place =
  | { readonly ok: true; readonly abs: string }
  | { readonly ok: false; readonly outcome: NotDone; readonly absent: boolean };

export type Root = { readonly real: string; readonly stat: FsStat };

/**
 * The one way from a path to the disk: everything in `local/` that touches a file asks here first
 * (I26).
 */
export type RootGuard = {
  readonly fs: Fs;
  readonly random: Random;
  /**
   * Looks at the root and remembers it: everything later must find the same folder. null: not
   * there, or not a folder.
   */
  identify(): Root | null;
  /**
   * The root that was identified, at the first need by this, as it is now. null: not there, or
   * another one by now.
   */
  root(): Root | null;
  /**
   * Does `work`, a single effect; the folders that it looks at are held open until it ends, so that
   * its calls are made in these very folders. One that is moved meanwhile is as one that was moved
   * after it. Elsewhere than here, and where nothing can be held open, a place is a plain path.
   */
  during<T>(work: () => T): T;
  /** For a walk, which holds one folder after the other. */
  walkHold(): WalkHold;
  /** The folder at `path` itself, which was just looked at as `abs`, to act on what lies in it. */
  inside(path: LocalPath, abs: string): Place;
  /**
   * A path of the mirrored tree, as a file or folder may have it; the folder above is looked at.
   */
  place(path: LocalPath, kind: "file" | "folder"): Place;
  /** A `tmp/…` or `trash/…` path below `.mdmirror/`. `make`: makes the folders above. */
  mirrorPlace(path: string, make: boolean): Place;
  /** What the disk makes one of; exact until it was learned. */
  folding(): DiskFolding;
  learnFolding(folding: DiskFolding): void;
};

// Some disks (HFS+) do not see these in a name: `.md\u200cmirror` would be `.mdmirror`.
const UNSEEN_CHARACTERS = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

export function createRootGuard(fs: Fs, root: string, random: Random): RootGuard {
  if (!root.startsWith("/")) throw new TypeError("the root must be an absolute path");
  let folding = EXACT_DISK;
  let isFoldingKnown = false;
  let pinned: Root | null = null;
  let holds = false;
  let held: Map<string, FolderHandle> | null = null;

  function identify(): Root | null {
    // A root that cannot be looked at (a disk that was unplugged) is as little there as one that is
    // gone.
    pinned = anyErrno(() => {
      const real = fs.realpath(root);
      const stat = fs.lstat(real);
      return stat.kind === "folder" ? { real, stat } : null;
    });
    holds = pinned !== null && anyErrno(() => canHold(fs, pinned!.real)) === true;
    return pinned;
  }

  function sameRoot(): Root | null {
    const known = pinned ?? identify();
    if (known === null) return null;
    const now = anyErrno(() => fs.lstat(known.real));
    return now?.kind === "folder" && sameInode(now, known.stat) ? { real: known.real, stat: now } : null;
  }

  /**
   * The folder at `below` (relative to the root), reached through no symlink and on the root's own
   * disk.
   */
  function folderAt(below: string): Place {
    const known = pinned ?? identify();
    if (held === null || known === null || !holds) return lookedAt(below);
    const handle = held.get(below) ?? holdFolder(fs, known, below, isFoldingKnown ? folding : null);
    if (handle !== null) {
      held.set(below, handle);
      return { ok: true, abs: handle.at };
    }
    const looked = lookedAt(below);
    return looked.ok ? refused(stale("a folder above it was exchanged in this moment"), false) : looked;
  }

  /**
   * RACE: where folders cannot be held open (no `/proc`), a component may be swapped for a symlink
   * between this look and the system call that uses the path; Node has no openat. Who can do that
   * can write in the mirrored folder already; the window is some microseconds.
   */
  function lookedAt(below: string): Place {
    const known = sameRoot();
    if (known === null) return refused(stale("the mirrored folder is not there, or is another one"), false);
    const expected = below === "" ? known.real : `${known.real}/${below}`;
    const real = unless(["ENOENT", "ENOTDIR"], () => fs.realpath(expected));
    if (real === null) return refused(stale("the folder is not there"), true);
    // A disk that folds names may answer with the spelling that it keeps.
    if (real !== expected && pathKey(real, folding) !== pathKey(expected, folding))
      return refused(stale("a folder above it is a symbolic link"), false);
    const stat = statOrNull(fs, expected);
    if (stat === null) return refused(stale("the folder is not there"), true);
    if (stat.kind !== "folder") return refused(stale("what should be its folder is none"), true);
    if (stat.dev !== known.stat.dev) return refused(stale("another disk is mounted above it"), false);
    return { ok: true, abs: expected };
  }

  return {
    fs,
    random,
    identify,
    root: sameRoot,
    folding: () => folding,
    learnFolding: (learned) => {
      folding = learned;
      isFoldingKnown = true;
    },
    during(work) {
      if (held !== null) return work();
      const opened = new Map<string, FolderHandle>();
      held = opened;
      try {
        return work();
      } finally {
        held = null;
        for (const handle of opened.values()) handle.close();
      }
    },
    walkHold: () => createWalkHold(fs, holds, folding),
    inside: (path, abs) => (held === null || !holds ? { ok: true, abs } : folderAt(path)),
    place(path, kind) {
      if (!isMirrorable(path, kind))
        return refused(fault("EINVAL", `${path}: not a path of the mirrored folder`), false);
      const folder = folderAt(parentOf(path));
      return folder.ok ? { ok: true, abs: `${folder.abs}/${nameOf(path)}` } : folder;
    },
    mirrorPlace(path, make) {
      if (!isPlain(path) || !/^(?:tmp|trash)\/./.test(path))
        return refused(fault("EINVAL", `${path}: not a place for what is taken aside`), false);
      const below = `${MIRROR_FOLDER}/${parentOf(path)}`;
      let folder = folderAt(below);
      if (!folder.ok && folder.absent && make) folder = makeFolders(fs, folderAt, below);
      return folder.ok ? { ok: true, abs: `${folder.abs}/${nameOf(path)}` } : folder;
    },
  };
}

/**
 * Makes the folders of a path below `.mdmirror`, nobody else's to enter, each looked at before the
 * next is made in it.
 */
function makeFolders(fs: Fs, folderAt: (below: string) => Place, below: string): Place {
  let folder = folderAt("");
  let made = "";
  for (const name of below.split("/")) {
    if (!folder.ok) return folder;
    const parent = folder.abs;
    made = made === "" ? name : `${made}/${name}`;
    folder = folderAt(made);
    if (!folder.ok && folder.absent) {
      unless(["EEXIST"], () => fs.mkdir(`${parent}/${name}`, 0o700));
      folder = folderAt(made);
    }
  }
  return folder;
}

function refused(outcome: NotDone, absent: boolean): Place {
  return { ok: false, outcome, absent };
}

/** A relative path of plain names: not absolute, no `.` or `..`, no empty name, no NUL. */
function isPlain(path: string): boolean {
  if (path.includes("\0")) return false;
  return path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}

/**
 * Dot folders, `.mdmirror` among them in every spelling that some disk makes one of, are never part
 * of the tree.
 */
function isMirrorable(path: LocalPath, kind: "file" | "folder"): boolean {
  if (!isPlain(path)) return false;
  const names = path.replace(UNSEEN_CHARACTERS, "").split("/");
  return names.every((name, index) => {
    const isFile = kind === "file" && index === names.length - 1;
    return isFile ? name.toLowerCase() !== MIRROR_FOLDER : !name.startsWith(".");
  });
}

export function statOrNull(fs: Fs, abs: string): FsStat | null {
  return unless(["ENOENT", "ENOTDIR"], () => fs.lstat(abs));
}
