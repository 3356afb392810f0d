import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import type { Admission } from "./admission.ts";
import { type BodyFault, MAX_BODY_BYTES } from "./body.ts";
import type { PageAnswer } from "./app/site.ts";
import { markAnsweredEarly } from "./http-broken.ts";
import { wireHeaders } from "./http-headers.ts";
import { isPagePath, type LoadPages } from "./http-pages.ts";
import type { RequestHead } from "./dispatch.ts";
import type { ServiceWire } from "./service.ts";

export type HttpService = {
  readonly handle: ServiceWire;
  /**
   * Judges a request by its headers, before its body is read.
   * @returns the answer if the body need not be read, else null
   */
  readonly admit?: (head: RequestHead) => WireResponse | null;
  /** For `/metrics`. */
  readonly figures?: () => { readonly documents: number; readonly indexing: number };
};

/** What answers a request: the service, or its pages. */
type Answerer = {
  readonly handle: (request: WireRequest, fault: BodyFault | null) => Promise<Answered>;
  readonly admit?: (head: RequestHead) => Answered | null;
};

type Answered = WireResponse | PageAnswer;

/** Requests whose clients wait for permission to send the body. */
type Expecting = WeakMap<IncomingMessage, "continue" | "something-else">;

/** @param loadPages null: `/app` is the service's, which knows no such path */
export function mountService(
  app: FastifyInstance,
  service: HttpService,
  { admission, loadPages }: { readonly admission: Admission; readonly loadPages: LoadPages | null },
): void {
  const expecting: Expecting = new WeakMap();
  listenForExpectations(app, expecting);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.addHook("onRequest", async (request, reply) => {
    // What an operator asks is answered already.
    if (reply.sent) return;
    const answerer = isForPages(request, loadPages) ? await pagesFor(request, loadPages) : service;
    const refused = await refuseEarly(request, reply, answerer, admission, expecting);
    if (refused === null) {
      if (expecting.get(request.raw) === "continue" && sentLength(request) <= MAX_BODY_BYTES) reply.raw.writeContinue();
      return;
    }
    markAnsweredEarly(request.raw.socket);
    await respond(reply, refused);
  });
  const answer = async (request: FastifyRequest, reply: FastifyReply, fault: BodyFault | null) => {
    const body = fault === null ? readText(request.body) : null;
    const unread = body === "unreadable" ? "unreadable" : fault;
    try {
      const text = unread === null ? textOf(body) : null;
      const answerer = isForPages(request, loadPages) ? await pagesFor(request, loadPages) : service;
      return await respond(reply, await answerer.handle({ ...headOf(request), body: text }, unread));
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

function isForPages({ originalUrl }: FastifyRequest, loadPages: LoadPages | null): loadPages is LoadPages {
  return loadPages !== null && isPagePath(originalUrl);
}

async function pagesFor(request: FastifyRequest, loadPages: LoadPages): Promise<Answerer> {
  const pages = await loadPages();
  const from = request.raw.socket.remoteAddress ?? "";
  return {
    handle: async (asked, fault) => pages.handle(asked, fault, from),
    admit: (head) => pages.admit(head, sentLength(request)),
  };
}

function listenForExpectations(app: FastifyInstance, expecting: Expecting): void {
  const pass = (what: "continue" | "something-else") => (request: IncomingMessage, response: ServerResponse) => {
    expecting.set(request, what);
    app.server.emit("request", request, response);
  };
  app.server.on("checkContinue", pass("continue"));
  app.server.on("checkExpectation", pass("something-else"));
}

/** @returns the answer to a request before its body is read, or null */
async function refuseEarly(
  request: FastifyRequest,
  reply: FastifyReply,
  { handle, admit }: Answerer,
  admission: Admission,
  expecting: Expecting,
): Promise<Answered | null> {
  const head = headOf(request);
  const told = (fault: BodyFault) => handle({ ...head, body: null }, fault);
  if (request.raw.httpVersion === "1.1" && request.headers.host === undefined) return told("no-host");
  if (expecting.get(request.raw) === "something-else") return told("unknown-expectation");
  const refused = admit?.(head) ?? null;
  if (refused !== null) return refused;
  const end = admission.begin(Math.min(sentLength(request), MAX_BODY_BYTES), head.path.startsWith("/admin"));
  if (end === null) return told("overloaded");
  reply.raw.once("close", end);
  return null;
}

/** The bytes of a body still to come; for one in chunks, the most that it may have. */
function sentLength({ headers }: FastifyRequest): number {
  if (headers["transfer-encoding"] !== undefined) return MAX_BODY_BYTES;
  return Number(headers["content-length"] ?? 0);
}

async function respond(reply: FastifyReply, { status, headers, body }: Answered): Promise<FastifyReply> {
  return await reply
    .code(status)
    .headers(headers)
    .send(body === "" ? undefined : typeof body === "string" ? body : Buffer.from(body));
}

function headOf(request: FastifyRequest): Omit<WireRequest, "body"> {
  return { method: request.method, path: request.originalUrl, headers: wireHeaders(request.headers) };
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
