import type { Dispatcher } from "undici";
import Pool from "undici/lib/dispatcher/pool.js";
import type { WireRequest } from "../contract/wire.ts";
import type { StreamBounds, StreamEnd, Wire, WireResult } from "../ports/wire.ts";
import { checkBaseUrl } from "./base-url.ts";
import { ACCEPTED_ENCODINGS } from "./body-text.ts";
import { Exchange } from "./exchange.ts";
import { StreamExchange } from "./stream-exchange.ts";

type WireOptions = {
  /** Check it with `checkBaseUrl` first: a bad one throws here. */
  readonly baseUrl: string;
  /** Hosts, besides loopback, that may be reached by plain http (`--allow-http`). */
  readonly allowHttpHosts?: readonly string[];
  /**
   * Most sockets: twice as many as the queue lets calls run. undici uses a socket again one turn of
   * the loop after its answer; with spare ones the next exchange is sent at once.
   */
  readonly connections?: number;
  /** PEM of a certificate authority to trust instead of the system's. */
  readonly ca?: string;
};

/**
 * A wire over HTTP/1.1 with kept-alive sockets. It adds nothing of its own: no retry, no redirect,
 * no cookie, no proxy.
 * @throws on a base URL that `checkBaseUrl` refuses; the message does not repeat it
 */
export function createWire(options: WireOptions): Wire {
  return new PooledWire(options);
}

class PooledWire implements Wire {
  readonly #origin: string;
  readonly #prefix: string;
  readonly #options: WireOptions;
  readonly #closed = new AbortController();
  #opened: Pool | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: WireOptions) {
    const base = checkBaseUrl(options.baseUrl, options.allowHttpHosts ?? []);
    if (base.kind === "bad") throw new Error(`bad base URL: ${base.why}`);
    this.#origin = base.origin;
    this.#prefix = base.prefix;
    this.#options = options;
  }

  async send(request: WireRequest, bounds: Parameters<Wire["send"]>[1]): Promise<WireResult> {
    if (this.#closing !== null) return CLOSED;
    if (!request.path.startsWith("/")) throw new Error("a request path must start with a slash");
    return new Promise((settle) => this.#dispatch(request, ACCEPTED_ENCODINGS, new Exchange(bounds, settle)));
  }

  async stream(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd> {
    if (this.#closing !== null) return CLOSED;
    const signal = AbortSignal.any([bounds.signal, this.#closed.signal]);
    return new Promise((settle) => {
      // A packed stream would be held back until there is enough to pack.
      this.#dispatch(request, "identity", new StreamExchange({ ...bounds, signal }, onBytes, settle));
    });
  }

  close(): Promise<void> {
    // ORDER: a stream would keep the pool from ever ending.
    this.#closed.abort();
    this.#closing ??= this.#opened?.close() ?? Promise.resolve();
    return this.#closing;
  }

  /** Every failure, also that of a malformed header, reaches the handler: nothing is thrown. */
  #dispatch(request: WireRequest, encodings: string, handler: Dispatcher.DispatchHandler): void {
    const { method, path, headers, body } = request;
    this.#opened ??= this.#open();
    this.#opened.dispatch(
      {
        method: method as "GET",
        path: this.#prefix + path,
        headers: { "accept-encoding": encodings, ...headers },
        body,
      },
      handler,
    );
  }

  // ASSUMES: the exact version of undici that package.json names has its pool in this file.
  // Only the parser of events is loaded beside it.
  #open(): Pool {
    const { connections = 64, ca } = this.#options;
    return new Pool(this.#origin, {
      connections,
      pipelining: 1,
      // One exchange a socket: over HTTP/2 one lost connection would end several exchanges at
      // once.
      allowH2: false,
      // Each exchange has its own deadline, and it is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: 10_000, ...(ca === undefined ? {} : { ca }) },
    });
  }
}

const CLOSED = { kind: "not-sent", why: "closed" } as const;
