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
 * A row of the journal: a change that has begun and whose result is not recorded yet. It is written
 * before the change, and removed when base is moved. Recovery finds out from it whether the change
 * happened.
 */
export type Intent =
  /**
   * `replaces`: the deleted document that the new one restores, whose record is removed afterwards.
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
   * still save it, or has combined it with another edit (`isCombined`). For a new document, `id`
   * and `baseDigest` are null, and `remotePath` is set.
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
  /** A power loss may damage a new local file until its content is known to be flushed. */
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
      /** Of the old file; null if there must be no file. */
      readonly expect: Digest | null;
      readonly writes: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
      readonly nextChangeId?: ChangeId;
      readonly nextDigest?: Digest;
      /** Changes that stay in review. Undefined if they follow from the new base version. */
      readonly waiting?: readonly Submission[] | undefined;
      /** Fields of the new record, if the document has no record yet. */
      readonly adopts?: Pick<DocumentRecord, "remotePath" | "protected">;
      /** True if the user's decision ends the block of the document. */
      readonly endsBlock?: true;
      /** Earlier version that becomes base again, because the written content is an edit of it. */
      readonly backTo?: Pick<DocumentRecord, "changeId" | "digest">;
      readonly counts?: RunCount;
      readonly event: EventFields;
    }
  | {
      readonly kind: "trash";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly setAsideAt: string;
      /** Undefined in a row that an earlier mdmirror version wrote. */
      readonly expect?: Digest;
    }
  /**
   * `nth`: number of the conflict copy that is moved; undefined if the document's own file is
   * moved.
   */
  | ({ readonly kind: "move"; readonly id: DocId; readonly nth?: number } & DiskMove)
  | ({ readonly kind: "move-folder"; readonly dirId: DirId } & DiskMove)
  /**
   * Writes a conflict copy. `shows`: rows that are stored when the copy exists. Undefined if the
   * conflict no longer needs the copy, which then goes to the trash.
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
        /** Earlier copy, which goes to the trash. */
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

export type ArrivingFile = { readonly id: DocId; readonly path: LocalPath };

type DiskMove = {
  readonly from: LocalPath;
  readonly to: LocalPath;
  /**
   * True if the user requested the move. Base then stays unchanged, and the next run makes this
   * move on the service.
   */
  readonly isManual?: true;
} & EventReason;

type RemoteMove = {
  readonly from: RemotePath;
  readonly to: RemotePath;
  /** Local path when the request was sent. */
  readonly lastLocalPath: LocalPath;
} & EventReason;

type LocalDocument = Pick<DocumentRecord, "id" | "localPath">;

/** The digest is that of the content that is sent. */
type SentFile = {
  readonly localPath: LocalPath;
  readonly digest: Digest;
  /** Null if unknown. If the user renames the file, recovery finds it by the inode in the stamp. */
  readonly stamp: Stamp | null;
  readonly stampTrusted: boolean;
} & EventReason;

/** Fields for the event that is logged when the change is complete. */
type EventReason = {
  readonly why: string;
  /** True if the move only breaks a circle of moves, and a later step moves on. */
  readonly temporary?: boolean;
};

export type OpenIntent = { readonly intentId: number; readonly run: number; readonly intent: Intent };

export type EventSide = "local" | "remote" | "both";

/** What a run counts. */
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

/** An event in the log; it never has content. */
export type MirrorEvent = {
  readonly run: number;
  readonly at: number;
  /** Kind of an action, or `safety-stop`, `approve`, `conflict`, `block`, `restore` or `fault`. */
  readonly kind: string;
  readonly side: EventSide;
  readonly id: string | null;
  readonly path: LocalPath;
  readonly detail: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly requestId: string | null;
  /**
   * Content before and after the event; null if unknown. `history`, `undo` and `restore` need both.
   */
  readonly before: Digest | null;
  readonly after: Digest | null;
  /**
   * Local path before a move. Null if there was no local move, or an earlier mdmirror version
   * logged the event.
   */
  readonly from: LocalPath | null;
  /** Null if the event moved nothing on the service. */
  readonly remoteMove: { readonly from: RemotePath; readonly to: RemotePath } | null;
  /**
   * The two other contents of a merge whose result is `after`. Also set if the user ended a
   * conflict with merged content. Null if there was no merge, or an earlier mdmirror version logged
   * the event.
   */
  readonly merged: { readonly base: Digest; readonly theirs: Digest } | null;
};

/** If `outcome` is undefined, it is `done`; other undefined fields become null. */
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

/** Origin of stored content, by which users find the content again. */
export type TextName = {
  /**
   * Local path at which the content was seen. For the service's version in a conflict, the path of
   * the document.
   */
  readonly path: LocalPath;
  /** Null if the path belonged to no known document. */
  readonly id: DocId | null;
  /** Side that had the content; `both` if it was merged from both sides. */
  readonly side: EventSide;
  /** Why the content was stored, as a clause for messages. */
  readonly why: string;
};

/** `at`: when content was first stored with this path, in milliseconds since the epoch. */
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
   * LIMIT: reads all rows into memory, which takes time, so only once a cycle.
   * @param take receives each record; the result then contains none
   */
  load(take?: (record: DocumentRecord) => void): BaseTree;
  blocks(): Block[];
  record(id: DocId): DocumentRecord | null;
  /**
   * Returns none or one record; two while a swap is being recorded.
   * LIMIT: reads every row, because there is no index of paths.
   */
  recordsAt(path: LocalPath): DocumentRecord[];
  /**
   * `all`: also documents in folders below the folder.
   * LIMIT: reads every row, because there is no index of paths.
   */
  documentsIn(folder: LocalPath, depth: "all" | "one", most: number): DocumentPaths[];
  /** In no order. For an ignored document, returns its path before it was ignored. */
  localPaths(): LocalPath[];
  /** LIMIT: reads every row, because there is no index of inodes. */
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
   * Does what `moveSubtree` does, but only for rows whose path on the other side is at or below
   * `within`. Needed if another program has moved the folder: after a swap, rows below `from` may
   * belong to another folder.
   */
  moveMembers(side: "local" | "remote", from: string, to: string, within: string): void;
  dir(id: DirId): FolderRecord | null;
  /** Returns null if no folder has the path, or several have it. */
  dirAt(path: LocalPath): FolderRecord | null;
  tombstone(id: DocId): Tombstone | null;
  putTombstone(tombstone: Tombstone): void;
  removeTombstone(id: DocId): void;
  conflict(id: DocId): Conflict | null;
  /** Looks only at the newest conflict copy of each other document. */
  isCopyOfOther(id: DocId, path: LocalPath): boolean;
  isCopyInodeOfOther(id: DocId, stamp: Pick<Stamp, "dev" | "ino">): boolean;
  putConflict(conflict: Conflict): void;
  removeConflict(id: DocId): void;
  putBlock(block: Block): void;
  removeBlock(key: string): void;
  /**
   * A block that existed with equal reason and detail keeps its `since`. Writes nothing if all
   * blocks are unchanged.
   */
  replaceBlocks(blocks: readonly Block[]): void;

  openIntent(run: number, intent: Intent): number;
  closeIntent(intentId: number): void;
  intents(): OpenIntent[];

  /** Stores content; returns its digest. For each path, keeps the first origin only. */
  putText(text: string, name: TextName): Digest;
  putKnownText(digest: Digest, text: string, name: TextName): void;
  text(digest: Digest): string | null;
  hasText(digest: Digest): boolean;
  /**
   * Returns the origins of stored content, oldest first: those that match at least one field of
   * `wanted`, or all if it has no field.
   * - `path`: content stored with this path, of any document
   * - `id`: content of this document, with any path
   * - `formerPaths`: content stored with one of these paths and without a document
   * LIMIT: reads every row, because only users ask for origins.
   */
  storedNames(wanted: {
    readonly path?: LocalPath;
    readonly id?: DocId | null;
    readonly formerPaths?: readonly LocalPath[];
  }): StoredName[];
  /**
   * Makes all stored content survive a power loss. ORDER: before the last file or version with such
   * content is removed. Costs nothing if no content was stored since the last call.
   * @param digest content that must survive; does nothing if an earlier call has already secured it
   */
  secureTexts(digest?: Digest): void;
  addVersion(version: Version): void;
  /** Newest first. */
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
