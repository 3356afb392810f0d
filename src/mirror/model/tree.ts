import type { TextFault } from "../../contract/limits.ts";
import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Conflict, DirLink, Hold, Link, Stamp, Tombstone } from "./link.ts";
import type { DiskNames, LocalPath, RemotePath } from "../../contract/path.ts";
import type { Unread } from "./seen.ts";

/**
 * The three trees that a plan is made of: base (what the state file holds), local (one walk),
 * remote (one listing). Plain data.
 */

/** A regular file that the mirror considers: `.md`, not ignored, not a sidecar. */
export type LocalFile = {
  readonly path: LocalPath;
  readonly stamp: Stamp;
  readonly stampTrusted: boolean;
  /** Of the text: of the bytes on disk, with links in the service's form. */
  readonly digest: Digest;
  /** Of the bytes, where they are another text. */
  readonly bytes?: Digest;
  /**
   * Whether its links are yet to be read by where documents are; until then `digest` stands for the
   * bytes, or for a text that the same bytes had elsewhere. Not set: they are read, or it has none.
   */
  readonly linksUnread?: true;
  readonly textFault: TextFault | null;
  /**
   * Whether it has no bytes: an empty text is no evidence of identity, and may be left by an editor
   * that crashed.
   */
  readonly empty: boolean;
};

export type LocalFolder = {
  readonly path: LocalPath;
  readonly dev: number;
  readonly ino: number;
  readonly birthMs: number;
};

/** What is at a path that the mirror leaves alone; it still occupies the path. */
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
   * Present for files and folders: a linked inode under such a name is `renamed-out-of-mirror`, not
   * a deletion.
   */
  readonly stamp: Stamp | null;
  /** The line of an ignore file that leaves it out, as a clause. */
  readonly rule?: string;
};

export type LocalTree = {
  readonly files: ReadonlyMap<LocalPath, LocalFile>;
  readonly folders: ReadonlyMap<LocalPath, LocalFolder>;
  readonly others: ReadonlyMap<LocalPath, LocalOther>;
  /**
   * Paths (files, or folders with all below them) that the walk could not see, and why. A linked
   * path at or below one is unknown.
   */
  readonly unseen: ReadonlyMap<LocalPath, Unread>;
  readonly disk: DiskNames;
  /** True if only some paths were scanned: then nothing is absent. Left out: all were. */
  readonly partial?: true;
  /**
   * Files that were gone from their paths, and that the mirror itself has just put back or made
   * again (a process died, the power was cut). Not set: none.
   */
  readonly returned?: ReadonlySet<LocalPath>;
  /**
   * False when the root's device or inode is not the state's: then no inode is evidence of
   * anything.
   */
  readonly inodesTrusted: boolean;
  /** Paths that the ignore rules exclude, judged without looking at the disk: pure, of a path. */
  readonly ignores: (path: LocalPath, kind: "file" | "folder") => boolean;
  /** The line of an ignore file that excludes such a path, as a clause; null: by its name. */
  readonly excludedBy?: (path: LocalPath, kind: "file" | "folder") => string | null;
};

export type RemoteFile = {
  readonly id: DocId;
  readonly path: RemotePath;
  readonly changeId: ChangeId;
  readonly protected: boolean;
  /** Of its text. Not set: that version was not read for the plan. */
  readonly digest?: Digest;
};

export type RemoteFolder = { readonly id: DirId; readonly path: RemotePath };

export type RemoteTree = {
  readonly files: ReadonlyMap<DocId, RemoteFile>;
  readonly folders: ReadonlyMap<DirId, RemoteFolder>;
  /** False when a page failed: presences may be used, absences are void (I20). */
  readonly complete: boolean;
  /** Whether folders were listed to the end in this pass; if not, no folder is absent. */
  readonly foldersComplete: boolean;
  /**
   * Linked ids whose absence is proven: complete pass, GET by id answered `404 file_not_found`, the
   * key is healthy.
   */
  readonly gone: ReadonlySet<DocId>;
  /**
   * Linked folder ids proven absent: complete folder listing, and no document of theirs is present.
   */
  readonly goneFolders: ReadonlySet<DirId>;
  /** Ids that a GET found outside the mirrored subtree: of records, and of targets of links. */
  readonly outside: ReadonlySet<DocId>;
  /** Linked ids that could be neither seen nor proven absent, and why. */
  readonly unseen: ReadonlyMap<DocId, string>;
  /**
   * Ids that links lead to, which base does not know and no list shows, and of which nothing told
   * whether they are there. Not set: none.
   */
  readonly unsure?: ReadonlySet<DocId>;
  /**
   * The list is complete, and nothing that base knows is in it, no document and no folder: then
   * nothing is proven about any. Not set: something is.
   */
  readonly nothingKnown?: boolean;
  /**
   * Linked folders that were moved by a request whose end no read has told yet, and why not. Not
   * set: none.
   */
  readonly unsettled?: ReadonlyMap<DirId, string>;
  /**
   * Why an answered list is not complete: a part of it cannot be understood. Not set: all of it
   * can.
   */
  readonly misread?: string;
  /**
   * Why a list is not complete, though what came of it is understood. Not set: it is, or it was not
   * asked for.
   */
  readonly cutShort?: string;
  /** The mark by which a service that is restored from a backup is told. Not set: it has none. */
  readonly generation?: string;
};

/**
 * Whether a listing was read to the end, all that it does not show was looked for, and nothing of
 * it is gone. A document outside the mirrored subtree is not gone; folders are listed apart.
 */
export function isComplete({ complete, gone, goneFolders, unseen }: RemoteTree): boolean {
  return complete && gone.size + goneFolders.size + unseen.size === 0;
}

export type BaseTree = {
  readonly links: ReadonlyMap<DocId, Link>;
  readonly dirs: ReadonlyMap<DirId, DirLink>;
  readonly tombstones: ReadonlyMap<DocId, Tombstone>;
  readonly conflicts: ReadonlyMap<DocId, Conflict>;
  /** By key: an id, or the local path of what has none. */
  readonly holds: ReadonlyMap<string, Hold>;
};

export type Trees = { readonly base: BaseTree; readonly local: LocalTree; readonly remote: RemoteTree };

/**
 * The text of a digest, or null where the store does not hold it. Pure: a digest names one text for
 * ever.
 */
export type TextLookup = (digest: Digest) => string | null;
