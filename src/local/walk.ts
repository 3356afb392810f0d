import type { Digest } from "../core/digest.ts";
import type { LocalPath } from "../core/path.ts";
import type { KnownFile } from "../core/ports/disk.ts";
import type { LocalFile, LocalFolder, LocalOther, LocalTree } from "../core/tree.ts";
import { unless } from "./errno.ts";
import { type Ground, statOrNull } from "./ground.ts";
import { ignoresPath } from "./ignore.ts";
import { freshName, TEMP_PREFIX, unlinkLeftover } from "./names.ts";
import { readFolder, type WalkedFolder, type WalkWork } from "./walk-folder.ts";

export type WalkOptions = {
  /** Whether the disk may be asked its time by a probe file; without, no new stamp is trusted. */
  readonly probe: boolean;
  /** Patterns (gitignore syntax) beside those of the `.mdmirrorignore` files. */
  readonly ignore: readonly string[];
};

/** A folder that changes under each of so many readings is given up for this pass. */
const READINGS = 3;

/**
 * Looks at every entry of the tree. A folder whose stamp changed while the walk was under way is read again at the end, so that a document
 * that moved from a folder not read yet to one read already is not taken for deleted; what still changes is `unseen`.
 * LIMIT: two changes within one tick of the disk's clock look like one; hence two looks before a deletion.
 */
export function walkTree(
  ground: Ground,
  options: WalkOptions,
  known: (path: LocalPath) => KnownFile | null,
  onText: (digest: Digest, text: string) => void,
): LocalTree {
  const root = ground.identify();
  const unseen = new Map<LocalPath, string>();
  const tree = {
    files: new Map<LocalPath, LocalFile>(),
    folders: new Map<LocalPath, LocalFolder>(),
    others: new Map<LocalPath, LocalOther>(),
  };
  const rules: WalkWork["rules"] = new Map();
  if (root === null) {
    unseen.set("", "the mirrored folder is not there");
  } else {
    const work: WalkWork = {
      fs: ground.fs,
      dev: root.stat.dev,
      diskNow: options.probe ? diskTime(ground) : null,
      foldsCase: ground.folding().foldsCase,
      extraPatterns: options.ignore,
      rules,
      known,
      onText,
      read: new Map(),
    };
    let top: WalkedFolder | null = readFolder(work, root.real, "", root.stat, null);
    for (let reading = 2; reading <= READINGS && top !== null; reading++) {
      const again = rereadChanged(work, top);
      if (again === top) break;
      top = again;
    }
    if (top === null) {
      unseen.set("", "the mirrored folder went away");
    } else {
      markUnsettled(work, top);
      collect(top, tree, unseen);
    }
  }
  return {
    ...tree,
    unseen,
    disk: ground.folding(),
    inodesTrusted: true,
    ignores: (path, kind) => ignoresPath(rules, path, kind),
  };
}

/** The disk's own time, by the stamp of a file made now (I29: no wall clock). null when the disk takes no file now. */
function diskTime(ground: Ground): number | null {
  const stat = unless(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO", "ENOTDIR"], () => {
    const probe = freshName(ground, TEMP_PREFIX);
    ground.fs.writeNew(probe, new Uint8Array(), null, false);
    const made = ground.fs.lstat(probe);
    unlinkLeftover(ground, probe);
    return made;
  });
  return stat === null ? null : stat.mtimeMs;
}

function hasChanged(work: WalkWork, folder: WalkedFolder): boolean {
  const now = unless(["ENOENT", "ENOTDIR", "EACCES"], () => work.fs.lstat(folder.abs));
  return now === null || now.ino !== folder.stat.ino || now.mtimeMs !== folder.stat.mtimeMs;
}

/** @returns the same object when nothing below has changed; null when the folder is gone, or on another disk */
function rereadChanged(work: WalkWork, folder: WalkedFolder): WalkedFolder | null {
  if (hasChanged(work, folder)) {
    const stat = statOrNull(work.fs, folder.abs);
    if (stat?.kind !== "folder" || stat.dev !== work.dev) return null;
    // The root is what was identified, or nothing: an empty mount point is not an emptied tree.
    if (folder.path === "" && stat.ino !== folder.stat.ino) return null;
    return readFolder(work, folder.abs, folder.path, stat, folder);
  }
  let changed = false;
  const folders: WalkedFolder[] = [];
  for (const child of folder.folders) {
    const again = rereadChanged(work, child);
    if (again !== child) changed = true;
    if (again !== null) folders.push(again);
  }
  return changed ? { ...folder, folders } : folder;
}

function markUnsettled(work: WalkWork, folder: WalkedFolder): void {
  if (hasChanged(work, folder)) folder.unseen.set(folder.path, "the folder keeps changing");
  for (const child of folder.folders) markUnsettled(work, child);
}

function collect(
  folder: WalkedFolder,
  tree: { files: Map<LocalPath, LocalFile>; folders: Map<LocalPath, LocalFolder>; others: Map<LocalPath, LocalOther> },
  unseen: Map<LocalPath, string>,
): void {
  for (const file of folder.files) tree.files.set(file.path, file);
  for (const other of folder.others) tree.others.set(other.path, other);
  for (const [path, why] of folder.unseen) unseen.set(path, why);
  for (const child of folder.folders) {
    const { dev, ino, birthMs } = child.stat;
    tree.folders.set(child.path, { path: child.path, dev, ino, birthMs });
    collect(child, tree, unseen);
  }
}
