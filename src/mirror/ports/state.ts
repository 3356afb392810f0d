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
 * A row of the journal: a change that has begun and whose result is not recorded yet. mdmirror
 * writes the row before the change, and removes the row when base moves. After a crash, recovery
 * uses the row to find out whether the change happened.
 */
export type Intent =
  /**
   * Creates a document. `replaces`: deleted document that the new document replaces; null if there
   * is none.
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
   * Reads a new document back. Before that, base assumes that the service stores the content that
   * was sent.
   */
  | { readonly kind: "read-back"; readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest }
  /**
   * Content that was sent as an edit of `baseDigest`, but was not found on the service. The service
   * may still publish this content. `isCombined`: the service may have combined the content with
   * another edit. For a new document, `id` and `baseDigest` are null, and `remotePath` is set.
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
  /**
   * Creates local files. A power loss may damage a new file until a flush of the file is known to
   * have succeeded.
   */
  | { readonly kind: "create"; readonly files: readonly ArrivingFile[] }
  /**
   * Replaces the file at `path` by the content `writes`, and moves the old file to `setAsideAt`.
   * Another program may still save an edit into the old file; `base…` is the version with which
   * this edit began. `next…`: base version after the replacement; undefined if `writes` is itself
   * an edit.
   */
  | {
      readonly kind: "replace";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly setAsideAt: string;
      /** Digest of the old file; null if there must be no file. */
      readonly expect: Digest | null;
      readonly writes: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
      readonly nextChangeId?: ChangeId;
      readonly nextDigest?: Digest;
      /**
       * Changes that are in review after the replacement. If undefined, and `writes` is the content
       * of the new base version, no change is in review. If undefined otherwise, the recorded
       * changes stay.
       */
      readonly waiting?: readonly Submission[] | undefined;
      /** Fields of the new record, if the document has no record yet. */
      readonly adopts?: Pick<DocumentRecord, "remotePath" | "protected">;
      readonly endsBlock?: true;
      /**
       * Earlier version that becomes base again, because the content `writes` is an edit of this
       * version.
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
      /** Digest that the file must have; undefined in rows of an earlier mdmirror version. */
      readonly expect?: Digest;
    }
  /** Moves a local file. `nth`: number of the conflict copy, if the file is a conflict copy. */
  | ({ readonly kind: "move"; readonly id: DocId; readonly nth?: number } & DiskMove)
  | ({ readonly kind: "move-folder"; readonly dirId: DirId } & DiskMove)
  /**
   * Writes a conflict copy. `shows`: rows to store when the copy exists; undefined if the conflict
   * no longer needs the copy, so that the copy goes to the trash.
   */
  | {
      readonly kind: "conflict-copy";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly writes: Digest;
      readonly shows?: {
        /** The conflict with the new copy, whose inode is not known yet. */
        readonly conflict: Conflict;
        readonly record: DocumentRecord | null;
        /** Earlier conflict copy, which goes to the trash; null if there is none. */
        readonly old: { readonly path: LocalPath; readonly writes: Digest } | null;
        readonly opens: boolean;
        readonly event: EventFields;
      };
    }
  /**
   * Moves the conflict copies to the trash, and ends the conflict. `comesBack`: the conflict ends
   * only after another step has restored the document's file.
   */
  | ({
      readonly kind: "drop-conflict";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly comesBack?: true;
    } & EventReason)
  /** Reads a set-aside file once more, in the cycle after the replacement. */
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
  /** True if the user requested the move. The next run then makes the move on the service too. */
  readonly isManual?: true;
} & EventReason;

type RemoteMove = {
  readonly from: RemotePath;
  readonly to: RemotePath;
  /** Local path of the document or folder when the request was sent. */
  readonly lastLocalPath: LocalPath;
} & EventReason;

type LocalDocument = Pick<DocumentRecord, "id" | "localPath">;

/** The file with the content to send, and the digest of the content. */
type SentFile = {
  readonly localPath: LocalPath;
  readonly digest: Digest;
  /**
   * Stamp of the file; null if unknown. If the user renames the file, recovery finds the file by
   * the inode.
   */
  readonly stamp: Stamp | null;
  readonly stampTrusted: boolean;
} & EventReason;

/** Fields of the event that mdmirror logs when the change is complete. */
type EventReason = {
  readonly why: string;
  /** True if the move only breaks a circle of moves, and a later step makes the planned move. */
  readonly temporary?: boolean;
};

export type OpenIntent = { readonly intentId: number; readonly run: number; readonly intent: Intent };

export type EventSide = "local" | "remote" | "both";

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
  /** Number of changes that were in review and are now published. */
  "accepted",
  /** Number of conflicts that the user's policy resolved. */
  "byPolicy",
  "submitted",
  /** Number of files with links that were rewritten, because documents were moved. */
  "respelled",
  "conflicts",
] as const;

export type RunCount = (typeof RUN_COUNTS)[number];

/** An event in the log. The log never contains content of documents. */
export type MirrorEvent = {
  readonly run: number;
  readonly at: number;
  /**
   * Kind of the action or event, such as `safety-stop`, `approve`, `conflict`, `block`, `restore`
   * or `fault`.
   */
  readonly kind: string;
  readonly side: EventSide;
  readonly id: string | null;
  readonly path: LocalPath;
  readonly detail: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly requestId: string | null;
  /** Digests of the content before and after the event; null if unknown. */
  readonly before: Digest | null;
  readonly after: Digest | null;
  /**
   * Local path before a move. Null without a move, and in events that an earlier version of
   * mdmirror logged.
   */
  readonly from: LocalPath | null;
  /** Paths on the service before and after a move; null without a move on the service. */
  readonly remoteMove: { readonly from: RemotePath; readonly to: RemotePath } | null;
  /**
   * Digests of two inputs of the merge that made `after`: base, and the version on the service.
   * Also set if the user ended a conflict with merged content. Null without a merge, and in events
   * that an earlier version of mdmirror logged.
   */
  readonly merged: { readonly base: Digest; readonly theirs: Digest } | null;
};

/**
 * Fields of an event. If `outcome` is undefined, the stored outcome is `done`. Any other undefined
 * field is stored as null.
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

/** Origin of stored content, by which users find the content. */
export type ContentOrigin = {
  /**
   * Path at which mdmirror saw the content. For the version on the service in a conflict: local
   * path of the document.
   */
  readonly path: LocalPath;
  /** Id of the document; null if mdmirror knew no document at the path. */
  readonly id: DocId | null;
  /** Side that had the content; `both` for content that was merged from both sides. */
  readonly side: EventSide;
  /** Reason for storing the content, as a clause for messages. */
  readonly why: string;
};

/**
 * An origin of stored content. `at`: time when the content was first stored with this path, in
 * milliseconds since the epoch.
 */
export type StoredOrigin = ContentOrigin & { readonly digest: Digest; readonly at: number };

export type Version = { readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest; readonly at: number };

/**
 * The state file and the content store. All calls are synchronous and atomic; `transact` makes
 * several calls atomic as a whole. Content is stored before a row that refers to the content.
 */
export interface State {
  transact<T>(work: () => T): T;
  /**
   * Runs `work` like `transact`. Afterwards, everything that is committed so far survives a power
   * loss. Not allowed within another transaction.
   */
  transactSafely<T>(work: () => T): T;
  readonly spellings: Spellings;

  /**
   * Reads base.
   * LIMIT: one call for each cycle, because a call reads all rows into memory.
   * @param take receives each record; the result then contains no records
   */
  load(take?: (record: DocumentRecord) => void): BaseTree;
  blocks(): Block[];
  record(id: DocId): DocumentRecord | null;
  /**
   * Returns the records with this local path. There may be two records while a swap of two paths is
   * being recorded.
   * LIMIT: reads every row, because there is no index of paths.
   */
  recordsAt(path: LocalPath): DocumentRecord[];
  /**
   * Returns at most `most` documents in a folder. With `all`, also returns documents in subfolders.
   * LIMIT: reads every row, because there is no index of paths.
   */
  documentsIn(folder: LocalPath, depth: "all" | "one", most: number): DocumentPaths[];
  /**
   * Returns the local paths of all documents, unsorted. For an ignored document, returns the last
   * known path.
   */
  localPaths(): LocalPath[];
  /**
   * Returns true if a recorded file has this inode.
   * LIMIT: reads every row, because there is no index of inodes.
   */
  hasInode(dev: number, ino: number): boolean;
  putRecord(record: DocumentRecord): void;
  removeRecord(id: DocId): void;
  /**
   * Records that a file survives a power loss. Does nothing if the record now has another local
   * path.
   */
  setDurable(id: DocId, localPath: LocalPath): void;
  putDir(dir: FolderRecord): void;
  removeDir(id: DirId): void;
  /** Records the move of a folder: rewrites all paths at and below `from` on one side. */
  moveSubtree(side: "local" | "remote", from: string, to: string): void;
  /**
   * Does the same as `moveSubtree`, but only for rows with a path at or below `within` on the other
   * side. The condition is needed after another program has swapped two folders, because rows below
   * `from` may then belong to another folder.
   */
  moveMembers(side: "local" | "remote", from: string, to: string, within: string): void;
  dir(id: DirId): FolderRecord | null;
  /** Returns the folders with a local path. A folder that was removed locally keeps its path. */
  foldersAt(path: LocalPath): FolderRecord[];
  /** Returns the folder with a local path; null if no folder or several folders have this path. */
  dirAt(path: LocalPath): FolderRecord | null;
  tombstone(id: DocId): Tombstone | null;
  putTombstone(tombstone: Tombstone): void;
  removeTombstone(id: DocId): void;
  conflict(id: DocId): Conflict | null;
  /** Returns true if the newest conflict copy of another document is recorded at this path. */
  isCopyOfOther(id: DocId, path: LocalPath): boolean;
  isCopyInodeOfOther(id: DocId, stamp: Pick<Stamp, "dev" | "ino">): boolean;
  putConflict(conflict: Conflict): void;
  removeConflict(id: DocId): void;
  putBlock(block: Block): void;
  removeBlock(key: string): void;
  /**
   * Replaces all blocks. If a new block has the reason and detail of an old block, `since` stays
   * the same.
   */
  replaceBlocks(blocks: readonly Block[]): void;

  openIntent(run: number, intent: Intent): number;
  removeIntent(intentId: number): void;
  intents(): OpenIntent[];

  /**
   * Stores content and returns the digest. If the content was already stored with this path, the
   * earlier origin stays.
   */
  putText(text: string, origin: ContentOrigin): Digest;
  putKnownText(digest: Digest, text: string, origin: ContentOrigin): void;
  text(digest: Digest): string | null;
  hasText(digest: Digest): boolean;
  /**
   * Returns the origins of stored content that match at least one field of `wanted`, oldest first.
   * Without fields, returns all origins.
   * - `path`: content stored with this path, of any document
   * - `id`: content of this document, with any path
   * - `formerPaths`: content stored with one of these paths and without a document
   * LIMIT: reads every row. This is fast enough, because only commands of users ask for origins.
   */
  storedOrigins(wanted: {
    readonly path?: LocalPath;
    readonly id?: DocId | null;
    readonly formerPaths?: readonly LocalPath[];
  }): StoredOrigin[];
  /**
   * Makes all stored content survive a power loss. Does nothing if no content was stored since the
   * last call.
   * ORDER: called before the last file or version with such content is removed.
   * @param digest content that must survive; if this content is already safe, nothing is done
   */
  secureTexts(digest?: Digest): void;
  addVersion(version: Version): void;
  versions(id: DocId): Version[];
  isEarlier(id: DocId, changeId: ChangeId, other: ChangeId): boolean;

  meta(key: string): string | null;
  setMeta(key: string, value: string | null): void;

  /**
   * Records the start of a run (one `sync`, or one cycle of the daemon). Returns the number of the
   * run.
   */
  beginRun(kind: string, startedAt: number): number;
  endRun(run: number, endedAt: number, summary: string): void;
  recordEvent(event: MirrorEvent): void;
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
  /** Returns how many documents were deleted or became empty on a side in the runs after `run`. */
  lossesAfter(side: "local" | "remote", run: number): number;
  close(): void;
}
