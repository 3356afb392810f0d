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

export type Fault =
  /**
   * The service refused the request, so nothing was changed. `status`: 400–499, or 501 if the
   * service cannot change or delete folders.
   */
  | {
      readonly kind: "problem";
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly requestId: string | null;
      readonly pointers: readonly string[];
      readonly fieldCodes?: readonly string[];
    }
  /**
   * It is unknown whether the write was done: there was no answer, a 5xx, or an answer that cannot
   * be read. The document must be read before the write is sent again (I08).
   */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /**
   * A read that failed, or a write that was certainly not done, after all allowed retries.
   * `not-the-service`: the answer to a request for a list is no list. `malformed`: the answer, or a
   * part of it, cannot be read.
   */
  | {
      readonly kind: "later";
      readonly detail: string;
      readonly requestId: string | null;
      readonly cause: "unreachable" | "unavailable" | "malformed" | "rate-limited" | "not-the-service";
    }
  /**
   * The key is not valid (401), or has no access to the workspace (404 workspace_not_found). Such
   * an answer proves nothing about any document (I19).
   */
  | {
      readonly kind: "locked-out";
      readonly code: "unauthenticated" | "workspace_not_found";
      readonly detail: string;
      readonly requestId: string | null;
    };

/** Causes of a fault that would make every other request of the run fail too. */
export const ENDS_A_RUN: ReadonlySet<string> = new Set(["unreachable", "unavailable", "not-the-service"]);

export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly requestId: string | null }
  | { readonly ok: false; readonly fault: Fault };

/**
 * Result of reading all pages of a list. `items` has every item that was read, even if the list is
 * not complete. An item that was listed twice is in `items` once, as it was listed last.
 */
export type Listing<Item> = {
  readonly items: readonly Item[];
  readonly complete: boolean;
  readonly fault: Fault | null;
};

export type WrittenFile = FileResource & {
  /**
   * Content of the version `lastChangeId`. Set only if the answer lacked fields, so that the client
   * had to read the document. The caller stores this content, because nobody else may have seen it
   * (I03).
   */
  readonly content?: string;
};

export type PutResult =
  /**
   * The content is published. A field is null if the answer lacks it. If a field is null, or if the
   * content is neither the sent content nor base's, the caller reads both by a GET.
   */
  | { readonly kind: "live"; readonly changeId: ChangeId | null; readonly content: string | null }
  /** The content was sent to review. A field is null if the answer lacks it. */
  | { readonly kind: "in-review"; readonly changeId: ChangeId | null; readonly reason: ReviewReason | null };

export type ParentRef = { readonly kind: "root" } | { readonly kind: "folder"; readonly id: DirId };

/** Traits of the deployment that the client has learned and stored in the state file. */
export type RemoteTraits = {
  readonly leadingSlash: boolean;
  readonly folderPatch: "unknown" | "yes" | "no";
  readonly folderDelete: "unknown" | "yes" | "no";
  readonly moveToRoot: "unknown" | "yes" | "no";
  /** `yes` if one request can list the folders at all depths. */
  readonly folderTree: "unknown" | "yes" | "no";
  /**
   * Characters that names may not have: the characters that the embedded service refuses, and the
   * characters that this service has refused; without characters that occur in names on this
   * service.
   */
  readonly refusedCharacters: string;
  /**
   * True if the service treats names as equal that differ only in case; `foldsUnicode`: only in
   * Unicode normal form.
   */
  readonly foldsCase: boolean;
  readonly foldsUnicode: boolean;
  /**
   * The service's answer to an edit that conflicts with another edit: it sends the edit to review,
   * or refuses it.
   */
  readonly conflicts: "unknown" | "reviewed" | "refused";
  /** For each form of content, how often the service returned such content unchanged. */
  readonly keptForms: KeptForms;
};

export type Pressure = {
  /**
   * Number of requests that the service refused because there were too many, since the client
   * started.
   */
  readonly refusals: number;
  /**
   * Milliseconds to wait before the next request, because the service got too many requests; 0 if
   * requests may be sent now.
   */
  readonly pauseMs: number;
};

/** Receives the items of a list one by one. The final `Listing` then has no items. */
export type ItemReceiver<Item> = {
  /** Forgets all items. Called whenever the client begins to read the list at its first page. */
  readonly begin: () => void;
  /** Receives an item; returns false if the item was listed before. */
  readonly receive: (item: Item) => boolean;
};

/**
 * Requests to the service. Paths have no leading slash, and are relative to the workspace, even if
 * only a part of the workspace is linked.
 */
export interface Remote {
  listFiles(
    selector: Selector,
    onPage?: (seen: number) => void,
    receiver?: ItemReceiver<FileResource>,
  ): Promise<Listing<FileResource>>;
  /**
   * Lists all folders of the workspace, or only those below `prefix`. If the service cannot list
   * them in one request, sends one request for the root, and one for each folder.
   */
  listFolders(prefix: RemotePath | null): Promise<Listing<FolderResource>>;
  /** Returns the folder at a path; null if no folder has exactly this path. */
  findFolder(path: RemotePath): Promise<Answer<FolderResource | null>>;
  /**
   * Returns all documents and folders that the service shows for a path; none if the request fails.
   * If the service treats several spellings as one name, a returned path may have another spelling.
   * The client then notes in `traits` how the service compares names.
   */
  itemsAt(path: RemotePath): Promise<readonly (FileResource | FolderResource)[]>;
  /**
   * Returns a document with its content, which is always well-formed Unicode. An answer with other
   * content is a fault.
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
  /** Deletes an empty folder. Never requests a recursive deletion. */
  deleteFolder(id: DirId): Promise<Answer<null>>;
  traits(): RemoteTraits;
  /**
   * Records in `traits` which forms of content the service keeps.
   * @param sent content of a new document
   * @param isSame true if the service returned exactly the content that was sent
   */
  noteReadBack(sent: string, isSame: boolean): void;
  /**
   * Returns the identifier that changes when the service is restored from a backup, from the newest
   * answer. Null if the answers have no such identifier, as in most deployments.
   */
  generation(): string | null;
  /** Returns the event stream, for callers that keep running. */
  events(): RemoteEvents;
  pressure(): Pressure;
  /** Returns the number of requests so far, by HTTP method. */
  counts(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * Hint from the service's event stream: a reason to look at a document or folder, but no evidence
 * of a change. A hint may be missing, repeated, late or wrong.
 */
export type EventHint =
  /**
   * One document may have changed. `path` and `changeId` are those on the service at the time of
   * the event; null if the event lacks them.
   */
  | {
      readonly kind: "file";
      readonly id: DocId;
      readonly path: RemotePath | null;
      readonly changeId: ChangeId | null;
      readonly gone: boolean;
    }
  | { readonly kind: "folder"; readonly id: DirId }
  | { readonly kind: "all" };

/**
 * State of the connection to the event stream.
 * - `off`: not started
 * - `listening`: connected
 * - `none`: the deployment sends no events, or none for this key; the client tries again after an
 *   hour
 * - `broken`: the connection was lost, or the service refused it for a time; the client tries again
 *   within minutes
 */
export type EventStreamState =
  | { readonly kind: "off" }
  | { readonly kind: "listening" }
  | { readonly kind: "none"; readonly why: string }
  | { readonly kind: "broken"; readonly why: string };

export interface EventListener {
  onHint(hint: EventHint): void;
  /** Called with each new state of the connection, but not with the first state, `off`. */
  onState(state: EventStreamState): void;
}

export interface RemoteEvents {
  /**
   * Starts to listen. May be called only once. Never throws, even if the service's answers cannot
   * be read.
   */
  start(listener: EventListener): void;
  close(): Promise<void>;
}
