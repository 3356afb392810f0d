import type { AddressInfo } from "node:net";
import type { FastifyInstance, FastifyServerOptions } from "fastify";
import { isLoopbackHost } from "../model/loopback.ts";
import { MAX_BODY_BYTES } from "./body.ts";
import { answerBroken, answerTunnels } from "./http-broken.ts";
import { mountMetrics } from "./http-metrics.ts";
import { lazyPages, type PagesOptions } from "./http-pages.ts";
import { type HttpService, mountService } from "./http-requests.ts";
import { Admission, type Turns } from "./admission.ts";

export type HttpOptions = {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** PEM texts. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /**
   * Without it, plain HTTP is served to loopback only: a key must not cross a network unencrypted.
   */
  readonly allowPlainHttp?: boolean;
  /** Pages for browsers, below `/app`. */
  readonly pages?: PagesOptions;
  /** Tests control the turns of the event loop. */
  readonly turns?: Turns;
  /** Tests pass shorter ones. */
  readonly deadlines?: Deadlines;
};

/**
 * Milliseconds from a connection's first byte, or its last answer, to the end of the headers and to
 * the end of the body.
 */
type Deadlines = { readonly headers: number; readonly request: number; readonly checkEvery: number };

/**
 * LIMIT: the largest body arrives in 30 s over 300 kbit/s; a slower client only occupies a
 * connection.
 */
const DEADLINES: Deadlines = { headers: 10_000, request: 30_000, checkEvery: 1_000 };
/** LIMIT: connections at a time; the system refuses those beyond. */
const MAX_CONNECTIONS = 1_024;

export type HttpServer = {
  /** {base_url}, without a slash at its end. */
  readonly url: string;
  /** Resolves once the requests under way are answered. */
  close(): Promise<void>;
};

/**
 * Serves a request core over HTTP. If `handle` rejects, the socket is destroyed, like a lost
 * connection.
 * @throws when the host is beyond loopback without TLS or `allowPlainHttp`, or the port is not
 * available
 */
export async function startHttp(service: HttpService, options: HttpOptions = {}): Promise<HttpServer> {
  const host = options.host ?? "127.0.0.1";
  if (!isLoopbackHost(host) && options.tls === undefined && options.allowPlainHttp !== true) {
    throw new Error(`plain HTTP on ${host} would send keys in the clear: give a certificate, or allow it explicitly`);
  }
  // Loaded here, so that a program that only calls the service in process never loads fastify.
  const { fastify } = await import("fastify");
  const app = fastify(serverOptions(service, options)) as unknown as FastifyInstance;
  app.server.maxConnections = MAX_CONNECTIONS;
  app.server.headersTimeout = (options.deadlines ?? DEADLINES).headers;
  answerTunnels(app.server, service.handle);
  mountMetrics(app, service);
  const scheme = options.tls === undefined ? "http" : "https";
  const where = () => ({ scheme, host, port: portOf(app) }) as const;
  const loadPages = options.pages === undefined ? null : lazyPages(options.pages, where);
  app.addHook("onClose", async () => loadPages?.close());
  mountService(app, service, { admission: new Admission(options.turns), loadPages });
  await app.listen({ host, port: options.port ?? 0 });
  return { url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${portOf(app)}`, close: () => app.close() };
}

/** The port of a listening server. */
function portOf({ server }: FastifyInstance): number {
  return (server.address() as AddressInfo).port;
}

// fastify has separate types for the two kinds of server; the core uses nothing in which they
// differ.
function serverOptions(service: HttpService, { tls, deadlines = DEADLINES }: HttpOptions): FastifyServerOptions {
  const node = {
    connectionsCheckingInterval: deadlines.checkEvery,
    // Node's own refusal has no body; the core's has one.
    requireHostHeader: false,
  };
  return {
    bodyLimit: MAX_BODY_BYTES,
    // Every request takes one route of fastify: the core does the routing, and judges malformed
    // URLs.
    rewriteUrl: () => "/",
    return503OnClosing: false,
    forceCloseConnections: "idle",
    requestTimeout: deadlines.request,
    clientErrorHandler: (error, socket) => void answerBroken(service.handle, error, socket),
    ...(tls === undefined
      ? { http: node }
      : { https: { ...node, ...tls, minVersion: "TLSv1.2" as const, handshakeTimeout: deadlines.headers } }),
  } as FastifyServerOptions;
}
