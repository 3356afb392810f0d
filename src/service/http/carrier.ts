/**
 * Passes requests from Node's servers to the service and its pages: fastify routes them, reads
 * their bodies and sends the answers. Before that, a hook checks each request by its headers.
 */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from "fastify";
import { once } from "../../common/once.ts";
import { OPERATIONS, type Operation } from "../../contract/api/operations.ts";
import type { WireRequest, WireResponse, WireHeaders } from "../../contract/wire.ts";
import type { PageAnswer } from "../pages/site.ts";
import { type BodyFault, MAX_BODY_BYTES } from "../requests/body.ts";
import type { RequestHead } from "../requests/dispatch.ts";
import { splitRequestTarget } from "../requests/router.ts";
import type { RequestRecord } from "./access-log.ts";
import { markAnsweredEarly } from "./broken.ts";
import type { ServerState, MaybePromise } from "./server-state.ts";
import { sendStream } from "./stream.ts";
import { OPENAPI_PATH, openapiDocument } from "../../contract/api/openapi.ts";

/** LIMIT: number of open event streams. The remaining connections are for other requests. */
const MAX_STREAMS = 6_000;
/** LIMIT: number of characters of an id in a path. Node itself refuses longer request lines. */
const MAX_ID = 64 * 1024;

/** Requests whose client waits for status 100 (Continue) before it sends the body. */
const waitingForContinue = new WeakSet<IncomingMessage>();

declare module "fastify" {
  interface FastifyRequest {
    /**
     * The request with its answer and the facts about it; set by the first hook of each request.
     */
    exchange: Exchange;
  }
  interface FastifyContextConfig {
    /** Pattern of the path, such as `/v1/files/{id}`, for metrics and the access log. */
    readonly label?: string;
    readonly by?: "operator" | "stream";
  }
}

/** A request, its answer, and the facts that metrics and the access log record. */
type Exchange = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly head: RequestHead;
  readonly by: AnswerRoute["by"];
  readonly taken: RequestRecord;
};

/** Part of the program that answers a request: the service, or its web pages. */
type Answerer = {
  readonly handle: (request: WireRequest, fault: BodyFault | null, taken?: RequestRecord) => Promise<AnyAnswer>;
  readonly admit?: (head: RequestHead) => MaybePromise<AnyAnswer | null>;
};

type AnyAnswer = WireResponse | PageAnswer;

type Carry = (request: IncomingMessage, response: ServerResponse, waitsForContinue?: boolean) => void;

/** Returns the function that handles each request of the servers that share this state. */
export async function openCarrier(state: ServerState): Promise<Carry> {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    requestIdHeader: false,
    routerOptions: { maxParamLength: MAX_ID },
    // fastify decodes the path of a request before it finds the route, and fails if the encoding is
    // malformed. Percent signs are therefore escaped, so that decoding returns the path as the
    // client sent it.
    rewriteUrl: ({ url }) => (url!.includes("%") ? url!.replaceAll("%", "%25") : url!),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.decorateRequest("exchange");
  app.addHook("onRequest", (request, reply, done) => {
    const { label, by } = routeOf(state, request);
    const { method, headers } = request.raw;
    const head = { method: method!, path: request.originalUrl, headers: headers as WireHeaders };
    const taken = state.watch.begin(request.raw, reply.raw, label);
    const exchange: Exchange = { request, reply, head, by, taken };
    request.exchange = exchange;
    const judged = judgeHead(state, exchange);
    if (judged === null) done();
    else judged.then(() => done(), done);
  });
  app.setErrorHandler((error, request) => answerFault(state, request.exchange, error));
  mountService(app, state);
  await app.ready();
  return (request, response, waitsForContinue = false) => {
    state.begun++;
    const isEmpty = declaredLength(request) === 0;
    // If the client waits for status 100 (Continue) and does not get it, Node closes the connection
    // after the answer.
    if (waitsForContinue && isEmpty) response.writeContinue();
    else if (waitsForContinue) waitingForContinue.add(request);
    // The header is removed because fastify would read a body, and the stream of an empty request
    // never ends.
    if (isEmpty) delete request.headers["content-type"];
    app.routing(request, response);
  };
}

/**
 * Registers the routes: the operator's pages, the declared operations, and `/admin`. All other
 * paths are answered by the service or by the web pages.
 */
function mountService(app: FastifyInstance, state: ServerState): void {
  const carry = (request: FastifyRequest) => carryBody(state, request.exchange, readBody(request.body));
  const stream = (request: FastifyRequest) => openStream(state, request.exchange);
  for (const { method, path: label } of Object.values<Operation>(OPERATIONS)) {
    const url = label.replace("{id}", ":id");
    const isStream = method === "GET" && url === state.service.streams?.path;
    const by = isStream ? ({ by: "stream" } as const) : {};
    app.route({ method, url, config: { label, ...by }, handler: isStream ? stream : carry });
  }
  const operatorPage = (path: string, answer: (request: FastifyRequest) => Promise<WireResponse>) =>
    app.get(path, { config: { label: path, by: "operator" } }, async (request) =>
      send(state, request.exchange, await answer(request)),
    );
  operatorPage("/healthz", async () => textAnswer(200, "ok\n"));
  operatorPage("/readyz", () => readiness(state));
  operatorPage("/metrics", (request) => metrics(state, request));
  operatorPage(OPENAPI_PATH, async () => textAnswer(200, openapi(), JSON_TYPE));
  for (const url of ["/admin", "/admin/*"]) app.all(url, { config: { label: "/admin" } }, carry);
  app.setNotFoundHandler(carry);
}

type AnswerRoute = { readonly label: string; readonly by: FastifyContextConfig["by"] | "pages" };

function routeOf({ loadPages }: ServerState, { originalUrl, routeOptions }: FastifyRequest): AnswerRoute {
  if (isPagePath(splitRequestTarget(originalUrl).path))
    return { label: "/app", by: loadPages === null ? undefined : "pages" };
  const { label = "other", by } = routeOptions.config;
  return { label, by };
}

function isPagePath(path: string): boolean {
  return path === "/app" || path.startsWith("/app/");
}

/**
 * Answers a request from its headers alone, if the answer does not depend on the body.
 * @returns null if the request is admitted without waiting, as are most requests without a body
 */
function judgeHead(state: ServerState, exchange: Exchange): Promise<void> | null {
  const { request, head, by } = exchange;
  const fault = headFault(request.raw);
  if (fault !== null) return answerEarly(state, exchange, state.service.handle({ ...head, body: null }, fault), true);
  if (by === "operator" || by === "stream") return null;
  const bytes = declaredLength(request.raw);
  return bytes === 0 && isAdmitted(state, exchange, 0) ? null : judgeByKey(state, exchange, bytes);
}

/** Checks the key of a request before its body is read, or before it is refused as overloaded. */
async function judgeByKey(state: ServerState, exchange: Exchange, bytes: number): Promise<void> {
  const { request, reply, head } = exchange;
  const { handle, admit } = await answererOf(state, exchange);
  const refused = await admit?.(head);
  if (refused != null) return answerEarly(state, exchange, refused);
  if (bytes === 0 || !isAdmitted(state, exchange, bytes)) {
    return answerEarly(state, exchange, handle({ ...head, body: null }, "overloaded"));
  }
  if (waitingForContinue.has(request.raw) && bytes <= MAX_BODY_BYTES) reply.raw.writeContinue();
}

async function answerEarly(
  state: ServerState,
  exchange: Exchange,
  answered: MaybePromise<AnyAnswer>,
  isLast = false,
): Promise<void> {
  markAnsweredEarly(exchange.request.raw.socket);
  send(state, exchange, await answered, isLast);
}

/**
 * Returns true if the service has capacity for the request. An admitted request uses capacity until
 * its end.
 * @param bytes length of the body that is still to come
 */
function isAdmitted({ admission }: ServerState, { request, reply, head }: Exchange, bytes: number): boolean {
  const cut = bytes === 0 ? null : () => void request.raw.destroy();
  const end = admission.begin(Math.min(bytes, MAX_BODY_BYTES), head.path.startsWith("/admin"), cut);
  if (end === null) return false;
  if (cut !== null) request.raw.once("end", () => admission.arrived(end));
  reply.raw.on("close", end);
  return true;
}

function answererOf(state: ServerState, { request, by }: Exchange): MaybePromise<Answerer> {
  return by === "pages" ? pagesFor(state, request.raw) : state.service;
}

async function pagesFor(state: ServerState, request: IncomingMessage): Promise<Answerer> {
  const pages = await state.loadPages!();
  const from = request.socket.remoteAddress ?? "";
  return {
    handle: (sent, fault) => pages.handle(sent, fault, from),
    admit: (head) => pages.admit(head, declaredLength(request)),
  };
}

type ReadBody = { readonly text: string | null; readonly fault: BodyFault | null };

function readBody(body: unknown): ReadBody {
  if (!Buffer.isBuffer(body)) return { text: null, fault: null };
  return isUtf8(body) ? { text: body.toString("utf8"), fault: null } : { text: null, fault: "unreadable" };
}

async function carryBody(
  state: ServerState,
  exchange: Exchange,
  { text, fault }: ReadBody,
  isLast = false,
): Promise<void> {
  const { handle } = await answererOf(state, exchange);
  const end = state.admission.work();
  try {
    send(state, exchange, await handle({ ...exchange.head, body: text }, fault, exchange.taken), isLast);
  } finally {
    end();
  }
}

function send(state: ServerState, { reply, taken }: Exchange, answered: AnyAnswer, isLast = false): void {
  const { status, headers, body } = answered;
  taken.requestId = headers["x-request-id"] ?? null;
  taken.bytes = Buffer.byteLength(body);
  reply.code(status).headers(headers);
  if (isLast || state.isClosing) reply.header("connection", "close");
  reply.send(status === 204 || body === "" ? undefined : body);
  state.unread.watch(reply.raw);
}

async function openStream(state: ServerState, exchange: Exchange): Promise<void> {
  const { request, reply, taken } = exchange;
  const head = { ...exchange.head, body: null };
  if (state.streams.size >= MAX_STREAMS) {
    return send(state, exchange, await state.service.handle(head, "overloaded"), true);
  }
  const answered = await state.service.streams!.open(head, taken);
  // A refused client loses its connection, so that the service keeps no state for it. Thousands of
  // clients may be refused together and come back later.
  if (!("stream" in answered)) return send(state, exchange, answered, true);
  reply.hijack();
  if (reply.raw.destroyed) return;
  taken.requestId = answered.headers["x-request-id"] ?? null;
  const end = sendStream(reply.raw, answered);
  state.watch.countStream(taken, request.raw, reply.raw);
  state.streams.add(end);
  reply.raw.once("close", () => state.streams.delete(end));
  // RACE: the service may have begun to close while the stream was opened.
  if (state.isClosing) end();
}

/**
 * Answers with a problem if fastify could not read the body. Any other error closes the connection.
 */
async function answerFault(state: ServerState, exchange: Exchange, error: unknown): Promise<void> {
  const { statusCode = 500, code } = error as { readonly statusCode?: number; readonly code?: string };
  const { request, reply } = exchange;
  const isOfBody = statusCode < 500 && !reply.raw.destroyed && !request.raw.destroyed;
  if (!isOfBody) return lose(exchange);
  const fault = code === "FST_ERR_CTP_BODY_TOO_LARGE" ? "too-large" : "unreadable";
  try {
    // The client is still sending its oversized body, so no other request can use the connection.
    return await carryBody(state, exchange, { text: null, fault }, true);
  } catch {
    return lose(exchange);
  }
}

/** Closes the connection without an answer, as if the network had failed. */
function lose({ request, reply }: Exchange): void {
  reply.hijack();
  request.raw.socket.destroy();
}

/**
 * Returns the length of the body in bytes, as declared by `Content-Length`. A chunked body declares
 * no length, so the limit `MAX_BODY_BYTES` is returned.
 */
function declaredLength({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return MAX_BODY_BYTES;
  const length = headers["content-length"];
  return length === undefined ? 0 : Number(length);
}

const openapi = once(() => JSON.stringify(openapiDocument()));

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

function textAnswer(status: number, body: string, headers: WireHeaders = {}): WireResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body };
}

/** Answers `/readyz`, which tells a load balancer whether this process can serve requests now. */
async function readiness({ service, isClosing }: ServerState): Promise<WireResponse> {
  if (!isClosing && ((await service.isReady?.()) ?? true)) return textAnswer(200, "ready\n");
  return textAnswer(503, isClosing ? "closing\n" : "not ready\n", { "retry-after": "5" });
}

async function metrics({ service, watch }: ServerState, request: FastifyRequest): Promise<WireResponse> {
  if (!(await mayRead(request, service))) {
    return textAnswer(401, "to see this page from another machine, send the admin key\n");
  }
  const text = await watch.metricsText((await service.figures?.()) ?? null);
  return textAnswer(200, text, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
}

/**
 * Returns true if the client may read the pages for operators. A local client may, unless the
 * headers of a proxy name another client. Any other client needs the admin key.
 */
async function mayRead({ raw }: FastifyRequest, { admit }: ServerState["service"]): Promise<boolean> {
  const speaksForOther = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => name in raw.headers);
  const isLocal = /^(?:127\.|::1$|::ffff:127\.)/.test(raw.socket.remoteAddress ?? "");
  if (isLocal && !speaksForOther) return true;
  if (admit === undefined) return false;
  return (await admit({ method: "GET", path: "/admin/settings", headers: raw.headers as WireHeaders })) === null;
}

/**
 * Headers that a request may have only once. Node keeps their first value. A proxy that keeps the
 * last value would check another host or key than the service.
 */
const SINGLE: ReadonlySet<string> = new Set(["host", "authorization"]);

/**
 * Returns the reason why a request cannot be answered, whatever its path; null if there is none.
 */
function headFault({ httpVersion, headers, rawHeaders }: IncomingMessage): BodyFault | null {
  if (httpVersion === "1.1" && headers.host === undefined) return "no-host";
  const found = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (found.has(name)) return "repeated-header";
    found.add(name);
  }
  return null;
}
