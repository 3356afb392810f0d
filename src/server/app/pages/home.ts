import { count, plural } from "../../../model/count.ts";
import { html, type Html } from "../../../page/html.ts";
import { actionForm, badgeOf, nameOf } from "../../../page/parts.ts";
import type { Tone } from "../../../page/layout.ts";
import { isRefused } from "../../answer.ts";
import { holderOf } from "../../authenticate.ts";
import { keyInfo } from "../../keys.ts";
import { APP, filesAddress, KEYS, REVIEWS, WORKSPACES, withQuery, workspaceAddress } from "../addresses.ts";
import { NOT_SIGNED_IN, notShown, page, type PageResult, refusedPage } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { contextFor } from "../who.ts";
import { admitByRate } from "../../dispatch.ts";
import { titled } from "../title.ts";

/** The first page: all workspaces for an administrator, else what the key may see. */
export function showHome(call: PageCall): PageResult {
  return call.who.kind === "admin" ? workspacesPage(call) : ownPage(call, call.who.hash);
}

function workspacesPage(call: PageCall): PageResult {
  const workspaces = call.core.admin.workspaces();
  const waiting = workspaces.reduce((sum, { inReview }) => sum + inReview, 0);
  const title = titled(`${waiting === 0 ? "" : `(${count(waiting)}) `}Workspaces`);
  return page({
    title,
    here: APP,
    main: html`<h1>Workspaces</h1>
<p>${
      waiting === 0
        ? html`${badgeOf("good", "nothing waits")} for review.`
        : html`${badgeOf("asks", plural(waiting, "review"))} <a href="${REVIEWS}">to decide</a>.`
    }</p>
${workspaces.length === 0 && html`<p>There is no workspace yet.</p>`}
<ul class="cards">${workspaces.map((one) => workspaceCard(one, call))}</ul>
<h2>A new workspace</h2>
${actionForm(
  { action: WORKSPACES, csrf: call.csrf },
  html`<span class="row"><label for="name">Name</label><input id="name" name="name" required maxlength="200">
<button>Make it</button></span>`,
)}`,
  });
}

type Workspace = ReturnType<PageCall["core"]["admin"]["workspaces"]>[number];

const TONES: Readonly<Record<Workspace["state"], Tone>> = { open: "good", closed: "quiet", restoring: "asks" };

function workspaceCard({ id, name, state, documents, inReview }: Workspace, { csrf }: PageCall): Html {
  const [wanted, verb] = state === "open" ? ["closed", "Close"] : ["open", "Open"];
  const fields = { state: wanted! };
  const waits = plural(inReview, "review");
  return html`<li class="card"><h2>${nameOf(name)}</h2>
<p>${badgeOf(TONES[state], state)} <a href="${filesAddress(id, "")}">${plural(documents, "document")}</a>,
<a href="${withQuery(REVIEWS, { workspace: id })}">${waits} waiting</a>,
<a href="${withQuery(KEYS, { workspace: id })}">its keys</a></p>
<div class="row">${actionForm({ action: `${workspaceAddress(id)}/state`, csrf, fields }, html`<button>${verb} ${nameOf(name)}</button>`)}
<a class="button" href="${workspaceAddress(id)}/remove">Remove ${nameOf(name)} …</a></div></li>`;
}

/** Lists the key's grants: they lead to what it may see even where the folder above is hidden. */
function ownPage(call: PageCall, hash: Buffer): PageResult {
  const { core, who } = call;
  const holder = holderOf(core.server, hash);
  if (holder === undefined) return notShown(NOT_SIGNED_IN);
  const context = contextFor(core, who, holder.key.workspaceId, admitByRate(core));
  if (isRefused(context)) return refusedPage(context);
  const { workspace } = context;
  const { label, grants, grantPaths } = keyInfo(core.server, holder.key);
  const seen = grants.flatMap(({ level }, at) => (level === "none" ? [] : [{ level, path: grantPaths[at]! }]));
  return page({
    title: titled(`Documents of ${workspace.name}`),
    here: APP,
    main: html`<h1>${nameOf(workspace.name)}</h1>
<p>Signed in with the key ${label === "" ? "without a label" : nameOf(label)}. It may see:</p>
${
  seen.length === 0
    ? html`<p class="notice quiet">Nothing: the key has no grant. Who made it can give it one.</p>`
    : html`<ul class="entries">${seen.map(
        ({ path, level }) =>
          html`<li><a href="${filesAddress(workspace.id, path.slice(1))}">${path === "/" ? "everything" : nameOf(path)}</a>
<span class="faint">${level}</span></li>`,
      )}</ul>`
}`,
  });
}
