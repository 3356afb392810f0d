import { isChangeId, isDirId, isDocId } from "../contract/ids.ts";
import { FILES } from "../contract/routes.ts";
import type { Remote, RemoteTraits, Wire } from "../ports/remote.ts";
import type { Clock, Log, Random } from "../ports/world.ts";
import * as files from "./files.ts";
import * as folders from "./folders.ts";
import { createHttp, type KeyHeader } from "./http.ts";
import { listAll } from "./listing.ts";
import { createQueue } from "./queue.ts";
import { type CallContext, getFile } from "./reads.ts";
import { createCaller } from "./retry.ts";
import { createScrub } from "./scrub.ts";
import { readFile } from "./shapes.ts";
import { createTraitBook } from "./traits.ts";

export type RemoteOptions = {
  readonly wire: Wire;
  readonly key: string;
  /** `authorization` (as `Bearer …`) unless told otherwise. */
  readonly keyHeader?: KeyHeader;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What the state file remembers of the deployment; null at first. */
  readonly traits: RemoteTraits | null;
  /** Put before every path, for a wire without a base URL of its own. */
  readonly basePrefix?: string;
  /** The base URL, for messages; none unless told. */
  readonly address?: string;
};

/**
 * The client of the service. Its own are pace, retries of reads, and reading answers with care;
 * what a fault means for a document is the engine's. The wire is closed with it.
 * @throws when the key cannot stand in a header (the message does not repeat it), and for an id
 * that is not of the form: a bug
 */
export function createRemote(options: RemoteOptions): Remote {
  const { wire, key, clock, random, log } = options;
  const closer = new AbortController();
  const http = createHttp({
    wire,
    key,
    keyHeader: options.keyHeader ?? "authorization",
    basePrefix: options.basePrefix ?? "",
    address: (options.address ?? "").replace(/\/+$/, ""),
    clock,
    log,
    scrub: createScrub(key),
  });
  const queue = createQueue(clock, closer.signal);
  const caller = createCaller({ http, queue, clock, random, log, closing: closer.signal });
  const traits = createTraitBook(options.traits);
  const context: CallContext = { caller, traits };

  return {
    listFiles(selector, onPage, held) {
      if (selector.kind === "parent-id") checkIds(isDirId(selector.parentId));
      return listAll({ ...context, route: FILES, selector, read: readFile, onPage, held });
    },
    listFolders: (prefix) => folders.listFolders(context, prefix === "" ? null : prefix),
    findFolder: (path) => folders.findFolder(context, path),
    async itemsAt(path) {
      const selector = { kind: "path", path } as const;
      const files = await listAll({ ...context, route: FILES, selector, read: readFile });
      const items = [...files.items, ...(await folders.foldersAt(context, path))];
      for (const item of items) traits.sawSpelling(path, item.path);
      return items;
    },
    getFile(id) {
      checkIds(isDocId(id));
      return getFile(context, id);
    },
    createFile: (path, content) => files.createFile(context, path, content),
    putContent(id, baseChangeId, content) {
      checkIds(isDocId(id), isChangeId(baseChangeId));
      return files.putContent(context, id, baseChangeId, content);
    },
    renameFile(id, name) {
      checkIds(isDocId(id));
      return files.renameFile(context, id, name);
    },
    moveFile(id, parent) {
      checkIds(isDocId(id), parent.kind === "root" || isDirId(parent.id));
      return files.moveFile(context, id, parent);
    },
    setProtected(id, value) {
      checkIds(isDocId(id));
      return files.setProtected(context, id, value);
    },
    deleteFile(id) {
      checkIds(isDocId(id));
      return files.deleteFile(context, id);
    },
    createFolder: (path) => folders.createFolder(context, path),
    renameFolder(id, name) {
      checkIds(isDirId(id));
      return folders.renameFolder(context, id, name);
    },
    moveFolder(id, parent) {
      checkIds(isDirId(id), parent.kind === "root" || isDirId(parent.id));
      return folders.moveFolder(context, id, parent);
    },
    deleteFolder(id) {
      checkIds(isDirId(id));
      return folders.deleteFolder(context, id);
    },
    traits: () => traits.current(),
    counts: () => http.counts(),
    async close() {
      closer.abort();
      await caller.settled();
      await wire.close();
    },
  };
}

/**
 * Ids go into URLs. Every id of an answer was checked when it was read; a bad one here comes from a
 * damaged state or a bug.
 */
function checkIds(...good: readonly boolean[]): void {
  if (good.includes(false)) throw new Error("an id is not of the form doc_…, dir_… or chg_…");
}
