import { once as nextEvent } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { once } from "../../common/once.ts";
import type { AccessEntry } from "./access-log.ts";
import { answerMalformed, UnreadAnswers } from "./connections.ts";
import { RequestMetrics } from "./metrics.ts";
import { makePagesLoader, type PagesOptions } from "./pages.ts";
import type { ServerState, HttpService } from "./server-state.ts";
import { createRequestHandler, type RequestHandler } from "./carrier.ts";
import type { ServiceWire } from "../service.ts";
import { Admission, type LoopTurns } from "../requests/admission.ts";

export type HttpOptions = {
  readonly host?: string;
  /** Port on which the server listens. Default 0: any free port. */
  readonly port?: number;
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** Options of the web pages below `/app`; undefined for no pages. */
  readonly pages?: PagesOptions;
  /** Receives the access-log line of each finished request. */
  readonly log?: (entry: AccessEntry) => void;
  readonly turns?: LoopTurns;
  /** Time limits that replace the defaults; tests set shorter limits. */
  readonly deadlines?: Partial<HttpDeadlines>;
};

/** Time limits in milliseconds. */
type HttpDeadlines = {
  /**
   * Time from the first byte of a connection, or the end of its last answer, to the end of the
   * headers of a request.
   */
  readonly headers: number;
  /**
   * Time from the first byte of a connection, or the end of its last answer, to the end of the body
   * of a request.
   */
  readonly request: number;
  /** Time for a client to read a short answer. */
  readonly answer: number;
  /** Time for which a closing service still accepts requests, or less if no requests arrive. */
  readonly drain: number;
  /**
   * Time for which a closing service waits for running requests, before it closes the connections
   * of these requests.
   */
  readonly stop: number;
  /** Time between two checks whether a connection has exceeded `headers` or `request`. */
  readonly checkEvery: number;
};

/**
 * LIMIT: time limits in milliseconds, so that slow clients do not keep connections open. In 30 s,
 * the largest body arrives even at 300 kbit/s.
 */
const DEFAULT_DEADLINES: HttpDeadlines = {
  headers: 10_000,
  request: 30_000,
  answer: 30_000,
  drain: 0,
  stop: 20_000,
  checkEvery: 1_000,
};
/**
 * Milliseconds for which an idle connection stays open. Proxies keep idle connections for a minute.
 * The service must keep connections for longer, because otherwise a proxy would send requests on
 * closed connections.
 */
const KEEP_ALIVE_MS = 72_000;
/** LIMIT: number of connections, because each takes memory and a file descriptor. */
const MAX_CONNECTIONS = 8_192;

export type HttpServer = {
  /** URL of the server without a trailing slash: `{base_url}` in the contract. */
  readonly url: string;
  close(): Promise<void>;
};

/**
 * Serves the service over HTTP. If `handle` rejects, the connection is closed without an answer, as
 * after a network failure.
 * @throws if the server cannot listen on the port
 */
export async function startHttp(service: HttpService, options: HttpOptions = {}): Promise<HttpServer> {
  const host = options.host ?? "127.0.0.1";
  const deadlines = { ...DEFAULT_DEADLINES, ...options.deadlines };
  const scheme = options.tls === undefined ? "http" : "https";
  let port = 0;
  const state = newServerState(service, { ...options, deadlines }, () => ({ scheme, host, port }));
  const server = makeServer(await createRequestHandler(state), service.handle, { ...options, deadlines });
  try {
    server.listen({ host, port: options.port ?? 0 });
    await nextEvent(server, "listening");
  } catch (error) {
    state.metrics.close();
    throw error;
  }
  port = (server.address() as AddressInfo).port;
  const close = once(() => closeServer(state, server, deadlines));
  return { url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`, close };
}

type ServerOptions = HttpOptions & { readonly deadlines: HttpDeadlines };

/** @param where returns the address of the server, which is not known before the server listens */
function newServerState(
  service: HttpService,
  { turns, log, pages, deadlines }: ServerOptions,
  where: Parameters<typeof makePagesLoader>[1]["where"],
): ServerState {
  const unreadAnswers = new UnreadAnswers(deadlines.answer);
  const streams: ServerState["streams"] = new Set();
  const figures = async () => (await service.figures?.()) ?? null;
  const metrics = new RequestMetrics(() => ({ streams: streams.size, cut: unreadAnswers.cut }), {
    log: log ?? null,
    // Without pages, no figures are read, because only the pages show past figures.
    readFigures: async () => (pages === undefined ? null : figures()),
  });
  return {
    service,
    admission: new Admission(turns),
    loadPages: pages === undefined ? null : makePagesLoader(pages, { where, metrics, figures }),
    metrics,
    unread: unreadAnswers,
    streams,
    begun: 0,
    isClosing: false,
  };
}

function makeServer(carry: RequestHandler, handle: ServiceWire, { tls, deadlines }: ServerOptions): Server {
  const serverOptions = {
    connectionsCheckingInterval: deadlines.checkEvery,
    headersTimeout: deadlines.headers,
    requestTimeout: deadlines.request,
    keepAliveTimeout: KEEP_ALIVE_MS,
    optimizeEmptyRequests: true,
    // Node accepts a request without a Host header, so that the service can refuse it with a
    // problem.
    requireHostHeader: false,
  };
  const server =
    tls === undefined
      ? createServer(serverOptions)
      : createTlsServer({ ...serverOptions, ...tls, minVersion: "TLSv1.2", handshakeTimeout: deadlines.headers });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("clientError", (error, socket) => void answerMalformed(handle, error, socket));
  server.on("request", (request, response) => carry(request, response));
  server.on("checkContinue", (request, response) => carry(request, response, true));
  return server;
}

/**
 * Closes the server in three steps: 1. For up to `drain` ms, answers new requests, and closes each
 * connection after the answer. 2. Accepts no more connections, and closes idle ones. 3. Waits up to
 * `stop` ms for running requests, then closes their connections.
 */
async function closeServer(state: ServerState, server: Server, { drain, stop }: HttpDeadlines): Promise<void> {
  state.isClosing = true;
  for (const endStream of state.streams) endStream();
  await waitUntilIdle(state, drain);
  const closedPromise = new Promise((resolve) => server.close(resolve));
  const cutTimer = setTimeout(() => server.closeAllConnections(), stop);
  await closedPromise;
  clearTimeout(cutTimer);
  state.metrics.close();
  await state.loadPages?.close();
}

/** Milliseconds without a new request after which open connections count as idle. */
const IDLE_MS = 100;

/**
 * Resolves when no new requests have arrived for a while, or after `mostMs` milliseconds. Until
 * then, each answer has `Connection: close`, so that clients close their connections. If the server
 * closed a connection, it could lose a request that is just arriving.
 */
async function waitUntilIdle(state: ServerState, mostMs: number): Promise<void> {
  const deadline = performance.now() + mostMs;
  for (let previousCount = -1; previousCount !== state.begun && performance.now() < deadline; ) {
    previousCount = state.begun;
    await pause(IDLE_MS);
  }
}
