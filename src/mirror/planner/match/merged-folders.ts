import type { DirLink } from "../../model/link.ts";
import { localNameFor } from "../../model/local-name.ts";
import { isWithin, joinPath, type LocalPath, nameOf, parentOf, type RemotePath } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import type { Trees } from "../../model/tree.ts";
import type { FolderRow } from "./row.ts";
import { claimFolder, type FolderPaths, relocate } from "./folder-paths.ts";
import { type Forest, newFolder, register } from "./forest.ts";

/**
 * A folder was renamed or moved on the service to the path of an unlinked local folder: from then
 * on the two are one, like a new folder of the service and a local one. Documents that base has in
 * the old folder stay there, follow one by one, and the old folder goes when it is empty.
 */
export function mergeFolders(forest: Forest, trees: Trees, policy: Policy, paths: FolderPaths): void {
  if (policy.direction === "push-only") return;
  for (const folder of [...forest.folders]) {
    const target = targetOf(forest, trees, paths, folder);
    if (target !== null) mergeInto(forest, paths, folder, target);
  }
}

/**
 * Returns the local folder at the service's place for this one; null if there is none, or it is
 * linked.
 */
function targetOf(forest: Forest, { local }: Trees, paths: FolderPaths, folder: FolderRow): LocalPath | null {
  const { link, localPath, remotePath } = folder;
  if (link === null || localPath === null || remotePath === null) return null;
  if (!isMovedThereAlone(folder, link, paths)) return null;
  const target = pathHere(forest, local, link, remotePath);
  if (target === null || !local.folders.has(target) || paths.claimed.has(target)) return null;
  return isWithin(target, localPath) || isWithin(localPath, target) ? null : target;
}

/** Returns the path that a folder would have locally; null: the one above it is not local. */
function pathHere(forest: Forest, { disk }: Trees["local"], { id }: DirLink, remotePath: RemotePath): LocalPath | null {
  const parent = forest.byRemote.get(parentOf(remotePath))?.localPath ?? null;
  return parent === null ? null : joinPath(parent, localNameFor(nameOf(remotePath), "folder", id, disk.maxNameBytes));
}

/**
 * Returns true if it was moved only on the service: if it was moved locally as well, the table
 * decides.
 */
function isMovedThereAlone(folder: FolderRow, link: DirLink, paths: FolderPaths): boolean {
  if (folder.localSeen !== "present" || folder.remoteSeen !== "listed") return false;
  return folder.remotePath !== link.remotePath && folder.localPath === relocate(link.localPath, paths);
}

function mergeInto(forest: Forest, paths: FolderPaths, folder: FolderRow, target: LocalPath): void {
  const { link, localPath } = folder;
  const old = newFolder(forest.nextKey(), { localPath, localSeen: "present", vacated: true });
  forest.byLocal.delete(localPath!);
  register(forest, old);
  forest.byBaseLocal.set(link!.localPath, old);
  folder.localPath = target;
  folder.merged = true;
  claimFolder(paths, link!, target);
  paths.claimed.delete(localPath!);
  forest.byLocal.set(target, folder);
}
