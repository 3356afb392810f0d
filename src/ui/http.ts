/** Serves the pages over HTTP, on loopback only. */
import { type AddressInfo, connect } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Trouble, TroubleError } from "../common/trouble.ts";
import { type ConnectionEnds, isOwnPeer, type PeerUser } from "../mirror/trust/peer.ts";
import { ASSETS, type Bundle } from "../page/bundle.ts";
import { ASSET_HEADERS, ENTER_HEADERS, type Origins, PAGE_HEADERS } from "../page/same-site.ts";
import { type Content, type Frame, type Notices, renderPage } from "../page/layout.ts";
import { type Browsers, isSentByOwnPage, type Session, type Tickets } from "../page/sessions.ts";
import {
  type ActionResult,
  collectResults,
  makeFolderSwitcher,
  makeTabs,
  type PageRequest,
  type Ui,
  type UiAction,
  type UiPage,
} from "./page.ts";
import { ACTIONS, runLink } from "./actions.ts";
import { LINK_PATH, mirrorAddress, SIGN_OUT_PATH } from "./addresses.ts";
import { FAULT_TROUBLE } from "./jobs.ts";
import { makeTroubleNotice } from "./messages.ts";
import {
  makeRefusalTrouble,
  makeTroublePage,
  NO_PAGE,
  NO_TOKEN,
  NOT_SIGNED_IN,
  SIGN_OUT_PAGE,
  SIGNED_OUT_CONTENT,
  SPENT_TICKET,
} from "./pages/trouble.ts";
import { DOCS_ADDRESS, USER_DOC_PAGE, USER_DOCS_PAGE } from "./user-docs.ts";
import { CONFLICT_PAGE } from "./pages/conflict.ts";
import { DOCS_PAGE, WHY_PAGE } from "./pages/docs.ts";
import { DIFF_PAGE, HISTORY_PAGE } from "./pages/history.ts";
import { LINK_PAGE } from "./pages/link.ts";
import { HOME_PAGE, OVERVIEW_PAGE } from "./pages/overview.ts";
import { PROBLEMS_PAGE } from "./pages/problems.ts";
import { REVIEWS_PAGE } from "./pages/reviews.ts";
import { RUN_PAGE, RUNS_PAGE } from "./pages/runs.ts";
import { SEARCH_PAGE } from "./pages/search.ts";
import { SETTINGS_PAGE } from "./pages/settings.ts";
import { STOP_PAGE } from "./pages/stop.ts";
import type { Server } from "node:http";
import { effectiveUser } from "../common/ownership.ts";

/**
 * LIMIT: number of bytes in the body of a form, so that memory stays bounded. The longest document
 * needs a third of these bytes.
 */
const MAX_BODY_BYTES = 2 * 1024 * 1024;
/**
 * LIMIT: number of characters in a parameter of a route. A parameter may be the whole path of a
 * document.
 */
const MAX_PARAMETER_LENGTH = 8_192;
/** LIMIT: number of open connections of all browsers together, so that memory stays bounded. */
const MAX_CONNECTIONS = 128;
/** Milliseconds after which the script of an open page loads the page's content again. */
const REFRESH_MS = 1_000;
/** Milliseconds between two checks for requests that arrive too slowly. */
const CHECK_MS = 5_000;

type UiSite = {
  readonly ui: Ui;
  readonly origins: Origins;
  /** Browsers in which the user of this process has signed in. */
  readonly browsers: Browsers<null>;
  /** Secrets in sign-in addresses. Each secret signs in one browser. */
  readonly tickets: Tickets;
  readonly notices: Notices;
  readonly bundle: Bundle;
  readonly onFault: (error: unknown) => void;
  readonly peerOf: (ends: ConnectionEnds) => PeerUser;
  /**
   * Milliseconds in which the headers of a request must arrive. A whole request may take three
   * times as long.
   */
  readonly arriveMs: number;
};

type PageFrame = Pick<Frame, "sections" | "switcher" | "address"> & {
  readonly status: number;
  readonly session: MaybeSession;
};

type RunningServer = {
  readonly port: number;
  close(): Promise<void>;
};

/**
 * Starts the server.
 * @throws the system's error if the port cannot be used, such as EADDRINUSE
 */
export async function startHttpServer(site: UiSite, port: number): Promise<RunningServer> {
  const { fastify } = await import("fastify");
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: site.arriveMs * 3,
    http: { headersTimeout: site.arriveMs, connectionsCheckingInterval: Math.min(CHECK_MS, site.arriveMs) },
  });
  const peers = new PeerFilter(app.server, site.peerOf);
  app.server.maxConnections = MAX_CONNECTIONS;
  addRoutes(app, site);
  await app.listen({ host: "127.0.0.1", port });
  const listenedPort = (app.server.address() as AddressInfo).port;
  await peers.prove(listenedPort);
  return { port: listenedPort, close: () => app.close() };
}

function addRoutes(app: FastifyInstance, site: UiSite): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) => {
    done(null, new URLSearchParams(body as string));
  });
  app.addHook("onRequest", async (request, reply) => {
    const { method, headers, raw } = request;
    // A request with two `Host` headers is refused. Node reads the first one, but a proxy or
    // browser may use the second one.
    const hosts = raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
    const refusal = hosts.length > 1 ? "host" : site.origins.refusal(method, headers);
    if (refusal !== null) return sendTrouble(site, reply, makeRefusalTrouble(refusal), 403);
    // No file name contains NUL, so an address with NUL has no page.
    if (readAddress(request).includes("%00")) return sendTrouble(site, reply, NO_PAGE, 404);
  });
  app.setNotFoundHandler((_request, reply) => sendTrouble(site, reply, NO_PAGE, 404));
  app.setErrorHandler((error, _request, reply) => sendErrorPage(site, reply, error));
  app.get(`${ASSETS}:name`, (request, reply) => sendAsset(site, request, reply));
  app.get("/enter", (request, reply) => signIn(site, request, reply));
  addFormRoutes(app, site);
  for (const page of PAGES) {
    app.get(page.path, (request, reply) => showPage(site, page, request, reply));
    if (page.path === `/m/:name/${page.section}*`)
      app.get(page.path.slice(0, -2), (request, reply) => reply.redirect(`${readAddress(request)}/`));
  }
}

async function showPage(site: UiSite, page: UiPage, request: FastifyRequest, reply: FastifyReply) {
  const session = site.browsers.sessionOf(request.headers);
  if (session === null) return sendTrouble(site, reply, NOT_SIGNED_IN, 401);
  const pageRequest = await readRequest(site, request, session);
  const { address } = pageRequest;
  const frameValues = {
    session,
    address,
    sections: makeTabs(page, pageRequest),
    switcher: makeFolderSwitcher(pageRequest),
  };
  try {
    const content = await page.show(site.ui, pageRequest);
    const refreshMs = page.isLive === false ? null : REFRESH_MS;
    const notices = [...site.notices.of(pageRequest.query), ...collectResults(pageRequest)];
    return sendPage(site, reply, { ...content, refreshMs, notices }, { ...frameValues, status: 200 });
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    const troubleContent = makeTroublePage(error.trouble, frameValues.sections?.label ?? null);
    return sendPage(site, reply, troubleContent, { ...frameValues, status: STATUS_BY_KIND[error.trouble.kind] });
  }
}

type SentForm = { readonly session: Session<null>; readonly fields: URLSearchParams };

/** Adds the routes of forms. A form is accepted only from a page of the browser's own session. */
function addFormRoutes(app: FastifyInstance, site: UiSite): void {
  const addFormRoute = (path: string, run: (form: SentForm, request: FastifyRequest, reply: FastifyReply) => unknown) =>
    app.post(path, (request, reply) => {
      const session = site.browsers.sessionOf(request.headers);
      const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      if (session === null) return sendTrouble(site, reply, NOT_SIGNED_IN, 401);
      const isFromPage = isSentByOwnPage(session, fields.get("csrf"));
      return isFromPage ? run({ session, fields }, request, reply) : sendTrouble(site, reply, NO_TOKEN, 403, session);
    });
  addFormRoute(LINK_PATH, async ({ fields }, _request, reply) =>
    runAndRedirect(site, reply, LINK_PATH, () => runLink(site.ui, fields)),
  );
  addFormRoute(SIGN_OUT_PATH, (_form, request, reply) => {
    reply.header("set-cookie", site.browsers.signOut(request.headers));
    return sendPage(site, reply, SIGNED_OUT_CONTENT, { status: 200, session: null });
  });
  for (const action of ACTIONS)
    addFormRoute(`/m/:name/${action.path}`, (form, request, reply) => runAction(site, action, form, request, reply));
}

async function runAction(
  site: UiSite,
  action: UiAction,
  { session, fields }: SentForm,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const pageRequest = await readRequest(site, request, session);
  const folder = site.ui.folders.ofForm(pageRequest.all, pageRequest.params["name"]!, fields);
  if (folder.kind === "trouble") return sendTrouble(site, reply, folder.trouble, 409, session);
  const actionRequest = { ...pageRequest, form: fields, folder: folder.value };
  const page = mirrorAddress(folder.value.name, action.page(actionRequest));
  return runAndRedirect(site, reply, page, () => action.run(site.ui, actionRequest));
}

/**
 * Runs an action, then redirects to the next page: the page that the action returns, or else
 * `page`. If the action fails, the next page shows the error.
 */
async function runAndRedirect(
  { notices }: UiSite,
  reply: FastifyReply,
  page: string,
  run: () => ActionResult | Promise<ActionResult>,
) {
  let result: ActionResult;
  try {
    result = await run();
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    result = { notice: makeTroubleNotice(error.trouble) };
  }
  const { to = page, notice } = result;
  return reply.code(303).headers(PAGE_HEADERS).header("location", notices.at(to, notice)).send();
}

async function signIn(site: UiSite, request: FastifyRequest, reply: FastifyReply) {
  // A browser may load a page before the user opens the page. Such a request must not use up the
  // sign-in ticket, which is valid once.
  const isPrefetch = request.headers["sec-purpose"] !== undefined || request.headers["purpose"] !== undefined;
  const ticket = readQuery(request).get("token");
  if (isPrefetch || ticket === null || !site.tickets.take(ticket)) return sendTrouble(site, reply, SPENT_TICKET, 403);
  const cookie = site.browsers.signIn(null, request.headers.host);
  return reply.code(303).headers(ENTER_HEADERS).header("set-cookie", cookie).header("location", "/").send();
}

async function sendAsset({ bundle }: UiSite, request: FastifyRequest, reply: FastifyReply) {
  const asset = bundle.assets.get(readParams(request)["name"]!);
  if (asset === undefined) return reply.code(404).headers(PAGE_HEADERS).send();
  return reply.headers({ ...ASSET_HEADERS, "content-type": asset.type }).send(asset.bytes);
}

const STATUS_BY_KIND: Readonly<Record<Trouble["kind"], number>> = { usage: 404, fault: 500, locked: 423, offline: 502 };

/**
 * Sends the page for an exception. Fastify refuses a request with a status below 500. Every other
 * error is a bug in mdmirror.
 */
function sendErrorPage(site: UiSite, reply: FastifyReply, error: unknown) {
  const { statusCode = 500, code = null } = error as { readonly statusCode?: number; readonly code?: string };
  if (statusCode >= 500) {
    site.onFault(error);
    return sendTrouble(site, reply, FAULT_TROUBLE, 500);
  }
  const refusedRequest = { kind: "usage", what: "this request is not understood", next: NO_TOKEN.next, code } as const;
  return sendTrouble(site, reply, refusedRequest, statusCode);
}

async function readRequest({ ui }: UiSite, request: FastifyRequest, { csrf }: Session<null>): Promise<PageRequest> {
  return {
    params: readParams(request),
    query: readQuery(request),
    all: await ui.folders.read(),
    address: readAddress(request),
    now: ui.clock.now(),
    csrf,
  };
}

function readParams({ params }: FastifyRequest): PageRequest["params"] {
  return params as PageRequest["params"];
}

/** Returns the path of the requested address: encoded, without the query. */
function readAddress({ url }: FastifyRequest): string {
  return url.split("?", 1)[0]!;
}

function readQuery({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.split("?").slice(1).join("?"));
}

function sendTrouble(
  site: UiSite,
  reply: FastifyReply,
  trouble: Trouble,
  status: number,
  session: MaybeSession = null,
) {
  return sendPage(site, reply, makeTroublePage(trouble, null), { status, session });
}

const HELP_LINK = { href: DOCS_ADDRESS, label: "Help" };

type MaybeSession = Session<null> | null;

function sendPage({ bundle }: UiSite, reply: FastifyReply, content: Content, { status, session, ...rest }: PageFrame) {
  const frame: Frame = {
    ...rest,
    brand: { href: "/", label: "mdmirror" },
    nav: session === null ? [] : [HELP_LINK, { href: SIGN_OUT_PATH, label: "Sign out" }],
    bundle,
    csrf: session?.csrf ?? null,
  };
  return reply
    .code(status)
    .headers({ ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8" })
    .send(renderPage(frame, content));
}

const PAGES: readonly UiPage[] = [
  HOME_PAGE,
  LINK_PAGE,
  OVERVIEW_PAGE,
  PROBLEMS_PAGE,
  CONFLICT_PAGE,
  STOP_PAGE,
  DOCS_PAGE,
  WHY_PAGE,
  HISTORY_PAGE,
  DIFF_PAGE,
  RUNS_PAGE,
  RUN_PAGE,
  REVIEWS_PAGE,
  SEARCH_PAGE,
  SETTINGS_PAGE,
  USER_DOCS_PAGE,
  USER_DOC_PAGE,
  SIGN_OUT_PAGE,
];

/**
 * Closes connections of other users of this computer before reading from these connections, because
 * other users may learn the secrets of a session:
 * - A browser sends the cookie for 127.0.0.1 to every port, including ports of other users.
 * - The sign-in ticket is in the arguments of the browser, which all users can see.
 *
 * LIMIT: accepts connections of root. Accepts all connections if the system does not show the user
 * of a connection.
 */
class PeerFilter {
  readonly #peerOf: (ends: ConnectionEnds) => PeerUser;
  #tells = true;

  constructor(server: Server, peerOf: (ends: ConnectionEnds) => PeerUser) {
    this.#peerOf = peerOf;
    // ORDER: this listener must run before the listener of the HTTP server, which reads from the
    // connection.
    server.prependListener("connection", (socket: ConnectionEnds & { destroy(): void }) => {
      if (this.#tells && !isOwnPeer(this.#peerOf(socket))) socket.destroy();
    });
  }

  /**
   * Connects to the process itself, to check that the system reports the right user of a
   * connection. If the report is wrong, the server accepts connections without a check of the user.
   */
  async prove(port: number): Promise<void> {
    const socket = connect(port, "127.0.0.1");
    try {
      await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
      const { localAddress, localPort, remoteAddress, remotePort } = socket;
      const reportedUser = this.#peerOf({
        remoteAddress: localAddress,
        remotePort: localPort,
        localAddress: remoteAddress,
        localPort: remotePort,
      });
      this.#tells = reportedUser === effectiveUser();
    } finally {
      socket.on("error", () => undefined).destroy();
    }
  }
}
