import { toSentence } from "../../common/shown-words.ts";
import { PROBLEM_CODES } from "../../contract/problem.ts";
import { html } from "../../page/html.ts";
import type { Content, Notice } from "../../page/layout.ts";
import { renderNextStep, renderSentence } from "../../page/parts.ts";
import { type Refused, toClause } from "../requests/answer.ts";
import { APP_ADDRESS, SIGN_IN_ADDRESS } from "./addresses.ts";

export type PageResult =
  | ShownPage
  /** Redirects the browser to the page `to`, which shows the notice if it is not null. */
  | { readonly kind: "go"; readonly to: string; readonly notice: Notice | null }
  | Refused;

export type ShownPage = {
  readonly kind: "page";
  readonly content: Content;
  readonly status: number;
  readonly retryAfter?: string | undefined;
};

export function makePage(content: Content, status = 200): ShownPage {
  return { kind: "page", content, status };
}

/** @param text text of the notice: a sentence or a clause */
export function redirectTo(to: string, text: string, { tone = "good", link = null }: Partial<Notice> = {}): PageResult {
  return { kind: "go", to, notice: { tone, text: toSentence(text), link } };
}

/** Redirects the browser to the page of the form, which shows the refusal as a notice. */
export function redirectWithRefusal(to: string, refused: Refused): PageResult {
  return redirectTo(to, `${toClause(refused.detail)}; nothing was done`, { tone: "bad" });
}

const ERROR_TITLES: Readonly<Record<number, string>> = {
  401: "Not signed in",
  404: "Page not found",
  429: "Too many requests",
  500: "The service failed",
  503: "Not available now",
};

/**
 * Returns a page about an error.
 * @param reason a clause
 * @param next the next step as a clause; null for none
 */
export function makeErrorPage(status: number, reason: string, next: string | null, retryAfter?: string): ShownPage {
  const [href, label] = status === 401 ? [SIGN_IN_ADDRESS, "Sign in"] : [APP_ADDRESS, "Start page"];
  const title = ERROR_TITLES[status] ?? "This page cannot be shown";
  const main = html`<div class="alone"><h1>${title}</h1><p>${renderSentence(toSentence(reason))}</p>${next !== null && renderNextStep(toSentence(next))}
<p><a class="button main-action" href="${href}">${label}</a></p></div>`;
  return { kind: "page", content: { title, main }, status, retryAfter };
}

/** @param hasNextStep true if the detail of the refusal already says what to do next */
export function makeRefusalPage({ code, detail, headers }: Refused, hasNextStep = false): ShownPage {
  const { status } = PROBLEM_CODES[code];
  const nextStep = !hasNextStep && (status >= 500 || status === 429) ? "try again later" : null;
  return makeErrorPage(status, toClause(detail), nextStep, headers["retry-after"]);
}

export function makeUnknownPage(reason = "the address is wrong, or its page was removed"): ShownPage {
  return makeErrorPage(404, reason, null);
}

export const NOT_SIGNED_IN = makeErrorPage(401, "this browser is not signed in", "sign in with a key");
