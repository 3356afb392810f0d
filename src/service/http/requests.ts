import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { WireRequest, WireResponse } from "../../contract/wire.ts";
import type { PageAnswer } from "../pages/site.ts";
import type { BodyFault } from "../requests/body.ts";
import type { RequestHead } from "../requests/dispatch.ts";
import type { Taken } from "./access-entry.ts";
import { sendStream, sendWhole } from "./write-answer.ts";
import { MAX_BODY_BYTES } from "../requests/body.ts";
import { NO_BODY, readBody, sentLength } from "./read-body.ts";
import { markAnsweredEarly } from "./broken.ts";
import type { Desk, Eventually } from "./desk.ts";
import { headersOf, headFault } from "./head.ts";
import { answerOperator } from "./operators.ts";
import { isPagePath, type LoadPages } from "./pages.ts";
import { splitTarget } from "../requests/router.ts";

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
