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
   * mdmirror does not know whether the service made the change: there was no answer, a 5xx, or an
   * answer that cannot be read. The document must be read before the write is sent again (I08).
   */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /**
   * A read that failed, or a write that the service certainly did not carry out, after all allowed
   * retries. `not-the-service`: the answer to a request for a list is no list. `malformed`: the
   * answer, or a part of the answer, cannot be read.
   */
  | {
      readonly kind: "later";
      readonly detail: string;
      readonly requestId: string | null;
      readonly cause: "unreachable" | "unavailable" | "malformed" | "rate-limited" | "not-the-service";
    }
  /**
   * The key is not valid (401), or has no access to the workspace (404 workspace_not_found). These
   * answers prove nothing about any document (I19).
   */
  | {
      readonly kind: "locked-out";
      readonly code: "unauthenticated" | "workspace_not_found";
      readonly detail: string;
      readonly requestId: string | null;
    };

/** Causes of faults after which every other request of the run would fail too. */
export const ENDS_A_RUN: ReadonlySet<string> = new Set(["unreachable", "unavailable", "not-the-service"]);

export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly requestId: string | null }
  | { readonly ok: false; readonly fault: Fault };

/**
 * Result of reading all pages of a list. `items` has every item that was read, even if the list is
 * not complete. If an item was listed twice, `items` has only the item's last form.
 */
export type Listing<Item> = {
  readonly items: readonly Item[];
  readonly complete: boolean;
  readonly fault: Fault | null;
};

export type WrittenFile = FileResource & {
  /**
   * Content of the version `lastChangeId`. Set only if the answer lacked fields, so that the client
   * had to read the document. The caller stores this content, because no other code may have seen
   * the content (I03).
   */
  readonly content?: string;
};

export type PutResult =
  /**
   * The content is published. A field is null if the answer lacks the field. The caller then reads
   * both fields by a GET, as for content that is neither the sent content nor that of base.
   */
  | { readonly kind: "live"; readonly changeId: ChangeId | null; readonly content: string | null }
  /** The content was sent to review. A field is null if the answer lacks the field. */
  | { readonly kind: "in-review"; readonly changeId: ChangeId | null; readonly reason: ReviewReason | null };

export type ParentRef = { readonly kind: "root" } | { readonly kind: "folder"; readonly id: DirId };

/** Traits of the deployment that the client has learned and stored in the state file. */
export type RemoteTraits = {
  readonly leadingSlash: boolean;
  readonly folderPatch: "unknown" | "yes" | "no";
  readonly folderDelete: "unknown" | "yes" | "no";
  readonly moveToRoot: "unknown" | "yes" | "no";
  /** `yes` if one request can list folders at all depths. */
  readonly folderTree: "unknown" | "yes" | "no";
  /**
   * Characters that names on this service cannot have. These are the characters that the embedded
   * service refuses, and those that this service has refused. Characters that names on this service
   * do have are excepted.
   */
  readonly refusedCharacters: string;
  /**
   * `foldsCase`: true if the service treats names that differ only in case as equal.
   * `foldsUnicode`: true if it treats names that differ only in Unicode normal form as equal.
   */
  readonly foldsCase: boolean;
  readonly foldsUnicode: boolean;
  /**
   * Treatment of an edit that conflicts with another edit: the service sends the edit to review, or
   * refuses the edit.
   */
  readonly conflicts: "unknown" | "reviewed" | "refused";
  /** For each form of content, how often the service returned content of this form unchanged. */
  readonly keptForms: KeptForms;
};

export type Pressure = {
  /**
   * Number of requests since the client's start that the service refused because there were too
   * many.
   */
  readonly refusals: number;
  /**
   * Milliseconds before the next request may be sent, because the service got too many requests; 0
   * if a request may be sent now.
   */
  readonly pauseMs: number;
};

/** Receives the items of a list one by one. The `Listing` at the end then has no items. */
export type ItemReceiver<Item> = {
  /** Forgets all items. Called whenever the client begins to read the list from the first page. */
  readonly begin: () => void;
  /** Receives an item; returns false for an item that was listed before. */
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
   * Lists all folders of the workspace, or only those below `prefix`. If one request cannot list
   * folders at all depths, sends one request for the root and one for each folder.
   */
  listFolders(prefix: RemotePath | null): Promise<Listing<FolderResource>>;
  /** Returns the folder at a path; null if no folder has exactly this path. */
  findFolder(path: RemotePath): Promise<Answer<FolderResource | null>>;
  /**
   * Returns all documents and folders that the service shows for a path; none if the request fails.
   * If the service treats several spellings as one name, a returned path may have another spelling.
   * The client then records in `traits` how the service compares names.
   */
  itemsAt(path: RemotePath): Promise<readonly (FileResource | FolderResource)[]>;
  /**
   * Returns a document with its content, which is always well-formed Unicode. If the content in the
   * answer is not, returns a fault.
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
   * @param isSame true if the service returned exactly the sent content
   */
  noteReadBack(sent: string, isSame: boolean): void;
  /**
   * Returns the identifier in the newest answer that changes when the service is restored from a
   * backup. Returns null if the answers have no such identifier, as in most deployments.
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
 * Hint from the service's event stream: a reason to read a document or folder, never evidence of a
 * change. A hint may be missing, repeated, late or wrong.
 */
export type EventHint =
  /**
   * One document may have changed. `path` and `changeId` are the document's values on the service
   * at the time of the event; null if the event lacks the value.
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
 * - `broken`: the connection was lost, or the service refused a connection for some time; the
 *   client tries again within minutes
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
   * Starts to listen. May be called only once. Never throws, even if an answer of the service
   * cannot be read.
   */
  start(listener: EventListener): void;
  close(): Promise<void>;
}
