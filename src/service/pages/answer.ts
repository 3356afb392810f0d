import { PROBLEM_CODES } from "../../contract/problem.ts";
import { html } from "../../page/html.ts";
import type { Content, Notice } from "../../page/layout.ts";
import { nextOf, sentenceView } from "../../page/parts.ts";
import { type Refused, clauseOf } from "../requests/answer.ts";
import { APP, SIGN_IN } from "./addresses.ts";

/** Result of a request for a page, or of a form. */
export type PageResult =
  | { readonly kind: "page"; readonly content: Content }
  /** Redirects the browser to another page, which may show a notice. */
  | { readonly kind: "go"; readonly to: string; readonly notice: Notice | null }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "not-shown"; readonly trouble: PageTrouble };

/** An error to show as a page; `what` and `next` are clauses. */
export type PageTrouble = {
  readonly status: number;
  readonly what: string;
  readonly next: string;
  readonly retryAfter?: string;
};

export function page(content: Content): PageResult {
  return { kind: "page", content };
}

/** Leads to another page, which says `text`. */
export function go(to: string, text: string, { tone = "good", link = null }: Partial<Notice> = {}): PageResult {
  return { kind: "go", to, notice: { tone, text, next: null, link } };
}

export function notShown(trouble: PageTrouble): PageResult {
  return { kind: "not-shown", trouble };
}

/** Returns a page for a refusal of the service. */
export function refusedPage(refused: Refused): PageResult {
  const { status } = PROBLEM_CODES[refused.code];
  const retryAfter = refused.headers["retry-after"];
  const next = status >= 500 || status === 429 ? "try again later" : "go back and choose an existing entry";
  return notShown({
    status,
    what: clauseOf(refused.detail),
    next,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Returns to the page of the form, with the service's refusal as a notice. */
export function refusedForm(to: string, refused: Refused): PageResult {
  return go(to, `${clauseOf(refused.detail)}; nothing was done`, { tone: "bad" });
}

export const NO_PAGE: PageTrouble = { status: 404, what: "there is no such page", next: "go back to the first page" };

export const NOT_SIGNED_IN: PageTrouble = {
  status: 401,
  what: "this browser is not signed in",
  next: "sign in with a key",
};

export const NO_TOKEN: PageTrouble = {
  status: 403,
  what: "this form was not sent from a page of this session; nothing was done",
  next: "go back, reload the page, and try again",
};

/** Returns a page that shows an error and the next step. */
export function troublePage({ status, what, next }: PageTrouble): Content {
  const [href, label] = status === 401 ? [SIGN_IN, "Sign in"] : [APP, "The first page"];
  return {
    title: "Not shown",
    main: html`<h1>This page cannot be shown</h1>
<div class="notice bad"><p>${sentenceView(what)} (${status})</p>${nextOf(next)}</div>
<p><a href="${href}">${label}</a></p>`,
  };
}
