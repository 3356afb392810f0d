import { html } from "../../../page/html.ts";
import type { Content } from "../../../page/layout.ts";
import { nextOf, wordsOf } from "../../../page/parts.ts";
import { APP, SIGN_IN } from "../addresses.ts";
import type { PageTrouble } from "../answer.ts";
import { titled } from "../title.ts";

/** Shows a failure in place of a page, and the next step. */
export function troublePage({ status, what, next }: PageTrouble): Content {
  const [href, label] = status === 401 ? [SIGN_IN, "Sign in"] : [APP, "The first page"];
  return {
    title: titled("Not shown"),
    main: html`<h1>This page cannot be shown</h1>
<div class="notice bad"><p>${wordsOf(what)} (${status})</p>${nextOf(next)}</div>
<p><a href="${href}">${label}</a></p>`,
  };
}
