import type { ChangeId, DirId, DocId } from "../contract/ids.ts";
import type { Digest } from "../model/digest.ts";
import type { Conflict, DirLink, Hold, Link, Stamp, Tombstone } from "../model/link.ts";
import type { LocalPath, RemotePath } from "../model/path.ts";
import type { BaseTree } from "../model/tree.ts";

/**
 * Written before an effect, removed with the commit of its base. What recovery needs to settle it
 * by looking.
 */
export type Intent =
  // remote
  /** `replaces`: the gone document that this one brings back, whose link ends with the commit. */
  | {
      readonly kind: "post";
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly digest: Digest;
      readonly replaces?: DocId | null;
      /**
       * Of the file that was sent: if it is renamed before the write is settled, its inode still
       * says which it is.
       */
      readonly stamp?: Stamp;
    }
  | {
      readonly kind: "put";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly baseChangeId: ChangeId;
      readonly baseDigest: Digest;
      readonly digest: Digest;
      readonly review: boolean;
      readonly stamp?: Stamp;
    }
  /** A POST was answered, and what the service saved was not read yet: base has what was sent. */
  | { readonly kind: "read-back"; readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest }
  | { readonly kind: "patch"; readonly id: DocId; readonly from: RemotePath; readonly to: RemotePath }
  | { readonly kind: "delete"; readonly id: DocId; readonly localPath: LocalPath; readonly changeId: ChangeId }
  | { readonly kind: "post-folder"; readonly localPath: LocalPath; readonly remotePath: RemotePath }
  | { readonly kind: "patch-folder"; readonly dirId: DirId; readonly from: RemotePath; readonly to: RemotePath }
  | { readonly kind: "delete-folder"; readonly dirId: DirId; readonly remotePath: RemotePath }
  // local
  /**
   * `writes` goes to `path`; the old inode to `parkAt`. `base*`: the link's base before, for an
   * edit that slipped into the parked inode.
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
    }
  | { readonly kind: "trash"; readonly id: DocId; readonly path: LocalPath; readonly parkAt: string }
  | { readonly kind: "move"; readonly id: DocId; readonly from: LocalPath; readonly to: LocalPath }
  | { readonly kind: "move-folder"; readonly dirId: DirId; readonly from: LocalPath; readonly to: LocalPath }
  /**
   * A sidecar is put beside its document; without a conflict on record it is nobody's, and goes.
   */
  | { readonly kind: "sidecar"; readonly id: DocId; readonly path: LocalPath; readonly writes: Digest }
  /** A replace that is done: the parked inode is looked at once more in the next pass. */
  | {
      readonly kind: "parked";
      readonly id: DocId;
      readonly path: LocalPath;
      readonly parkAt: string;
      readonly expect: Digest;
      readonly baseChangeId: ChangeId | null;
      readonly baseDigest: Digest | null;
    };

export type OpenIntent = { readonly intentId: number; readonly run: number; readonly intent: Intent };

export type EventSide = "local" | "remote" | "both";

/** One line of the log: what happened, to which document, and why. Never a text. */
export type MirrorEvent = {
  readonly run: number;
  readonly at: number;
  /** An action kind, or `halt`, `approve`, `conflict`, `hold`, `restore`, `fault`. */
  readonly kind: string;
  readonly side: EventSide;
  readonly id: string | null;
  readonly path: LocalPath;
  readonly detail: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly requestId: string | null;
  /**
   * Text versions before and after, where there are any: what `history`, `undo` and `restore` go
   * by.
   */
  readonly before: Digest | null;
  readonly after: Digest | null;
  /**
   * Of a move: the local path before it. null: no move, none here, or written by a version that
   * kept none.
   */
  readonly from: LocalPath | null;
  /**
   * Of a merge, whose own text was `before` and whose result is `after`: the other two texts that
   * it was made of. null: none, or by a version that kept none.
   */
  readonly merged: { readonly base: Digest; readonly theirs: Digest } | null;
};

/** Whose a text is, and what brought it: by that it is found again. */
export type TextName = {
  /**
   * Where it stood, in the folder's names. Of a conflict's other version: where its document
   * stands.
   */
  readonly path: LocalPath;
  /** null: no document was known there. */
  readonly id: DocId | null;
  /** Who showed it: the folder, the service; `both`: made of a text of each. */
  readonly side: EventSide;
  /** A clause. */
  readonly why: string;
};

/** That a text was stored under a path, and when it first was. */
export type Sighting = TextName & { readonly digest: Digest; readonly at: number };

export type Version = { readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest; readonly at: number };

/**
 * The state file. Synchronous. Every method is atomic; `transact` makes several so. Texts are
 * stored before what names them.
 */
export interface State {
  transact<T>(work: () => T): T;

  /** LIMIT: all rows in memory, 0.2 s for 100,000 links: once a pass. */
  load(): BaseTree;
  /** The holds alone, of `load`. */
  holds(): Hold[];
  link(id: DocId): Link | null;
  /** With this local path: one, or none; for a moment of a swap two. LIMIT: reads every row. */
  linksAt(path: LocalPath): Link[];
  /** Whether a link's local file has this inode. LIMIT: as `linksAt`. */
  hasInode(dev: number, ino: number): boolean;
  putLink(link: Link): void;
  removeLink(id: DocId): void;
  /**
   * The file's bytes are known to survive power loss; nothing, where the link has another local
   * path by now.
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
   * The same for those rows alone whose path on the other side lies at or below `within`: where a
   * folder was moved by somebody else, and base learns of it, another folder may stand at `from` or
   * `to` by now (a swap).
   */
  moveMembers(side: "local" | "remote", from: string, to: string, within: string): void;
  dir(id: DirId): DirLink | null;
  /** The folder with this local path, where it is one alone. */
  dirAt(path: LocalPath): DirLink | null;
  putTombstone(tombstone: Tombstone): void;
  removeTombstone(id: DocId): void;
  conflict(id: DocId): Conflict | null;
  putConflict(conflict: Conflict): void;
  removeConflict(id: DocId): void;
  putHold(hold: Hold): void;
  removeHold(key: string): void;
  /**
   * Makes the holds exactly these; `since` of one that was there with the same reason and detail is
   * kept. Writes nothing when equal.
   */
  replaceHolds(holds: readonly Hold[]): void;

  openIntent(run: number, intent: Intent): number;
  closeIntent(intentId: number): void;
  /** One transaction: closes, and opens `next` (a replace that becomes parked). */
  turnIntent(intentId: number, next: Intent): void;
  intents(): OpenIntent[];

  /** Idempotent. The text and its name are stored as one: none is there that nothing leads to. */
  putText(text: string, name: TextName): Digest;
  putKnownText(digest: Digest, text: string, name: TextName): void;
  /**
   * A text that is to be put soon may be packed meanwhile. Writes nothing; left out, the putting
   * does all.
   */
  prepareText(digest: Digest, text: string): void;
  text(digest: Digest): string | null;
  hasText(digest: Digest): boolean;
  /**
   * Oldest first: what was stored under `path`, whatever the document; what was stored of the
   * document `id`, wherever; what was stored under a path of `formerly` and of no document. Nothing
   * asked for: all. LIMIT: reads every row.
   */
  sightings(wanted: {
    readonly path?: LocalPath;
    readonly id?: DocId | null;
    readonly formerly?: readonly LocalPath[];
  }): Sighting[];
  /**
   * Every text put so far outlives a power cut from here on: before the last file that holds one
   * goes. Free where none was put since.
   */
  secureTexts(): void;
  addVersion(version: Version): void;
  /** Newest first. */
  versions(id: DocId): Version[];
  /**
   * Whether this change id is an earlier one of the document than `than` (known by order of
   * arrival).
   */
  isEarlier(id: DocId, changeId: ChangeId, than: ChangeId): boolean;

  meta(key: string): string | null;
  setMeta(key: string, value: string | null): void;

  /** Numbers a run (one `sync`, or one pass of the daemon). */
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
  /** Deletions done on a side since a time (milliseconds since the epoch). */
  deletionsSince(side: "local" | "remote", since: number): number;
  close(): void;
}
