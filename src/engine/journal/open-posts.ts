import { sameInodeAndBirth } from "../../model/link.ts";
import type { DirId, DocId } from "../../contract/ids.ts";
import { isWithin, type LocalPath, type RemotePath } from "../../model/path.ts";
import type { Intent } from "../../ports/state.ts";
import type { Trees } from "../../model/tree.ts";

export type FolderMove = Extract<Intent, { kind: "patch-folder" }>;
export type Post = Extract<Intent, { kind: "post" }>;

/**
 * Documents that were sent as new and of which no read has told yet. Where the file was moved
 * since, it is known by its inode and not sent as another one; and what stands at its path on the
 * service is not brought here as another one either: once a read tells, the two are linked, and the
 * move is a move (I09).
 * @param open with why each is not settled
 */
export function hideOpenPosts(trees: Trees, open: ReadonlyMap<Post, string>): Trees {
  if (open.size === 0) return trees;
  const { base, local, remote } = trees;
  const unseenHere = new Map<LocalPath, string>(local.unseen);
  const files = new Map(remote.files);
  const unseenThere = new Map<DocId, string>(remote.unseen);
  for (const [{ stamp, localPath, remotePath }, why] of open) {
    for (const file of local.inodesTrusted && stamp !== undefined ? local.files.values() : [])
      if (sameInodeAndBirth(file.stamp, stamp!) && !unseenHere.has(file.path)) unseenHere.set(file.path, why);
    if (local.files.has(localPath)) continue;
    for (const { id, path } of remote.files.values()) {
      if (path !== remotePath || base.links.has(id)) continue;
      files.delete(id);
      unseenThere.set(id, why);
    }
  }
  return { base, local: { ...local, unseen: unseenHere }, remote: { ...remote, files, unseen: unseenThere } };
}

/**
 * Folders that were sent to another place, and of which no read has told yet. Documents may show
 * that place before any list of folders does: what stands at or below either of the two waits, for
 * it would look moved by itself, into a folder that takes the place which this one is to have.
 * @param open with why each is not settled
 */
export function hideOpenFolderMoves(trees: Trees, open: ReadonlyMap<FolderMove, string>): Trees {
  // Before anything is copied: a copy of what is borrowed makes a value of each document.
  if (open.size === 0) return trees;
  const { remote } = trees;
  const unsettled = new Map<DirId, string>();
  const files = new Map(remote.files);
  const folders = new Map(remote.folders);
  const unseen = new Map<DocId, string>(remote.unseen);
  for (const [{ dirId, from, to }, why] of open) {
    // A list that shows it, or that was seen to its end, has told.
    if (remote.foldersComplete || remote.folders.has(dirId)) continue;
    unsettled.set(dirId, why);
    const isHidden = (path: RemotePath): boolean => isWithin(path, from) || isWithin(path, to);
    for (const { id, path } of remote.files.values()) {
      if (!isHidden(path)) continue;
      files.delete(id);
      unseen.set(id, why);
    }
    for (const { id, path } of remote.folders.values()) if (isHidden(path)) folders.delete(id);
  }
  return unsettled.size === 0 ? trees : { ...trees, remote: { ...remote, files, folders, unseen, unsettled } };
}
