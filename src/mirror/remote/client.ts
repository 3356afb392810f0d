import { type ChangeId, type DirId, type DocId, isChangeId, isDirId, isDocId } from "../../contract/ids.ts";
import type { FileResource, FileWithContent, FolderResource } from "../../contract/resources.ts";
import { FILES } from "../../contract/routes.ts";
import type { RemotePath } from "../../contract/path.ts";
import type {
  Answer,
  Listing,
  ParentRef,
  Pressure,
  PutResult,
  Remote,
  RemoteTraits,
  WrittenFile,
} from "../ports/remote.ts";
import type { Wire, WireResult } from "../../common/wire.ts";
import type { RemoteEvents } from "../ports/events.ts";
import type { Clock } from "../../common/clock.ts";
import type { Log } from "../ports/world.ts";
import type { Random } from "../../common/random.ts";
import * as files from "./files.ts";
import * as folders from "./folders.ts";
import { Http, type KeyHeader } from "./http.ts";
import { listAll } from "./listing.ts";
import { EventStream } from "./event-stream.ts";
import { CallQueue } from "./queue.ts";
import { type CallContext, getFile } from "./reads.ts";
import { Caller } from "./retry.ts";
import { createScrub } from "./scrub.ts";
import { readFile } from "./shapes.ts";
import { TraitLearner } from "./traits.ts";
import type { WireRequest } from "../../contract/wire.ts";

export type RemoteOptions = {
  readonly wire: Wire;
  readonly key: string;
  /** Header with the key. Default: `authorization`, as `Bearer …`. */
  readonly keyHeader?: KeyHeader;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Traits of the service that the state remembers; null if nothing was learned yet. */
  readonly traits: RemoteTraits | null;
  /** Prefix of every path, for a wire without a base URL. */
  readonly basePrefix?: string;
  /** Base URL, for messages. Default: none. */
  readonly address?: string;
};

/**
 * Creates the client of the service. The client paces requests, retries reads, and checks every
 * answer; the engine decides what a fault means for a document. Closing the client closes the wire.
 * @throws if the key cannot be in a header (the message does not repeat it), and for an id of the
 * wrong form, which is a bug
 */
export function createRemote(options: RemoteOptions): Remote {
  return new Client(options);
}

class Client implements Remote {
  readonly #wire: CountedWire;
  readonly #options: Pick<RemoteOptions, "clock" | "random">;
  readonly #http: Http;
  readonly #context: CallContext;
  readonly #queue: CallQueue;
  readonly #closer = new AbortController();

  constructor(options: RemoteOptions) {
    const { wire, key, clock, random, log, basePrefix = "" } = options;
    const closing = this.#closer.signal;
    this.#wire = new CountedWire(wire);
    this.#options = { clock, random };
    this.#http = new Http({
      wire: this.#wire,
      key,
      keyHeader: options.keyHeader ?? "authorization",
      basePrefix,
      address: (options.address ?? "").replace(/\/+$/, ""),
      clock,
      log,
      scrub: createScrub(key),
    });
    const queue = new CallQueue(clock, closing);
    this.#queue = queue;
    const caller = new Caller({ http: this.#http, queue, clock, random, log, closing });
    this.#context = { caller, traits: new TraitLearner(options.traits) };
  }

  listFiles(...[selector, onPage, receiver]: Parameters<Remote["listFiles"]>): Promise<Listing<FileResource>> {
    if (selector.kind === "parent-id") checkIds(isDirId(selector.parentId));
    return listAll({ ...this.#context, route: FILES, selector, read: readFile, onPage, receiver });
  }

  listFolders(prefix: RemotePath | null): Promise<Listing<FolderResource>> {
    return folders.listFolders(this.#context, prefix === "" ? null : prefix);
  }

  findFolder(path: RemotePath): Promise<Answer<FolderResource | null>> {
    return folders.findFolder(this.#context, path);
  }

  async itemsAt(path: RemotePath): Promise<readonly (FileResource | FolderResource)[]> {
    const selector = { kind: "path", path } as const;
    const listed = await listAll({ ...this.#context, route: FILES, selector, read: readFile });
    const items = [...listed.items, ...(await folders.foldersAt(this.#context, path))];
    for (const item of items) this.#context.traits.sawSpelling(path, item.path);
    return items;
  }

  getFile(id: DocId): Promise<Answer<FileWithContent>> {
    checkIds(isDocId(id));
    return getFile(this.#context, id);
  }

  createFile(path: RemotePath, content: string): Promise<Answer<WrittenFile>> {
    return files.createFile(this.#context, path, content);
  }

  putContent(id: DocId, baseChangeId: ChangeId, content: string): Promise<Answer<PutResult>> {
    checkIds(isDocId(id), isChangeId(baseChangeId));
    return files.putContent(this.#context, id, baseChangeId, content);
  }

  renameFile(id: DocId, name: string): Promise<Answer<WrittenFile>> {
    checkIds(isDocId(id));
    return files.renameFile(this.#context, id, name);
  }

  moveFile(id: DocId, parent: ParentRef): Promise<Answer<WrittenFile>> {
    checkIds(isDocId(id), parent.kind === "root" || isDirId(parent.id));
    return files.moveFile(this.#context, id, parent);
  }

  setProtected(id: DocId, value: boolean): Promise<Answer<WrittenFile>> {
    checkIds(isDocId(id));
    return files.setProtected(this.#context, id, value);
  }

  deleteFile(id: DocId): Promise<Answer<null>> {
    checkIds(isDocId(id));
    return files.deleteFile(this.#context, id);
  }

  createFolder(path: RemotePath): Promise<Answer<FolderResource>> {
    return folders.createFolder(this.#context, path);
  }

  renameFolder(id: DirId, name: string): Promise<Answer<FolderResource>> {
    checkIds(isDirId(id));
    return folders.renameFolder(this.#context, id, name);
  }

  moveFolder(id: DirId, parent: ParentRef): Promise<Answer<FolderResource>> {
    checkIds(isDirId(id), parent.kind === "root" || isDirId(parent.id));
    return folders.moveFolder(this.#context, id, parent);
  }

  deleteFolder(id: DirId): Promise<Answer<null>> {
    checkIds(isDirId(id));
    return folders.deleteFolder(this.#context, id);
  }

  traits(): RemoteTraits {
    return this.#context.traits.current();
  }

  sawReadBack(sent: string, isSame: boolean): void {
    this.#context.traits.sawReadBack(sent, isSame);
  }

  generation(): string | null {
    return this.#http.generation();
  }

  news(): RemoteEvents {
    const { clock, random } = this.#options;
    return new EventStream({ http: this.#http, clock, random });
  }

  pressure(): Pressure {
    const { count, leftMs } = this.#queue.pauses();
    return { refusals: count, pauseMs: leftMs };
  }

  counts(): Readonly<Record<string, number>> {
    return this.#wire.counts();
  }

  async close(): Promise<void> {
    this.#closer.abort();
    await this.#context.caller.settled();
    await this.#wire.close();
  }
}

/**
 * Ids become parts of URLs. Each id of an answer was checked when the answer was read, so a bad id
 * comes from a damaged state or a bug.
 */
function checkIds(...good: readonly boolean[]): void {
  if (good.includes(false)) throw new Error("an id is not of the form doc_…, dir_… or chg_…");
}

/** Counts the requests of a wire by method when they begin. Streams do not count. */
class CountedWire implements Wire {
  readonly stream?: NonNullable<Wire["stream"]>;
  readonly #wire: Wire;
  readonly #counts: Record<string, number> = {};

  constructor(wire: Wire) {
    this.#wire = wire;
    if (wire.stream !== undefined) this.stream = wire.stream.bind(wire);
  }

  send(request: WireRequest, bounds: Parameters<Wire["send"]>[1]): Promise<WireResult> {
    this.#counts[request.method] = (this.#counts[request.method] ?? 0) + 1;
    return this.#wire.send(request, bounds);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  /** Returns the counts since the wire was created. */
  counts(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }
}
