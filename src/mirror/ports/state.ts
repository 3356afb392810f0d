import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { ActionKind } from "../model/action.ts";
import type {
  Conflict,
  FolderRecord,
  Block,
  DocumentRecord,
  DocumentPaths,
  Stamp,
  Submission,
  Tombstone,
} from "../model/record.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";
import type { Spellings } from "./spellings.ts";
import type { BaseTree } from "../model/tree.ts";

/**
 * A row of the journal: written before an effect, and removed when base moves. A row has all facts
 * that recovery needs to find out whether the effect happened.
 */
export type Intent =
  // Effects on the service.
  /**
   * `replaces`: the deleted document that the new document restores. After the POST, mdmirror
   * removes the record of the deleted document.
   */
  | ({ readonly kind: "post"; readonly remotePath: RemotePath; readonly replaces: DocId | null } & Sent)
  | ({
      readonly kind: "put";
      readonly id: DocId;
      readonly baseChangeId: ChangeId;
      readonly baseDigest: Digest;
      readonly review: boolean;
    } & Sent)
  /**
   * The service answered a POST, but the saved content was not read back yet: base has the content
   * that was sent.
   */
  | { readonly kind: "read-back"; readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest }
  /**
   * Content that was sent as an edit of `baseDigest`. The service may still save this content, or
   * has combined it with another edit. `id`, `baseDigest`: null for a new document, which has a
   * `remotePath`.
   */
  | {
      readonly kind: "sent";
      readonly id: DocId | null;
      readonly remotePath?: RemotePath;
      readonly localPath: LocalPath;
      readonly baseDigest: Digest | null;
      readonly digest: Digest;
      readonly isCombined: boolean;
    }
  | ({ readonly kind: "patch"; readonly id: DocId } & RemoteMove)
  | ({ readonly kind: "delete"; readonly changeId: ChangeId } & LocalDocument & Reason)
  | ({ readonly kind: "protect"; readonly value: boolean } & LocalDocument & Reason)
  | ({ readonly kind: "post-folder"; readonly localPath: LocalPath; readonly remotePath: RemotePath } & Reason)
  | ({ readonly kind: "patch-folder"; readonly dirId: DirId } & RemoteMove)
  | ({ readonly kind: "delete-folder"; readonly dirId: DirId; readonly remotePath: RemotePath } & Reason)
  // Effects on the disk.
  /**
   * New local files of a plan. A power loss may damage each file until its record confirms the
   * content.
   */
  | { readonly kind: "create"; readonly files: readonly ArrivingFile[] }
  /**
   * The file at `path` gets the content `writes`; the old file goes to `setAsideAt`. `base*`: base
   * before the effect, for an edit that is found in the old file. `next*`: base after the effect;
   * undefined if the content is an edit.
   */
  | {
      readonly kind: "replace";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly setAsideAt: string;
      /** Digest that the file must have; null if no file was at the path. */
      readonly expect: Digest | null;
      readonly writes: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
      readonly nextChangeId?: ChangeId;
      readonly nextDigest?: Digest;
      /** Submissions that are still in review; undefined: the move of base decides which. */
      readonly waiting?: readonly Submission[] | undefined;
      /** Fields for a document that has no record yet. */
      readonly adopts?: Pick<DocumentRecord, "remotePath" | "protected">;
      /** True if the block of the document ends, because the user decided. */
      readonly endsBlock?: true;
      /**
       * Older version that becomes base again, because the written content is an edit of that
       * version. Undefined: base keeps its version.
       */
      readonly backTo?: Pick<DocumentRecord, "changeId" | "digest">;
      readonly counts?: Count;
      readonly event: EventFields;
    }
  | {
      readonly kind: "trash";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly setAsideAt: string;
      /** Digest of the file that is removed; undefined in a row of an earlier version. */
      readonly expect?: Digest;
    }
  /**
   * `nth`: number of the version whose conflict copy moves; undefined for the file of the document.
   */
  | ({ readonly kind: "move"; readonly id: DocId; readonly nth?: number } & DiskMove)
  | ({ readonly kind: "move-folder"; readonly dirId: DirId } & DiskMove)
  /**
   * A conflict copy is written. `shows`: the conflict and the record that are stored when the file
   * exists; undefined for a copy that no conflict needs any more, which goes to the trash.
   */
  | {
      readonly kind: "conflict-copy";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly writes: Digest;
      readonly shows?: {
        /** Conflict with its newest copy, whose inode is not known yet. */
        readonly conflict: Conflict;
        /** New record of the document; null if the record stays unchanged. */
        readonly record: DocumentRecord | null;
        /** Previous copy, which is moved to the trash; null if there was no copy. */
        readonly old: { readonly path: LocalPath; readonly writes: Digest } | null;
        readonly opens: boolean;
        readonly event: EventFields;
      };
    }
  /**
   * The copies of a conflict go to the trash, and the conflict ends. `comesBack`: the conflict ends
   * later, when another step has restored its document.
   */
  | ({
      readonly kind: "drop-conflict";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly comesBack?: true;
    } & Reason)
  /** A completed replacement. The next cycle checks the set-aside file once more. */
  | {
      readonly kind: "set-aside";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly setAsideAt: string;
      readonly expect: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
    };

/** A document whose local file is created, and the path of the file. */
export type ArrivingFile = { readonly id: DocId; readonly path: LocalPath };

type DiskMove = {
  readonly from: LocalPath;
  readonly to: LocalPath;
  /** True if a user asked for the move: base stays, and the next run sends the move. */
  readonly isManual?: true;
} & Reason;

type RemoteMove = {
  readonly from: RemotePath;
  readonly to: RemotePath;
  /** Local path when the move was sent. */
  readonly lastLocalPath: LocalPath;
} & Reason;

type LocalDocument = Pick<DocumentRecord, "id" | "localPath">;

/** The file whose content was sent, and the digest of that content. */
type Sent = {
  readonly localPath: LocalPath;
  readonly digest: Digest;
  /**
   * Stamp of the file; null if unknown. If a user renames the file, mdmirror finds it by the inode
   * in the stamp.
   */
  readonly stamp: Stamp | null;
  readonly stampTrusted: boolean;
} & Reason;

/** Facts for the event that is logged at the end of the effect. */
type Reason = {
  readonly why: string;
  /** True if the move is one of several that free paths for each other. */
  readonly temporary?: boolean;
};

export type OpenIntent = { readonly intentId: number; readonly run: number; readonly intent: Intent };

export type EventSide = "local" | "remote" | "both";

/** Names of the counts of a run. */
export const COUNTS = [
  "uploaded",
  "downloaded",
  "createdRemote",
  "createdLocal",
  "movedRemote",
  "movedLocal",
  "deletedRemote",
  "deletedLocal",
  "merged",
  /** Contents that were in review and are published now. */
  "accepted",
  /** Conflicts that the user's policy resolved. */
  "byPolicy",
  "submitted",
  /** Files whose links were rewritten, because documents had moved. */
  "respelled",
  "conflicts",
] as const;

export type Count = (typeof COUNTS)[number];

/** One line of the log: an event, its document and the reason. A line never has content. */
export type MirrorEvent = {
  readonly run: number;
  readonly at: number;
  /**
   * Kind of the event: an action kind, or `safety-stop`, `approve`, `conflict`, `block`, `restore`,
   * `fault`.
   */
  readonly kind: string;
  readonly side: EventSide;
  readonly id: string | null;
  readonly path: LocalPath;
  readonly detail: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly requestId: string | null;
  /**
   * Digests of the content before and after the event, if known. `history`, `undo` and `restore`
   * use these.
   */
  readonly before: Digest | null;
  readonly after: Digest | null;
  /**
   * Local path before a move. Null if there was no local move, or an older mdmirror version wrote
   * the event.
   */
  readonly from: LocalPath | null;
  /** Paths on the service before and after a move; null if there was no such move. */
  readonly remoteMove: { readonly from: RemotePath; readonly to: RemotePath } | null;
  /**
   * The other two contents of a merge from `before` to `after`. Also set when a user ended a
   * conflict with merged content. Null otherwise, or if an older mdmirror version wrote the event.
   */
  readonly merged: { readonly base: Digest; readonly theirs: Digest } | null;
};

/**
 * Fields of an event that an effect reports. `outcome` defaults to `done`; other undefined fields
 * become null.
 */
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
  /**
   * Local path under which the content is stored. For the other version of a conflict: the
   * document's path.
   */
  readonly path: LocalPath;
  /** Id of the document; null if no document was known at the path. */
  readonly id: DocId | null;
  /** Side that had the content; `both`: merged from both sides. */
  readonly side: EventSide;
  /** Reason why the content was stored, as a clause. */
  readonly why: string;
};

/** One name of stored content. `at`: time at which the content was first stored under this name. */
export type StoredName = TextName & { readonly digest: Digest; readonly at: number };

export type Version = { readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest; readonly at: number };

/**
 * The state file. Synchronous. Every method is atomic; `transact` makes several calls atomic
 * together. Content is stored before any row refers to it.
 */
export interface State {
  transact<T>(work: () => T): T;
  /**
   * Works as `transact`; the result survives a power loss, with everything committed before. Not
   * allowed within another transaction.
   */
  transactSafely<T>(work: () => T): T;
  readonly spellings: Spellings;

  /**
   * Reads base. LIMIT: all rows are in memory, which takes time, so it is called once in each
   * cycle.
   * @param take receives each record; the result then has no records
   */
  load(take?: (record: DocumentRecord) => void): BaseTree;
  /** Reads the blocks, without the rest of base. */
  blocks(): Block[];
  record(id: DocId): DocumentRecord | null;
  /**
   * Returns the record with this local path, or none; two while a swap is being recorded. LIMIT:
   * reads every row.
   */
  recordsAt(path: LocalPath): DocumentRecord[];
  /**
   * Returns recorded documents in a folder. `all`: also those in folders below it. LIMIT: reads
   * every row.
   */
  documentsIn(folder: LocalPath, depth: "all" | "one", most: number): DocumentPaths[];
  /**
   * Returns the local paths of recorded documents, in no order. For an excluded document, returns
   * its path before the exclusion.
   */
  localPaths(): LocalPath[];
  /** Returns true if the local file of a record has this inode. LIMIT: reads every row. */
  hasInode(dev: number, ino: number): boolean;
  putRecord(record: DocumentRecord): void;
  removeRecord(id: DocId): void;
  /**
   * Records that the file's bytes survive a power loss. Does nothing if the record has another
   * local path now.
   */
  setDurable(id: DocId, localPath: LocalPath): void;
  putDir(dir: FolderRecord): void;
  removeDir(id: DirId): void;
  /**
   * Moves a folder with everything below it: rewrites the paths of records, folders, conflicts and
   * blocks on one side.
   */
  moveSubtree(side: "local" | "remote", from: string, to: string): void;
  /**
   * Works as `moveSubtree`, but only for rows whose path on the other side is at or below `within`.
   * Used after another client or program moved a folder: another folder may be at `from` or `to`
   * now (a swap).
   */
  moveMembers(side: "local" | "remote", from: string, to: string, within: string): void;
  dir(id: DirId): FolderRecord | null;
  /** Returns the folder with this local path; null if none, or more than one, has it. */
  dirAt(path: LocalPath): FolderRecord | null;
  tombstone(id: DocId): Tombstone | null;
  putTombstone(tombstone: Tombstone): void;
  removeTombstone(id: DocId): void;
  conflict(id: DocId): Conflict | null;
  /** Returns true if the newest copy of another document's conflict is recorded at this path. */
  isCopyOfOther(id: DocId, path: LocalPath): boolean;
  /** Returns true if a conflict of another document records a copy with this inode. */
  isCopyInodeOfOther(id: DocId, stamp: Pick<Stamp, "dev" | "ino">): boolean;
  putConflict(conflict: Conflict): void;
  removeConflict(id: DocId): void;
  putBlock(block: Block): void;
  removeBlock(key: string): void;
  /**
   * Replaces all blocks. A block with the same reason and detail keeps its `since`. Writes nothing
   * if nothing changes.
   */
  replaceBlocks(blocks: readonly Block[]): void;

  openIntent(run: number, intent: Intent): number;
  closeIntent(intentId: number): void;
  intents(): OpenIntent[];

  /**
   * Stores content. A second call with the same content and name does no harm. Content and its name
   * are stored together, so that all content can be found.
   */
  putText(text: string, name: TextName): Digest;
  putKnownText(digest: Digest, text: string, name: TextName): void;
  text(digest: Digest): string | null;
  hasText(digest: Digest): boolean;
  /**
   * Returns names of stored content, oldest first: content stored under `path`, of any document;
   * content of the document `id`, under any path; content stored under a path of `formerPaths`
   * without a document. Without any of these fields: all. LIMIT: reads every row.
   */
  storedNames(wanted: {
    readonly path?: LocalPath;
    readonly id?: DocId | null;
    readonly formerPaths?: readonly LocalPath[];
  }): StoredName[];
  /**
   * Makes all stored content survive a power loss. Must be called before the last file or version
   * with such content is removed. Costs nothing if no content was stored since the last call.
   * @param digest content that must survive; nothing is flushed if an earlier call covers this
   * content
   */
  secureTexts(digest?: Digest): void;
  addVersion(version: Version): void;
  /** Returns the versions of a document, newest first. */
  versions(id: DocId): Version[];
  /** Returns true if change id `changeId` of the document arrived before change id `other`. */
  isEarlier(id: DocId, changeId: ChangeId, other: ChangeId): boolean;

  meta(key: string): string | null;
  setMeta(key: string, value: string | null): void;

  /** Records the start of a run (one `sync`, or one cycle of the daemon). Returns its number. */
  beginRun(kind: string, startedAt: number): number;
  endRun(run: number, startedAt: number, summary: string): void;
  recordEvent(event: MirrorEvent): void;
  /** Returns events, newest first. */
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
  /** Counts the documents that were deleted or emptied on a side in runs after the given run. */
  lossesAfter(side: "local" | "remote", run: number): number;
  close(): void;
}
