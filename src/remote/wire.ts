import type { WireRequest } from "../contract/wire.ts";
import type { StreamBounds, StreamEnd, Wire, WireResult } from "../ports/remote.ts";
import { NodeWire } from "./node-wire.ts";
import type { WireOptions } from "./undici-wire.ts";

/** A wire that is ready at once, and quick where there is much to send. */

/**
 * From how many exchanges on, in all or at one time, undici is worth loading: that takes 45 ms of
 * processor time, and it saves some 80 µs of each exchange. A sync that finds nothing makes one for
 * each 1,000 documents, one or two at a time.
 */
const MANY = { all: 128, atOnce: 8 } as const;

const CLOSED = { kind: "not-sent", why: "closed" } as const;

/** @throws on a base URL that `checkBaseUrl` refuses; the message does not repeat it */
export function createWire(options: WireOptions): Wire {
  return new GrowingWire(options);
}

class GrowingWire implements Wire {
  readonly #options: WireOptions;
  readonly #few: NodeWire;
  #many: Promise<Wire> | null = null;
  #sent = 0;
  #running = 0;
  #closing: Promise<void> | null = null;

  constructor(options: WireOptions) {
    this.#options = options;
    this.#few = new NodeWire(options);
  }

  async send(request: WireRequest, bounds: Parameters<Wire["send"]>[1]): Promise<WireResult> {
    if (this.#closing !== null) return CLOSED;
    this.#running++;
    try {
      if (++this.#sent > MANY.all || this.#running > MANY.atOnce) this.#many ??= this.#load();
      const wire = this.#many === null ? this.#few : await this.#many;
      return await wire.send(request, bounds);
    } finally {
      this.#running--;
    }
  }

  async stream(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd> {
    if (this.#closing !== null) return CLOSED;
    this.#many ??= this.#load();
    const { stream } = await this.#many.then(bound);
    return stream(request, bounds, onBytes);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await Promise.all([this.#few.close(), this.#many?.then((wire) => wire.close())]);
  }

  async #load(): Promise<Wire> {
    const { createUndiciWire } = await import("./undici-wire.ts");
    return createUndiciWire(this.#options);
  }
}

function bound(wire: Wire) {
  return { stream: wire.stream!.bind(wire) };
}
