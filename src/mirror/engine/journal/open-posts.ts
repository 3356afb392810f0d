import { isSameInodeAndBirth } from "../../model/record.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import { isWithin, type RemotePath } from "../../../contract/path.ts";
import { type LocalTree, makeUnreadable, type RemoteTree, type Trees } from "../../model/tree.ts";
import type { Intent } from "../../ports/state.ts";

export type FolderMoveIntent = Extract<Intent, { kind: "patch-folder" }>;
export type PostIntent = Extract<Intent, { kind: "post" }>;

/**
 * Hides new documents whose POST has an unknown result:
 * - A file with the inode of the sent file is hidden, so that mdmirror does not send it again after
 *   a user moved it.
 * - A document at the sent path is hidden, so that mdmirror does not download it as another
 *   document.
 *
 * Once a read has shown the result, file and document get one record, and the user's move counts as
 * a move (I09).
 * @param open reason why the result of each POST is unknown
 */
export function hideOpenPosts(trees: Trees, open: ReadonlyMap<PostIntent, string>): Trees {
  if (open.size === 0) return trees;
  return { base: trees.base, local: hidePostsLocally(trees.local, open), remote: hidePostsOnService(trees, open) };
}

function hidePostsLocally(local: LocalTree, open: ReadonlyMap<PostIntent, string>): LocalTree {
  const unseen = new Map(local.unseen);
  for (const [{ stamp }, why] of open) {
    if (stamp === null || !local.inodesTrusted) continue;
    for (const file of local.files.values())
      if (isSameInodeAndBirth(file.stamp, stamp) && !unseen.has(file.path)) unseen.set(file.path, makeUnreadable(why));
  }
  return { ...local, unseen };
}

function hidePostsOnService({ base, local, remote }: Trees, open: ReadonlyMap<PostIntent, string>): RemoteTree {
  const hiddenDocuments: [DocId, string][] = [];
  for (const [{ localPath, remotePath }, why] of open) {
    if (local.files.has(localPath)) continue;
    for (const { id, path } of remote.files.values())
      if (path === remotePath && !base.records.has(id)) hiddenDocuments.push([id, why]);
  }
  return hideDocuments(remote, hiddenDocuments);
}

/** Returns the tree without some documents, each marked as unseen with a reason. */
export function hideDocuments(remote: RemoteTree, hidden: readonly (readonly [DocId, string])[]): RemoteTree {
  const files = new Map(remote.files);
  for (const [id] of hidden) files.delete(id);
  return { ...remote, files, unseen: new Map([...remote.unseen, ...hidden]) };
}

/**
 * Hides each folder whose move has an unknown result, and everything at or below its old and its
 * new path. A listing may show documents at the new path before it shows the folder at that path.
 * Without the folder, each document would look as if somebody had moved only that document.
 * @param open reason why the result of each move is unknown
 */
export function hideOpenFolderMoves(trees: Trees, open: ReadonlyMap<FolderMoveIntent, string>): Trees {
  if (open.size === 0) return trees;
  const { remote } = trees;
  const unsettled = new Map<DirId, string>();
  const folders = new Map(remote.folders);
  const documents: [DocId, string][] = [];
  for (const [{ dirId, from, to }, why] of open) {
    // The listing shows the result if its folders are complete, or if it contains this folder.
    if (remote.foldersComplete || remote.folders.has(dirId)) continue;
    unsettled.set(dirId, why);
    const isHidden = ({ path }: { readonly path: RemotePath }): boolean => isWithin(path, from) || isWithin(path, to);
    for (const { id } of remote.files.values().filter(isHidden)) documents.push([id, why]);
    for (const { id } of remote.folders.values().filter(isHidden)) folders.delete(id);
  }
  return unsettled.size === 0
    ? trees
    : { ...trees, remote: { ...hideDocuments(remote, documents), folders, unsettled } };
}
