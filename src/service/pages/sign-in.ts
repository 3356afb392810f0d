import { html } from "../../page/html.ts";
import { renderActionForm } from "../../page/parts.ts";
import { SIGN_IN_ADDRESS, SIGN_OUT_ADDRESS } from "./addresses.ts";
import { makePage, type PageResult } from "./answer.ts";
import type { PageCall } from "./call.ts";

/**
 * @param wrong reason why the last attempt to sign in failed, as a clause; null before the first
 * attempt
 */
export function renderSignInPage(wrong: string | null): PageResult {
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

export function showSignOut({ csrf }: PageCall): PageResult {
  return makePage({
    title: "Sign out",
    main: html`<div class="alone"><h1>Sign out</h1>
<p>This browser then needs a key again.</p>
${renderActionForm({ action: SIGN_OUT_ADDRESS, csrf }, html`<button class="main-action">Sign out</button>`)}</div>`,
  });
}
