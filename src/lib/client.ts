/** Entry point `mdmirror/client`: a typed HTTP client of the service, with retries. */

import { requireFitNode } from "./fit-node.ts";
import { systemClock } from "../common/clock.ts";
import { SILENT_LOG } from "../mirror/folder/log.ts";
import { systemRandom } from "../common/random.ts";
import { connect } from "../mirror/trust/connect.ts";
import { readUserOrigin } from "../mirror/trust/gate.ts";
import type { ChangeId, DirId, DocId } from "../contract/ids.ts";
import type { FileResource, FileWithContent, FolderResource, Selector } from "../contract/resources.ts";
import type { Answer, Listing, ParentRef, PutResult } from "../mirror/ports/remote.ts";
import { MdmirrorError, toMdmirrorError } from "./error.ts";

export { type ChangeId, type DirId, type DocId, isChangeId, isDirId, isDocId } from "../contract/ids.ts";
export type { FileResource, FileWithContent, FolderResource, Selector } from "../contract/resources.ts";
export type { Answer, Fault, Listing, ParentRef, PutResult } from "../mirror/ports/remote.ts";
export { MdmirrorError, type MdmirrorErrorFacts } from "./error.ts";

export type ClientOptions = {
  /**
   * Base URL: `https://host[:port][/prefix]`. Plain http is only accepted for loopback and for the
   * hosts in `allowHttp`.
   */
  readonly url: string;
  readonly key: string;
  /**
   * Hosts, besides loopback, for which plain http is accepted. Plain http shows the key to everyone
   * on the network.
   */
  readonly allowHttp?: readonly string[];
};

/**
 * Client of the service. Paths do not begin with a slash. Calls return errors as values.
 * - A read is tried up to four times within 120 s. Each pause is longer than the one before, or as
 *   long as the service requests.
 * - A write is sent at most once.
 * @throws Error for an invalid id. Check an id first with `isDocId`, `isDirId` or `isChangeId`.
 */
export type Client = {
  listFiles(selector?: Selector): Promise<Listing<FileResource>>;
  /** Lists all folders; with `prefix`, lists only the folders below that path. */
  listFolders(prefix?: string): Promise<Listing<FolderResource>>;
  getFile(id: DocId): Promise<Answer<FileWithContent>>;
  createFile(path: string, content: string): Promise<Answer<FileResource>>;
  /** Sends a new version. The service merges the version with other edits since `baseChangeId`. */
  putContent(id: DocId, baseChangeId: ChangeId, content: string): Promise<Answer<PutResult>>;
  renameFile(id: DocId, name: string): Promise<Answer<FileResource>>;
  moveFile(id: DocId, parent: ParentRef): Promise<Answer<FileResource>>;
  setProtected(id: DocId, isProtected: boolean): Promise<Answer<FileResource>>;
  /** Deletes a file permanently, with its id and its history. */
  deleteFile(id: DocId): Promise<Answer<null>>;
  createFolder(path: string): Promise<Answer<FolderResource>>;
  renameFolder(id: DirId, name: string): Promise<Answer<FolderResource>>;
  moveFolder(id: DirId, parent: ParentRef): Promise<Answer<FolderResource>>;
  deleteFolder(id: DirId): Promise<Answer<null>>;
  /** Returns the number of sent requests, by HTTP method. */
  counts(): Readonly<Record<string, number>>;
  /** Cancels pauses before a retry, and resolves when no call is active. */
  close(): Promise<void>;
};

/**
 * Creates a client. Sends no request.
 * @throws MdmirrorError for a URL or a key that cannot be used
 */
export function createClient({ url, key, allowHttp = [] }: ClientOptions): Client {
  requireFitNode();
  // `readUserOrigin` returns null only without a URL.
  const origin = readUserOrigin({ url, env: {}, allowHttp })!;
  if (origin.kind === "trouble") throw toMdmirrorError(origin.trouble, url);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const message = "the key is not one word of printable ASCII";
    throw new MdmirrorError({
      kind: "usage",
      code: "unfit-key",
      path: url,
      next: "give the service's API key",
      message,
    });
  }
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
