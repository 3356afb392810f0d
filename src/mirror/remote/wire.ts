import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { WireRequest } from "../../contract/wire.ts";
import type { StreamBounds, StreamEnd, Wire, WireResult } from "../../common/wire.ts";
import { checkBaseUrl } from "./base-url.ts";
import { ACCEPTED_ENCODINGS } from "./body-text.ts";
import { Exchange } from "./exchange.ts";
import { failureWords } from "../../common/failure-words.ts";
import type { Route } from "./proxy.ts";

type WireOptions = {
  /** Base URL that `checkBaseUrl` accepts; any other URL throws. */
  readonly baseUrl: string;
  /** Hosts, in addition to loopback, for which plain http is allowed (`--allow-http`). */
  readonly allowHttpHosts?: readonly string[];
  /**
   * Largest number of sockets: twice as many as the calls that the queue runs. undici reuses a
   * socket one turn of the event loop after its answer, and with spare sockets the next request is
   * sent earlier.
   */
  readonly connections?: number;
  /** PEM of a certificate authority to trust in place of the system's authorities. */
  readonly ca?: string;
  /** Value of the header `User-Agent`. Default: the header is not sent. */
  readonly userAgent?: string;
  /** Route to the service. Default: a direct connection. */
  readonly route?: Route;
};

/**
 * Opens a wire over HTTP/1.1 with sockets that stay open. The wire does not retry, follow redirects
 * or keep cookies.
 * @throws on a base URL that `checkBaseUrl` refuses; the message does not contain the URL
 */
export function createWire(options: WireOptions): Wire {
  return new PooledWire(options);
}

class PooledWire implements Wire {
  readonly #origin: string;
  readonly #prefix: string;
  readonly #options: WireOptions;
  readonly #sender: Readonly<Record<string, string>>;
  readonly #closed = new AbortController();
  #opened: Dispatcher | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: WireOptions) {
    const base = checkBaseUrl(options.baseUrl, options.allowHttpHosts ?? []);
    if (base.kind === "bad") throw new Error(`bad base URL: ${base.why}`);
    this.#origin = base.origin;
    this.#prefix = base.prefix;
    this.#options = options;
    this.#sender = options.userAgent === undefined ? {} : { "user-agent": options.userAgent };
  }

  async send(request: WireRequest, bounds: Parameters<Wire["send"]>[1]): Promise<WireResult> {
    if (!request.path.startsWith("/")) throw new Error("a request path must start with a slash");
    const closed = this.#whyClosed();
    if (closed !== null) return closed;
    return new Promise((settle) => {
      const exchange = new Exchange(bounds, (result) => settle(nameProxy(result, this.#options.route)));
      this.#dispatch(request, ACCEPTED_ENCODINGS, exchange);
    });
  }

  async stream(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd> {
    const closed = this.#whyClosed();
    if (closed !== null) return closed;
    const signal = AbortSignal.any([bounds.signal, this.#closed.signal]);
    return new Promise((settle) => {
      const streaming = {
        silenceMs: bounds.silenceMs,
        signal,
        onBytes,
        ended: (why: string) => ({ kind: "ended", why }) as const,
      };
      const exchange = new Exchange<Extract<StreamEnd, { kind: "ended" }>>(bounds, settle, streaming);
      // A compressed stream would be delayed until there is enough data to compress, so no encoding
      // is accepted.
      this.#dispatch(request, "identity", exchange);
    });
  }

  close(): Promise<void> {
    // ORDER: streams are aborted first, because an open stream would keep the pool from closing.
    this.#closed.abort();
    this.#closing ??= this.#opened?.close() ?? Promise.resolve();
    return this.#closing;
  }

  /**
   * Returns the result of a request that cannot be sent: the wire is closed, or the proxy is
   * unusable. Null if the request can be sent.
   */
  #whyClosed(): Extract<WireResult, { kind: "not-sent" }> | null {
    if (this.#closing !== null) return { kind: "not-sent", why: "closed" };
    const { route } = this.#options;
    if (route?.kind !== "bad") return null;
    return { kind: "not-sent", why: `${route.variable} is not the URL of an HTTP proxy` };
  }

  /**
   * Sends a request. Every error, even that of a malformed header, goes to the handler: nothing is
   * thrown.
   */
  #dispatch(
    { method, path, headers, body }: WireRequest,
    encodings: string,
    handler: Dispatcher.DispatchHandler,
  ): void {
    this.#opened ??= this.#open();
    this.#opened.dispatch(
      {
        method: method as "GET",
        origin: this.#origin,
        path: this.#prefix + path,
        headers: { "accept-encoding": encodings, ...this.#sender, ...headers },
        body,
      },
      handler,
    );
  }

  #open(): Dispatcher {
    const { connections = 64, ca, route } = this.#options;
    const trusted = ca === undefined ? {} : { ca };
    const options = {
      connections,
      pipelining: 1,
      // With HTTP/2, one lost connection would end several exchanges.
      allowH2: false,
      // Each request has its own deadline, so undici's timeouts are switched off.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    if (route?.kind === "proxy") {
      return new ProxyAgent({ ...options, uri: route.url, connectTimeout: CONNECT_MS, requestTls: trusted });
    }
    return new Pool(this.#origin, { ...options, connect: { timeout: CONNECT_MS, ...trusted } });
  }
}

const CONNECT_MS = 10_000;

/**
 * Adds the name of the proxy to a result if no connection was made. The service's address may then
 * be right.
 */
function nameProxy(result: WireResult, route: Route | undefined): WireResult {
  if (result.kind !== "not-sent" || route?.kind !== "proxy") return result;
  const cause = result.why === "UND_ERR_ABORTED" ? "it refused" : failureWords(result.why);
  return { ...result, why: `no connection by the proxy ${route.origin} (${route.variable}): ${cause}` };
}
