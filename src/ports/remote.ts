import type { ChangeId, DirId, DocId } from "../contract/ids.ts";
import type { FileResource, FileWithContent, FolderResource, ReviewReason, Selector } from "../contract/resources.ts";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import type { RemotePath } from "../model/path.ts";
import type { KeptForms } from "../model/text-form.ts";

export type WireResult =
  | { readonly kind: "answer"; readonly response: WireResponse }
  /** Certainly not sent: refused connection, name not found, deadline while queued. */
  | NoAnswer<"not-sent">
  /** Sent, perhaps in part; no whole answer: it may have happened. */
  | NoAnswer<"lost">;

type NoAnswer<K extends string> = {
  readonly kind: K;
  readonly why: string;
  /** Its deadline ended it. */
  readonly timedOut?: true;
};

/**
 * One HTTP exchange, without policy: no retries, no redirects followed. Bodies are text; bounded by
 * `maxBytes` after decoding.
 */
export interface Wire {
  send(request: WireRequest, bounds: { readonly deadlineMs: number; readonly maxBytes: number }): Promise<WireResult>;
  close(): Promise<void>;
}

/** Why a call has no value. */
export type Fault =
  /**
   * A definite answer of the service: nothing was done. `status` 400–499; 501 too where a folder
   * has no PATCH or DELETE.
   */
  | {
      readonly kind: "problem";
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly requestId: string | null;
      readonly pointers: readonly string[];
    }
  /**
   * A write that may have happened: no answer, a 5xx, or an answer that cannot be read. Read before
   * resending (I08).
   */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /**
   * A read that failed, or a write that was certainly not done. Retries that are allowed were
   * already made. `not-the-service`: what answers a list is no list; `malformed`: one answer, or a
   * part of it, is not understood.
   */
  | {
      readonly kind: "later";
      readonly detail: string;
      readonly requestId: string | null;
      readonly cause: "unreachable" | "unavailable" | "malformed" | "rate-limited" | "not-the-service";
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

/** Ids that are looked up only where somebody asks for one. */
export type Same = { readonly size: number; readonly keys: () => ReadonlySet<string> };

/**
 * A whole traversal of a list. `items` hold what was seen, by id, last seen wins, even when it is
 * not complete.
 */
export type Listing<Item> = {
  readonly items: readonly Item[];
  /**
   * Ids of those that were recognised: they show what the caller holds of them, and are not among
   * the items. Left out: none.
   */
  readonly same?: Same;
  readonly complete: boolean;
  readonly fault: Fault | null;
};

export type PutResult =
  /**
   * `changeId` null: the deployment's answer did not show it; a GET gives the pair. `content` null:
   * not shown either.
   */
  | { readonly kind: "live"; readonly changeId: ChangeId | null; readonly content: string | null }
  /** null: the answer does not show it. */
  | { readonly kind: "in-review"; readonly changeId: ChangeId | null; readonly reason: ReviewReason | null };

export type ParentRef = { readonly kind: "root" } | { readonly kind: "folder"; readonly id: DirId };

/** What was learned of the deployment; kept in the state file. */
export type RemoteTraits = {
  readonly leadingSlash: boolean;
  readonly folderPatch: "unknown" | "yes" | "no";
  readonly folderDelete: "unknown" | "yes" | "no";
  readonly moveToRoot: "unknown" | "yes" | "no";
  /** Whether one list shows the folders of the whole tree. */
  readonly folderTree: "unknown" | "yes" | "no";
  /** Whether ids were seen that are not of the form that services issue. */
  readonly looseIds: boolean;
  /**
   * Characters that names may not hold: the embedded service's own set, with those that were
   * refused, without those that were seen in the service's own names.
   */
  readonly refusedCharacters: string;
  /**
   * Whether the service was seen to take two spellings for one name: those that differ in case, or
   * in their Unicode normal form.
   */
  readonly foldsCase: boolean;
  readonly foldsUnicode: boolean;
  /** What becomes of an edit that cannot be combined with another: it is reviewed, or refused. */
  readonly conflicts: "unknown" | "reviewed" | "refused";
  /** Which forms of a text are kept as they are sent. */
  readonly keptForms: KeptForms;
};

/**
 * What the caller holds of a list's items, by a number of its own, from 0: of what is shown as it
 * is held, nothing is kept.
 */
export type Held = {
  readonly count: number;
  /**
   * @returns -1 where it holds nothing of this id; what is asked is what the service answered,
   * unread (`path`: null where it was asked about before)
   */
  find(id: unknown, path: unknown): number;
  /** Whether an item of this id that says so shows just what is held. Unread likewise. */
  shows(at: number, path: RemotePath, changeId: unknown, isProtected: unknown): boolean;
  idAt(at: number): string;
};

/**
 * Paths in and out are without leading slash and relative to the workspace (not to the mirrored
 * subtree).
 */
export interface Remote {
  listFiles(selector: Selector, onPage?: (seen: number) => void, held?: Held): Promise<Listing<FileResource>>;
  /**
   * All folders: in one list, or the roots, then `path_prefix` of each; below `prefix` only, when
   * one is given.
   */
  listFolders(prefix: RemotePath | null): Promise<Listing<FolderResource>>;
  /** The folder at an exact path, by the `path` selector; null when the list is empty. */
  findFolder(path: RemotePath): Promise<Answer<FolderResource | null>>;
  /**
   * All that the service shows for a path, of either kind and in whatever spelling: one that folds
   * names shows what has another. Spellings of one name that differ are learned (`traits`). A
   * question that fails shows nothing.
   */
  itemsAt(path: RemotePath): Promise<readonly (FileResource | FolderResource)[]>;
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
  /** A new document's text was read back: whether it is what was sent is learned (`traits`). */
  sawReadBack(sent: string, isSame: boolean): void;
  /** Requests sent since creation, by method: for `--json`, logs and benchmarks. */
  counts(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}
