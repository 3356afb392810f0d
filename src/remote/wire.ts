import type { WireRequest } from "../contract/wire.ts";
import type { StreamBounds, StreamEnd, Wire, WireResult } from "../ports/wire.ts";
import { NodeWire } from "./node-wire.ts";
import type { WireOptions } from "./undici-wire.ts";

/** A wire that is ready at once, and quick where there is much to send. */

/**
 * From how many exchanges at one time on undici is worth loading: it saves some 80 µs of each, and
 * takes some 100 ms of processor time to load and 23 MB. Where requests share exchanges, four that
 * read, four that write and two lists are under way, and each says enough for 64: a clone of
 * 100,000 documents is some 2,000 exchanges. Asked one after the other, even more are not worth it.
 */
const MANY_AT_ONCE = 10;

const CLOSED = { kind: "not-sent", why: "closed" } as const;

/** @throws on a base URL that `checkBaseUrl` refuses; the message does not repeat it */
export function createWire(options: WireOptions): Wire {
  return new GrowingWire(options);
}

class GrowingWire implements Wire {
  readonly #options: WireOptions;
  readonly #few: NodeWire;
  #many: Promise<Wire> | null = null;
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
      if (this.#running > MANY_AT_ONCE) this.#many ??= this.#load();
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
