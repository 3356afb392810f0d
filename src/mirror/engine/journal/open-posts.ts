import { sameInodeAndBirth } from "../../model/link.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import { isWithin, type RemotePath } from "../../../contract/path.ts";
import { unreadable } from "../../model/seen.ts";
import type { Intent } from "../../ports/state.ts";
import type { LocalTree, RemoteTree, Trees } from "../../model/tree.ts";

export type FolderMove = Extract<Intent, { kind: "patch-folder" }>;
export type Post = Extract<Intent, { kind: "post" }>;

/**
 * Hides new documents whose POST has an unknown result. If the file was moved since, its inode
 * identifies it, so that it is not sent as another document. The document at its path on the
 * service is not downloaded as another document either. Once a read has shown the result, the two
 * are linked, and the move counts as a move (I09).
 * @param open reason why each result is unknown
 */
export function hideOpenPosts(trees: Trees, open: ReadonlyMap<Post, string>): Trees {
  if (open.size === 0) return trees;
  return { base: trees.base, local: hideLocally(trees.local, open), remote: hideOnService(trees, open) };
}

function hideLocally(local: LocalTree, open: ReadonlyMap<Post, string>): LocalTree {
  const unseen = new Map(local.unseen);
  for (const [{ stamp }, why] of open) {
    if (stamp === null || !local.inodesTrusted) continue;
    for (const file of local.files.values())
      if (sameInodeAndBirth(file.stamp, stamp) && !unseen.has(file.path)) unseen.set(file.path, unreadable(why));
  }
  return { ...local, unseen };
}

function hideOnService({ base, local, remote }: Trees, open: ReadonlyMap<Post, string>): RemoteTree {
  const files = new Map(remote.files);
  const unseen = new Map<DocId, string>(remote.unseen);
  for (const [{ localPath, remotePath }, why] of open) {
    if (local.files.has(localPath)) continue;
    for (const { id, path } of remote.files.values()) {
      if (path !== remotePath || base.links.has(id)) continue;
      files.delete(id);
      unseen.set(id, why);
    }
  }
  return { ...remote, files, unseen };
}

/**
 * Hides folders whose move has an unknown result. Documents may show the new path before a listing
 * of folders does, so all entries at or below either path wait. Otherwise each document would look
 * moved separately.
 * @param open reason why each result is unknown
 */
export function hideOpenFolderMoves(trees: Trees, open: ReadonlyMap<FolderMove, string>): Trees {
  if (open.size === 0) return trees;
  const { remote } = trees;
  const unsettled = new Map<DirId, string>();
  const files = new Map(remote.files);
  const folders = new Map(remote.folders);
  const unseen = new Map<DocId, string>(remote.unseen);
  for (const [{ dirId, from, to }, why] of open) {
    // A complete listing, or one with the folder, shows the result.
    if (remote.foldersComplete || remote.folders.has(dirId)) continue;
    unsettled.set(dirId, why);
    const hidden = ({ path }: { readonly path: RemotePath }): boolean => isWithinEither(path, from, to);
    for (const { id } of remote.files.values().filter(hidden)) {
      files.delete(id);
      unseen.set(id, why);
    }
    for (const { id } of remote.folders.values().filter(hidden)) folders.delete(id);
  }
  return unsettled.size === 0 ? trees : { ...trees, remote: { ...remote, files, folders, unseen, unsettled } };
}

function isWithinEither(path: RemotePath, from: RemotePath, to: RemotePath): boolean {
  return isWithin(path, from) || isWithin(path, to);
}
