import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { ActionKind } from "../model/action.ts";
import type { Conflict, DirLink, Hold, Link, Placed, Stamp, Submission, Tombstone } from "../model/link.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";
import type { Spellings } from "./spellings.ts";
import type { BaseTree } from "../model/tree.ts";

/**
 * Written before an effect, and removed with the commit of its base. It has everything that
 * recovery needs to find out what happened.
 */
export type Intent =
  // remote
  /** `replaces`: the deleted document that this one restores, whose record ends with the commit. */
  | ({
      readonly kind: "post";
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly digest: Digest;
      readonly replaces?: DocId | null;
    } & Sent)
  | ({
      readonly kind: "put";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly baseChangeId: ChangeId;
      readonly baseDigest: Digest;
      readonly digest: Digest;
      readonly review: boolean;
    } & Sent)
  /** A POST was answered, but the saved content was not read yet: base has the sent content. */
  | { readonly kind: "read-back"; readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest }
  | ({ readonly kind: "patch"; readonly id: DocId } & RemoteMove)
  | ({
      readonly kind: "delete";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly changeId: ChangeId;
    } & Reason)
  | ({ readonly kind: "post-folder"; readonly localPath: LocalPath; readonly remotePath: RemotePath } & Reason)
  | ({ readonly kind: "patch-folder"; readonly dirId: DirId } & RemoteMove)
  | ({ readonly kind: "delete-folder"; readonly dirId: DirId; readonly remotePath: RemotePath } & Reason)
  // local
  /** New files of a plan. A power loss may damage each until its record says the content. */
  | { readonly kind: "create"; readonly files: readonly Arriving[] }
  /**
   * The file at `path` gets the content `writes`; the old file goes to `setAsideAt`. `base*`: base
   * before, for an edit that is found in the old file. `next*`: what base moves to; absent if the
   * content is an edit.
   */
  | {
      readonly kind: "replace";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly setAsideAt: string;
      /** Null: no file was at the path. */
      readonly expect: Digest | null;
      readonly writes: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
      readonly nextChangeId?: ChangeId;
      readonly nextDigest?: Digest;
      /** Submissions that are still in review; absent: as the move of base says. */
      readonly waiting?: readonly Submission[];
      /** Of a document without a record. */
      readonly adopts?: Pick<Link, "remotePath" | "protected">;
      /** The block of the document ends, because its user decided. */
      readonly endsBlock?: true;
      readonly counts?: Count;
      /** Absent in rows of older versions. */
      readonly event?: EventFields;
    }
  | { readonly kind: "trash"; readonly id: DocId; readonly path: LocalPath; readonly setAsideAt: string }
  | ({ readonly kind: "move"; readonly id: DocId; readonly from: LocalPath; readonly to: LocalPath } & Reason)
  | ({ readonly kind: "move-folder"; readonly dirId: DirId; readonly from: LocalPath; readonly to: LocalPath } & Reason)
  /**
   * The copy of a version is written. `shows`: what is recorded then; absent for a copy that no
   * conflict has on record any more, and that goes to the trash.
   */
  | {
      readonly kind: "conflict-copy";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly writes: Digest;
      readonly shows?: {
        /** The inode of its newest copy is not known yet. */
        readonly conflict: Conflict;
        /** The document's record; null: as it is. */
        readonly record: Link | null;
        /** Copy of the version before, which goes to the trash; null: none does. */
        readonly old: { readonly path: LocalPath; readonly writes: Digest } | null;
        readonly opens: boolean;
        readonly event: EventFields;
      };
    }
  /** A completed replacement: the next cycle checks the set-aside file once more. */
  | {
      readonly kind: "set-aside";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly setAsideAt: string;
      readonly expect: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
    };

/** A document whose file is created, and the path of the file. */
export type Arriving = { readonly id: DocId; readonly path: LocalPath };

type RemoteMove = {
  readonly from: RemotePath;
  readonly to: RemotePath;
  /** Local path when the move was sent; absent in rows of older versions. */
  readonly stands?: LocalPath;
} & Reason;

/** The file that was sent; older versions left it out. */
type Sent = {
  /** Its inode identifies the file if its user renames it. */
  readonly stamp?: Stamp;
  readonly stampTrusted?: boolean;
} & Reason;

/** Reason for the action, for the event of its end; absent in rows of older versions. */
type Reason = {
  readonly why?: string;
  /** True if the move is one of several that make room for each other. */
  readonly temporary?: boolean;
};

export type OpenIntent = { readonly intentId: number; readonly run: number; readonly intent: Intent };

export type EventSide = "local" | "remote" | "both";

/** The members of the counts of a run. */
export type Count =
  | "uploaded"
  | "downloaded"
  | "createdRemote"
  | "createdLocal"
  | "movedRemote"
  | "movedLocal"
  | "deletedRemote"
  | "deletedLocal"
  | "merged"
  /** Texts that were in review and are live now. */
  | "accepted"
  /** Conflicts that the user's policy ended. */
  | "byPolicy"
  | "submitted"
  /** Files whose links were rewritten, because documents had moved. */
  | "respelled"
  | "conflicts";

/** One line of the log: an event, its document and the reason. Never content. */
export type MirrorEvent = {
  readonly run: number;
  readonly at: number;
  /** An action kind, or `safety-stop`, `approve`, `conflict`, `hold`, `restore`, `fault`. */
  readonly kind: string;
  readonly side: EventSide;
  readonly id: string | null;
  readonly path: LocalPath;
  readonly detail: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly requestId: string | null;
  /**
   * Digests of the content before and after, if there are any: `history`, `undo` and `restore` use
   * them.
   */
  readonly before: Digest | null;
  readonly after: Digest | null;
  /**
   * Local path before a move. Null: no local move, or written by a version that did not keep it.
   */
  readonly from: LocalPath | null;
  /** Remote paths before and after a move on the service; null if there is none. */
  readonly remoteMove: { readonly from: RemotePath; readonly to: RemotePath } | null;
  /**
   * The other two contents of a merge from `before` to `after`. Null: no merge, or written by a
   * version that did not keep them.
   */
  readonly merged: { readonly base: Digest; readonly theirs: Digest } | null;
};

/** An event as an effect gives it. Members left out are null; the outcome is then `done`. */
export type EventFields = {
  readonly kind:
    | ActionKind
    | "safety-stop"
    | "approve"
    | "conflict"
    | "late-write"
    | "recover"
    | "restore"
    | "protect"
    | "unprotect"
    | "respell"
    | "fault";
  readonly side: EventSide;
  readonly id: string | null;
  readonly path: LocalPath;
  readonly detail: string;
} & Partial<
  Pick<MirrorEvent, "outcome" | "code" | "requestId" | "before" | "after" | "from" | "remoteMove" | "merged">
>;

/** Origin of stored content, by which it can be found again. */
export type TextName = {
  /** Its local path. For the other version of a conflict: the document's path. */
  readonly path: LocalPath;
  /** Null if no document was known there. */
  readonly id: DocId | null;
  /** Side that showed it; `both`: merged from both. */
  readonly side: EventSide;
  /** Reason why it was stored, as a clause. */
  readonly why: string;
};

/** First time that content was stored under a path. */
export type StoredName = TextName & { readonly digest: Digest; readonly at: number };

export type Version = { readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest; readonly at: number };

/**
 * The state file. Synchronous. Every method is atomic; `transact` makes several of them so. Content
 * is stored before anything names it.
 */
export interface State {
  transact<T>(work: () => T): T;
  /** Survives a power loss, with everything committed before. Not inside another transaction. */
  transactSafely<T>(work: () => T): T;
  readonly spellings: Spellings;

  /** LIMIT: all rows in memory, 0.2 s for 100,000 records: once in each cycle. */
  load(): BaseTree;
  /** Returns only the blocks of `load`. */
  holds(): Hold[];
  link(id: DocId): Link | null;
  /**
   * Returns one record with this local path, or none; two for a moment of a swap. LIMIT: reads
   * every row.
   */
  linksAt(path: LocalPath): Link[];
  /** Returns linked documents in a folder; `all`: also in those below it. LIMIT: as `linksAt`. */
  documentsIn(folder: LocalPath, depth: "all" | "one", most: number): Placed[];
  /**
   * Returns present local paths of linked documents, or those before they were excluded; in no
   * order.
   */
  localPaths(): LocalPath[];
  /** Returns true if the local file of a record has this inode. LIMIT: as `linksAt`. */
  hasInode(dev: number, ino: number): boolean;
  putLink(link: Link): void;
  removeLink(id: DocId): void;
  /**
   * Records that the file's bytes will survive a power loss; does nothing if the record has another
   * local path by now.
   */
  setDurable(id: DocId, localPath: LocalPath): void;
  putDir(dir: DirLink): void;
  removeDir(id: DirId): void;
  /**
   * Moves a folder with everything below it: rewrites the paths of records, folders, conflicts and
   * blocks on that side.
   */
  moveSubtree(side: "local" | "remote", from: string, to: string): void;
  /**
   * Works as `moveSubtree`, only for rows whose path on the other side is at or below `within`. It
   * is for a folder that somebody else moved: another folder may be at `from` or `to` by now (a
   * swap).
   */
  moveMembers(side: "local" | "remote", from: string, to: string, within: string): void;
  dir(id: DirId): DirLink | null;
  /** Returns the folder with this local path; null also if two have it. */
  dirAt(path: LocalPath): DirLink | null;
  putTombstone(tombstone: Tombstone): void;
  removeTombstone(id: DocId): void;
  conflict(id: DocId): Conflict | null;
  /** Returns true if a conflict of another document has the newest copy at this path on record. */
  isCopyOfOther(id: DocId, path: LocalPath): boolean;
  /** Returns true if a conflict of another document records a copy with this inode. */
  isCopyInodeOfOther(id: DocId, stamp: Pick<Stamp, "dev" | "ino">): boolean;
  putConflict(conflict: Conflict): void;
  removeConflict(id: DocId): void;
  putHold(hold: Hold): void;
  removeHold(key: string): void;
  /**
   * Sets the blocks to exactly these; one with the same reason and detail keeps its `since`. Writes
   * nothing if nothing changes.
   */
  replaceHolds(holds: readonly Hold[]): void;

  openIntent(run: number, intent: Intent): number;
  closeIntent(intentId: number): void;
  intents(): OpenIntent[];

  /** Idempotent. Content and its name are stored together, so that all content can be found. */
  putText(text: string, name: TextName): Digest;
  putKnownText(digest: Digest, text: string, name: TextName): void;
  text(digest: Digest): string | null;
  hasText(digest: Digest): boolean;
  /**
   * Oldest first: content stored under `path`, of any document; content of the document `id`, under
   * any path; content stored under a path of `formerly` without a document. Without any of these:
   * all. LIMIT: reads every row.
   */
  sightings(wanted: {
    readonly path?: LocalPath;
    readonly id?: DocId | null;
    readonly formerly?: readonly LocalPath[];
  }): StoredName[];
  /**
   * Makes all stored content survive a power loss: to be called before the last file with it is
   * removed. Costs nothing if none was stored since.
   */
  secureTexts(): void;
  addVersion(version: Version): void;
  /** Newest first. */
  versions(id: DocId): Version[];
  /** Returns true if this change id of the document arrived before `than`. */
  isEarlier(id: DocId, changeId: ChangeId, than: ChangeId): boolean;

  meta(key: string): string | null;
  setMeta(key: string, value: string | null): void;

  /** Records the start of a run (one `sync`, or one cycle of the daemon). Returns its number. */
  beginRun(kind: string, at: number): number;
  endRun(run: number, at: number, summary: string): void;
  record(event: MirrorEvent): void;
  /** Newest first. */
  events(query: {
    readonly limit: number;
    readonly path?: LocalPath;
    readonly id?: string;
    readonly run?: number;
    readonly kinds?: readonly string[];
    readonly since?: number;
  }): MirrorEvent[];
  runs(limit: number): {
    readonly run: number;
    readonly kind: string;
    readonly startedAt: number;
    readonly endedAt: number | null;
    readonly summary: string | null;
  }[];
  /** Counts the documents that were deleted or became empty on a side in runs after a run. */
  lossesAfter(side: "local" | "remote", run: number): number;
  close(): void;
}
