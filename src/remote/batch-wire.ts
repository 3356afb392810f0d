import { FILES, FOLDERS } from "../contract/routes.ts";
import type { WireRequest } from "../contract/wire.ts";
import type { Wire, WireResult } from "../ports/wire.ts";
import type { Clock } from "../ports/world.ts";
import { BatchLane } from "./batch-lane.ts";
import { BatchSuspects } from "./batch-suspects.ts";
import { BatchTrust } from "./batch-trust.ts";

type BatchWireOptions = {
  readonly wire: Wire;
  readonly clock: Clock;
  /** Put before every path; the service that a batch comes to does not see it. */
  readonly basePrefix: string;
};

/**
 * A wire around another one, which sends the requests of one moment in one exchange where the
 * service has said that it takes them so (`contract/batch.ts`). Each caller gets its own result, as
 * if its request had gone by itself. It adds nothing else: no retry, no order.
 */
export class BatchWire implements Wire {
  readonly stream?: NonNullable<Wire["stream"]>;
  readonly #wire: Wire;
  readonly #trust: BatchTrust;
  readonly #suspects = new BatchSuspects();
  readonly #prefix: string;
  /** What only reads goes apart, so that a lost exchange makes no read of a write uncertain. */
  readonly #reads: BatchLane;
  readonly #writes: BatchLane;

  constructor({ wire, clock, basePrefix }: BatchWireOptions) {
    const trust = new BatchTrust(clock);
    const lane = { wire, trust, suspects: this.#suspects, clock, basePrefix };
    this.#wire = wire;
    this.#trust = trust;
    this.#prefix = basePrefix;
    this.#reads = new BatchLane({ ...lane, isRead: true });
    this.#writes = new BatchLane({ ...lane, isRead: false });
    if (wire.stream !== undefined) this.stream = wire.stream.bind(wire);
  }

  /** Whether requests that are made at one time may go out together. */
  isBatching(): boolean {
    return this.#trust.most() !== null;
  }

  async send(request: WireRequest, bounds: Parameters<Wire["send"]>[1]): Promise<WireResult> {
    const route = routeOf(request, this.#prefix);
    if (this.#suspects.has(request)) return this.#sendSuspect(request, bounds);
    if (route === "one" && this.#trust.most() !== null) {
      return (request.method === "GET" ? this.#reads : this.#writes).send(request, bounds);
    }
    const result = await this.#wire.send(request, bounds);
    if (route === "list") this.#trust.sawList(result);
    return result;
  }

  /** Reads of single files or folders that are made at one time; their results in their order. */
  async sendReads(
    requests: readonly WireRequest[],
    bounds: Parameters<Wire["send"]>[1],
  ): Promise<readonly WireResult[]> {
    if (this.#trust.most() !== null && !requests.some((request) => this.#suspects.has(request)))
      return this.#reads.sendAll(requests, bounds);
    return Promise.all(requests.map((request) => this.send(request, bounds)));
  }

  async #sendSuspect(request: WireRequest, bounds: Parameters<Wire["send"]>[1]): Promise<WireResult> {
    const result = await this.#wire.send(request, bounds);
    if (result.kind === "answer") this.#suspects.clear(request);
    return result;
  }

  async close(): Promise<void> {
    this.drop();
    await this.#wire.close();
  }

  /** Ends the waiting: what was not sent yet is not sent any more. */
  drop(): void {
    this.#reads.close();
    this.#writes.close();
  }
}

const ONE = new RegExp(`^(?:${FILES}|${FOLDERS})(?:/[^/?]+(?:/content)?)?$`);

/** `one`: it is about one file or folder, and may stand in a batch. */
function routeOf({ method, path, body }: WireRequest, prefix: string): "one" | "list" | "other" {
  if (!path.startsWith(prefix)) return "other";
  const below = path.slice(prefix.length);
  if (method === "GET" && (isOf(FILES, below) || isOf(FOLDERS, below))) return "list";
  if (!ONE.test(below)) return "other";
  return body === null || !body.includes("\n") ? "one" : "other";
}

/** Whether a path is a collection's own, whatever its query. */
function isOf(collection: string, path: string): boolean {
  return path === collection || path.startsWith(`${collection}?`);
}
