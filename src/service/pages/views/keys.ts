import { html, type Html } from "../../../page/html.ts";
import { ageOf, badgeOf, nameOf } from "../../../page/parts.ts";
import { isRefused } from "../../requests/answer.ts";
import type { KeyInfo } from "../../keys/keys.ts";
import { KEYS, keyAddress, withQuery } from "../addresses.ts";
import { page, type PageResult, refusedPage } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { titled } from "../title.ts";
import { workspaceNames } from "../workspaces.ts";

/** LIMIT: keys on one page. */
const MOST = 100;

export async function showKeys({ core, query, now }: PageCall): Promise<PageResult> {
  const workspaceId = query.get("workspace");
  const from = /^\d{1,9}$/.test(query.get("from") ?? "") ? Number(query.get("from")) : 0;
  const listed = await core.admin.keyPage({ workspaceId, from, most: MOST + 1 });
  if (isRefused(listed)) return refusedPage(listed);
  const keys = listed.slice(0, MOST);
  const names = await workspaceNames(core);
  const fresh = withQuery(`${KEYS}/new`, { workspace: workspaceId });
  const more = { workspace: workspaceId, from: String(from + MOST) };
  return page({
    title: titled("Keys"),
    here: KEYS,
    main: html`<h1>Keys${workspaceId !== null && html` of ${nameOf(names.get(workspaceId) ?? workspaceId)}`}</h1>
<p class="row"><a class="button main-action" href="${fresh}">A new key …</a></p>
${
  keys.length === 0
    ? html`<p class="notice quiet">${from === 0 ? "There are no keys." : "There are no more."}</p>`
    : html`<ul class="cards">${keys.map((key) => keyCard(key, names.get(key.workspaceId) ?? null, now))}</ul>`
}
<nav aria-label="Parts of the list" class="row">${
      from > 0 && html`<a class="button" href="${withQuery(KEYS, { workspace: workspaceId })}">First page</a>`
    }${listed.length > MOST && html`<a class="button" href="${withQuery(KEYS, more)}">Next</a>`}</nav>`,
  });
}

function keyCard(key: KeyInfo, workspace: string | null, now: number): Html {
  return html`<li class="card"><h2><a href="${keyAddress(key.id)}">${labelOf(key)}</a></h2>
${keyFacts(key, workspace, now)}</li>`;
}

export function labelOf({ label, id }: KeyInfo): Html {
  return label === "" ? html`Without a label (${id})` : nameOf(label);
}

/** @param workspace name of the workspace; null if it was removed */
export function keyFacts(key: KeyInfo, workspace: string | null, now: number): Html {
  const { lastUsedAt, expiresAt, rateLimit } = key;
  return html`<dl class="facts"><dt>Access</dt><dd>${grantsOf(key)}</dd>
<dt>Workspace</dt><dd>${workspace === null ? "(gone)" : nameOf(workspace)}</dd>
<dt>Last used</dt><dd>${lastUsedAt === null ? "never" : html`${ageOf(lastUsedAt, now)} ago`}</dd>
<dt>Expires</dt><dd>${expiryOf(expiresAt, now)}</dd>
<dt>Rate limit</dt><dd>${rateLimit === null ? "the service's default" : `${rateLimit.requests} requests in ${rateLimit.seconds} s`}</dd></dl>`;
}

function grantsOf({ grants, grantPaths }: KeyInfo): Html {
  if (grants.length === 0) return html`nothing`;
  return html`<ul class="entries">${grants.map(({ level, on }, at) => {
    const waits = on?.startsWith("/") === true;
    return html`<li>${nameOf(grantPaths[at]!)}: ${level}${waits && html` <span class="faint">(nothing at this path)</span>`}</li>`;
  })}</ul>`;
}

function expiryOf(expiresAt: number | null, now: number): Html {
  if (expiresAt === null) return html`never`;
  const date = new Date(expiresAt).toISOString();
  const shown = html`<time datetime="${date}">${date.slice(0, 16).replace("T", " ")} UTC</time>`;
  return expiresAt <= now ? html`${badgeOf("bad", "expired")} ${shown}` : shown;
}
