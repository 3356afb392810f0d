/**
 * The three trees from which a plan is made: base (from the state file), local (from a scan) and
 * remote (from a list of the service). They are plain data.
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

/** A Markdown file that mdmirror syncs: not ignored, and not a conflict copy. */
export type LocalFile = {
  readonly path: LocalPath;
  readonly stamp: Stamp;
  readonly stampTrusted: boolean;
  /** Digest of the content, with its links in the service's form. */
  readonly digest: Digest;
  /** Digest of the content as it is on disk; undefined if it equals `digest`. */
  readonly bytes?: Digest;
  /**
   * True if the links of the file are not converted yet, because that needs the paths of documents.
   * Until then, `digest` is the digest of the file itself, or of earlier content with the same
   * bytes. Undefined if the links are converted, or the file has none.
   */
  readonly hasUnresolvedLinks?: true;
  readonly textFault: TextFault | null;
  /**
   * True if the file has no bytes. An editor that crashed may leave an empty file, so empty content
   * is no evidence of identity.
   */
  readonly empty: boolean;
};

export type LocalFolder = { readonly path: LocalPath } & Inode;

/** A file or folder on disk that mdmirror does not sync. */
export type UnsyncedEntry = {
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
   * Stamp of a file or folder; null for other kinds. If the inode belongs to a recorded document,
   * the document was renamed and not deleted (block `renamed-out-of-mirror`).
   */
  readonly stamp: Stamp | null;
  /**
   * Line of an ignore file that excludes the path, as a clause for messages; undefined if no line
   * does.
   */
  readonly rule?: string;
};

export type LocalTree = {
  readonly files: ReadonlyMap<LocalPath, LocalFile>;
  readonly folders: ReadonlyMap<LocalPath, LocalFolder>;
  readonly others: ReadonlyMap<LocalPath, UnsyncedEntry>;
  /**
   * Files and folders that the scan could not read, with the reason. A recorded path at or below
   * one of them is unknown.
   */
  readonly unseen: ReadonlyMap<LocalPath, Unread>;
  readonly disk: DiskNames;
  /**
   * True if only some paths were scanned, so that nothing counts as absent. Undefined if all were
   * scanned.
   */
  readonly partial?: true;
  /**
   * Paths of missing files that mdmirror itself has just created again, after a kill or a power
   * loss. Undefined if there are none.
   */
  readonly returned?: ReadonlySet<LocalPath>;
  /**
   * False if the root has another inode or device than in the state, so that no inode is evidence.
   */
  readonly inodesTrusted: boolean;
  /** Returns true if the ignore rules exclude a path. Does not read the disk. */
  readonly ignores: (path: LocalPath, kind: "file" | "folder") => boolean;
  /**
   * Returns the line of an ignore file that excludes a path, as a clause for messages. Returns null
   * if no line does, because the name itself is never synced.
   */
  readonly excludedBy?: (path: LocalPath, kind: "file" | "folder") => string | null;
};

export type RemoteFile = {
  readonly id: DocId;
  readonly path: RemotePath;
  readonly changeId: ChangeId;
  readonly protected: boolean;
  /** Digest of the version's content; undefined if the version was not read for the plan. */
  readonly digest?: Digest;
};

export type RemoteFolder = { readonly id: DirId; readonly path: RemotePath };

export type RemoteTree = {
  readonly files: ReadonlyMap<DocId, RemoteFile>;
  readonly folders: ReadonlyMap<DirId, RemoteFolder>;
  /**
   * True if the list of documents is complete. If a page failed, a document that is missing in the
   * list may still exist (I20).
   */
  readonly complete: boolean;
  /**
   * True if the list of folders is complete in this cycle. Otherwise no folder counts as absent.
   */
  readonly foldersComplete: boolean;
  /**
   * Ids of recorded documents whose absence is proven: the list is complete, a GET by id answered
   * `404 file_not_found`, and the key is valid.
   */
  readonly gone: ReadonlySet<DocId>;
  /**
   * Ids of recorded folders whose absence is proven: the list of folders is complete, and no listed
   * document is in them.
   */
  readonly goneFolders: ReadonlySet<DirId>;
  /**
   * Ids of documents that a GET found outside the linked folder of the workspace. These are
   * recorded documents, or targets of links.
   */
  readonly outside: ReadonlySet<DocId>;
  /** Ids of recorded documents that are neither listed nor proven absent, with the reason. */
  readonly unseen: ReadonlyMap<DocId, string>;
  /**
   * Ids in links to documents that may exist, although base has no record of them and no list shows
   * them. Undefined if there are none.
   */
  readonly unsure?: ReadonlySet<DocId>;
  /**
   * True if the list is complete but shows no recorded document or folder, so that it proves no
   * absence: the key may belong to another workspace. Undefined otherwise.
   */
  readonly nothingKnown?: boolean;
  /**
   * Recorded folders that an earlier request may have moved, with the reason why the result is not
   * known yet. Undefined if there are none.
   */
  readonly unsettled?: ReadonlyMap<DirId, string>;
  /**
   * Reason why the list is not complete: the service answered, but a part of the answer cannot be
   * read. Undefined if all of it can be read.
   */
  readonly misread?: string;
  /**
   * Reason why the list is not complete although each answer can be read. Undefined if it is
   * complete, or was not requested.
   */
  readonly cutShort?: string;
  /**
   * Value that changes when the service is restored from a backup; undefined if the service has
   * none.
   */
  readonly generation?: string;
};

/**
 * Returns true if the list of documents is complete and no recorded document or folder is missing.
 * A document outside the linked folder of the workspace does not count as missing.
 */
export function isComplete({ complete, gone, goneFolders, unseen }: RemoteTree): boolean {
  return complete && gone.size + goneFolders.size + unseen.size === 0;
}

export type BaseTree = {
  readonly records: ReadonlyMap<DocId, DocumentRecord>;
  readonly dirs: ReadonlyMap<DirId, FolderRecord>;
  readonly tombstones: ReadonlyMap<DocId, Tombstone>;
  readonly conflicts: ReadonlyMap<DocId, Conflict>;
  /** Blocks by key: the id, or the local path of a file or folder without an id. */
  readonly blocks: ReadonlyMap<string, Block>;
};

/**
 * Documents that the trees do not contain, because both sides have them as recorded. A plan reads
 * their paths, and adds single ones to the trees when a decision depends on them.
 */
export type LeftOut = {
  readonly count: number;
  readonly documents: () => Iterable<DocumentPaths>;
  readonly idAt: (path: LocalPath) => DocId | null;
  /** Returns the record of a document that is left out; null for any other document. */
  readonly record: (id: DocId) => DocumentRecord | null;
};

export type Trees = {
  readonly base: BaseTree;
  readonly local: LocalTree;
  readonly remote: RemoteTree;
  /** Unchanged documents that none of the three trees contains. Undefined if there are none. */
  readonly leftOut?: LeftOut;
};

/**
 * Returns the content with this digest; null if the content store does not have it. Pure, because a
 * digest always means the same content.
 */
export type TextLookup = (digest: Digest) => string | null;
