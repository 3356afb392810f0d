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
 * A change that mdmirror has begun and whose result is not recorded yet: a row of the journal. It
 * is written before the change, and removed when base is moved. It has everything that recovery
 * needs to find out whether the change happened.
 */
export type Intent =
  // Changes on the service.
  /**
   * Creates a document on the service. `replaces`: the deleted document that the new one restores,
   * whose record is removed afterwards; null if there is none.
   */
  | ({ readonly kind: "post"; readonly remotePath: RemotePath; readonly replaces: DocId | null } & SentFile)
  | ({
      readonly kind: "put";
      readonly id: DocId;
      readonly baseChangeId: ChangeId;
      readonly baseDigest: Digest;
      readonly review: boolean;
    } & SentFile)
  /**
   * Reads a new document back. Until then, base assumes that the service has saved exactly the
   * content that was sent.
   */
  | { readonly kind: "read-back"; readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest }
  /**
   * Content that was sent as an edit of `baseDigest`, and not found on the service. The service may
   * still save it, or has combined it with another edit (`isCombined`). `id` and `baseDigest` are
   * null for a new document, which has a `remotePath`.
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
  | ({ readonly kind: "delete"; readonly changeId: ChangeId } & LocalDocument & EventReason)
  | ({ readonly kind: "protect"; readonly value: boolean } & LocalDocument & EventReason)
  | ({ readonly kind: "post-folder"; readonly localPath: LocalPath; readonly remotePath: RemotePath } & EventReason)
  | ({ readonly kind: "patch-folder"; readonly dirId: DirId } & RemoteMove)
  | ({ readonly kind: "delete-folder"; readonly dirId: DirId; readonly remotePath: RemotePath } & EventReason)
  // Changes on the disk.
  /**
   * Creates the new local files of a plan. A power loss may damage such a file until its content is
   * known to be flushed.
   */
  | { readonly kind: "create"; readonly files: readonly ArrivingFile[] }
  /**
   * Replaces the file at `path` by the content `writes`, and moves the old file to `setAsideAt`.
   * `base…`: base version from which an edit in the old file would descend. `next…`: base version
   * after the replacement; undefined if `writes` is itself an edit.
   */
  | {
      readonly kind: "replace";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly setAsideAt: string;
      /** Digest that the old file must have; null if there must be no file. */
      readonly expect: Digest | null;
      readonly writes: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
      readonly nextChangeId?: ChangeId;
      readonly nextDigest?: Digest;
      /** Submissions that remain in review. Undefined if they follow from the new base version. */
      readonly waiting?: readonly Submission[] | undefined;
      /** Fields of the new record, if the document has no record yet. */
      readonly adopts?: Pick<DocumentRecord, "remotePath" | "protected">;
      /** True if the user's decision ends the block of the document. */
      readonly endsBlock?: true;
      /**
       * Earlier version that becomes base again, because the written content is an edit of it.
       * Undefined if base keeps its version.
       */
      readonly backTo?: Pick<DocumentRecord, "changeId" | "digest">;
      readonly counts?: RunCount;
      readonly event: EventFields;
    }
  | {
      readonly kind: "trash";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly setAsideAt: string;
      /**
       * Digest that the file must have; undefined in a row that an earlier mdmirror version wrote.
       */
      readonly expect?: Digest;
    }
  /**
   * Moves a local file. `nth`: number of the conflict copy that is moved; undefined if the
   * document's own file is moved.
   */
  | ({ readonly kind: "move"; readonly id: DocId; readonly nth?: number } & DiskMove)
  | ({ readonly kind: "move-folder"; readonly dirId: DirId } & DiskMove)
  /**
   * Writes a conflict copy. `shows`: what is stored when the copy exists. Undefined if the conflict
   * no longer needs the copy, which then goes to the trash.
   */
  | {
      readonly kind: "conflict-copy";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly writes: Digest;
      readonly shows?: {
        /** The conflict with its new copy, whose inode is not known yet. */
        readonly conflict: Conflict;
        /** New record of the document; null if its record does not change. */
        readonly record: DocumentRecord | null;
        /** Earlier copy, which goes to the trash; null if there is none. */
        readonly old: { readonly path: LocalPath; readonly writes: Digest } | null;
        readonly opens: boolean;
        readonly event: EventFields;
      };
    }
  /**
   * Moves the copies of a conflict to the trash, and ends the conflict. `comesBack`: the conflict
   * ends only when another step has restored the document's file.
   */
  | ({
      readonly kind: "drop-conflict";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly comesBack?: true;
    } & EventReason)
  /** Checks a set-aside file once more in the next cycle, after its replacement was completed. */
  | {
      readonly kind: "set-aside";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly setAsideAt: string;
      readonly expect: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
    };

/** A document that gets a local file, and the path of this file. */
export type ArrivingFile = { readonly id: DocId; readonly path: LocalPath };

type DiskMove = {
  readonly from: LocalPath;
  readonly to: LocalPath;
  /**
   * True if the user requested the move. Base then stays unchanged, and the next run makes the same
   * move on the service.
   */
  readonly isManual?: true;
} & EventReason;

type RemoteMove = {
  readonly from: RemotePath;
  readonly to: RemotePath;
  /** Local path of the document or folder when the request was sent. */
  readonly lastLocalPath: LocalPath;
} & EventReason;

type LocalDocument = Pick<DocumentRecord, "id" | "localPath">;

/** The local file whose content is sent, and the digest of that content. */
type SentFile = {
  readonly localPath: LocalPath;
  readonly digest: Digest;
  /**
   * Stamp of the file; null if unknown. If a user renames the file, recovery finds it by the inode
   * in the stamp.
   */
  readonly stamp: Stamp | null;
  readonly stampTrusted: boolean;
} & EventReason;

/** Facts for the event that is logged when the change is complete. */
type EventReason = {
  readonly why: string;
  /** True if the move only breaks a circle of moves, and a later step moves on. */
  readonly temporary?: boolean;
};

export type OpenIntent = { readonly intentId: number; readonly run: number; readonly intent: Intent };

export type EventSide = "local" | "remote" | "both";

/** Names of the numbers that a run counts. */
export const RUN_COUNTS = [
  "uploaded",
  "downloaded",
  "createdRemote",
  "createdLocal",
  "movedRemote",
  "movedLocal",
  "deletedRemote",
  "deletedLocal",
  "merged",
  /** Contents in review that were published. */
  "accepted",
  /** Conflicts that the user's policy resolved. */
  "byPolicy",
  "submitted",
  /** Files whose links were rewritten, because documents were moved. */
  "respelled",
  "conflicts",
] as const;

export type RunCount = (typeof RUN_COUNTS)[number];

/** An event in the log: what happened to which document, and why. It never has content. */
export type MirrorEvent = {
  readonly run: number;
  readonly at: number;
  /**
   * Kind of the event: the kind of an action, or `safety-stop`, `approve`, `conflict`, `block`,
   * `restore` or `fault`.
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
   * Digests of the content before and after the event; null if unknown. `history`, `undo` and
   * `restore` need them.
   */
  readonly before: Digest | null;
  readonly after: Digest | null;
  /**
   * Local path before a move. Null if there was no local move, or an earlier mdmirror version
   * logged the event.
   */
  readonly from: LocalPath | null;
  /** Paths on the service before and after a move; null if there was none. */
  readonly remoteMove: { readonly from: RemotePath; readonly to: RemotePath } | null;
  /**
   * The two other contents of a merge whose result is `after`. Also set if the user ended a
   * conflict with merged content. Null if there was no merge, or an earlier mdmirror version logged
   * the event.
   */
  readonly merged: { readonly base: Digest; readonly theirs: Digest } | null;
};

/**
 * Fields of an event that a change reports. If `outcome` is undefined, it is `done`; other
 * undefined fields become null.
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

/** Origin of stored content. Users find the content again by these fields. */
export type TextName = {
  /**
   * Local path at which the content was seen. For the other version of a conflict, the path of the
   * document.
   */
  readonly path: LocalPath;
  /** Id of the document; null if the path belonged to no known document. */
  readonly id: DocId | null;
  /** Side that had the content; `both` if it was merged from both sides. */
  readonly side: EventSide;
  /** Reason why the content was stored, as a clause for messages. */
  readonly why: string;
};

/**
 * Origin of stored content, with its digest. `at`: time at which the content was first stored with
 * this origin, in milliseconds since the epoch.
 */
export type StoredName = TextName & { readonly digest: Digest; readonly at: number };

export type Version = { readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest; readonly at: number };

/**
 * The state file and the content store. All calls are synchronous and atomic; `transact` makes
 * several calls atomic together. Content is stored before any row refers to it.
 */
export interface State {
  transact<T>(work: () => T): T;
  /**
   * Runs `work` like `transact`. Afterwards, everything committed so far survives a power loss. Not
   * allowed within another transaction.
   */
  transactSafely<T>(work: () => T): T;
  readonly spellings: Spellings;

  /**
   * Reads base.
   * LIMIT: reads all rows into memory, which takes time, so it is called once a cycle.
   * @param take receives each record; the result then contains none
   */
  load(take?: (record: DocumentRecord) => void): BaseTree;
  /** Reads the blocks, without anything else. */
  blocks(): Block[];
  record(id: DocId): DocumentRecord | null;
  /**
   * Returns the records with this local path: none or one, or two while a swap is being recorded.
   * LIMIT: reads every row.
   */
  recordsAt(path: LocalPath): DocumentRecord[];
  /**
   * Returns at most `most` recorded documents in a folder. `all`: also those in folders below it.
   * LIMIT: reads every row.
   */
  documentsIn(folder: LocalPath, depth: "all" | "one", most: number): DocumentPaths[];
  /**
   * Returns the local paths of all recorded documents, in no order. For an excluded document, this
   * is its path before it was excluded.
   */
  localPaths(): LocalPath[];
  /**
   * Returns true if a recorded local file has this inode.
   * LIMIT: reads every row.
   */
  hasInode(dev: number, ino: number): boolean;
  putRecord(record: DocumentRecord): void;
  removeRecord(id: DocId): void;
  /**
   * Records that the document's file survives a power loss. Does nothing if the record has another
   * local path by now.
   */
  setDurable(id: DocId, localPath: LocalPath): void;
  putDir(dir: FolderRecord): void;
  removeDir(id: DirId): void;
  /**
   * Records the move of a folder on one side: rewrites the paths of records, folders, conflicts and
   * blocks at and below `from`.
   */
  moveSubtree(side: "local" | "remote", from: string, to: string): void;
  /**
   * Records the move of a folder as `moveSubtree` does, but rewrites only rows whose path on the
   * other side is at or below `within`. Needed if another program has moved the folder: rows below
   * `from` may also belong to another folder (after a swap).
   */
  moveMembers(side: "local" | "remote", from: string, to: string, within: string): void;
  dir(id: DirId): FolderRecord | null;
  /** Returns the folder with a local path; null if no folder has it, or several have it. */
  dirAt(path: LocalPath): FolderRecord | null;
  tombstone(id: DocId): Tombstone | null;
  putTombstone(tombstone: Tombstone): void;
  removeTombstone(id: DocId): void;
  conflict(id: DocId): Conflict | null;
  /** Returns true if the newest conflict copy of another document is recorded at this path. */
  isCopyOfOther(id: DocId, path: LocalPath): boolean;
  /** Returns true if a conflict copy of another document is recorded with this inode. */
  isCopyInodeOfOther(id: DocId, stamp: Pick<Stamp, "dev" | "ino">): boolean;
  putConflict(conflict: Conflict): void;
  removeConflict(id: DocId): void;
  putBlock(block: Block): void;
  removeBlock(key: string): void;
  /**
   * Replaces all blocks. A block that existed with the same reason and detail keeps its `since`.
   * Writes nothing if all blocks are unchanged.
   */
  replaceBlocks(blocks: readonly Block[]): void;

  openIntent(run: number, intent: Intent): number;
  closeIntent(intentId: number): void;
  intents(): OpenIntent[];

  /**
   * Stores content together with its origin. Does nothing if this content is already stored with
   * the same origin. Returns its digest.
   */
  putText(text: string, name: TextName): Digest;
  putKnownText(digest: Digest, text: string, name: TextName): void;
  text(digest: Digest): string | null;
  hasText(digest: Digest): boolean;
  /**
   * Returns the origins of stored content, oldest first. The fields of `wanted` add to each other;
   * without any field, returns all.
   * - `path`: content stored with this path, of any document
   * - `id`: content of this document, with any path
   * - `formerPaths`: content stored with one of these paths and without a document
   * LIMIT: reads every row.
   */
  storedNames(wanted: {
    readonly path?: LocalPath;
    readonly id?: DocId | null;
    readonly formerPaths?: readonly LocalPath[];
  }): StoredName[];
  /**
   * Makes all stored content survive a power loss. Must be called before the last file or version
   * with such content is removed. Costs nothing if no content was stored since the last call.
   * @param digest content that must survive; does nothing if an earlier call has already secured it
   */
  secureTexts(digest?: Digest): void;
  addVersion(version: Version): void;
  /** Returns the versions of a document, newest first. */
  versions(id: DocId): Version[];
  /** Returns true if version `changeId` of a document was seen before version `other`. */
  isEarlier(id: DocId, changeId: ChangeId, other: ChangeId): boolean;

  meta(key: string): string | null;
  setMeta(key: string, value: string | null): void;

  /**
   * Records the start of a run, which is one `sync` or one cycle of the daemon. Returns the number
   * of the run.
   */
  beginRun(kind: string, startedAt: number): number;
  endRun(run: number, startedAt: number, summary: string): void;
  recordEvent(event: MirrorEvent): void;
  /** Returns at most `limit` events that match all given fields, newest first. */
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
  /**
   * Returns the number of documents that were deleted or became empty on a side in runs after the
   * given run.
   */
  lossesAfter(side: "local" | "remote", run: number): number;
  close(): void;
}
