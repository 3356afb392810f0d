/** Serves the pages over HTTP, on loopback only. */

import type { AddressInfo } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Trouble, TroubleError } from "../common/trouble.ts";
import type { ConnectionEnds, PeerUser } from "../mirror/trust/peer.ts";
import { ASSETS, type Bundle } from "../page/bundle.ts";
import { ASSET_HEADERS, ENTER_HEADERS, PAGE_HEADERS } from "../page/headers.ts";
import { type Content, type Frame, renderPage } from "../page/layout.ts";
import type { Origins } from "../page/same-site.ts";
import { type Browsers, isSentByOwnPage, type Session, type Tickets } from "../page/sessions.ts";
import type { Done, UiAction } from "./action.ts";
import { ACTIONS, runLink } from "./actions.ts";
import { LINK, mirrorAddress, SIGN_OUT } from "./addresses.ts";
import { FAULT } from "./jobs.ts";
import { noticeOfTrouble } from "./messages.ts";
import { type PageRequest, resultsOf, sectionsOf, switcherOf, type Ui, type UiPage } from "./page.ts";
import {
  NO_PAGE,
  NO_TOKEN,
  NOT_SIGNED_IN,
  refusedTrouble,
  SIGNED_OUT,
  SPENT_TICKET,
  troublePage,
} from "./pages/trouble.ts";
import { Peers } from "./peers.ts";
import { PAGES } from "./table.ts";
import { DOCS_ADDRESS } from "./user-docs.ts";
import type { Notices } from "../page/notices.ts";

/**
 * LIMIT: bytes in the body of a form. The longest document needs a third of this, percent-encoded.
 */
const MAX_BODY = 2 * 1024 * 1024;
/** LIMIT: characters in one parameter of a route, which may be the whole path of a document. */
const MAX_PART = 8_192;
/** LIMIT: open connections of all browsers together. */
const MAX_CONNECTIONS = 128;
/** Milliseconds between two reads of an open page by its script. */
const REFRESH_MS = 1_000;
/** Milliseconds between two checks for requests that arrive too slowly. */
const CHECK_MS = 5_000;

type Site = {
  readonly ui: Ui;
  readonly origins: Origins;
  /** Signed-in browsers. All of them belong to the user who runs this process. */
  readonly browsers: Browsers<null>;
  /** Secrets for sign-in addresses. Each secret signs in one browser. */
  readonly tickets: Tickets;
  readonly notices: Notices;
  readonly bundle: Bundle;
  readonly onFault: (error: unknown) => void;
  readonly peerOf: (ends: ConnectionEnds) => PeerUser;
  /**
   * Milliseconds within which the headers of a request must arrive. A whole request has three times
   * as long.
   */
  readonly arriveMs: number;
};

/** Values for the parts of a page around its content, and the HTTP status. */
type FrameValues = Pick<Frame, "sections" | "switcher" | "address"> & {
  readonly status: number;
  readonly session: Who;
};

type Listening = {
  readonly port: number;
  close(): Promise<void>;
};

/**
 * Starts the server.
 * @throws the system's error if the port cannot be used, such as EADDRINUSE
 */
export async function listen(site: Site, port: number): Promise<Listening> {
  const { fastify } = await import("fastify");
  const app = fastify({
    bodyLimit: MAX_BODY,
    routerOptions: { maxParamLength: MAX_PART },
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: site.arriveMs * 3,
    http: { headersTimeout: site.arriveMs, connectionsCheckingInterval: Math.min(CHECK_MS, site.arriveMs) },
  });
  const peers = new Peers(app.server, site.peerOf);
  app.server.maxConnections = MAX_CONNECTIONS;
  mount(app, site);
  await app.listen({ host: "127.0.0.1", port });
  const listened = (app.server.address() as AddressInfo).port;
  await peers.prove(listened);
  return { port: listened, close: () => app.close() };
}

function mount(app: FastifyInstance, site: Site): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) => {
    done(null, new URLSearchParams(body as string));
  });
  app.addHook("onRequest", async (request, reply) => {
    const { method, headers, raw } = request;
    // A request with two `Host` headers is refused, because a proxy or browser may use the second
    // one, while Node reads the first.
    const hosts = raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
    const refusal = hosts.length > 1 ? "host" : site.origins.refusal(method, headers);
    if (refusal !== null) return sendTrouble(site, reply, refusedTrouble(refusal), 403);
    // No file name contains NUL, so no page can have this address.
    if (request.url.split("?", 1)[0]!.includes("%00")) return sendTrouble(site, reply, NO_PAGE, 404);
  });
  app.setNotFoundHandler((_request, reply) => sendTrouble(site, reply, NO_PAGE, 404));
  app.setErrorHandler((error, _request, reply) => answerError(site, reply, error));
  app.get(`${ASSETS}:name`, (request, reply) => sendAsset(site, request, reply));
  app.get("/enter", (request, reply) => enter(site, request, reply));
  mountForms(app, site);
  for (const page of PAGES) {
    app.get(page.path, (request, reply) => showPage(site, page, request, reply));
    if (page.path === `/m/:name/${page.section}*`)
      app.get(page.path.slice(0, -2), (request, reply) => reply.redirect(`${request.url.split("?", 1)[0]}/`));
  }
}

async function showPage(site: Site, page: UiPage, request: FastifyRequest, reply: FastifyReply) {
  const session = site.browsers.sessionOf(request.headers);
  if (session === null) return sendTrouble(site, reply, NOT_SIGNED_IN, 401);
  const pageRequest = await readRequest(site, request, session);
  const { address } = pageRequest;
  const around = { session, address, sections: sectionsOf(page, pageRequest), switcher: switcherOf(pageRequest) };
  try {
    const shown = await page.show(site.ui, pageRequest);
    const refreshMs = page.isLive === false ? null : REFRESH_MS;
    const notices = [...site.notices.of(pageRequest.query), ...resultsOf(pageRequest)];
    return send(site, reply, { ...shown, refreshMs, notices }, { ...around, status: 200 });
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    const shown = troublePage(error.trouble, around.sections?.label ?? null);
    return send(site, reply, shown, { ...around, status: STATUS[error.trouble.kind] });
  }
}

type Form = { readonly session: Session<null>; readonly fields: URLSearchParams };

/** Adds the routes of forms. A form is accepted only from a page of the same session. */
function mountForms(app: FastifyInstance, site: Site): void {
  const mountForm = (path: string, run: (form: Form, request: FastifyRequest, reply: FastifyReply) => unknown) =>
    app.post(path, (request, reply) => {
      const session = site.browsers.sessionOf(request.headers);
      const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      if (session === null) return sendTrouble(site, reply, NOT_SIGNED_IN, 401);
      const isFromPage = isSentByOwnPage(session, fields.get("csrf"));
      return isFromPage ? run({ session, fields }, request, reply) : sendTrouble(site, reply, NO_TOKEN, 403, session);
    });
  mountForm(LINK, async ({ fields }, _request, reply) => go(site, reply, LINK, () => runLink(site.ui, fields)));
  mountForm(SIGN_OUT, (_form, request, reply) => {
    reply.header("set-cookie", site.browsers.signOut(request.headers));
    return send(site, reply, SIGNED_OUT, { status: 200, session: null });
  });
  for (const action of ACTIONS)
    mountForm(`/m/:name/${action.path}`, (form, request, reply) => runAction(site, action, form, request, reply));
}

async function runAction(
  site: Site,
  action: UiAction,
  { session, fields }: Form,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const pageRequest = await readRequest(site, request, session);
  const folder = site.ui.folders.ofForm(pageRequest.all, pageRequest.params["name"]!, fields);
  if (folder.kind === "trouble") return sendTrouble(site, reply, folder.trouble, 409, session);
  const actionRequest = { ...pageRequest, form: fields, folder: folder.value };
  const page = mirrorAddress(folder.value.name, action.page(actionRequest));
  return go(site, reply, page, () => action.run(site.ui, actionRequest));
}

/**
 * Runs an action, then redirects to the next page. If the action fails, that page shows the error.
 * @param page address of the next page, unless the action returns another one
 */
async function go({ notices }: Site, reply: FastifyReply, page: string, run: () => Done | Promise<Done>) {
  const { to = page, notice } = await noticed(run);
  return reply.code(303).headers(PAGE_HEADERS).header("location", notices.at(to, notice)).send();
}

async function noticed(run: () => Done | Promise<Done>): Promise<Done> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    return { notice: noticeOfTrouble(error.trouble) };
  }
}

async function enter(site: Site, request: FastifyRequest, reply: FastifyReply) {
  // A browser may load a page before the user opens it. Such a request must not use up the ticket.
  const isAhead = request.headers["sec-purpose"] !== undefined || request.headers["purpose"] !== undefined;
  const ticket = queryOf(request).get("token");
  if (isAhead || ticket === null || !site.tickets.take(ticket)) return sendTrouble(site, reply, SPENT_TICKET, 403);
  const cookie = site.browsers.signIn(null, request.headers.host);
  return reply.code(303).headers(ENTER_HEADERS).header("set-cookie", cookie).header("location", "/").send();
}

async function sendAsset({ bundle }: Site, request: FastifyRequest, reply: FastifyReply) {
  const asset = bundle.assets.get(paramsOf(request)["name"]!);
  if (asset === undefined) return reply.code(404).headers(PAGE_HEADERS).send();
  return reply.headers({ ...ASSET_HEADERS, "content-type": asset.type }).send(asset.bytes);
}

const STATUS: Readonly<Record<Trouble["kind"], number>> = { usage: 404, fault: 500, locked: 423, offline: 502 };

/**
 * Sends the page for an exception. Errors with a status below 500 are refusals by fastify; any
 * other error is a bug in mdmirror.
 */
function answerError(site: Site, reply: FastifyReply, error: unknown) {
  const { statusCode = 500, code = null } = error as { readonly statusCode?: number; readonly code?: string };
  if (statusCode >= 500) {
    site.onFault(error);
    return sendTrouble(site, reply, FAULT, 500);
  }
  const refused = { kind: "usage", what: "this request is not understood", next: NO_TOKEN.next, code } as const;
  return sendTrouble(site, reply, refused, statusCode);
}

async function readRequest({ ui }: Site, request: FastifyRequest, { csrf }: Session<null>): Promise<PageRequest> {
  const all = await ui.folders.read();
  const address = request.url.split("?", 1)[0]!;
  return { params: paramsOf(request), query: queryOf(request), all, address, now: ui.clock.now(), csrf };
}

function paramsOf({ params }: FastifyRequest): PageRequest["params"] {
  return params as PageRequest["params"];
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.split("?").slice(1).join("?"));
}

function sendTrouble(site: Site, reply: FastifyReply, trouble: Trouble, status: number, session: Who = null) {
  return send(site, reply, troublePage(trouble, null), { status, session });
}

const HELP = { href: DOCS_ADDRESS, label: "Help" };

type Who = Session<null> | null;

function send({ bundle }: Site, reply: FastifyReply, content: Content, { status, session, ...around }: FrameValues) {
  const frame: Frame = {
    ...around,
    brand: { href: "/", label: "mdmirror" },
    nav: session === null ? [] : [HELP, { href: SIGN_OUT, label: "Sign out" }],
    bundle,
    csrf: session?.csrf ?? null,
  };
  const text = renderPage(frame, content);
  return reply
    .code(status)
    .headers({ ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8" })
    .send(text);
}
