import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Conflict, DirLink, Hold, Link, Placed, Stamp, Tombstone } from "../model/link.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";
import type { Spellings } from "./spellings.ts";
import type { BaseTree } from "../model/tree.ts";

/**
 * Written before an effect, and removed with the commit of its base. It holds what recovery needs
 * to find out what happened.
 */
export type Intent =
  // remote
  /** `replaces`: the gone document that this one brings back, whose link ends with the commit. */
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
  /** A POST was answered, but what the service saved was not read yet: base has what was sent. */
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
  /**
   * `writes` goes to `path`, the old inode to `parkAt`. `base*`: what the link's base was, for an
   * edit that is found in the parked inode. `next*`: the version that base is to be once `writes`
   * stands there; left out where base stays. `settles`: its user gives up what is in review.
   */
  | {
      readonly kind: "replace";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly parkAt: string;
      readonly expect: Digest;
      readonly writes: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
      readonly nextChangeId?: ChangeId;
      readonly nextDigest?: Digest;
      readonly settles?: boolean;
    }
  | { readonly kind: "trash"; readonly id: DocId; readonly path: LocalPath; readonly parkAt: string }
  | ({ readonly kind: "move"; readonly id: DocId; readonly from: LocalPath; readonly to: LocalPath } & Reason)
  | ({ readonly kind: "move-folder"; readonly dirId: DirId; readonly from: LocalPath; readonly to: LocalPath } & Reason)
  /** A copy that is written or replaced: recovery removes one that no conflict has on record. */
  | { readonly kind: "conflict-copy"; readonly id: DocId; readonly path: LocalPath; readonly writes: Digest }
  /** A replace that is done: the next pass looks once more at the parked inode. */
  | {
      readonly kind: "set-aside";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly parkAt: string;
      readonly expect: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
    };

type RemoteMove = {
  readonly from: RemotePath;
  readonly to: RemotePath;
  /** Local path when the move was sent; absent in rows of older versions. */
  readonly stands?: LocalPath;
} & Reason;

/** About the file that was sent; older versions left it out. */
type Sent = {
  /** Its inode identifies the file if its user renames it. */
  readonly stamp?: Stamp;
  readonly stampTrusted?: boolean;
} & Reason;

/** Reason for the action, for the event of its end; absent in rows of older versions. */
type Reason = {
  readonly why?: string;
  /** Whether the move is one of several that make way for each other. */
  readonly temporary?: boolean;
};

export type OpenIntent = { readonly intentId: number; readonly run: number; readonly intent: Intent };

export type EventSide = "local" | "remote" | "both";

/** One line of the log: what happened, to which document, and why. Never a text. */
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
   * The digests of the text before and after, where there are any: `history`, `undo` and `restore`
   * use them.
   */
  readonly before: Digest | null;
  readonly after: Digest | null;
  /**
   * Of a move: the local path before it. null: no move, or not on this side, or written by a
   * version that did not keep it.
   */
  readonly from: LocalPath | null;
  /** Of a move on the service: the remote paths before and after it; null: no such move. */
  readonly remoteMove: { readonly from: RemotePath; readonly to: RemotePath } | null;
  /**
   * Of a merge from `before` to `after`: the other two texts. null: no merge, or written by a
   * version that did not keep them.
   */
  readonly merged: { readonly base: Digest; readonly theirs: Digest } | null;
};

/** Where a text came from, by which it can be found again. */
export type TextName = {
  /** Its local path. For the other version of a conflict: the document's path. */
  readonly path: LocalPath;
  /** null: no document was known there. */
  readonly id: DocId | null;
  /** Which side showed it; `both`: it was merged from a text of each. */
  readonly side: EventSide;
  /** Why it was stored, as a clause. */
  readonly why: string;
};

/** When a text was first stored under a path. */
export type Sighting = TextName & { readonly digest: Digest; readonly at: number };

export type Version = { readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest; readonly at: number };

/**
 * The state file. Synchronous. Every method is atomic; `transact` makes several of them so. A text
 * is stored before anything names it.
 */
export interface State {
  transact<T>(work: () => T): T;
  /** It survives a power cut, and so does what was committed before. Not within another one. */
  transactSafely<T>(work: () => T): T;
  readonly spellings: Spellings;

  /** LIMIT: all rows in memory, 0.2 s for 100,000 links: once a pass. */
  load(): BaseTree;
  /** Only the holds of `load`. */
  holds(): Hold[];
  link(id: DocId): Link | null;
  /** One with this local path, or none; two for a moment of a swap. LIMIT: reads every row. */
  linksAt(path: LocalPath): Link[];
  /** Linked documents in a folder; `all`: in those below it too. LIMIT: as `linksAt`. */
  documentsIn(folder: LocalPath, depth: "all" | "one", most: number): Placed[];
  /** Where the linked documents are here, or were before they were left alone; in no order. */
  localPaths(): LocalPath[];
  /** Whether a link's local file has this inode. LIMIT: as `linksAt`. */
  hasInode(dev: number, ino: number): boolean;
  putLink(link: Link): void;
  removeLink(id: DocId): void;
  /**
   * Notes that the file's bytes will survive power loss; does nothing where the link has another
   * local path by now.
   */
  setDurable(id: DocId, localPath: LocalPath): void;
  putDir(dir: DirLink): void;
  removeDir(id: DirId): void;
  /**
   * A folder moved with all below it: rewrites the paths of links, folders, conflicts and holds on
   * that side.
   */
  moveSubtree(side: "local" | "remote", from: string, to: string): void;
  /**
   * The same, but only for rows whose path on the other side lies at or below `within`. It is for a
   * folder that somebody else moved: another folder may be at `from` or `to` by now (a swap).
   */
  moveMembers(side: "local" | "remote", from: string, to: string, within: string): void;
  dir(id: DirId): DirLink | null;
  /** The folder with this local path; null also when two have it. */
  dirAt(path: LocalPath): DirLink | null;
  putTombstone(tombstone: Tombstone): void;
  removeTombstone(id: DocId): void;
  conflict(id: DocId): Conflict | null;
  /** Whether a conflict of another document has the newest copy at this path on record. */
  isCopyOfOther(id: DocId, path: LocalPath): boolean;
  /** Returns whether a conflict of another document records a copy with this inode. */
  isCopyInodeOfOther(id: DocId, stamp: Pick<Stamp, "dev" | "ino">): boolean;
  putConflict(conflict: Conflict): void;
  removeConflict(id: DocId): void;
  putHold(hold: Hold): void;
  removeHold(key: string): void;
  /**
   * Sets the holds to exactly these; one that was there with the same reason and detail keeps its
   * `since`. Writes nothing when nothing changes.
   */
  replaceHolds(holds: readonly Hold[]): void;

  openIntent(run: number, intent: Intent): number;
  closeIntent(intentId: number): void;
  /** One transaction: closes, and opens `next` (a replace that becomes parked). */
  turnIntent(intentId: number, next: Intent): void;
  intents(): OpenIntent[];

  /** Idempotent. A text and its name are stored together, so that every text can be found. */
  putText(text: string, name: TextName): Digest;
  putKnownText(digest: Digest, text: string, name: TextName): void;
  text(digest: Digest): string | null;
  hasText(digest: Digest): boolean;
  /**
   * Oldest first: texts stored under `path`, of any document; texts of the document `id`, under any
   * path; texts stored under a path of `formerly` and of no document. Without any of these: all.
   * LIMIT: reads every row.
   */
  sightings(wanted: {
    readonly path?: LocalPath;
    readonly id?: DocId | null;
    readonly formerly?: readonly LocalPath[];
  }): Sighting[];
  /**
   * Makes every text that was put so far survive a power cut: to be called before the last file
   * that holds one is removed. Costs nothing where none was put since.
   */
  secureTexts(): void;
  addVersion(version: Version): void;
  /** Newest first. */
  versions(id: DocId): Version[];
  /** Whether this change id of the document arrived before `than`. */
  isEarlier(id: DocId, changeId: ChangeId, than: ChangeId): boolean;

  meta(key: string): string | null;
  setMeta(key: string, value: string | null): void;

  /** Notes the start of a run (one `sync`, or one pass of the daemon). Returns its number. */
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
