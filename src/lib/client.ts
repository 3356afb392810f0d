import { systemClock } from "../common/system-clock.ts";
import { SILENT_LOG } from "../mirror/folder/log.ts";
import { systemRandom } from "../common/system-random.ts";
import { connect } from "../mirror/trust/connect.ts";
import { originOfUser } from "../mirror/trust/gate.ts";
import type { ChangeId, DirId, DocId } from "../contract/ids.ts";
import type { FileResource, FileWithContent, FolderResource, Selector } from "../contract/resources.ts";
import { MdmirrorError } from "./error.ts";
import { requireFitNode } from "./fit-node.ts";
import { unwrap } from "./with-errors.ts";

/**
 * `import … from "mdmirror/client"`: the typed HTTP client of the service, with its retry rules.
 */

export { type ChangeId, type DirId, type DocId, isChangeId, isDirId, isDocId } from "../contract/ids.ts";
export type { FileResource, FileWithContent, FolderResource, Selector } from "../contract/resources.ts";
export { MdmirrorError, type MdmirrorErrorFacts } from "./error.ts";

export type ClientOptions = {
  /** The service's base URL, `https://host[:port][/prefix]`; plain http to loopback alone. */
  readonly url: string;
  readonly key: string;
  /**
   * Hosts for which plain http is allowed, in addition to loopback. Plain http shows the key to
   * everyone on the network.
   */
  readonly allowHttp?: readonly string[];
};

/** Reason why a call has no value. */
export type Fault =
  /** The service refused the call, so nothing was done. `status`: 400 to 499, or 501. */
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
   * A write that may or may not have happened. Read the document before you send the write again.
   */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /** A read that failed, or a write that was certainly not done, after all safe retries. */
  | {
      readonly kind: "later";
      readonly detail: string;
      readonly requestId: string | null;
      readonly cause: "unreachable" | "unavailable" | "malformed" | "rate-limited" | "not-the-service";
    }
  /** The service refused the key, so nothing is known about any document. */
  | {
      readonly kind: "locked-out";
      readonly code: "unauthenticated" | "workspace_not_found";
      readonly detail: string;
      readonly requestId: string | null;
    };

export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly requestId: string | null }
  | { readonly ok: false; readonly fault: Fault };

/** A list with the items of all its pages. Only a complete list proves that something is absent. */
export type Listing<Item> = {
  readonly items: readonly Item[];
  readonly complete: boolean;
  /** Reason why the list is not complete, if the service gave one; else null. */
  readonly fault: Fault | null;
};

/**
 * Result of a PUT for its content: published, or sent to review. Null if the answer does not say
 * which.
 */
export type PutResult =
  | { readonly kind: "live"; readonly changeId: ChangeId | null; readonly content: string | null }
  | {
      readonly kind: "in-review";
      readonly changeId: ChangeId | null;
      readonly reason: "protected" | "conflict" | null;
    };

export type ParentRef = { readonly kind: "root" } | { readonly kind: "folder"; readonly id: DirId };

/**
 * Calls return values, also when they fail. A read is tried up to four times within 120 s, with
 * growing pauses, or with the pauses that the service asks for. A write is sent at most once, and
 * never repeated automatically. Paths do not begin with a slash.
 * @throws Error for an invalid id: check ids from outside by `isDocId` and similar functions
 */
export type Client = {
  /** Lists files. Without a selector: all readable files. */
  listFiles(selector?: Selector): Promise<Listing<FileResource>>;
  /** Lists all folders, or those below `prefix`. */
  listFolders(prefix?: string): Promise<Listing<FolderResource>>;
  getFile(id: DocId): Promise<Answer<FileWithContent>>;
  createFile(path: string, content: string): Promise<Answer<FileResource>>;
  /**
   * Sends an edit.
   * @param baseChangeId version that was edited: the service merges the edit with other edits since
   * then
   */
  putContent(id: DocId, baseChangeId: ChangeId, content: string): Promise<Answer<PutResult>>;
  renameFile(id: DocId, name: string): Promise<Answer<FileResource>>;
  moveFile(id: DocId, parent: ParentRef): Promise<Answer<FileResource>>;
  setProtected(id: DocId, value: boolean): Promise<Answer<FileResource>>;
  /** Deletes a file permanently, with its id and its history. */
  deleteFile(id: DocId): Promise<Answer<null>>;
  createFolder(path: string): Promise<Answer<FolderResource>>;
  renameFolder(id: DirId, name: string): Promise<Answer<FolderResource>>;
  moveFolder(id: DirId, parent: ParentRef): Promise<Answer<FolderResource>>;
  /** Deletes a folder, if the folder is empty. */
  deleteFolder(id: DirId): Promise<Answer<null>>;
  /** Returns the number of requests that were sent to the service, by method. */
  counts(): Readonly<Record<string, number>>;
  /** Ends waits for a retry, and resolves after the last active call. */
  close(): Promise<void>;
};

/**
 * Creates a client without sending a request.
 * @throws MdmirrorError for a URL or a key that cannot be used
 */
export function createClient({ url, key, allowHttp = [] }: ClientOptions): Client {
  requireFitNode();
  // The URL is always given, so the result is an origin, or the reason why the URL cannot be used.
  const origin = unwrap(originOfUser({ url, env: {}, allowHttp })!, url);
  if (!/^[\x21-\x7e]+$/.test(key)) throw unfitKey(url);
  const [clock, random] = [systemClock(), systemRandom()];
  const remote = connect(origin, { key, clock, random, log: SILENT_LOG, traits: null });
  return {
    listFiles: (selector = { kind: "none" }) => remote.listFiles(selector),
    listFolders: (prefix) => remote.listFolders(prefix ?? null),
    getFile: (id) => remote.getFile(id),
    createFile: (path, content) => remote.createFile(path, content),
    putContent: (id, baseChangeId, content) => remote.putContent(id, baseChangeId, content),
    renameFile: (id, name) => remote.renameFile(id, name),
    moveFile: (id, parent) => remote.moveFile(id, parent),
    setProtected: (id, value) => remote.setProtected(id, value),
    deleteFile: (id) => remote.deleteFile(id),
    createFolder: (path) => remote.createFolder(path),
    renameFolder: (id, name) => remote.renameFolder(id, name),
    moveFolder: (id, parent) => remote.moveFolder(id, parent),
    deleteFolder: (id) => remote.deleteFolder(id),
    counts: () => remote.counts(),
    close: () => remote.close(),
  };
}

function unfitKey(path: string): MdmirrorError {
  const message = "the key is not one word of printable ASCII";
  return new MdmirrorError({ kind: "usage", code: "unfit-key", path, next: "give the service's API key", message });
}
