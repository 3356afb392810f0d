import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { WireRequest } from "../contract/wire.ts";
import type { Wire, WireResult } from "../ports/wire.ts";
import { checkBaseUrl } from "./base-url.ts";
import { ACCEPTED_ENCODINGS } from "./body-text.ts";
import { Exchange } from "./exchange.ts";
import type { WireOptions } from "./undici-wire.ts";

const CONNECT_MS = 10_000;
const CLOSED = { kind: "not-sent", why: "closed" } as const;

type Client = { readonly agent: Agent; readonly request: typeof import("node:http").request };

/**
 * A wire over Node's own client, for few exchanges: it is ready in a fifth of the time that undici
 * takes to load, and each exchange takes longer. It has no streams.
 * @throws on a base URL that `checkBaseUrl` refuses; the message does not repeat it
 */
export class NodeWire implements Wire {
  readonly #address: URL;
  readonly #prefix: string;
  readonly #options: WireOptions;
  readonly #running = new Set<Promise<WireResult>>();
  #client: Client | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: WireOptions) {
    const base = checkBaseUrl(options.baseUrl, options.allowHttpHosts ?? []);
    if (base.kind === "bad") throw new Error(`bad base URL: ${base.why}`);
    this.#address = new URL(base.origin);
    this.#prefix = base.prefix;
    this.#options = options;
  }

  async send(request: WireRequest, bounds: Parameters<Wire["send"]>[1]): Promise<WireResult> {
    if (this.#closing !== null) return CLOSED;
    if (!request.path.startsWith("/")) throw new Error("a request path must start with a slash");
    const result = new Promise<WireResult>((settle) => this.#dispatch(request, new Exchange(bounds, settle)));
    this.#running.add(result);
    try {
      return await result;
    } finally {
      this.#running.delete(result);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await Promise.allSettled(this.#running);
    this.#client?.agent.destroy();
  }

  /** Every failure, also that of a malformed header, reaches the exchange: nothing is thrown. */
  #dispatch({ method, path, headers, body }: WireRequest, exchange: Exchange): void {
    try {
      this.#client ??= this.#open();
      const { agent, request } = this.#client;
      const { protocol, hostname, port } = this.#address;
      const sent = request({
        protocol,
        // As a name, not as it stands in a URL.
        hostname: hostname.replace(/^\[|\]$/g, ""),
        port,
        agent,
        method,
        path: this.#prefix + path,
        headers: { "accept-encoding": ACCEPTED_ENCODINGS, ...headers },
      });
      hear(sent, exchange, protocol === "https:");
      sent.end(body ?? undefined);
    } catch (error) {
      exchange.onResponseError(null, error as Error);
    }
  }

  #open(): Client {
    const { connections: maxSockets = 64, ca } = this.#options;
    const options = { keepAlive: true, maxSockets, ...(ca === undefined ? {} : { ca }) };
    if (this.#address.protocol === "http:") {
      const { Agent, request } = process.getBuiltinModule("node:http");
      return { agent: new Agent(options), request };
    }
    const { Agent, request } = process.getBuiltinModule("node:https");
    return { agent: new Agent(options), request };
  }
}

/** Hands an exchange what its request meets. */
function hear(request: ClientRequest, exchange: Exchange, isSecure: boolean): void {
  const controller = { abort: (reason: Error) => void request.destroy(reason) };
  // ORDER: a request is given its socket before its first byte is written to it; to one that is not
  // connected yet nothing is written before it is, and its listeners come before that write.
  request.once("socket", (socket) =>
    whenConnected(request, socket, isSecure, () => exchange.onRequestStart(controller)),
  );
  request.once("response", (response: IncomingMessage) => {
    exchange.onResponseStart(controller, response.statusCode ?? 0, response.headers);
    response.on("data", (chunk: Buffer) => exchange.onResponseData(controller, chunk));
    response.once("end", () => {
      if (response.complete) exchange.onResponseEnd();
      else exchange.onResponseError(controller, new Error("cut off"));
    });
    response.once("error", (error) => exchange.onResponseError(controller, error));
  });
  request.once("close", () => exchange.onResponseError(controller, new Error("closed")));
  request.on("error", (error) => exchange.onResponseError(controller, error));
}

/** Of TLS, a connection counts from the proof of who is there: nothing is sent before. */
function whenConnected(request: ClientRequest, socket: Socket, isSecure: boolean, begin: () => void): void {
  if (request.reusedSocket || !socket.connecting) {
    begin();
    return;
  }
  const timer = setTimeout(
    () => request.destroy(Object.assign(new Error("no connection"), { code: "UND_ERR_CONNECT_TIMEOUT" })),
    CONNECT_MS,
  );
  socket.once("close", () => clearTimeout(timer));
  socket.once(isSecure ? "secureConnect" : "connect", () => {
    clearTimeout(timer);
    begin();
  });
}
