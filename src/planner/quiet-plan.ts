import { hasLastingNames } from "../model/agreement.ts";
import type { DirLink } from "../model/link.ts";
import { folderInodeKey } from "./match/inode.ts";
import { isOneEach, isQuiet, lentTest } from "./match/quiet.ts";
import { folds, type LocalPath, parentOf, type RemotePath } from "../model/path.ts";
import type { Plan, Signals } from "./plan-types.ts";
import type { Policy } from "../model/policy.ts";
import { isComplete, type LocalTree, type RemoteTree, type Trees } from "../model/tree.ts";
import { judge } from "./verdict/verdict.ts";

/**
 * The plan for the case that both sides were seen completely, both show just what base says, and
 * nothing is held: no steps. It equals that of `makePlan` (a property test compares them), and
 * needs none of the planner's other modules.
 * @returns null where there may be something to do
 */
export function planQuiet(trees: Trees, policy: Policy, signals: Signals): Plan | null {
  if (!isQuietAll(trees)) return null;
  const count = trees.base.links.size;
  const counts = { known: count, hereNow: count, absentHere: 0, shownThere: count, goneThere: 0 };
  return { steps: [], holds: [], verdict: judge(trees, policy, signals, [], counts).verdict };
}

function isQuietAll(trees: Trees): boolean {
  const { base, local, remote } = trees;
  if (base.holds.size > 0 || base.conflicts.size > 0 || !sawAll(local) || !showedAll(remote)) return false;
  const count = base.links.size;
  if (local.files.size !== count || remote.files.size !== count) return false;
  const folders = restingFolders(trees);
  return folders !== null && areDocumentsQuiet(trees, folders);
}

function areDocumentsQuiet(trees: Trees, folders: ReadonlyMap<LocalPath, RemotePath>): boolean {
  const { links } = trees.base;
  const isLent = lentTest(trees);
  const isInOne = parentTest(folders);
  for (const link of links.values()) {
    if (!isQuiet(trees, link, isLent?.(link) === true) || !isInOne(link)) return false;
  }
  // As many files as links, each with a link's own file, or one that was borrowed of it.
  return isLent !== null || isOneEach(links);
}

/** Where a disk takes several names for one, the planner must look for clashes. */
function sawAll({ unseen, disk, inodesTrusted }: LocalTree): boolean {
  return unseen.size === 0 && inodesTrusted && !folds(disk);
}

function showedAll(remote: RemoteTree): boolean {
  return isComplete(remote) && remote.foldersComplete && remote.outside.size === 0;
}

/**
 * The folders of base and the root, by local path, with their path on the service. null: some
 * folder is not where base has it.
 */
function restingFolders(trees: Trees): ReadonlyMap<LocalPath, RemotePath> | null {
  const { base, local, remote } = trees;
  const count = base.dirs.size;
  if (local.folders.size !== count || remote.folders.size !== count) return null;
  const folders = new Map<LocalPath, RemotePath>([["", ""]]);
  for (const dir of base.dirs.values()) {
    if (!isFolderQuiet(trees, dir)) return null;
    folders.set(dir.localPath, dir.remotePath);
  }
  // Two rows at one path, or one at the root's own.
  if (folders.size !== count + 1) return null;
  const isInOne = parentTest(folders);
  for (const dir of base.dirs.values()) if (!isInOne(dir)) return null;
  return folders;
}

/** Whether both sides show a linked folder as base has it. */
function isFolderQuiet({ local, remote }: Trees, dir: DirLink): boolean {
  const here = local.folders.get(dir.localPath);
  const key = folderInodeKey(dir);
  if (here === undefined || key === null || folderInodeKey(here) !== key) return false;
  return remote.folders.get(dir.id)?.path === dir.remotePath && hasLastingNames(dir, "folder");
}

type Linked = { readonly localPath: LocalPath; readonly remotePath: RemotePath };

/**
 * Whether a row's folder is linked and the same on both sides. Base mostly lists documents of one
 * folder together.
 */
function parentTest(folders: ReadonlyMap<LocalPath, RemotePath>): (linked: Linked) => boolean {
  const last = { local: "", remote: "" };
  return ({ localPath, remotePath }) => {
    if (isDirectlyIn(localPath, last.local) && isDirectlyIn(remotePath, last.remote)) return true;
    const local = parentOf(localPath);
    if (folders.get(local) !== parentOf(remotePath)) return false;
    Object.assign(last, { local, remote: parentOf(remotePath) });
    return true;
  };
}

function isDirectlyIn(path: string, folder: string): boolean {
  return folder !== "" && path.lastIndexOf("/") === folder.length && path.startsWith(folder);
}
