import { type FileResource, FILES, type FolderResource } from "../../contract/resources.ts";
import type { DirId } from "../../contract/ids.ts";
import type { RemotePath } from "../../contract/path.ts";
import type { ParentRef, Remote, RemoteTraits } from "../ports/remote.ts";
import type { Wire } from "../../common/wire.ts";
import type { Clock } from "../../common/clock.ts";
import type { Log } from "../ports/world.ts";
import type { Random } from "../../common/random.ts";
import * as resources from "./resources.ts";
import { HttpClient } from "./http.ts";
import { listAll } from "./listing.ts";
import { EventStream } from "./event-stream.ts";
import { CallQueue } from "./queue.ts";
import { ApiCaller } from "./retry.ts";
import { createScrub } from "./reply.ts";
import { readFile } from "./shapes.ts";
import type { ExchangeTally } from "./tally.ts";
import { TraitLearner } from "./traits.ts";

export type RemoteOptions = {
  readonly wire: Wire;
  readonly key: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Stored properties of this service; null if no properties are stored. */
  readonly traits: RemoteTraits | null;
  readonly address?: string;
  readonly tally?: ExchangeTally | undefined;
};

/**
 * Creates the HTTP client of the service, which limits the rate of requests, repeats failed reads,
 * and checks every answer. Closing the client also closes `wire`.
 * @throws if the key has characters that are forbidden in a header; the message does not contain
 * the key
 */
export function createRemote({ wire, key, clock, random, log, ...options }: RemoteOptions): Remote {
  const closer = new AbortController();
  const closing = closer.signal;
  const address = (options.address ?? "").replace(/\/+$/, "");
  const http = new HttpClient({ wire, key, address, clock, log, scrub: createScrub(key), tally: options.tally });
  const queue = new CallQueue(clock, closing);
  const traits = new TraitLearner(options.traits);
  const context = { caller: new ApiCaller({ http, queue, clock, random, log, closing }), traits };
  return {
    listFiles: (selector, onPage, receiver) =>
      listAll({ ...context, route: FILES, selector, read: readFile, onPage, receiver }),
    listFolders: (prefix) => resources.listFolders(context, prefix === "" ? null : prefix),
    findFolder: (path) => resources.findFolder(context, path),
    itemsAt: (path) => listItemsAt(context, path),
    getFile: (id) => resources.getFile(context, id),
    createFile: (path, content) => resources.createFile(context, path, content),
    putContent: (id, baseChangeId, content) => resources.putContent(context, id, baseChangeId, content),
    renameFile: (id, name) => resources.patchFile(context, id, { name }),
    moveFile: (id, parent) => resources.patchFile(context, id, { parentId: toParentId(parent) }),
    setProtected: (id, value) => resources.patchFile(context, id, { protected: value }),
    deleteFile: (id) => resources.deleteFile(context, id),
    createFolder: (path) => resources.createFolder(context, path),
    renameFolder: (id, name) => resources.patchFolder(context, id, { name }),
    moveFolder: (id, parent) => resources.patchFolder(context, id, { parentId: toParentId(parent) }),
    deleteFolder: (id) => resources.deleteFolder(context, id),
    traits: () => traits.current(),
    noteReadBack: (sent, isSame) => traits.learnFromReadBack(sent, isSame),
    generation: () => http.generation(),
    events: () => new EventStream({ http, clock, random }),
    pressure: () => queue.pressure(),
    counts: () => http.counts(),
    close: async () => {
      closer.abort();
      await queue.idle();
      await wire.close();
    },
  };
}

function toParentId(parent: ParentRef): DirId | null {
  return parent.kind === "root" ? null : parent.id;
}

async function listItemsAt(
  context: resources.CallContext,
  path: RemotePath,
): Promise<readonly (FileResource | FolderResource)[]> {
  const selector = { kind: "path", path } as const;
  const listing = await listAll({ ...context, route: FILES, selector, read: readFile });
  const items = [...listing.items, ...(await resources.listFoldersAt(context, path))];
  for (const item of items) context.traits.learnFromSpelling(path, item.path);
  return items;
}
