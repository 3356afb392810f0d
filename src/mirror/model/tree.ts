/**
 * The three trees from which a plan is made: base (from the state file), local (from a scan) and
 * remote (from a listing of the service).
 */
import type { TextFault } from "../../contract/limits.ts";
import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type {
  Block,
  Conflict,
  DocumentPaths,
  DocumentRecord,
  FolderRecord,
  Inode,
  Stamp,
  Tombstone,
} from "./record.ts";
import type { DiskNames, LocalPath, RemotePath } from "../../contract/path.ts";

/** A Markdown file that mdmirror syncs: not ignored, and no conflict copy. */
export type LocalFile = {
  readonly path: LocalPath;
  readonly stamp: Stamp;
  readonly stampTrusted: boolean;
  /** Digest of the content with links in the form that the service stores. */
  readonly digest: Digest;
  /** Digest of the bytes on disk; undefined if equal to `digest`. */
  readonly bytes?: Digest;
  /**
   * True if the file's links are not converted yet, because the conversion needs the paths of
   * documents. Until then, `digest` is the digest of the bytes, or of earlier content with equal
   * bytes.
   */
  readonly hasUnresolvedLinks?: true;
  readonly textFault: TextFault | null;
  /**
   * True if the file has no bytes. Such content proves nothing about the document, because an
   * editor that crashed may also leave an empty file.
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
   * Stamp of a file or folder. If its inode belongs to a recorded document, the document was not
   * deleted but renamed (block `renamed-out-of-mirror`).
   */
  readonly stamp: Stamp | null;
  /** Line of an ignore file that excludes the path, as a clause for messages. */
  readonly rule?: string;
};

export type LocalTree = {
  readonly files: ReadonlyMap<LocalPath, LocalFile>;
  readonly folders: ReadonlyMap<LocalPath, LocalFolder>;
  readonly others: ReadonlyMap<LocalPath, UnsyncedEntry>;
  /**
   * Files and folders that the scan could not read. The state of a recorded path at or below such a
   * path is unknown.
   */
  readonly unseen: ReadonlyMap<LocalPath, UnreadReason>;
  readonly disk: DiskNames;
  /** True if only some paths were scanned. A missing file then does not count as absent. */
  readonly partial?: true;
  /** Paths of missing files that mdmirror has just restored after a crash or power loss. */
  readonly returned?: ReadonlySet<LocalPath>;
  /**
   * False if the linked folder has another inode or device than in the state, for example after a
   * copy to another disk. Inodes are then no evidence.
   */
  readonly inodesTrusted: boolean;
  /** Returns true if the ignore rules exclude a path. Does not read the disk. */
  readonly ignores: (path: LocalPath, kind: "file" | "folder") => boolean;
  /**
   * Returns the line of an ignore file that excludes a path, as a clause for messages. Null if the
   * path has a name that is never synced, so that no line of an ignore file is needed.
   */
  readonly excludedBy?: (path: LocalPath, kind: "file" | "folder") => string | null;
};

export type RemoteFile = {
  readonly id: DocId;
  readonly path: RemotePath;
  readonly changeId: ChangeId;
  readonly protected: boolean;
  /**
   * Digest of the version's content; undefined if the plan did not need the content, so that nobody
   * read it.
   */
  readonly digest?: Digest;
};

export type RemoteFolder = { readonly id: DirId; readonly path: RemotePath };

export type RemoteTree = {
  readonly files: ReadonlyMap<DocId, RemoteFile>;
  readonly folders: ReadonlyMap<DirId, RemoteFolder>;
  /**
   * False if a page of the listing could not be read. A document that is missing in the listing may
   * then exist (I20).
   */
  readonly complete: boolean;
  /**
   * False if the listing of folders is not complete. A missing folder then does not count as
   * deleted.
   */
  readonly foldersComplete: boolean;
  /**
   * Recorded documents with a proof of absence: the listing is complete, a GET by id answered `404
   * file_not_found`, and the key is valid.
   */
  readonly gone: ReadonlySet<DocId>;
  /**
   * Recorded folders with a proof of absence: complete listings of folders and documents lack the
   * folder. Also, no document is below its path, unless another folder has that path now.
   */
  readonly goneFolders: ReadonlySet<DirId>;
  /**
   * Documents that a GET found outside the linked part of the workspace: documents with a record,
   * and targets of links.
   */
  readonly outside: ReadonlySet<DocId>;
  /** Recorded documents that are neither listed nor proven absent, each with the reason. */
  readonly unseen: ReadonlyMap<DocId, string>;
  /** Targets of links that may exist, although neither base nor a listing has them. */
  readonly unsure?: ReadonlySet<DocId>;
  /**
   * True if the listing is complete but has no recorded document and no recorded folder. Such a
   * listing proves no absence, because the key may belong to another workspace.
   */
  readonly nothingKnown?: boolean;
  /**
   * Recorded folders that an earlier request may have moved, each with the reason why its result is
   * unknown.
   */
  readonly unsettled?: ReadonlyMap<DirId, string>;
  /** Reason for an incomplete listing: a part of the service's answer could not be read. */
  readonly misread?: string;
  /** Reason for an incomplete listing of which each answer could be read. */
  readonly cutShort?: string;
  /**
   * Generation of the service, which changes when the service is restored from a backup; undefined
   * if the service reports none.
   */
  readonly generation?: string;
};

/**
 * Returns true if the listing of documents is complete and no recorded document or folder is
 * missing. A document outside the linked part of the workspace is not missing.
 */
export function isComplete({ complete, gone, goneFolders, unseen }: RemoteTree): boolean {
  return complete && gone.size + goneFolders.size + unseen.size === 0;
}

export type BaseTree = {
  readonly records: ReadonlyMap<DocId, DocumentRecord>;
  readonly dirs: ReadonlyMap<DirId, FolderRecord>;
  readonly tombstones: ReadonlyMap<DocId, Tombstone>;
  readonly conflicts: ReadonlyMap<DocId, Conflict>;
  /** Blocks by the id of the document or folder; without an id, by the local path. */
  readonly blocks: ReadonlyMap<string, Block>;
};

/**
 * Documents that the trees leave out, because both sides have these documents as recorded. A plan
 * still needs their paths. If a decision depends on such a document, the plan adds the document to
 * the trees.
 */
export type LeftOut = {
  readonly count: number;
  readonly documents: () => Iterable<DocumentPaths>;
  readonly idAt: (path: LocalPath) => DocId | null;
  /** Returns the record of a document that is left out; null for other documents. */
  readonly record: (id: DocId) => DocumentRecord | null;
};

export type Trees = {
  readonly base: BaseTree;
  readonly local: LocalTree;
  readonly remote: RemoteTree;
  readonly leftOut?: LeftOut;
};

/**
 * Returns content by digest; null if the content store lacks the content. Pure, because a digest
 * always belongs to the same content.
 */
export type TextLookup = (digest: Digest) => string | null;

/**
 * Observation of a file by a scan, or of a document by a listing. `unknown` never means "deleted":
 * the listing was incomplete, a read failed, or a program is still writing the file.
 */
export type Observation<T> =
  | { readonly kind: "present"; readonly value: T }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly unread: UnreadReason };

/**
 * Reason why a file or folder on disk is unknown. `kind`: reason of the resulting block. `why`:
 * clause for messages. `isMirror`: true if the path is itself a linked folder.
 */
export type UnreadReason = {
  readonly kind: "still-being-written" | "local-unreadable" | "ambiguous-file";
  readonly why: string;
  readonly isMirror?: true;
};

/** Reason why the plan leaves out a file: the file has changed a moment ago. */
export const STILL_WRITTEN_REASON: UnreadReason = { kind: "still-being-written", why: "it is still being written" };

/**
 * Reason for a folder inside that is a linked folder itself: mdmirror never reads it or writes to
 * it.
 */
export const LINKED_FOLDER_INSIDE: UnreadReason = {
  kind: "local-unreadable",
  why: "it is a linked folder itself, so the linked folder around it does not sync it: move it out, or unlink it",
  isMirror: true,
};

export function makeUnreadable(why: string): UnreadReason {
  return { kind: "local-unreadable", why };
}

/** LIMIT: number of paths in a message, so that the message stays short. */
const MAX_LISTED_FILES = 4;

/** Returns the reason to block a document to which any of the files at these paths may belong. */
export function makeAmbiguousFile(paths: readonly LocalPath[]): UnreadReason {
  const quotedPaths = paths.slice(0, MAX_LISTED_FILES).map((path) => JSON.stringify(path));
  const unlistedCount = paths.length - quotedPaths.length;
  const fileList =
    unlistedCount === 0
      ? `${quotedPaths.slice(0, -1).join(", ")} or ${quotedPaths.at(-1)}`
      : `${quotedPaths.join(", ")} or ${unlistedCount} more`;
  return { kind: "ambiguous-file", why: `its file may be ${fileList}; mdmirror cannot decide which` };
}

export const ABSENT = { kind: "absent" } as const;

export function makePresent<T>(value: T): Observation<T> {
  return { kind: "present", value };
}

export function makeUnknown<T>(unread: UnreadReason): Observation<T> {
  return { kind: "unknown", unread };
}
