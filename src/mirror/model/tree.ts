/**
 * The three trees of a plan: base (the state file), local (one walk), remote (one listing). Plain
 * data.
 */

import type { TextFault } from "../../contract/limits.ts";
import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type {
  Conflict,
  FolderRecord,
  Block,
  DocumentRecord,
  DocumentPaths,
  Inode,
  Stamp,
  Tombstone,
} from "./record.ts";
import type { DiskNames, LocalPath, RemotePath } from "../../contract/path.ts";
import type { Unread } from "./seen.ts";

/** A regular file that mdmirror considers: `.md`, not ignored, not a conflict copy. */
export type LocalFile = {
  readonly path: LocalPath;
  readonly stamp: Stamp;
  readonly stampTrusted: boolean;
  /** Digest of the content, after its links are converted to the service's form. */
  readonly digest: Digest;
  /** Digest of the bytes on disk, if it differs from `digest`. */
  readonly bytes?: Digest;
  /**
   * True if the file's links still have to be resolved by the paths of documents. Until then,
   * `digest` is that of the bytes, or of the content that the same bytes stand for at another path.
   * Undefined if the links are resolved, or there are none.
   */
  readonly hasUnresolvedLinks?: true;
  readonly textFault: TextFault | null;
  /**
   * True if the file has no bytes. Empty content is no evidence of identity, and an editor that
   * crashed may have left it.
   */
  readonly empty: boolean;
};

export type LocalFolder = { readonly path: LocalPath } & Inode;

/** A file or folder at a path that mdmirror does not change. */
export type LocalOther = {
  readonly path: LocalPath;
  readonly kind:
    | "symlink"
    | "other-file"
    | "ignored"
    | "ignored-folder"
    | "git-ignored"
    | "git-ignored-folder"
    | "dot-folder"
    | "special"
    | "litter"
    | "conflict-copy";
  /**
   * Stamp of a file or folder; null for other entries. If a recorded inode has such a name, the
   * document is `renamed-out-of-mirror`, not deleted.
   */
  readonly stamp: Stamp | null;
  /** Line of an ignore file that excludes the path, as a clause. */
  readonly rule?: string;
};

export type LocalTree = {
  readonly files: ReadonlyMap<LocalPath, LocalFile>;
  readonly folders: ReadonlyMap<LocalPath, LocalFolder>;
  readonly others: ReadonlyMap<LocalPath, LocalOther>;
  /**
   * Paths (files, or folders with everything below them) that the scan could not read, with the
   * reason. A recorded path at or below such a path is unknown.
   */
  readonly unseen: ReadonlyMap<LocalPath, Unread>;
  readonly disk: DiskNames;
  /**
   * True if only some paths were scanned; then nothing counts as absent. Undefined if all paths
   * were scanned.
   */
  readonly partial?: true;
  /**
   * Files that were missing at their paths, and that mdmirror itself has just restored or created
   * again (after a kill or a power loss). Undefined if there are none.
   */
  readonly returned?: ReadonlySet<LocalPath>;
  /** False if the root's device or inode differs from the state's; then no inode is evidence. */
  readonly inodesTrusted: boolean;
  /** Returns true for a path that the ignore rules exclude, without reading the disk. */
  readonly ignores: (path: LocalPath, kind: "file" | "folder") => boolean;
  /**
   * Returns the line of an ignore file that excludes a path, as a clause; null if the name alone
   * excludes it.
   */
  readonly excludedBy?: (path: LocalPath, kind: "file" | "folder") => string | null;
};

export type RemoteFile = {
  readonly id: DocId;
  readonly path: RemotePath;
  readonly changeId: ChangeId;
  readonly protected: boolean;
  /** Digest of the remote content. Undefined if that version was not read for the plan. */
  readonly digest?: Digest;
};

export type RemoteFolder = { readonly id: DirId; readonly path: RemotePath };

export type RemoteTree = {
  readonly files: ReadonlyMap<DocId, RemoteFile>;
  readonly folders: ReadonlyMap<DirId, RemoteFolder>;
  /**
   * False if a page failed: documents in the list may be used, but missing ones prove nothing
   * (I20).
   */
  readonly complete: boolean;
  /**
   * True if the folders were listed to the end in this cycle; otherwise no folder counts as absent.
   */
  readonly foldersComplete: boolean;
  /**
   * Recorded ids whose absence is proven: the listing was complete, a GET by id answered `404
   * file_not_found`, and the key is valid.
   */
  readonly gone: ReadonlySet<DocId>;
  /**
   * Ids of recorded folders whose absence is proven: the folder listing is complete, and no
   * document in them is listed.
   */
  readonly goneFolders: ReadonlySet<DirId>;
  /**
   * Ids of documents outside the linked folder of the workspace, found by GET. They are recorded
   * documents or targets of links.
   */
  readonly outside: ReadonlySet<DocId>;
  /** Recorded ids that were neither seen nor proven absent, with the reason. */
  readonly unseen: ReadonlyMap<DocId, string>;
  /**
   * Ids of link targets that may exist, although base has no record of them and no list shows them.
   * Undefined if there are none.
   */
  readonly unsure?: ReadonlySet<DocId>;
  /**
   * True if the list is complete, and no document or folder of base is in it: then no absence is
   * proven. Undefined if the list has some of them.
   */
  readonly nothingKnown?: boolean;
  /**
   * Recorded folders that a request may have moved: no read has confirmed the result. The value is
   * the reason. Undefined if there are none.
   */
  readonly unsettled?: ReadonlyMap<DirId, string>;
  /**
   * Reason why an answered list is not complete: a part of it cannot be read. Undefined if the
   * whole list can be read.
   */
  readonly misread?: string;
  /**
   * Reason why a readable list is not complete. Undefined if it is complete, or was not requested.
   */
  readonly cutShort?: string;
  /**
   * Mark that shows when a service was restored from a backup. Undefined if the service has none.
   */
  readonly generation?: string;
};

/**
 * Returns true if a listing was read to the end, each missing document was searched for, and none
 * is gone. A document outside the linked folder is not gone; folders are listed separately.
 */
export function isComplete({ complete, gone, goneFolders, unseen }: RemoteTree): boolean {
  return complete && gone.size + goneFolders.size + unseen.size === 0;
}

export type BaseTree = {
  readonly records: ReadonlyMap<DocId, DocumentRecord>;
  readonly dirs: ReadonlyMap<DirId, FolderRecord>;
  readonly tombstones: ReadonlyMap<DocId, Tombstone>;
  readonly conflicts: ReadonlyMap<DocId, Conflict>;
  /** Blocks by key: an id, or the local path of a file or folder without an id. */
  readonly blocks: ReadonlyMap<string, Block>;
};

/**
 * Documents that trees leave out, because both sides have them as recorded. A plan reads the paths
 * of these documents, and adds single documents to the trees when a decision depends on them.
 */
export type LeftOut = {
  readonly count: number;
  readonly documents: () => Iterable<DocumentPaths>;
  readonly idAt: (path: LocalPath) => DocId | null;
  /** Returns the record of a document that is left out; null if it is not. */
  readonly record: (id: DocId) => DocumentRecord | null;
};

export type Trees = {
  readonly base: BaseTree;
  readonly local: LocalTree;
  readonly remote: RemoteTree;
  /** Recorded documents that none of the three trees contains. Undefined if there are none. */
  readonly leftOut?: LeftOut;
};

/**
 * Returns the content of a digest, or null if the store does not have it. Pure: a digest always
 * means the same content.
 */
export type TextLookup = (digest: Digest) => string | null;
