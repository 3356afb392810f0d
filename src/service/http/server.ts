import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setImmediate as turnOver, setTimeout as pause } from "node:timers/promises";
import { isLoopbackHost } from "../../common/loopback.ts";
import type { AccessEntry } from "./access-entry.ts";
import { answerBroken, answerTunnels } from "./broken.ts";
import { Watch } from "./metrics.ts";
import { lazyPages, type PagesOptions } from "./pages.ts";
import type { Desk, HttpService } from "./desk.ts";
import { openCarrier } from "./carrier.ts";
import { UnreadAnswers } from "./unread.ts";
import { Admission, type Turns } from "../requests/admission.ts";

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
  /** Told each request when it has ended. */
  readonly log?: (entry: AccessEntry) => void;
  /** Tests control the turns of the event loop. */
  readonly turns?: Turns;
  /** Tests pass shorter ones. */
  readonly deadlines?: Partial<Deadlines>;
};

/** In milliseconds. */
type Deadlines = {
  /** From a connection's first byte, or its last answer, to the end of the headers. */
  readonly headers: number;
  /** To the end of the body. */
  readonly request: number;
  /** Until a short answer is read. */
  readonly answer: number;
  /**
   * While requests keep coming at the end, how long they are taken. Default 0: a service that is
   * stopped in front of its clients gives them a moment.
   */
  readonly drain: number;
  /** Until what is under way at the end is cut. */
  readonly stop: number;
  /** How often it is looked whether they have passed. */
  readonly checkEvery: number;
};

/**
 * LIMIT: the largest body arrives in 30 s over 300 kbit/s; a slower client only occupies a
 * connection.
 */
const DEADLINES: Deadlines = {
  headers: 10_000,
  request: 30_000,
  answer: 30_000,
  drain: 0,
  stop: 20_000,
  checkEvery: 1_000,
};
/** Longer than the minute for which proxies keep a connection, which they would find lost. */
const KEEP_ALIVE_MS = 72_000;
/** LIMIT: connections at a time; the system refuses those beyond. */
const MAX_CONNECTIONS = 8_192;

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
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const scheme = options.tls === undefined ? "http" : "https";
  let port = 0;
  const loadPages = options.pages === undefined ? null : lazyPages(options.pages, () => ({ scheme, host, port }));
  const desk = openDesk(service, options, { loadPages, deadlines });
  const carry = await openCarrier(desk);
  const servers = await listen(() => makeServer(desk, options, { deadlines, carry }), host, options.port ?? 0);
  port = (servers[0].address() as AddressInfo).port;
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= closeAll(desk, servers, deadlines);
    return closed;
  };
  return { url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`, close };
}

function openDesk(
  service: HttpService,
  { turns, log }: HttpOptions,
  { loadPages, deadlines }: Pick<Desk, "loadPages"> & { readonly deadlines: Deadlines },
): Desk {
  const unread = new UnreadAnswers({ mostMs: deadlines.answer, checkEvery: deadlines.checkEvery });
  const streams: Desk["streams"] = new Set();
  const watch = new Watch(() => ({ streams: streams.size, cut: unread.cut }), log ?? null);
  return {
    service,
    admission: new Admission(turns),
    loadPages,
    watch,
    unread,
    streams,
    begun: 0,
    held: null,
    isClosing: false,
  };
}

function makeServer(
  desk: Desk,
  { tls }: HttpOptions,
  { deadlines, carry }: { readonly deadlines: Deadlines; readonly carry: Awaited<ReturnType<typeof openCarrier>> },
): Server {
  const node = {
    connectionsCheckingInterval: deadlines.checkEvery,
    headersTimeout: deadlines.headers,
    requestTimeout: deadlines.request,
    keepAliveTimeout: KEEP_ALIVE_MS,
    optimizeEmptyRequests: true,
    // Node's own refusal has no body; the core's has one.
    requireHostHeader: false,
  };
  const server =
    tls === undefined
      ? createServer(node)
      : createTlsServer({ ...node, ...tls, minVersion: "TLSv1.2", handshakeTimeout: deadlines.headers });
  server.maxConnections = MAX_CONNECTIONS;
  const { handle } = desk.service;
  server.on("clientError", (error, socket) => void answerBroken(handle, error, socket));
  answerTunnels(server, handle);
  server.on("request", (request, response) => carry(request, response));
  server.on("checkContinue", (request, response) => carry(request, response, "continue"));
  server.on("checkExpectation", (request, response) => carry(request, response, "something-else"));
  return server;
}

/** A name of this machine may stand for several addresses; only the first must be available. */
async function listen(make: () => Server, host: string, port: number): Promise<[Server, ...Server[]]> {
  const first = await listenAt(make(), host, port);
  if (host !== "localhost") return [first];
  const { address: taken, port: same } = first.address() as AddressInfo;
  const others = (await lookup(host, { all: true })).filter(({ address }) => address !== taken);
  const tried = await Promise.allSettled(others.map(({ address }) => listenAt(make(), address, same)));
  return [first, ...tried.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))];
}

async function listenAt(server: Server, host: string, port: number): Promise<Server> {
  server.listen({ host, port });
  await once(server, "listening");
  return server;
}

/**
 * Answers what still comes, each as the last of its connection; then takes no more connections,
 * ends those that wait, and waits for the answers under way.
 */
async function closeAll(desk: Desk, servers: readonly Server[], { drain, stop }: Deadlines): Promise<void> {
  desk.isClosing = true;
  for (const end of desk.streams) end();
  await untilQuiet(desk, drain);
  const held = Promise.withResolvers<void>();
  desk.held = held.promise;
  await untilAllCame(desk, servers);
  const ended = servers.map((server) => new Promise((resolve) => server.close(resolve)));
  held.resolve();
  const late = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, stop);
  await Promise.all(ended);
  clearTimeout(late);
  desk.unread.close();
  desk.watch.close();
  await desk.loadPages?.close();
}

/** In which nothing came: who still has a connection does not use it now. */
const QUIET_MS = 100;

/**
 * Resolves when clients have let go of their connections: each request that comes is answered with
 * `Connection: close`. To end a connection on which a request is on its way resets it.
 */
async function untilQuiet(desk: Desk, mostMs: number): Promise<void> {
  const until = performance.now() + mostMs;
  for (let before = -1; before !== desk.begun && performance.now() < until; ) {
    before = desk.begun;
    await pause(QUIET_MS);
  }
}

/** LIMIT: turns of the event loop, for clients that come without an end. */
const MOST_TURNS = 2_000;

/**
 * Resolves in a turn in which no connection was left to take, and no request to read: what the
 * system has accepted is not reset. What comes meanwhile waits, so that clients who go on as soon
 * as they are answered come to rest.
 */
async function untilAllCame(desk: Desk, servers: readonly Server[]): Promise<void> {
  let came = 0;
  const count = () => void came++;
  for (const server of servers) server.on("connection", count);
  let quiet = 0;
  // The system's queue is taken one by one, a connection in each turn.
  for (let turn = 0; quiet < 2 && turn < MOST_TURNS; turn++) {
    const before = came + desk.begun;
    await turnOver();
    quiet = came + desk.begun === before ? quiet + 1 : 0;
  }
  for (const server of servers) server.off("connection", count);
}
