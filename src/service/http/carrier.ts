/**
 * Passes requests from Node's servers to the service and its pages. fastify routes the requests,
 * reads their bodies and sends the answers. Before a body is read, a hook checks the headers.
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
import { type BodyFault, MAX_BODY_BYTES } from "../requests/input.ts";
import type { RequestHead } from "../requests/dispatch.ts";
import { splitRequestTarget } from "../requests/router.ts";
import type { RequestRecord } from "./access-log.ts";
import { markAnsweredEarly } from "./connections.ts";
import type { ServerState, MaybePromise } from "./server-state.ts";
import { sendStream } from "./stream.ts";
import { OPENAPI_PATH, openapiDocument } from "../../contract/api/openapi.ts";

/** LIMIT: number of open event streams, so that connections remain for other requests. */
const MAX_STREAMS = 6_000;
/**
 * LIMIT: number of characters of an id in a path. The limit is higher than Node's limit for a whole
 * request line. So fastify never refuses a long id; the service does.
 */
const MAX_ID_CHARACTERS = 64 * 1024;

/** Requests whose client waits for status 100 (Continue) before it sends the body. */
const requestsBeforeContinue = new WeakSet<IncomingMessage>();

declare module "fastify" {
  interface FastifyRequest {
    /** Exchange to which the request belongs; the first hook for a request sets this field. */
    exchange: HttpExchange;
  }
  interface FastifyContextConfig {
    /** Pattern of the path, such as `/v1/files/{id}`, for metrics and the access log. */
    readonly label?: string;
    readonly by?: "operator" | "stream";
  }
}

/** A request, its answer, and the facts about them for the metrics and the access log. */
type HttpExchange = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly head: RequestHead;
  readonly by: AnswerRoute["by"];
  readonly taken: RequestRecord;
};

/** The service or its pages. `bytes`: length of the body that has not arrived yet. */
type Answerer = {
  handle(request: WireRequest, fault: BodyFault | null, taken: RequestRecord): Promise<AnyAnswer>;
  admit?(head: RequestHead, bytes: number): MaybePromise<AnyAnswer | null>;
};

type AnyAnswer = WireResponse | PageAnswer;

export type RequestHandler = (request: IncomingMessage, response: ServerResponse, waitsForContinue?: boolean) => void;

export async function createRequestHandler(state: ServerState): Promise<RequestHandler> {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    requestIdHeader: false,
    routerOptions: { maxParamLength: MAX_ID_CHARACTERS },
    // fastify decodes a path before it finds the route, and fails if the encoding is malformed. If
    // the percent signs are escaped first, the decoded path is the path that the client sent.
    rewriteUrl: ({ url }) => (url!.includes("%") ? url!.replaceAll("%", "%25") : url!),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.decorateRequest("exchange");
  app.addHook("onRequest", (request, reply, done) => {
    const { label, by } = readRoute(state, request);
    const { method, headers } = request.raw;
    const requestHead = { method: method!, path: request.originalUrl, headers: headers as WireHeaders };
    const requestRecord = state.metrics.begin(request.raw, reply.raw, label);
    const exchange: HttpExchange = { request, reply, head: requestHead, by, taken: requestRecord };
    request.exchange = exchange;
    const earlyAnswer = answerFromHead(state, exchange);
    if (earlyAnswer === null) done();
    else earlyAnswer.then(() => done(), done);
  });
  app.setErrorHandler((error, request) => answerFault(state, request.exchange, error));
  registerRoutes(app, state);
  await app.ready();
  return (request, response, waitsForContinue = false) => {
    state.begun++;
    const isEmpty = readDeclaredLength(request) === 0;
    // Without status 100 (Continue), Node would close the connection after the answer, even if the
    // body is empty.
    if (waitsForContinue && isEmpty) response.writeContinue();
    else if (waitsForContinue) requestsBeforeContinue.add(request);
    // fastify would read the body of a request with a content type, and would wait forever for the
    // end of an empty body.
    if (isEmpty) delete request.headers["content-type"];
    app.routing(request, response);
  };
}

/** A path without a route is answered by the service or by the web pages. */
function registerRoutes(app: FastifyInstance, state: ServerState): void {
  const answerRequest = (request: FastifyRequest) => answerWithBody(state, request.exchange, readBody(request.body));
  const answerStream = (request: FastifyRequest) => openStream(state, request.exchange);
  for (const [name, { method, path: label }] of Object.entries<Operation>(OPERATIONS)) {
    const url = label.replace("{id}", ":id");
    const isStream = name === "streamEvents" && state.service.streams !== undefined;
    const routeConfig = isStream ? ({ by: "stream" } as const) : {};
    app.route({ method, url, config: { label, ...routeConfig }, handler: isStream ? answerStream : answerRequest });
  }
  const addOperatorPage = (path: string, answer: (request: FastifyRequest) => Promise<WireResponse>) =>
    app.get(path, { config: { label: path, by: "operator" } }, async (request) =>
      sendAnswer(state, request.exchange, await answer(request)),
    );
  addOperatorPage("/healthz", async () => makeTextAnswer(200, "ok\n"));
  addOperatorPage("/readyz", () => answerReadiness(state));
  addOperatorPage("/metrics", (request) => answerMetrics(state, request));
  addOperatorPage(OPENAPI_PATH, async () => makeTextAnswer(200, openapiJson(), JSON_TYPE));
  for (const url of ["/admin", "/admin/*"]) app.all(url, { config: { label: "/admin" } }, answerRequest);
  app.setNotFoundHandler(answerRequest);
}

type AnswerRoute = { readonly label: string; readonly by: FastifyContextConfig["by"] | "pages" };

function readRoute({ loadPages }: ServerState, { originalUrl, routeOptions }: FastifyRequest): AnswerRoute {
  if (isPagePath(splitRequestTarget(originalUrl).path))
    return { label: "/app", by: loadPages === null ? undefined : "pages" };
  const { label = "other", by } = routeOptions.config;
  return { label, by };
}

function isPagePath(path: string): boolean {
  return path === "/app" || path.startsWith("/app/");
}

/**
 * Answers a request by its headers, if the answer does not depend on the body.
 * @returns null if the request continues immediately, without a check of its key, as most requests
 * without a body do
 */
function answerFromHead(state: ServerState, exchange: HttpExchange): Promise<void> | null {
  const { request, head, by } = exchange;
  const fault = findHeadFault(request.raw);
  if (fault !== null) return answerEarly(state, exchange, state.service.handle({ ...head, body: null }, fault), true);
  if (by === "operator" || by === "stream") return null;
  const bytes = readDeclaredLength(request.raw);
  return bytes === 0 && tryAdmit(state, exchange, 0) ? null : answerByKey(state, exchange, bytes);
}

/**
 * Checks the key of a request. Runs before the body is read, and before a request is refused
 * because the service is overloaded.
 */
async function answerByKey(state: ServerState, exchange: HttpExchange, bytes: number): Promise<void> {
  const { request, reply, head, taken } = exchange;
  const answerer = await chooseAnswerer(state, exchange);
  const refusal = await answerer.admit?.(head, bytes);
  if (refusal != null) return answerEarly(state, exchange, refusal);
  if (bytes === 0 || !tryAdmit(state, exchange, bytes)) {
    return answerEarly(state, exchange, answerer.handle({ ...head, body: null }, "overloaded", taken));
  }
  if (requestsBeforeContinue.has(request.raw) && bytes <= MAX_BODY_BYTES) reply.raw.writeContinue();
}

async function answerEarly(
  state: ServerState,
  exchange: HttpExchange,
  answered: MaybePromise<AnyAnswer>,
  isLast = false,
): Promise<void> {
  markAnsweredEarly(exchange.request.raw.socket);
  sendAnswer(state, exchange, await answered, isLast);
}

/**
 * Admits the request if the service has capacity for it; otherwise returns false. An admitted
 * request uses capacity until it ends.
 * @param bytes length of the body that has not arrived yet
 */
function tryAdmit({ admission }: ServerState, { request, reply, head }: HttpExchange, bytes: number): boolean {
  const cutConnection = bytes === 0 ? null : () => void request.raw.destroy();
  const endRequest = admission.begin(Math.min(bytes, MAX_BODY_BYTES), head.path.startsWith("/admin"), cutConnection);
  if (endRequest === null) return false;
  if (cutConnection !== null) request.raw.once("end", () => admission.arrived(endRequest));
  reply.raw.on("close", endRequest);
  return true;
}

function chooseAnswerer({ service, loadPages }: ServerState, { by }: HttpExchange): MaybePromise<Answerer> {
  return by === "pages" ? loadPages!() : service;
}

type ReceivedBody = { readonly text: string | null; readonly fault: BodyFault | null };

function readBody(body: unknown): ReceivedBody {
  if (!Buffer.isBuffer(body)) return { text: null, fault: null };
  return isUtf8(body) ? { text: body.toString("utf8"), fault: null } : { text: null, fault: "unreadable" };
}

async function answerWithBody(
  state: ServerState,
  exchange: HttpExchange,
  { text, fault }: ReceivedBody,
  isLast = false,
): Promise<void> {
  const answerer = await chooseAnswerer(state, exchange);
  const endWork = state.admission.work();
  try {
    const answer = await answerer.handle({ ...exchange.head, body: text }, fault, exchange.taken);
    sendAnswer(state, exchange, answer, isLast);
  } finally {
    endWork();
  }
}

function sendAnswer(state: ServerState, { reply, taken }: HttpExchange, answered: AnyAnswer, isLast = false): void {
  const { status, headers, body } = answered;
  taken.requestId = headers["x-request-id"] ?? null;
  taken.bytes = Buffer.byteLength(body);
  reply.code(status).headers(headers);
  if (isLast || state.isClosing) reply.header("connection", "close");
  reply.send(status === 204 || body === "" ? undefined : body);
  state.unread.watch(reply.raw);
}

async function openStream(state: ServerState, exchange: HttpExchange): Promise<void> {
  const { request, reply, taken } = exchange;
  const requestHead = { ...exchange.head, body: null };
  if (state.streams.size >= MAX_STREAMS) {
    return sendAnswer(state, exchange, await state.service.handle(requestHead, "overloaded"), true);
  }
  const streamAnswer = await state.service.streams!.open(requestHead, taken);
  // Closes the connection of each client whose request for a stream is refused. Thousands of
  // clients may be refused at the same time, and their open connections would take memory.
  if (!("stream" in streamAnswer)) return sendAnswer(state, exchange, streamAnswer, true);
  reply.hijack();
  if (reply.raw.destroyed) return;
  taken.requestId = streamAnswer.headers["x-request-id"] ?? null;
  const endStream = sendStream(reply.raw, streamAnswer);
  state.metrics.countStream(taken, request.raw, reply.raw);
  state.streams.add(endStream);
  reply.raw.once("close", () => state.streams.delete(endStream));
  // RACE: the service may have begun to close while the stream was opened. The stream then ends
  // immediately.
  if (state.isClosing) endStream();
}

/**
 * Answers a request whose body fastify could not read, then closes the connection. After an error
 * of any other kind, closes the connection without an answer.
 */
async function answerFault(state: ServerState, exchange: HttpExchange, error: unknown): Promise<void> {
  const { statusCode = 500, code } = error as { readonly statusCode?: number; readonly code?: string };
  const { request, reply } = exchange;
  const isBodyFault = statusCode < 500 && !reply.raw.destroyed && !request.raw.destroyed;
  if (!isBodyFault) return dropConnection(exchange);
  const fault = code === "FST_ERR_CTP_BODY_TOO_LARGE" ? "too-large" : "unreadable";
  try {
    // The client may still be sending its body, so no other request can use the connection.
    return await answerWithBody(state, exchange, { text: null, fault }, true);
  } catch {
    return dropConnection(exchange);
  }
}

/** Closes the connection without an answer, as if the network had failed. */
function dropConnection({ request, reply }: HttpExchange): void {
  reply.hijack();
  request.raw.socket.destroy();
}

/**
 * Returns the declared length of the body. For a chunked body, which declares no length, returns
 * the longest permitted length.
 */
function readDeclaredLength({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return MAX_BODY_BYTES;
  const length = headers["content-length"];
  return length === undefined ? 0 : Number(length);
}

const openapiJson = once(() => JSON.stringify(openapiDocument()));

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

function makeTextAnswer(status: number, body: string, headers: WireHeaders = {}): WireResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body };
}

async function answerReadiness({ service, isClosing }: ServerState): Promise<WireResponse> {
  if (!isClosing && ((await service.isReady?.()) ?? true)) return makeTextAnswer(200, "ready\n");
  return makeTextAnswer(503, isClosing ? "closing\n" : "not ready\n", { "retry-after": "5" });
}

async function answerMetrics({ service, metrics }: ServerState, request: FastifyRequest): Promise<WireResponse> {
  if (!(await mayReadOperatorPage(request, service))) {
    return makeTextAnswer(401, "to see this page from another machine, send the admin key\n");
  }
  const text = await metrics.metricsText((await service.figures?.()) ?? null);
  return makeTextAnswer(200, text, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
}

/**
 * Returns true if the client may read `/metrics`: a client with the admin key, or a local client. A
 * request with a header of a proxy, such as `Via`, does not count as local.
 */
async function mayReadOperatorPage({ raw }: FastifyRequest, { admit }: ServerState["service"]): Promise<boolean> {
  const isForwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => name in raw.headers);
  const isFromLoopback = /^(?:127\.|::1$|::ffff:127\.)/.test(raw.socket.remoteAddress ?? "");
  if (isFromLoopback && !isForwarded) return true;
  if (admit === undefined) return false;
  return (await admit({ method: "GET", path: "/admin/settings", headers: raw.headers as WireHeaders })) === null;
}

/**
 * Headers that a request may have only once. Of two values, Node uses the first. A proxy that uses
 * the last one would check another host or key than the service uses.
 */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(["host", "authorization"]);

/** Returns the fault in the headers of a request, whatever its path is; null without a fault. */
function findHeadFault({ httpVersion, headers, rawHeaders }: IncomingMessage): BodyFault | null {
  if (httpVersion === "1.1" && headers.host === undefined) return "no-host";
  const seenHeaders = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seenHeaders.has(name)) return "repeated-header";
    seenHeaders.add(name);
  }
  return null;
}
