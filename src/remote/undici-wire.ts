import Pool from "undici/lib/dispatcher/pool.js";
import type { StreamEnd, Wire, WireResult } from "../ports/remote.ts";
import { checkBaseUrl } from "./base-url.ts";
import { ACCEPTED_ENCODINGS } from "./body-text.ts";
import { Exchange } from "./exchange.ts";
import { StreamExchange } from "./stream-exchange.ts";

type UndiciWireOptions = {
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
export function createUndiciWire(options: UndiciWireOptions): Wire {
  const base = checkBaseUrl(options.baseUrl, options.allowHttpHosts ?? []);
  if (base.kind === "bad") throw new Error(`bad base URL: ${base.why}`);
  let opened: Pool | null = null;
  let closing: Promise<void> | null = null;
  const closed = new AbortController();

  // ASSUMES: the exact version of undici that package.json names has its pool in this file.
  // Nothing else of undici is loaded.
  const open = (): Pool =>
    new Pool(base.origin, {
      connections: options.connections ?? 64,
      pipelining: 1,
      // One exchange a socket: over HTTP/2 one lost connection would end several exchanges at
      // once.
      allowH2: false,
      // Each exchange has its own deadline, and it is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: 10_000, ...(options.ca === undefined ? {} : { ca: options.ca }) },
    });

  return {
    async send(request, bounds): Promise<WireResult> {
      if (closing !== null) return { kind: "not-sent", why: "closed" };
      if (!request.path.startsWith("/")) throw new Error("a request path must start with a slash");
      opened ??= open();
      const pool = opened;
      return new Promise((settle) => {
        // Every failure, also that of a malformed header, reaches the handler; `dispatch` does
        // not throw.
        pool.dispatch(
          {
            method: request.method as "GET",
            path: base.prefix + request.path,
            headers: { "accept-encoding": ACCEPTED_ENCODINGS, ...request.headers },
            body: request.body,
          },
          new Exchange(bounds, settle),
        );
      });
    },

    async stream(request, bounds, onBytes): Promise<StreamEnd> {
      if (closing !== null) return { kind: "not-sent", why: "closed" };
      opened ??= open();
      const pool = opened;
      const signal = AbortSignal.any([bounds.signal, closed.signal]);
      return new Promise((settle) => {
        pool.dispatch(
          {
            method: request.method as "GET",
            path: base.prefix + request.path,
            // A packed stream would be held back until there is enough to pack.
            headers: { "accept-encoding": "identity", ...request.headers },
            body: null,
          },
          new StreamExchange({ ...bounds, signal }, onBytes, settle),
        );
      });
    },

    close(): Promise<void> {
      // ORDER: a stream would keep the pool from ever ending.
      closed.abort();
      closing ??= opened?.close() ?? Promise.resolve();
      return closing;
    },
  };
}
