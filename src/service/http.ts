import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import { type BodyFault, MAX_BODY_BYTES } from "./body.ts";
import type { ServiceWire } from "./service.ts";

export type HttpOptions = {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** PEM texts. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** Without it, plain HTTP is served to loopback alone: a key must not travel a network in the clear. */
  readonly allowPlainHttp?: boolean;
};

export type HttpServer = {
  /** {base_url}, without a slash at its end. */
  readonly url: string;
  /** Ends once the requests under way are answered. */
  close(): Promise<void>;
};

/**
 * Serves a request core over HTTP. A `handle` that rejects stands for a lost connection: the socket is destroyed.
 * @throws when the host is beyond loopback without TLS or `allowPlainHttp`, or the port cannot be had
 */
export async function startHttp(
  service: { readonly handle: ServiceWire },
  options: HttpOptions = {},
): Promise<HttpServer> {
  const host = options.host ?? "127.0.0.1";
  if (!isLoopback(host) && options.tls === undefined && options.allowPlainHttp !== true) {
    throw new Error(`plain HTTP on ${host} would send keys in the clear: give a certificate, or allow it explicitly`);
  }
  // Loaded here, so that a program that only calls the service in process never loads fastify.
  const { fastify } = await import("fastify");
  const shared: FastifyServerOptions = {
    bodyLimit: MAX_BODY_BYTES,
    // Every request takes the one route: routing, and judging a malformed URL, is the core's.
    rewriteUrl: () => "/",
    return503OnClosing: false,
    forceCloseConnections: "idle",
    requestTimeout: 60_000,
    clientErrorHandler: (_error, socket) => void answerBroken(service.handle, socket),
  };
  // fastify types the two kinds of server apart; the core uses nothing that differs.
  const secure = {
    ...shared,
    https: options.tls === undefined ? null : { ...options.tls, minVersion: "TLSv1.2" as const },
  };
  const app = fastify(secure) as unknown as FastifyInstance;
  mount(app, service.handle);
  await app.listen({ host, port: options.port ?? 0 });
  const address = app.server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const scheme = options.tls === undefined ? "http" : "https";
  return { url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`, close: () => app.close() };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function mount(app: FastifyInstance, handle: ServiceWire): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  const answer = async (request: FastifyRequest, reply: FastifyReply, fault: BodyFault | null) => {
    const body = fault === null ? readText(request.body) : null;
    const unread = body === "unreadable" ? "unreadable" : fault;
    try {
      const response = await handle(wireRequest(request, unread === null ? textOf(body) : null), unread);
      return await reply
        .code(response.status)
        .headers(response.headers)
        .send(response.body === "" ? undefined : response.body);
    } catch {
      request.raw.socket.destroy();
      return await reply.hijack();
    }
  };
  app.route({
    method: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    url: "/",
    handler: (request, reply) => answer(request, reply, null),
  });
  app.setNotFoundHandler((request, reply) => answer(request, reply, null));
  app.setErrorHandler((error: { readonly code?: string }, request, reply) => {
    return answer(request, reply, error.code === "FST_ERR_CTP_BODY_TOO_LARGE" ? "too-large" : "unreadable");
  });
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
type ReadText = { readonly text: string | null } | "unreadable";

function readText(body: unknown): ReadText {
  if (!Buffer.isBuffer(body)) return { text: null };
  try {
    return { text: UTF8.decode(body) };
  } catch {
    return "unreadable";
  }
}

function textOf(body: ReadText | null): string | null {
  return body === null || body === "unreadable" ? null : body.text;
}

function wireRequest(request: FastifyRequest, body: string | null): WireRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return { method: request.method, path: request.originalUrl, headers, body };
}

/** Answers what is not HTTP with a problem like any other, as far as the socket still takes one. */
async function answerBroken(handle: ServiceWire, socket: Socket): Promise<void> {
  if (!socket.writable) return;
  try {
    socket.end(rawResponse(await handle({ method: "GET", path: "/", headers: {}, body: null }, "not-http")));
  } catch {
    socket.destroy();
  }
}

function rawResponse(response: WireResponse): string {
  const headers = {
    ...response.headers,
    "content-length": String(Buffer.byteLength(response.body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${response.status} Bad Request`, ...lines, "", response.body].join("\r\n");
}
