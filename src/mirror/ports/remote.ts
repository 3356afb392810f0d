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

/** Reason why a call returned no value. */
export type Fault =
  /**
   * The service refused the call, so nothing was done. `status`: 400–499; also 501 if folders have
   * no PATCH or DELETE.
   */
  | {
      readonly kind: "problem";
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly requestId: string | null;
      readonly pointers: readonly string[];
      /** Codes of faults in fields of the request. Undefined if the answer has none. */
      readonly fieldCodes?: readonly string[];
    }
  /**
   * A write that may have happened: no answer, a 5xx, or an answer that cannot be read. The
   * document must be read before the write is sent again (I08).
   */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /**
   * A read that failed, or a write that was certainly not done, after all allowed retries.
   * `not-the-service`: the answer to a request for a list is not a list; `malformed`: an answer, or
   * a part of it, cannot be read.
   */
  | {
      readonly kind: "later";
      readonly detail: string;
      readonly requestId: string | null;
      readonly cause: "unreachable" | "unavailable" | "malformed" | "rate-limited" | "not-the-service";
    }
  /** 401, or 404 workspace_not_found: the answer proves nothing about any document (I19). */
  | {
      readonly kind: "locked-out";
      readonly code: "unauthenticated" | "workspace_not_found";
      readonly detail: string;
      readonly requestId: string | null;
    };

/** Causes after which every other request of the run would fail, too. */
export const ENDS_A_RUN: ReadonlySet<string> = new Set(["unreachable", "unavailable", "not-the-service"]);

export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly requestId: string | null }
  | { readonly ok: false; readonly fault: Fault };

/**
 * Result of reading all pages of a list. `items` has all items that were seen, by id, even if the
 * list is not complete. If an item was seen twice, the later one counts.
 */
export type Listing<Item> = {
  readonly items: readonly Item[];
  readonly complete: boolean;
  readonly fault: Fault | null;
};

/** A document after its creation. */
export type WrittenFile = FileResource & {
  /**
   * Content of version `lastChangeId`, if the answer lacked fields and the document was read. No
   * other client may have seen this content, so the caller stores it (I03).
   */
  readonly content?: string;
};

export type PutResult =
  /**
   * The content is published. `changeId`: null if the deployment's answer lacks it; a GET returns
   * id and content. `content`: null if the answer lacks the content too.
   */
  | { readonly kind: "live"; readonly changeId: ChangeId | null; readonly content: string | null }
  /** The content is in review. Fields are null if the answer lacks them. */
  | { readonly kind: "in-review"; readonly changeId: ChangeId | null; readonly reason: ReviewReason | null };

export type ParentRef = { readonly kind: "root" } | { readonly kind: "folder"; readonly id: DirId };

/** Knowledge about the deployment; kept in the state file. */
export type RemoteTraits = {
  readonly leadingSlash: boolean;
  readonly folderPatch: "unknown" | "yes" | "no";
  readonly folderDelete: "unknown" | "yes" | "no";
  readonly moveToRoot: "unknown" | "yes" | "no";
  /** `yes` if one list contains the folders of the whole tree. */
  readonly folderTree: "unknown" | "yes" | "no";
  /**
   * Characters that names may not have: the embedded service's own set, plus characters that this
   * service refused, minus characters seen in its names.
   */
  readonly refusedCharacters: string;
  /**
   * True if the service treats two spellings as one name: upper and lower case, or two Unicode
   * normal forms.
   */
  readonly foldsCase: boolean;
  readonly foldsUnicode: boolean;
  /**
   * What the service does with an edit that it cannot combine with another edit: it sends the edit
   * to review, or refuses it.
   */
  readonly conflicts: "unknown" | "reviewed" | "refused";
  /** For each form of content, how often the service was seen to keep it. */
  readonly keptForms: KeptForms;
};

/** What the service has answered about the rate of requests. */
export type Pressure = {
  /** Number of refusals because of too many requests, since creation. */
  readonly refusals: number;
  /** Milliseconds for which the service wants no requests; 0 if requests may be sent. */
  readonly pauseMs: number;
};

/** Receives the items of a list; the returned `Listing` then contains none of them. */
export type ItemReceiver<Item> = {
  /** Drops the items read before: the list starts again from its first page. */
  readonly begin: () => void;
  /** Receives an item. Returns false if the item was listed before. */
  readonly receive: (item: Item) => boolean;
};

/**
 * The service. Paths have no leading slash, and are relative to the workspace, not to the linked
 * folder.
 */
export interface Remote {
  listFiles(
    selector: Selector,
    onPage?: (seen: number) => void,
    receiver?: ItemReceiver<FileResource>,
  ): Promise<Listing<FileResource>>;
  /**
   * Lists all folders. If the service has no list of all folders, lists the folders in the root,
   * and then everything below each of them. With `prefix`, lists only the folders below it.
   */
  listFolders(prefix: RemotePath | null): Promise<Listing<FolderResource>>;
  /** Returns the folder at an exact path, by the `path` selector; null if the list is empty. */
  findFolder(path: RemotePath): Promise<Answer<FolderResource | null>>;
  /**
   * Returns every item that the service shows for a path, of either kind. A service that treats
   * several spellings as one name may return an item with another spelling; `traits` then learn
   * these spellings. Returns no item if the request fails.
   */
  itemsAt(path: RemotePath): Promise<readonly (FileResource | FolderResource)[]>;
  /**
   * Reads a document. Like all content that this port returns, its content is well-formed Unicode:
   * an answer with any other content is a fault.
   */
  getFile(id: DocId): Promise<Answer<FileWithContent>>;
  createFile(path: RemotePath, content: string): Promise<Answer<WrittenFile>>;
  putContent(id: DocId, baseChangeId: ChangeId, content: string): Promise<Answer<PutResult>>;
  renameFile(id: DocId, name: string): Promise<Answer<FileResource>>;
  moveFile(id: DocId, parent: ParentRef): Promise<Answer<FileResource>>;
  setProtected(id: DocId, value: boolean): Promise<Answer<FileResource>>;
  deleteFile(id: DocId): Promise<Answer<null>>;
  createFolder(path: RemotePath): Promise<Answer<FolderResource>>;
  renameFolder(id: DirId, name: string): Promise<Answer<FolderResource>>;
  moveFolder(id: DirId, parent: ParentRef): Promise<Answer<FolderResource>>;
  /** Deletes an empty folder; never asks for a recursive deletion. */
  deleteFolder(id: DirId): Promise<Answer<null>>;
  traits(): RemoteTraits;
  /**
   * Records that a new document was read back, so that `traits` learn which forms of content the
   * service keeps.
   */
  noteReadBack(sent: string, isSame: boolean): void;
  /**
   * Returns the service's generation from its newest answer: an opaque value that changes when the
   * service is restored from a backup. Null if answers have none, as in most deployments.
   */
  generation(): string | null;
  /** Returns the service's events, for callers that keep running. */
  events(): RemoteEvents;
  pressure(): Pressure;
  /** Returns the number of requests sent so far, by method: for `--json`, logs and benchmarks. */
  counts(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}
