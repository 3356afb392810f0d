/**
 * Answers requests for the web pages of the service. Requests and answers are plain data; `http/`
 * handles the connections.
 */
import { html } from "../../page/html.ts";
import { type Link, renderActionForm } from "../../page/parts.ts";
import {
  APP_ADDRESS,
  DOCUMENTS_ADDRESS,
  KEYS_ADDRESS,
  REVIEWS_ADDRESS,
  SIGN_IN_ADDRESS,
  SIGN_OUT_ADDRESS,
  WORKSPACES_ADDRESS,
} from "./addresses.ts";
import {
  makeErrorPage,
  makePage,
  makeRefusalPage,
  makeUnknownPage,
  NOT_SIGNED_IN,
  type PageResult,
  type ShownPage,
} from "./answer.ts";
import type { FigureSources, PageCall } from "./call.ts";
import { type BodyFault, decodeSegment, refuseRequest } from "../requests/input.ts";
import { makeRouteFinder, splitRequestTarget } from "../requests/router.ts";
import { changeProtection, showFiles } from "./documents.ts";
import { restoreVersion, showHistory } from "./history.ts";
import { changeKey, createKey, createWorkspace, revokeKey, showKey, showKeys, showNewKey } from "./keys.ts";
import { acceptReview, rejectReview, showReview, showReviews } from "./reviews.ts";
import { showSearch } from "./search.ts";
import { showOverview } from "./overview.ts";
import { removeWorkspace, setState, showDocuments, showOwnDocuments, showRemoval } from "./workspaces.ts";
import { explainWait, type SignedInUser, SignInSessions, type UserIdentity } from "./sign-in-sessions.ts";
import { randomBytes } from "node:crypto";
import { shownWords } from "../../common/shown-words.ts";
import type { WireRequest } from "../../contract/wire.ts";
import type { Bundle } from "../../page/bundle.ts";
import {
  ASSET_HEADERS,
  PAGE_HEADERS,
  REFUSAL_TEXT,
  type RequestRefusal,
  type ServedAddress,
} from "../../page/same-site.ts";
import { type Frame, type Notice, Notices, renderPage } from "../../page/layout.ts";
import type { MarkdownRenderer } from "../../page/renderer.ts";
import { isSentByOwnPage, type Session } from "../../page/sessions.ts";
import { newId } from "../requests/context.ts";
import {
  DISK_FULL_RETRY_AFTER,
  refuseBusy,
  refuseClosing,
  type RequestHead,
  type ServiceCore,
} from "../requests/dispatch.ts";
import { isDiskFull, StoreBusyError } from "../store/store.ts";

/**
 * @param wrong reason why the last attempt to sign in failed, as a clause; null before the first
 * attempt
 */
function renderSignInPage(wrong: string | null): PageResult {
  const content = {
    title: "Sign in",
    main: html`<div class="alone"><h1>Sign in</h1>
${wrong !== null && html`<p role="alert" class="notice bad" id="wrong">${wrong}</p>`}
<form method="post" action="${SIGN_IN_ADDRESS}">
<input name="username" value="mdmirror" autocomplete="username" hidden>
<span class="field"><label for="key">Key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required maxlength="4096" spellcheck="false"${
      wrong !== null && html` aria-describedby="wrong" aria-invalid="true"`
    }>
<span class="hint">Use the admin key from the data folder of the service, or the key of a workspace, which shows what it may read.</span></span>
<button class="main-action">Sign in</button>
</form>
<p class="hint">You are signed out after two hours without a page, and when the service is started again.</p></div>`,
  };
  return makePage(content, wrong === null ? 200 : 401);
}

function showSignOut({ csrf }: PageCall): PageResult {
  return makePage({
    title: "Sign out",
    main: html`<div class="alone"><h1>Sign out</h1>
<p>This browser then needs a key again.</p>
${renderActionForm({ action: SIGN_OUT_ADDRESS, csrf }, html`<button class="main-action">Sign out</button>`)}</div>`,
  });
}

/**
 * Method and address of a page or form, and the function that answers it. Only the third segment of
 * the address may be `{id}`; `*` at the end matches any text.
 */
type PageRoute = readonly [
  method: "GET" | "POST",
  path: string,
  run: (call: PageCall) => PageResult | Promise<PageResult>,
];

const KEY_ROUTES: readonly PageRoute[] = [
  ["GET", APP_ADDRESS, showOwnDocuments],
  ["GET", DOCUMENTS_ADDRESS, showOwnDocuments],
  ["GET", SIGN_OUT_ADDRESS, showSignOut],
  ["GET", `${DOCUMENTS_ADDRESS}/{id}/files/*`, showFiles],
  ["GET", `${DOCUMENTS_ADDRESS}/{id}/search`, showSearch],
  ["POST", `${DOCUMENTS_ADDRESS}/{id}/protect/*`, changeProtection],
];

/** Routes for administrators. A route that is also in the list for keys replaces that one. */
const ADMIN_ROUTES: readonly PageRoute[] = [
  ...KEY_ROUTES,
  ["GET", APP_ADDRESS, showOverview],
  ["GET", DOCUMENTS_ADDRESS, showDocuments],
  ["GET", `${DOCUMENTS_ADDRESS}/{id}/history/*`, showHistory],
  ["POST", `${DOCUMENTS_ADDRESS}/{id}/restore/*`, restoreVersion],
  ["GET", REVIEWS_ADDRESS, showReviews],
  ["GET", `${REVIEWS_ADDRESS}/{id}`, showReview],
  ["POST", `${REVIEWS_ADDRESS}/{id}/accept`, acceptReview],
  ["POST", `${REVIEWS_ADDRESS}/{id}/reject`, rejectReview],
  ["GET", KEYS_ADDRESS, showKeys],
  ["GET", `${KEYS_ADDRESS}/new`, showNewKey],
  ["POST", KEYS_ADDRESS, createKey],
  ["GET", `${KEYS_ADDRESS}/{id}`, showKey],
  ["POST", `${KEYS_ADDRESS}/{id}`, changeKey],
  ["POST", `${KEYS_ADDRESS}/{id}/revoke`, revokeKey],
  ["POST", WORKSPACES_ADDRESS, createWorkspace],
  ["POST", `${WORKSPACES_ADDRESS}/{id}/state`, setState],
  ["GET", `${WORKSPACES_ADDRESS}/{id}/remove`, showRemoval],
  ["POST", `${WORKSPACES_ADDRESS}/{id}/remove`, removeWorkspace],
];

const makePageFinder = (routes: readonly PageRoute[]) =>
  makeRouteFinder(routes.map(([method, path, run]) => [run, { method, path }]));
const FINDERS = { key: makePageFinder(KEY_ROUTES), admin: makePageFinder(ADMIN_ROUTES) };

/**
 * Matches the address of a folder or document. The second group is the path of the folder or
 * document in the workspace.
 */
const PATH_WITH_REST = /^(\/app\/w\/[^/]+\/(?:files|history|protect|restore)\/)(.*)$/s;

type MatchedRoute = { readonly run: PageRoute[2] } & Pick<PageCall, "id" | "rest">;

/**
 * Returns the page with this address. Returns null if the page does not exist, or if the user `who`
 * may not see the page.
 */
function matchRoute(method: string, path: string, who: UserIdentity): MatchedRoute | null {
  const [, start, rest = ""] = PATH_WITH_REST.exec(path) ?? [];
  const pattern = start === undefined ? path.replace(/^\/app\/$/, APP_ADDRESS) : `${start}*`;
  const route = FINDERS[who.kind](method === "HEAD" ? "GET" : method, pattern);
  return route === null ? null : { run: route.value, id: route.id, rest: decodeSegment(rest) };
}

export type PageAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

const ASSETS_ADDRESS = `${APP_ADDRESS}/assets/`;
/**
 * LIMIT: number of bytes of a form from a client that is not signed in, because anybody can send
 * such a form. The sign-in form is shorter.
 */
const MAX_SIGN_IN_BYTES = 8_192;

/**
 * Data for the tabs of a page. `waiting`: number of open reviews. `path`: path of the request; null
 * if no page has this path.
 */
type TabData = { readonly waiting: number; readonly path: string | null };
type SignedSession = (Session<SignedInUser> & TabData) | null;

type PagesRenderer = { readonly render: MarkdownRenderer; close(): void };

export type PagesContext = {
  readonly served: ServedAddress;
  readonly bundle: Bundle;
  readonly renderer: PagesRenderer;
  readonly operation: FigureSources;
};

const SECRET_BYTES = 32;

export class Pages {
  readonly #core: ServiceCore;
  readonly #sessions: SignInSessions;
  readonly #bundle: Bundle;
  readonly #notices: Notices;
  readonly #renderer: PagesRenderer;
  readonly #operation: FigureSources;

  constructor(core: ServiceCore, { served, bundle, renderer, operation }: PagesContext) {
    const makeSecret = () => randomBytes(SECRET_BYTES).toString("base64url");
    this.#core = core;
    this.#sessions = new SignInSessions(core, { served, secret: makeSecret });
    this.#bundle = { ...bundle, base: ASSETS_ADDRESS };
    this.#notices = new Notices(makeSecret);
    this.#renderer = renderer;
    this.#operation = operation;
  }

  close(): void {
    this.#renderer.close();
  }

  /**
   * Checks a request by its headers.
   * @param bytes size of the body in bytes
   * @returns the answer if it does not depend on the body; null if the body must be read first
   */
  admit(head: RequestHead, bytes: number): Promise<PageAnswer | null> {
    return this.#guarded(() => this.#admit(head, bytes));
  }

  /** @param client.from network address of the client */
  async handle(
    request: WireRequest,
    fault: BodyFault | null,
    { from }: { readonly from: string },
  ): Promise<PageAnswer> {
    const answer = await this.#guarded(() => this.#answer(request, fault, from));
    this.#core.served(request.method !== "GET");
    return answer;
  }

  /** Runs the code of a page. If the code throws, only this page shows an error. */
  async #guarded<T extends PageAnswer | null>(work: () => Promise<T>): Promise<T | PageAnswer> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreBusyError) return this.#end(makeRefusalPage(refuseBusy(error), error.mayBeKept), null);
      this.#core.onFault(error, newId(this.#core.server, "req_"));
      return this.#end(isDiskFull(error) ? DISK_FULL : INTERNAL_ERROR, null);
    }
  }

  async #admit(head: RequestHead, bytes: number): Promise<PageAnswer | null> {
    const refusal = this.#sessions.refusal(head);
    if (refusal !== null) return this.#end(explainRefusal(refusal), null);
    if (!this.#core.isOpen) return this.#end(refuseClosing(), null);
    if (head.method === "GET" || head.method === "HEAD") return null;
    if (head.method !== "POST") return this.#end(WRONG_METHOD, null);
    if (splitRequestTarget(head.path).path !== SIGN_IN_ADDRESS)
      return (await this.#sessions.sessionOf(head.headers)) === null ? this.#end(NOT_SIGNED_IN, null) : null;
    return bytes <= MAX_SIGN_IN_BYTES ? null : this.#end(LONG_KEY, null);
  }

  async #answer(request: WireRequest, fault: BodyFault | null, from: string): Promise<PageAnswer> {
    const bodyRefusal = refuseRequest(fault);
    if (bodyRefusal !== null) return this.#end(bodyRefusal, null);
    const earlyAnswer = await this.#admit(request, 0);
    if (earlyAnswer !== null) return earlyAnswer;
    const { path } = splitRequestTarget(request.path);
    if (path.startsWith(ASSETS_ADDRESS)) return this.#asset(path.slice(ASSETS_ADDRESS.length));
    const form = readForm(request, fault);
    if (path === SIGN_IN_ADDRESS) return this.#signIn(request, form, from);
    const signedInSession = await this.#sessions.sessionOf(request.headers);
    if (signedInSession === null)
      return request.method === "POST" ? this.#end(NOT_SIGNED_IN, null) : redirect(SIGN_IN_ADDRESS);
    const openReviews = signedInSession.who.kind === "admin" ? await this.#core.admin.reviews.waiting() : 0;
    const session = { ...signedInSession, waiting: openReviews, path };
    if (form === null) return this.#end(NOT_A_FORM, session);
    return this.#ofSession(request, form, session);
  }

  async #ofSession(
    request: WireRequest,
    form: URLSearchParams,
    session: Session<SignedInUser> & TabData,
  ): Promise<PageAnswer> {
    const isForm = request.method === "POST";
    if (isForm && !isSentByOwnPage(session, form.get("csrf"))) return this.#end(MISSING_FORM_TOKEN, session);
    const { path, query: text } = splitRequestTarget(request.path);
    if (isForm && path === SIGN_OUT_ADDRESS) return redirect(SIGN_IN_ADDRESS, this.#sessions.signOut(request.headers));
    const { who } = session;
    const matchedRoute = matchRoute(request.method, path, who);
    if (matchedRoute === null) return this.#end(makeUnknownPage(), { ...session, path: null });
    const query = new URLSearchParams(text);
    const { run, ...values } = matchedRoute;
    const call = {
      ...values,
      core: this.#core,
      who,
      origin: request.headers["origin"] ?? "",
      csrf: session.csrf,
      query,
      form,
      now: this.#core.server.now(),
      render: this.#renderer.render,
      operation: this.#operation,
    };
    return this.#end(await run(call), session, this.#notices.of(query));
  }

  async #signIn({ method, headers }: WireRequest, form: URLSearchParams | null, from: string): Promise<PageAnswer> {
    if (method !== "POST") {
      return (await this.#sessions.sessionOf(headers)) === null
        ? this.#end(renderSignInPage(null), null)
        : redirect(APP_ADDRESS);
    }
    const signInResult = await this.#sessions.signIn(form?.get("key") ?? "", { headers, from });
    switch (signInResult.kind) {
      case "in":
        return redirect(APP_ADDRESS, signInResult.cookie);
      case "wrong":
        return this.#end(renderSignInPage("this is not a key of this service"), null);
      case "wait":
        return this.#end(explainWait(signInResult.seconds), null);
    }
  }

  #asset(name: string): PageAnswer {
    const asset = this.#bundle.assets.get(name);
    if (asset === undefined) return { status: 404, headers: PAGE_HEADERS, body: "" };
    return { status: 200, headers: { ...ASSET_HEADERS, "content-type": asset.type }, body: asset.bytes };
  }

  #end(result: PageResult, session: SignedSession, notices: readonly Notice[] = []): PageAnswer {
    if (result.kind === "go") return redirect(this.#notices.at(result.to, result.notice));
    const { content, status, retryAfter } = result.kind === "refused" ? makeRefusalPage(result) : result;
    const headers = {
      ...PAGE_HEADERS,
      "content-type": "text/html; charset=utf-8",
      ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
    };
    // A title may contain names of documents, so unsafe characters are replaced.
    const title = `${shownWords(content.title)} · mdmirror service`;
    return { status, headers, body: renderPage(makeFrame(this.#bundle, session), { ...content, title, notices }) };
  }
}

const FORM_TYPE = "application/x-www-form-urlencoded";

/**
 * Returns the fields of a posted form. Returns an empty object for other methods; null if the body
 * is not a form.
 */
function readForm({ method, headers, body }: WireRequest, fault: BodyFault | null): URLSearchParams | null {
  if (method !== "POST") return new URLSearchParams();
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  return fault !== null || type !== FORM_TYPE ? null : new URLSearchParams(body ?? "");
}

/** @param cookie value of the `Set-Cookie` header; null for none */
function redirect(to: string, cookie: string | null = null): PageAnswer {
  const headers = { ...PAGE_HEADERS, location: to, ...(cookie === null ? {} : { "set-cookie": cookie }) };
  return { status: 303, headers, body: "" };
}

function makeFrame(bundle: Bundle, session: SignedSession): Frame {
  const brand = { href: APP_ADDRESS, label: "mdmirror service" };
  if (session === null) return { brand, nav: [], bundle, csrf: null };
  const adminLinks: Link[] = [
    { href: APP_ADDRESS, label: "Overview" },
    { href: DOCUMENTS_ADDRESS, label: "Documents" },
    { href: REVIEWS_ADDRESS, label: "Reviews", count: session.waiting, tone: "asks" },
    { href: KEYS_ADDRESS, label: "Keys" },
  ];
  const links = session.who.kind === "admin" ? adminLinks : [{ href: DOCUMENTS_ADDRESS, label: "Documents" }];
  const nav = [{ href: SIGN_OUT_ADDRESS, label: "Sign out" }];
  const { path } = session;
  const currentLink = [...links, ...nav].findLast(({ href }) => `${path}/`.startsWith(`${href}/`)) ?? links[0]!;
  const address = path === null ? null : currentLink.href;
  return { brand, nav, sections: { label: "Sections", links }, address, bundle, csrf: session.csrf };
}

function explainRefusal(refusal: RequestRefusal): ShownPage {
  const nextStep =
    refusal === "host"
      ? "use the address that mdmirror serve printed; behind a proxy, start it with --app-origin URL"
      : "open the address directly, not from another page";
  return makeErrorPage(403, REFUSAL_TEXT[refusal], nextStep);
}

const WRONG_METHOD = makeErrorPage(405, "the address is wrong, or its page was removed", null);
const RELOAD_ADVICE = "go back, reload the page, and try again";
const LONG_KEY = makeErrorPage(413, "this is not a key", RELOAD_ADVICE);
const FOREIGN_FORM = "this form was not sent from a page of this session; nothing was done";
const MISSING_FORM_TOKEN = makeErrorPage(403, FOREIGN_FORM, RELOAD_ADVICE);
const NOT_A_FORM = makeErrorPage(415, FOREIGN_FORM, RELOAD_ADVICE);
const DISK_FULL = makeErrorPage(
  503,
  "the disk of the service is full: nothing was saved",
  "free some disk space; reading still works",
  DISK_FULL_RETRY_AFTER,
);
const INTERNAL_ERROR = makeErrorPage(
  500,
  "a fault of the service itself",
  "check the present state before you try again; the log of the service has the cause",
);
