import { ok } from "../../common/trouble.ts";
import { html } from "../../page/html.ts";
import { actionForm } from "../../page/parts.ts";
import { SIGN_OUT } from "../addresses.ts";
import type { Content } from "../../page/layout.ts";
import { definePage } from "../page.ts";

/** Asks for confirmation before this browser is signed out. */
export const LEAVE = definePage<null>({
  path: SIGN_OUT,
  isLive: false,
  look: async () => ok(null),
  show: (_model, { csrf }) => ({
    title: "Sign out · mdmirror",
    here: SIGN_OUT,
    main: html`<h1>Sign out</h1>
<p>This browser no longer has access. Syncing continues; <code>mdmirror ui</code> opens a page again.</p>
${actionForm({ action: SIGN_OUT, csrf }, html`<button class="main-action">Sign out</button>`)}`,
  }),
});

export const SIGNED_OUT: Content = {
  title: "Signed out · mdmirror",
  main: html`<h1>Signed out</h1>
<p>This browser is signed out. <code>mdmirror ui</code>, in a terminal, opens a page again.</p>`,
};
