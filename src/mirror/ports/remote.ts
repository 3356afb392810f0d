import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type {
  FileResource,
  FileWithContent,
  FolderResource,
  ReviewReason,
  Selector,
} from "../../contract/resources.ts";
import type { RemotePath } from "../../contract/path.ts";
import type { KeptForms } from "../model/text-form.ts";
import type { RemoteNews } from "./news.ts";

/** Why a call has no value. */
export type Fault =
  /**
   * The service said no: nothing was done. `status` 400–499; also 501 where a folder has no PATCH
   * or DELETE.
   */
  | {
      readonly kind: "problem";
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly requestId: string | null;
      readonly pointers: readonly string[];
      /** Codes of the faults in members of the request. Left out: the answer names none. */
      readonly fieldCodes?: readonly string[];
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

/**
 * A whole traversal of a list. `items` holds what was seen, by id, also when the list is not
 * complete; of an item that was seen twice, the later one.
 */
export type Listing<Item> = {
  readonly items: readonly Item[];
  readonly complete: boolean;
  readonly fault: Fault | null;
};

/** A document as a write left it. */
export type WrittenFile = FileResource & {
  /**
   * Where the answer told too little, the document was read: the text that this showed, of the
   * version `lastChangeId`. Nobody else may have seen it, so it is the caller's to store (I03).
   */
  readonly content?: string;
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
   * Characters that names may not hold: the embedded service's own set, plus those that this
   * service refused, minus those seen in its names.
   */
  readonly refusedCharacters: string;
  /**
   * Whether the service was seen to take two spellings for one name: in another case, or in another
   * Unicode normal form.
   */
  readonly foldsCase: boolean;
  readonly foldsUnicode: boolean;
  /**
   * What the service does with an edit that it cannot combine with another: it has it reviewed, or
   * refuses it.
   */
  readonly conflicts: "unknown" | "reviewed" | "refused";
  /** Which forms of a text the service was seen to keep. */
  readonly keptForms: KeptForms;
};

/** How the service takes the pace of requests. */
export type Pressure = {
  /** How often it answered since creation that there were too many. */
  readonly refusals: number;
  /** Milliseconds for which it wants none; 0 where it may be asked. */
  readonly pauseMs: number;
};

/** Takes a listed document as it is read, and returns an equal one to keep in its place. */
export type OnListed = (file: FileResource) => FileResource;

/**
 * The service. Paths are without leading slash, and relative to the workspace (not to the mirrored
 * subtree).
 */
export interface Remote {
  listFiles(selector: Selector, onPage?: (seen: number) => void, onListed?: OnListed): Promise<Listing<FileResource>>;
  /**
   * All folders: in one list, or the roots and then `path_prefix` of each; with `prefix`, only
   * those below it.
   */
  listFolders(prefix: RemotePath | null): Promise<Listing<FolderResource>>;
  /** The folder at an exact path, by the `path` selector; null when the list is empty. */
  findFolder(path: RemotePath): Promise<Answer<FolderResource | null>>;
  /**
   * All that the service shows for a path, of either kind: a service that folds names may show an
   * item with another spelling. Spellings that it takes for one name are learned (`traits`). A
   * request that fails shows nothing.
   */
  itemsAt(path: RemotePath): Promise<readonly (FileResource | FolderResource)[]>;
  getFile(id: DocId): Promise<Answer<FileWithContent>>;
  createFile(path: RemotePath, content: string): Promise<Answer<WrittenFile>>;
  putContent(id: DocId, baseChangeId: ChangeId, content: string): Promise<Answer<PutResult>>;
  renameFile(id: DocId, name: string): Promise<Answer<WrittenFile>>;
  moveFile(id: DocId, parent: ParentRef): Promise<Answer<WrittenFile>>;
  setProtected(id: DocId, value: boolean): Promise<Answer<WrittenFile>>;
  deleteFile(id: DocId): Promise<Answer<null>>;
  createFolder(path: RemotePath): Promise<Answer<FolderResource>>;
  renameFolder(id: DirId, name: string): Promise<Answer<FolderResource>>;
  moveFolder(id: DirId, parent: ParentRef): Promise<Answer<FolderResource>>;
  /** Deletes an empty folder: it never asks for a recursive deletion. */
  deleteFolder(id: DirId): Promise<Answer<null>>;
  traits(): RemoteTraits;
  /**
   * Tells that a new document's text was read back, so that it is learned which forms are kept
   * (`traits`).
   */
  sawReadBack(sent: string, isSame: boolean): void;
  /**
   * An opaque mark that the service changes when it is restored from a backup, as its newest answer
   * names it. null: it named none so far, as most deployments.
   */
  generation(): string | null;
  /** The service's own news, for who stays and listens. */
  news(): RemoteNews;
  pressure(): Pressure;
  /**
   * Exchanges since creation, by method: for `--json`, logs and benchmarks. Requests that went out
   * together are one POST.
   */
  counts(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}
