import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { WireRequest } from "../../contract/wire.ts";
import type { StreamBounds, StreamEnd, Wire, WireResult } from "../../common/wire.ts";
import { checkBaseUrl } from "./base-url.ts";
import { ACCEPTED_ENCODINGS } from "./body-text.ts";
import { HttpExchange } from "./exchange.ts";
import { describeFailure } from "../../common/failure-words.ts";
import type { ServiceRoute } from "./proxy.ts";

type WireOptions = {
  readonly baseUrl: string;
  /** Hosts for which plain http is allowed (`--allow-http`), in addition to this machine. */
  readonly allowHttpHosts?: readonly string[];
  /**
   * Largest number of sockets. Default: twice the largest number of parallel calls. Spare sockets
   * are needed, because undici frees a socket slightly after its answer.
   */
  readonly connections?: number;
  /** Certificate authority in PEM format, which replaces the authorities of the system. */
  readonly ca?: string;
  readonly userAgent?: string;
  readonly route?: ServiceRoute;
};

/**
 * Creates a pool of HTTP/1.1 connections to one service. The pool repeats no requests, follows no
 * redirects and keeps no cookies.
 * @throws for a base URL that `checkBaseUrl` refuses; the message does not contain the URL
 */
export function createWire(options: WireOptions): Wire {
  return new PooledWire(options);
}

class PooledWire implements Wire {
  readonly #origin: string;
  readonly #prefix: string;
  readonly #options: WireOptions;
  readonly #defaultHeaders: Readonly<Record<string, string>>;
  readonly #closer = new AbortController();
  #pool: Dispatcher | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: WireOptions) {
    const base = checkBaseUrl(options.baseUrl, options.allowHttpHosts ?? []);
    if (base.kind === "bad") throw new Error(`bad base URL: ${base.why}`);
    this.#origin = base.origin;
    this.#prefix = base.prefix;
    this.#options = options;
    this.#defaultHeaders = options.userAgent === undefined ? {} : { "user-agent": options.userAgent };
  }

  async send(request: WireRequest, bounds: Parameters<Wire["send"]>[1]): Promise<WireResult> {
    if (!request.path.startsWith("/")) throw new Error("a request path must start with a slash");
    const closed = this.#whyClosed();
    if (closed !== null) return closed;
    return new Promise((settle) => {
      const exchange = new HttpExchange(bounds, (result) => settle(addProxyName(result, this.#options.route)));
      this.#dispatch(request, ACCEPTED_ENCODINGS, exchange);
    });
  }

  async stream(request: WireRequest, bounds: StreamBounds, onBytes: (bytes: Buffer) => void): Promise<StreamEnd> {
    const closed = this.#whyClosed();
    if (closed !== null) return closed;
    const signal = AbortSignal.any([bounds.signal, this.#closer.signal]);
    return new Promise((settle) => {
      const streaming = {
        silenceMs: bounds.silenceMs,
        signal,
        onBytes,
        ended: (why: string) => ({ kind: "ended", why }) as const,
      };
      const exchange = new HttpExchange<Extract<StreamEnd, { kind: "ended" }>>(bounds, settle, streaming);
      // No compression is accepted, because compression would delay the events of the stream.
      this.#dispatch(request, "identity", exchange);
    });
  }

  close(): Promise<void> {
    // ORDER: streams are aborted first, because the pool waits for open requests before it closes.
    this.#closer.abort();
    this.#closing ??= this.#pool?.close() ?? Promise.resolve();
    return this.#closing;
  }

  /**
   * Returns why requests cannot be sent: the pool is closed, or the URL of the proxy is invalid.
   * Returns null if requests can be sent.
   */
  #whyClosed(): Extract<WireResult, { kind: "not-sent" }> | null {
    if (this.#closing !== null) return { kind: "not-sent", why: "closed" };
    const { route } = this.#options;
    if (route?.kind !== "bad") return null;
    return { kind: "not-sent", why: `${route.variable} is not the URL of an HTTP proxy` };
  }

  /**
   * Sends a request. Never throws: the handler gets all errors, even the error for an invalid
   * header.
   */
  #dispatch(
    { method, path, headers, body }: WireRequest,
    encodings: string,
    handler: Dispatcher.DispatchHandler,
  ): void {
    this.#pool ??= this.#openPool();
    this.#pool.dispatch(
      {
        method: method as "GET",
        origin: this.#origin,
        path: this.#prefix + path,
        headers: { "accept-encoding": encodings, ...this.#defaultHeaders, ...headers },
        body,
      },
      handler,
    );
  }

  #openPool(): Dispatcher {
    const { connections = 64, ca, route } = this.#options;
    const trusted = ca === undefined ? {} : { ca };
    const options = {
      connections,
      pipelining: 1,
      // With HTTP/2, one lost connection would end several requests.
      allowH2: false,
      // undici's timeouts are switched off, because each request has its own deadline.
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

/** Adds the proxy to the message of a failed connection, because the proxy may be the cause. */
function addProxyName(result: WireResult, route: ServiceRoute | undefined): WireResult {
  if (result.kind !== "not-sent" || route?.kind !== "proxy") return result;
  const cause = result.why === "UND_ERR_ABORTED" ? "it refused" : describeFailure(result.why);
  return { ...result, why: `no connection by the proxy ${route.origin} (${route.variable}): ${cause}` };
}
