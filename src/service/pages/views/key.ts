import { html } from "../../../page/html.ts";
import { actionForm } from "../../../page/parts.ts";
import { KEYS, keyAddress } from "../addresses.ts";
import { NO_PAGE, notShown, page, type PageResult } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { keyFields, rowsOf, workspaceOf } from "../key-fields.ts";
import { keyFacts, labelOf } from "./keys.ts";
import { titled } from "../title.ts";

/** Shows one key: its access, and forms to change or revoke it. */
export async function showKey({ core, params, query, csrf, now }: PageCall): Promise<PageResult> {
  const key = await core.admin.key(params[0]!);
  if (key === null) return notShown({ ...NO_PAGE, what: "there is no such key; it may have been revoked" });
  const known = await workspaceOf(core, key.workspaceId);
  const workspace = known?.workspace ?? null;
  const to = keyAddress(key.id);
  const rows = rowsOf(query, key.grants.length + 1);
  return page({
    title: titled(`Key ${key.label}`),
    here: KEYS,
    main: html`<h1>${labelOf(key)}</h1>
${keyFacts(key, workspace?.name ?? null, now)}
${
  known !== null &&
  html`<details class="card"${query.has("rows") && html` open`}><summary>Change it</summary>
${actionForm({ action: to, csrf }, html`${keyFields(known.folders, { key, rows, more: to })}<button class="main-action">Change</button>`)}</details>`
}
<details class="card"><summary>Revoke it</summary>
<p>The service then rejects the key everywhere. This cannot be undone.</p>
${actionForm({ action: `${to}/revoke`, csrf }, html`<button class="danger">Revoke ${labelOf(key)}</button>`)}</details>`,
  });
}
