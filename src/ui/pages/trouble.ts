import type { Trouble } from "../../common/trouble.ts";
import { toSentence } from "../../common/shown-words.ts";
import { html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { renderActionForm, renderNextStep, renderSentence } from "../../page/parts.ts";
import { type RequestRefusal, REFUSAL_TEXT } from "../../page/same-site.ts";
import { mirrorAddress, SIGN_OUT_PATH } from "../addresses.ts";
import type { UiPage } from "../page.ts";
import { renderOrigin } from "../parts.ts";

/**
 * Codes of errors that the user can only solve in a terminal. A page about such an error has no
 * link to another page.
 */
const OUTSIDE_CODES: ReadonlySet<string> = new Set(["not-signed-in", "spent"]);

export function makeTroublePage({ what, code = null, requestId = null, next }: Trouble, name: string | null): Content {
  const origin = renderOrigin(code, requestId);
  const isOutside = code !== null && OUTSIDE_CODES.has(code);
  const nextElement = isOutside ? html`<p>${renderSentence(toSentence(next))}</p>` : renderNextStep(next, origin);
  const upLink =
    name === null
      ? html`<a class="button" href="/">All linked folders</a>`
      : html`<a class="button" href="${mirrorAddress(name)}">Back to the folder</a>`;
  return {
    title: "Not shown · mdmirror",
    announcement: what,
    main: html`<h1>${renderSentence(toSentence(what))}</h1>
${nextElement}${!isOutside && html`<p class="row">${upLink}</p>`}`,
  };
}

export function makeRefusalTrouble(refusal: RequestRefusal): Trouble {
  const nextStep = "open the address that mdmirror ui prints, directly, not from another page";
  return { kind: "usage", what: REFUSAL_TEXT[refusal], next: nextStep, code: `other-${refusal}` };
}

export const NO_TOKEN: Trouble = {
  kind: "usage",
  what: "this form was not sent from a page of this session; nothing was done",
  next: "go back, reload the page, and try again",
  code: "no-csrf-token",
};

export const NOT_SIGNED_IN: Trouble = {
  kind: "usage",
  what: "this browser is not signed in",
  next: "run mdmirror ui in a terminal; the address that it prints opens this page, once",
  code: "not-signed-in",
};

export const SPENT_TICKET: Trouble = {
  kind: "usage",
  what: "this address was used already, or is too old",
  next: "run mdmirror ui in a terminal again; it prints a new one",
  code: "spent",
};

export const NO_PAGE: Trouble = {
  kind: "usage",
  what: "there is no such page",
  next: "go back, or open the list of linked folders",
  code: "no-page",
};

export const SIGN_OUT_PAGE: UiPage = {
  path: SIGN_OUT_PATH,
  isLive: false,
  show: (_ui, { csrf }) => ({
    title: "Sign out · mdmirror",
    main: html`<h1>Sign out</h1>
<p>This browser no longer has access. Syncing continues; <code>mdmirror ui</code> opens a page again.</p>
${renderActionForm({ action: SIGN_OUT_PATH, csrf }, html`<button class="main-action">Sign out</button>`)}`,
  }),
};

export const SIGNED_OUT_CONTENT: Content = {
  title: "Signed out · mdmirror",
  main: html`<h1>Signed out</h1>
<p>This browser is signed out. <code>mdmirror ui</code>, in a terminal, opens a page again.</p>`,
};
