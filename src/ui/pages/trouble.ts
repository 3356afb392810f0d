import { ok, type Trouble } from "../../common/trouble.ts";
import { html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { nextOf } from "../../page/next-step.ts";
import { actionForm, sentenceView } from "../../page/parts.ts";
import { SIGN_OUT } from "../addresses.ts";
import type { UiPage } from "../page.ts";
import { explained } from "../parts.ts";

/** Shows an error and the next step instead of a page. */
export function troublePage({ what, code = null, requestId = null, next }: Trouble): Content {
  const origin = [
    code === null ? null : explained(code, sentenceView(code)),
    requestId === null ? null : sentenceView(`request ${requestId}`),
  ].filter((one) => one !== null);
  return {
    title: "Not shown · mdmirror",
    announcement: what,
    main: html`<h1>This page cannot be shown</h1>
<div class="notice bad"><p>${sentenceView(what)}${origin.length > 0 && html` (${origin.map((one, at) => html`${at > 0 && ", "}${one}`)})`}</p>${nextOf(next)}</div>
<p><a href="/">All linked folders</a></p>`,
  };
}

export const NOT_SIGNED_IN: Trouble = {
  kind: "usage",
  what: "this browser is not signed in",
  next: "run mdmirror ui in a terminal; the address that it prints opens this page, once",
  code: "not-signed-in",
};

export const TOO_MANY: Trouble = {
  kind: "usage",
  what: "too many pages are open",
  next: "close some, then reload this one",
  code: "too-many-pages",
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

/** Asks for confirmation before this browser is signed out. */
export const LEAVE: UiPage = {
  path: SIGN_OUT,
  isLive: false,
  show: (_ui, { csrf }) =>
    ok({
      title: "Sign out · mdmirror",
      here: SIGN_OUT,
      main: html`<h1>Sign out</h1>
<p>This browser no longer has access. Syncing continues; <code>mdmirror ui</code> opens a page again.</p>
${actionForm({ action: SIGN_OUT, csrf }, html`<button class="main-action">Sign out</button>`)}`,
    }),
};

export const SIGNED_OUT: Content = {
  title: "Signed out · mdmirror",
  main: html`<h1>Signed out</h1>
<p>This browser is signed out. <code>mdmirror ui</code>, in a terminal, opens a page again.</p>`,
};
