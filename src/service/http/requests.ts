import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { WireRequest, WireResponse } from "../../contract/wire.ts";
import type { PageAnswer } from "../pages/site.ts";
import { type BodyFault, MAX_BODY_BYTES } from "../requests/body.ts";
import type { RequestHead } from "../requests/dispatch.ts";
import type { Taken } from "./access-entry.ts";
import { sendStream, sendWhole, type WholeAnswer } from "./write-answer.ts";
import { markAnsweredEarly } from "./broken.ts";
import type { Desk, Eventually } from "./desk.ts";
import { headersOf, headFault } from "./head.ts";
import { isPagePath, type LoadPages } from "./pages.ts";
import { splitTarget } from "../requests/router.ts";
import { isUtf8 } from "node:buffer";

/** Routes for an operator's programs: `/healthz`, `/readyz` and `/metrics`. */

const PLAIN = "text/plain; charset=utf-8";

/** @returns null: the path is not theirs */
function answerOperator(desk: Desk, { method, path: target }: RequestHead, request: IncomingMessage) {
  if (method !== "GET" || target.startsWith("/v1/")) return null;
  switch (splitTarget(target).path) {
    case "/healthz":
      return text(200, "ok\n");
    case "/readyz":
      return readiness(desk);
    case "/metrics":
      return metrics(desk, request);
    default:
      return null;
  }
}

/** For what stands before several processes: whether this one can serve now. */
async function readiness({ service, isClosing }: Desk): Promise<WholeAnswer> {
  if (isClosing) return notReady("closing");
  return ((await service.isReady?.()) ?? true) ? text(200, "ready\n") : notReady("not ready");
}

async function metrics({ service, watch }: Desk, request: IncomingMessage): Promise<WholeAnswer> {
  if (!(await mayRead(request, service))) return text(401, "from another machine this page needs the admin key\n");
  return text(200, await watch.metricsText(service), "text/plain; version=0.0.4; charset=utf-8");
}

/**
 * This machine, unless a proxy says that it speaks for another one; else who has the admin key.
 */
async function mayRead(request: IncomingMessage, { admit }: Desk["service"]): Promise<boolean> {
  const { headers, socket } = request;
  const speaksForOther = ["forwarded", "x-forwarded-for", "x-real-ip", "via"].some((name) => name in headers);
  const isLocal = /^(?:127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? "");
  if (isLocal && !speaksForOther) return true;
  if (admit === undefined) return false;
  return (await admit({ method: "GET", path: "/admin/settings", headers: headersOf(request) })) === null;
}

function text(status: number, body: string, type = PLAIN): WholeAnswer {
  return { status, headers: { "content-type": type }, body };
}

function notReady(why: string): WholeAnswer {
  const { status, headers, body } = text(503, `${why}\n`);
  return { status, headers: { ...headers, "retry-after": "5" }, body };
}

/** The way of a request from Node's parser to the service, and of the answer back. */

/** What answers a request: the service, or its pages. */
type Answerer = {
  readonly handle: (request: WireRequest, fault: BodyFault | null, taken?: Taken) => Promise<Answered>;
  readonly admit?: (head: RequestHead) => Eventually<Answered | null>;
};

type Answered = WireResponse | PageAnswer;

/** LIMIT: streams at a time; they leave connections to the others. */
const MAX_STREAMS = 6_000;

/** A request, its answer, and whether its client waits for permission to send the body. */
type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the figures and the log are told of it. */
  readonly taken: Taken;
  readonly head: RequestHead;
  readonly expects: "nothing" | "continue" | "something-else";
};

export function answerRequests(server: Server, desk: Desk): void {
  const take = (expects: Exchange["expects"]) => (request: IncomingMessage, response: ServerResponse) => {
    void serve(desk, request, response, expects);
  };
  server.on("request", take("nothing"));
  server.on("checkContinue", take("continue"));
  server.on("checkExpectation", take("something-else"));
}

/** What fails here ends the connection, like a lost one. */
async function serve(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
  expects: Exchange["expects"],
): Promise<void> {
  desk.begun++;
  const taken = desk.watch.begin(request, response);
  try {
    if (desk.held !== null) await desk.held;
    const head = { method: request.method!, path: request.url!, headers: headersOf(request) };
    await answer(desk, { request, response, taken, head, expects });
  } catch {
    request.socket.destroy();
  }
}

async function answer(desk: Desk, exchange: Exchange): Promise<void> {
  const { request, head, taken } = exchange;
  const unfit = headFault(request);
  if (unfit !== null) {
    markAnsweredEarly(request.socket);
    return send(desk, exchange, await desk.service.handle({ ...head, body: null }, unfit), true);
  }
  const own = answerOperator(desk, head, request);
  if (own !== null) return send(desk, exchange, await own);
  if (isForStream(desk, head)) return openStream(desk, exchange);
  const answerer = isForPages(desk, head) ? await pagesFor(request, desk.loadPages!) : desk.service;
  const refused = await refuseEarly(desk, exchange, answerer);
  if (refused !== null) {
    markAnsweredEarly(request.socket);
    return send(desk, exchange, refused);
  }
  if (exchange.expects === "continue" && sentLength(request) <= MAX_BODY_BYTES) exchange.response.writeContinue();
  const { text, fault } = (await readBody(request)) ?? NO_BODY;
  const { method, path, headers } = head;
  const end = desk.admission.work();
  let answered: Answered;
  try {
    answered = await answerer.handle({ method, path, headers, body: text }, fault, taken);
  } finally {
    end();
  }
  // Who sends more than may be read goes on sending: the connection cannot be used again.
  send(desk, exchange, answered, fault === "too-large");
}

function send(desk: Desk, { response, taken }: Exchange, answered: Answered, isLast = false): void {
  taken.requestId = answered.headers["x-request-id"] ?? null;
  taken.bytes = sendWhole(response, answered, isLast || desk.isClosing);
  desk.unread.watch(response);
}

/** @returns the answer to a request before its body is read, or null */
async function refuseEarly(
  { admission }: Desk,
  { request, response, head, expects }: Exchange,
  { handle, admit }: Answerer,
): Promise<Answered | null> {
  const told = (fault: BodyFault) => handle({ ...head, body: null }, fault);
  if (expects === "something-else") return told("unknown-expectation");
  const bytes = sentLength(request);
  const refused = bytes === 0 ? null : await admit?.(head);
  if (refused != null) return refused;
  const cut = bytes === 0 ? null : () => void request.destroy();
  const end = admission.begin(Math.min(bytes, MAX_BODY_BYTES), head.path.startsWith("/admin"), cut);
  if (end === null) return (bytes === 0 ? await admit?.(head) : null) ?? told("overloaded");
  if (cut !== null) request.once("end", () => admission.arrived(end));
  response.on("close", end);
  return null;
}

function isForStream({ service: { streams } }: Desk, { method, path }: RequestHead): boolean {
  return streams !== undefined && method === "GET" && splitTarget(path).path === streams.path;
}

async function openStream(desk: Desk, exchange: Exchange): Promise<void> {
  const { response, head, taken } = exchange;
  const request = { ...head, body: null };
  if (desk.streams.size >= MAX_STREAMS) {
    return send(desk, exchange, await desk.service.handle(request, "overloaded"), true);
  }
  const answered = await desk.service.streams!.open(request, taken);
  // Thousands are refused at once, and come back after a while: nothing is kept for them.
  if (!("stream" in answered)) return send(desk, exchange, answered, true);
  if (response.destroyed) return;
  taken.requestId = answered.headers["x-request-id"] ?? null;
  const end = sendStream(response, answered);
  desk.watch.goesOn(exchange.request, response);
  desk.streams.add(end);
  response.once("close", () => desk.streams.delete(end));
  // RACE: the service began to close while the stream was opened.
  if (desk.isClosing) end();
}

function isForPages({ loadPages }: Desk, { path }: RequestHead): boolean {
  return loadPages !== null && isPagePath(path);
}

async function pagesFor(request: IncomingMessage, loadPages: LoadPages): Promise<Answerer> {
  const pages = await loadPages();
  const from = request.socket.remoteAddress ?? "";
  return {
    handle: async (asked, fault) => pages.handle(asked, fault, from),
    admit: (head) => pages.admit(head, sentLength(request)),
  };
}

/** Reads the bodies of requests, each at most as long as the service takes. */

type ReadBody = { readonly text: string | null; readonly fault: BodyFault | null };

const NO_BODY: ReadBody = { text: null, fault: null };
const TOO_LARGE: ReadBody = { text: null, fault: "too-large" };
const UNREADABLE: ReadBody = { text: null, fault: "unreadable" };

const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The bytes of a body still to come; for one in chunks, the most that it may have. */
function sentLength(request: IncomingMessage): number {
  const { headers } = request;
  if (headers["transfer-encoding"] !== undefined) return MAX_BODY_BYTES;
  const length = headers["content-length"];
  return length === undefined ? 0 : Number(length);
}

/** @returns null: the request has none that matters */
function readBody(request: IncomingMessage): Promise<ReadBody> | null {
  const length = sentLength(request);
  if (length === 0 || !WITH_BODY.has(request.method!)) return null;
  return length > MAX_BODY_BYTES ? Promise.resolve(TOO_LARGE) : collect(request);
}

/** Never settles if the connection is lost before the end: then there is nobody to answer. */
function collect(request: IncomingMessage): Promise<ReadBody> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const onData = (part: Buffer) => {
      bytes += part.length;
      parts.push(part);
      if (bytes <= MAX_BODY_BYTES) return;
      request.off("data", onData);
      resolve(TOO_LARGE);
    };
    request.on("data", onData);
    // A connection that is cut is an error of the request; its response's `close` ends the rest.
    request.on("error", () => undefined);
    request.on("end", () => resolve(textOf(parts.length === 1 ? parts[0]! : Buffer.concat(parts))));
  });
}

function textOf(body: Buffer): ReadBody {
  return isUtf8(body) ? { text: body.toString("utf8"), fault: null } : UNREADABLE;
}
