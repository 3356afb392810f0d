import { html } from "../../../page/html.ts";
import { nameOf } from "../../../page/parts.ts";
import { KEYS } from "../addresses.ts";
import { page, type PageResult } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { titled } from "../title.ts";

/** Shows the text of a new key. A second request finds nothing. */
export function showMade({ once, csrf, query }: PageCall): PageResult {
  const made = once.take(csrf, query.get("shown") ?? "");
  return page({
    title: titled("A new key"),
    here: KEYS,
    main:
      made === null
        ? html`<h1>This key was shown</h1>
<p>A key is shown once. If you lost it, revoke it and create another.</p><p><a href="${KEYS}">All keys</a></p>`
        : html`<h1>The key ${nameOf(made.label)} is created</h1>
<p>This is the key. It is shown only now: store it in a file that only its owner can read.</p>
<pre class="secret" tabindex="0"><code>${made.text}</code></pre>
<p><a href="${KEYS}">All keys</a></p>`,
  });
}
