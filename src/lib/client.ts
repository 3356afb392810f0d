/**
 * `import … from "mdmirror/client"`: the typed HTTP client of the service, with its retry rules.
 */

import { systemClock } from "../common/system-clock.ts";
import { SILENT_LOG } from "../mirror/folder/log.ts";
import { systemRandom } from "../common/system-random.ts";
import { connect } from "../mirror/trust/connect.ts";
import { originOfUser } from "../mirror/trust/gate.ts";
import type { ChangeId, DirId, DocId } from "../contract/ids.ts";
import type { FileResource, FileWithContent, FolderResource, Selector } from "../contract/resources.ts";
import type { Answer, Listing, ParentRef, PutResult } from "../mirror/ports/remote.ts";
import { MdmirrorError } from "./error.ts";
import { requireFitNode } from "./fit-node.ts";
import { errorOf } from "./with-errors.ts";

export { type ChangeId, type DirId, type DocId, isChangeId, isDirId, isDocId } from "../contract/ids.ts";
export type { FileResource, FileWithContent, FolderResource, Selector } from "../contract/resources.ts";
export type { Answer, Fault, Listing, ParentRef, PutResult } from "../mirror/ports/remote.ts";
export { MdmirrorError, type MdmirrorErrorFacts } from "./error.ts";

export type ClientOptions = {
  /**
   * Base URL of the service, `https://host[:port][/prefix]`. Plain http is allowed to loopback
   * only.
   */
  readonly url: string;
  readonly key: string;
  /**
   * Hosts for which plain http is allowed, in addition to loopback. Plain http shows the key to
   * everyone on the network.
   */
  readonly allowHttp?: readonly string[];
};

/**
 * Calls return values, even when they fail. A read is tried up to four times within 120 s, with
 * growing pauses, or with the pauses that the service asks for. A write is sent at most once, and
 * never repeated automatically. Paths do not begin with a slash.
 * @throws Error for an invalid id. Check an id first by `isDocId`, `isDirId` or `isChangeId`.
 */
export type Client = {
  /** Lists files. Without a selector: all readable files. */
  listFiles(selector?: Selector): Promise<Listing<FileResource>>;
  /** Lists all folders; with `prefix`, only the folders below that path. */
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
  setProtected(id: DocId, isProtected: boolean): Promise<Answer<FileResource>>;
  /** Deletes a file permanently, with its id and its history. */
  deleteFile(id: DocId): Promise<Answer<null>>;
  createFolder(path: string): Promise<Answer<FolderResource>>;
  renameFolder(id: DirId, name: string): Promise<Answer<FolderResource>>;
  moveFolder(id: DirId, parent: ParentRef): Promise<Answer<FolderResource>>;
  /** Deletes a folder, if it is empty. */
  deleteFolder(id: DirId): Promise<Answer<null>>;
  /** Returns the number of requests that were sent to the service, by method. */
  counts(): Readonly<Record<string, number>>;
  /** Cancels waits for a retry. Resolves after the last active call. */
  close(): Promise<void>;
};

/**
 * Creates a client without sending a request.
 * @throws MdmirrorError for a URL or a key that cannot be used
 */
export function createClient({ url, key, allowHttp = [] }: ClientOptions): Client {
  requireFitNode();
  // `originOfUser` returns null only without a URL.
  const origin = originOfUser({ url, env: {}, allowHttp })!;
  if (origin.kind === "trouble") throw errorOf(origin.trouble, url);
  if (!/^[\x21-\x7e]+$/.test(key)) throw invalidKeyError(url);
  const [clock, random] = [systemClock(), systemRandom()];
  const remote = connect(origin.value, { key, clock, random, log: SILENT_LOG, traits: null });
  return {
    listFiles: (selector = { kind: "none" }) => remote.listFiles(selector),
    listFolders: (prefix) => remote.listFolders(prefix ?? null),
    getFile: (id) => remote.getFile(id),
    createFile: (path, content) => remote.createFile(path, content),
    putContent: (id, baseChangeId, content) => remote.putContent(id, baseChangeId, content),
    renameFile: (id, name) => remote.renameFile(id, name),
    moveFile: (id, parent) => remote.moveFile(id, parent),
    setProtected: (id, isProtected) => remote.setProtected(id, isProtected),
    deleteFile: (id) => remote.deleteFile(id),
    createFolder: (path) => remote.createFolder(path),
    renameFolder: (id, name) => remote.renameFolder(id, name),
    moveFolder: (id, parent) => remote.moveFolder(id, parent),
    deleteFolder: (id) => remote.deleteFolder(id),
    counts: () => remote.counts(),
    close: () => remote.close(),
  };
}

function invalidKeyError(path: string): MdmirrorError {
  const message = "the key is not one word of printable ASCII";
  return new MdmirrorError({ kind: "usage", code: "unfit-key", path, next: "give the service's API key", message });
}
