import type { ChangeId, DirId, DocId } from "../contract/ids.ts";
import type {
  EditFileResponse,
  FileResource,
  FileWithContent,
  FolderResource,
  Selector,
} from "../contract/resources.ts";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import type { Digest } from "./digest.ts";
import type { Conflict, DirLink, Hold, Link, Stamp, Tombstone } from "./link.ts";
import type { DiskFolding, LocalPath, RemotePath } from "./path.ts";
import type { BaseTree, LocalTree } from "./tree.ts";

/**
 * What the engine needs of the world. Adapters implement these; the simulator implements the lowest of them (Wire, Fs, Clock, Random)
 * in memory and kills at any call. Expected ends are values; an exception means a bug, or that the process is being killed: nobody
 * catches what it does not know.
 */

// -- time, chance, talk -----------------------------------------------------------------------------------------------------

export interface Clock {
  /** Milliseconds since the epoch: for display, dates of folders, `Retry-After` dates and retention; never for decisions about texts. */
  now(): number;
  /** Milliseconds that only grow. */
  monotonic(): number;
  /** Resolves after `ms`, or early when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** [0, 1) */
  fraction(): number;
  /** `n` lower-case hex digits. */
  hex(n: number): string;
}

export interface Log {
  /** Never a text, never a key (I30). */
  write(
    level: "debug" | "info" | "warn" | "error",
    event: string,
    fields: Readonly<Record<string, string | number | boolean | null>>,
  ): void;
}

/** Progress of long work, for a terminal: `total` is null while unknown. */
export interface Progress {
  report(phase: "recover" | "scan" | "list" | "plan" | "apply", done: number, total: number | null): void;
}

// -- the wire -----------------------------------------------------------------------------------------------------------------

export type WireResult =
  | { readonly kind: "answer"; readonly response: WireResponse }
  /** Certainly not sent: refused connection, name not found, deadline while queued. */
  | { readonly kind: "not-sent"; readonly why: string }
  /** Sent, perhaps in part; no whole answer: it may have happened. */
  | { readonly kind: "lost"; readonly why: string };

/** One HTTP exchange, without policy: no retries, no redirects followed. Bodies are text; bounded by `maxBytes` after decoding. */
export interface Wire {
  send(request: WireRequest, bounds: { readonly deadlineMs: number; readonly maxBytes: number }): Promise<WireResult>;
  close(): Promise<void>;
}

// -- the remote side ------------------------------------------------------------------------------------------------------------

/** Why a call has no value. */
export type Fault =
  /** A definite answer of the service: nothing was done. `status` 400–499. */
  | {
      readonly kind: "problem";
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly requestId: string | null;
      readonly pointers: readonly string[];
    }
  /** A write that may have happened: no answer, a 5xx, or an answer that cannot be read. Read before resending (I08). */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /** A read that failed, or a write that was certainly not done. Retries that are allowed were already made. */
  | {
      readonly kind: "later";
      readonly detail: string;
      readonly requestId: string | null;
      readonly cause: "unreachable" | "unavailable" | "malformed" | "rate-limited";
    }
  /** 401, or 404 workspace_not_found: nothing may be inferred (I19). */
  | {
      readonly kind: "locked-out";
      readonly code: "unauthenticated" | "workspace_not_found";
      readonly detail: string;
      readonly requestId: string | null;
    };

export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly requestId: string | null }
  | { readonly ok: false; readonly fault: Fault };

/** A whole traversal of a list. `items` hold what was seen, by id, last seen wins, even when it is not complete. */
export type Listing<Item> = {
  readonly items: readonly Item[];
  readonly complete: boolean;
  readonly fault: Fault | null;
};

export type PutResult =
  /** `changeId` null: the deployment's answer did not show it; a GET gives the pair. `content` null: not shown either. */
  | { readonly kind: "live"; readonly changeId: ChangeId | null; readonly content: string | null }
  | { readonly kind: "in-review" };

export type ParentRef = { readonly kind: "root" } | { readonly kind: "folder"; readonly id: DirId };

/** What was learned of the deployment; kept in the state file. */
export type RemoteTraits = {
  readonly leadingSlash: boolean;
  readonly folderPatch: "unknown" | "yes" | "no";
  readonly folderDelete: "unknown" | "yes" | "no";
  readonly moveToRoot: "unknown" | "yes" | "no";
  /** Characters of names that were refused although the embedded service takes them, or the embedded service's own set. */
  readonly refusedCharacters: string;
};

/** Paths in and out are without leading slash and relative to the workspace (not to the mirrored subtree). */
export interface Remote {
  listFiles(selector: Selector, onPage?: (seen: number) => void): Promise<Listing<FileResource>>;
  /** All folders: the roots, then `path_prefix` of each; below `prefix` only, when one is given. */
  listFolders(prefix: RemotePath | null): Promise<Listing<FolderResource>>;
  getFile(id: DocId): Promise<Answer<FileWithContent>>;
  createFile(path: RemotePath, content: string): Promise<Answer<FileResource>>;
  putContent(id: DocId, baseChangeId: ChangeId, content: string): Promise<Answer<PutResult>>;
  renameFile(id: DocId, name: string): Promise<Answer<FileResource>>;
  moveFile(id: DocId, parent: ParentRef): Promise<Answer<FileResource>>;
  setProtected(id: DocId, value: boolean): Promise<Answer<FileResource>>;
  deleteFile(id: DocId): Promise<Answer<null>>;
  createFolder(path: RemotePath): Promise<Answer<FolderResource>>;
  renameFolder(id: DirId, name: string): Promise<Answer<FolderResource>>;
  moveFolder(id: DirId, parent: ParentRef): Promise<Answer<FolderResource>>;
  /** Never recursive. */
  deleteFolder(id: DirId): Promise<Answer<null>>;
  traits(): RemoteTraits;
  /** Requests sent since creation, by method: for `--json`, logs and benchmarks. */
  counts(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

// -- the local side ---------------------------------------------------------------------------------------------------------------

export type KnownFile = { readonly stamp: Stamp; readonly digest: Digest };

export type LocalText = {
  readonly text: string;
  readonly digest: Digest;
  readonly stamp: Stamp;
  readonly stampTrusted: boolean;
};

/** How an effect on the disk ended. `fault`: errno name; nothing was changed, or it was put back. */
export type DiskOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "stale"; readonly detail: string }
  | { readonly kind: "fault"; readonly errno: string; readonly detail: string };

export type Written = { readonly stamp: Stamp };

export type RootIdentity = {
  readonly dev: number;
  readonly ino: number;
  readonly birthMs: number;
  readonly markerId: string | null;
};

/** What `look` finds at a path: a file's digest, or that there is none, or why it cannot say. */
export type Look =
  | { readonly kind: "file"; readonly digest: Digest; readonly stamp: Stamp }
  | { readonly kind: "folder" }
  | { readonly kind: "other" }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * The folder. Synchronous but for `flush`: a synchronous call leaves the smallest window between a look and an effect, and is the fastest on
 * small files. No symlink is followed in any component; nothing outside the root is touched (I26). Parked paths and trash paths are
 * relative to `.mdmirror/`. Every effect that takes a document off its path is journalled by the caller before (intent with `parkAt`).
 */
export interface Disk {
  /** null when the root is not there or not a folder. */
  identify(): RootIdentity | null;
  folding(): DiskFolding;
  /** Whole walk; reads and hashes what `known` does not vouch for. New texts are handed to `onText` (to be kept before they can be lost). */
  walk(known: (path: LocalPath) => KnownFile | null, onText: (digest: Digest, text: string) => void): LocalTree;
  look(path: LocalPath): Look;
  /** The text, strictly UTF-8, byte for byte (BOM kept). */
  read(path: LocalPath): DiskOutcome<LocalText>;
  /** A new file by temp file and `link`; stale when anything is at the path. The parent must exist. */
  create(path: LocalPath, text: string): DiskOutcome<Written>;
  /** The journalled replace of DESIGN 5; the old inode stays at `parkAt` until `discardParked`. */
  replace(path: LocalPath, text: string, expect: Digest, parkAt: string): DiskOutcome<Written>;
  /** To a free path, never over anything; a case-only rename is a rename. `expect` null: any file. */
  move(from: LocalPath, to: LocalPath, expect: Digest | null): DiskOutcome<Written>;
  /** Moves a file to `trash/…` below `.mdmirror/`; taken aside, looked at, put back when it is not `expect`. `expect` null: any file. */
  trash(path: LocalPath, expect: Digest | null, trashPath: string): DiskOutcome<null>;
  makeFolder(path: LocalPath): DiskOutcome<{ readonly dev: number; readonly ino: number; readonly birthMs: number }>;
  moveFolder(from: LocalPath, to: LocalPath): DiskOutcome<null>;
  /** Only when empty but for litter (editors' and desktops' leftovers), which goes to the trash first. */
  removeFolder(path: LocalPath, trashPath: string): DiskOutcome<null>;
  /** What an editor may have written into a parked inode since: its text, or null when it is not there. */
  readParked(parkAt: string): DiskOutcome<LocalText | null>;
  /** Puts a parked or trashed file back to its path, never over anything: stale when the path is taken. */
  putBack(parkAt: string, path: LocalPath): DiskOutcome<Written>;
  discardParked(parkAt: string): void;
  /** Removes temp files that no open intent names. */
  sweep(keep: ReadonlySet<string>): void;
  /** fsync of files and their folders, several at a time. Returns those that failed, with errno. */
  flush(paths: readonly LocalPath[]): Promise<readonly { readonly path: LocalPath; readonly errno: string }[]>;
}

// -- the state --------------------------------------------------------------------------------------------------------------------

/** Written before an effect, removed with the commit of its base. What recovery needs to settle it by looking. */
export type Intent =
  // remote
  | { readonly kind: "post"; readonly localPath: LocalPath; readonly remotePath: RemotePath; readonly digest: Digest }
  | {
      readonly kind: "put";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly baseChangeId: ChangeId;
      readonly baseDigest: Digest;
      readonly digest: Digest;
      readonly review: boolean;
    }
  | { readonly kind: "patch"; readonly id: DocId; readonly from: RemotePath; readonly to: RemotePath }
  | { readonly kind: "delete"; readonly id: DocId; readonly localPath: LocalPath; readonly changeId: ChangeId }
  | { readonly kind: "post-folder"; readonly localPath: LocalPath; readonly remotePath: RemotePath }
  | { readonly kind: "patch-folder"; readonly dirId: DirId; readonly from: RemotePath; readonly to: RemotePath }
  | { readonly kind: "delete-folder"; readonly dirId: DirId; readonly remotePath: RemotePath }
  // local
  /** `writes` goes to `path`; the old inode to `parkAt`. `base*`: the link's base before, for an edit that slipped into the parked inode. */
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
  /** Text versions before and after, where there are any: what `history`, `undo` and `restore` go by. */
  readonly before: Digest | null;
  readonly after: Digest | null;
};

export type Version = { readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest; readonly at: number };

/**
 * The state file. Synchronous. Every method is atomic; `transact` makes several so. Texts are stored before what names them.
 */
export interface State {
  transact<T>(work: () => T): T;

  load(): BaseTree;
  link(id: DocId): Link | null;
  putLink(link: Link): void;
  removeLink(id: DocId): void;
  putDir(dir: DirLink): void;
  removeDir(id: DirId): void;
  /** A folder moved with all below it: rewrites the paths of links, folders, conflicts and holds on that side. */
  moveSubtree(side: "local" | "remote", from: string, to: string): void;
  putTombstone(tombstone: Tombstone): void;
  removeTombstone(id: DocId): void;
  conflict(id: DocId): Conflict | null;
  putConflict(conflict: Conflict): void;
  removeConflict(id: DocId): void;
  putHold(hold: Hold): void;
  removeHold(key: string): void;
  /** Makes the holds exactly these; `since` of one that was there with the same reason and detail is kept. Writes nothing when equal. */
  replaceHolds(holds: readonly Hold[]): void;

  openIntent(run: number, intent: Intent): number;
  closeIntent(intentId: number): void;
  /** One transaction: closes, and opens `next` (a replace that becomes parked). */
  turnIntent(intentId: number, next: Intent): void;
  intents(): OpenIntent[];

  /** Idempotent. */
  putText(text: string): Digest;
  putKnownText(digest: Digest, text: string): void;
  text(digest: Digest): string | null;
  hasText(digest: Digest): boolean;
  addVersion(version: Version): void;
  /** Newest first. */
  versions(id: DocId): Version[];
  /** Whether this change id is an earlier one of the document than `than` (known by order of arrival). */
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
  runs(
    limit: number,
  ): {
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

// -- the file system (below `local/`) -------------------------------------------------------------------------------------------------

export type FsStat = Stamp & { readonly kind: "file" | "folder" | "symlink" | "special"; readonly mode: number };

/**
 * The system calls that `local/` makes, on absolute paths; node:fs in life, a RAM disk in the simulator. Errors are thrown with `code` set to
 * the errno name, as node:fs throws them.
 */
export interface Fs {
  lstat(path: string): FsStat;
  /** Names and kinds, in no order; `special` covers devices, sockets and FIFOs. */
  readdir(path: string): readonly { readonly name: string; readonly kind: FsStat["kind"] }[];
  /** Opened without following a symlink; refused (ELOOP, EISDIR, EINVAL) when it is not a regular file. */
  readFile(path: string): { readonly bytes: Uint8Array; readonly stat: FsStat };
  /** Creates exclusively, writes all; `sync`: fsync before close. Removes what it made if the write fails. */
  writeNew(path: string, bytes: Uint8Array, mode: number, sync: boolean): void;
  rename(from: string, to: string): void;
  link(existing: string, path: string): void;
  unlink(path: string): void;
  mkdir(path: string, mode: number): void;
  rmdir(path: string): void;
  realpath(path: string): string;
  /** fsync of a file or a folder. */
  sync(path: string): Promise<void>;
}

export type { EditFileResponse };
