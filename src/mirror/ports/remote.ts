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
import type { RemoteEvents } from "./events.ts";

/** Reason why a call has no value. */
export type Fault =
  /**
   * The service refused: nothing was done. `status` 400–499; also 501 if folders have no PATCH or
   * DELETE.
   */
  | {
      readonly kind: "problem";
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly requestId: string | null;
      readonly pointers: readonly string[];
      /** Codes of faults in members of the request. Left out if the answer names none. */
      readonly fieldCodes?: readonly string[];
    }
  /**
   * A write that may have happened: no answer, a 5xx, or an answer that cannot be read. Read the
   * document before sending again (I08).
   */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /**
   * A read that failed, or a write that was certainly not done, after all allowed retries.
   * `not-the-service`: the answer to a list is no list; `malformed`: an answer, or a part of it,
   * cannot be read.
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
 * A whole traversal of a list. `items` has everything that was seen, by id, also if the list is not
 * complete; of an item that was seen twice, the later one.
 */
export type Listing<Item> = {
  readonly items: readonly Item[];
  readonly complete: boolean;
  readonly fault: Fault | null;
};

/** A document after a write. */
export type WrittenFile = FileResource & {
  /**
   * Content of version `lastChangeId`, if the answer was incomplete and the document was read.
   * Nobody else may have seen it, so the caller stores it (I03).
   */
  readonly content?: string;
};

export type PutResult =
  /**
   * `changeId` null: the deployment's answer did not show it; a GET returns the pair. `content`
   * null: not shown either.
   */
  | { readonly kind: "live"; readonly changeId: ChangeId | null; readonly content: string | null }
  /** Null if the answer does not show it. */
  | { readonly kind: "in-review"; readonly changeId: ChangeId | null; readonly reason: ReviewReason | null };

export type ParentRef = { readonly kind: "root" } | { readonly kind: "folder"; readonly id: DirId };

/** Learned traits of the deployment, kept in the state file. */
export type RemoteTraits = {
  readonly leadingSlash: boolean;
  readonly folderPatch: "unknown" | "yes" | "no";
  readonly folderDelete: "unknown" | "yes" | "no";
  readonly moveToRoot: "unknown" | "yes" | "no";
  /** Whether one list shows the folders of the whole tree. */
  readonly folderTree: "unknown" | "yes" | "no";
  /** True once ids were seen that are not of the form that services issue. */
  readonly looseIds: boolean;
  /**
   * Characters that names may not have: the embedded service's own set, plus those that this
   * service refused, minus those seen in its names.
   */
  readonly refusedCharacters: string;
  /**
   * True if the service treats two spellings as one name: in another case, or in another Unicode
   * normal form.
   */
  readonly foldsCase: boolean;
  readonly foldsUnicode: boolean;
  /** Fate of an edit that the service cannot combine with another: reviewed, or refused. */
  readonly conflicts: "unknown" | "reviewed" | "refused";
  /** Forms of content that the service was seen to keep. */
  readonly keptForms: KeptForms;
};

/** The service's answers about the rate of requests. */
export type Pressure = {
  /** Number of refusals because of too many requests, since creation. */
  readonly refusals: number;
  /** Milliseconds for which the service wants no requests; 0 if it may be asked. */
  readonly pauseMs: number;
};

/** Receives a listed document as it is read, and returns an equal one to keep in its place. */
export type OnListed = (file: FileResource) => FileResource;

/**
 * The service. Paths have no leading slash, and are relative to the workspace (not to the linked
 * folder).
 */
export interface Remote {
  listFiles(selector: Selector, onPage?: (seen: number) => void, onListed?: OnListed): Promise<Listing<FileResource>>;
  /**
   * Lists all folders: in one list, or the roots and then `path_prefix` of each; with `prefix`,
   * only those below it.
   */
  listFolders(prefix: RemotePath | null): Promise<Listing<FolderResource>>;
  /** Returns the folder at an exact path, by the `path` selector; null if the list is empty. */
  findFolder(path: RemotePath): Promise<Answer<FolderResource | null>>;
  /**
   * Returns everything that the service shows for a path, of either kind: a service that folds
   * names may show an item with another spelling. Spellings that it treats as one name are learned
   * (`traits`). A failed request shows nothing.
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
   * Reports that a new document was read back, to learn which forms of content are kept (`traits`).
   */
  sawReadBack(sent: string, isSame: boolean): void;
  /**
   * Opaque mark that the service changes when it is restored from a backup, from its newest answer.
   * Null if it named none, as most deployments.
   */
  generation(): string | null;
  /** The service's events, for callers that stay. */
  news(): RemoteEvents;
  pressure(): Pressure;
  /** Exchanges since creation, by method: for `--json`, logs and benchmarks. */
  counts(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}
