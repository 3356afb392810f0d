import { count, plural } from "../../../common/count.ts";
import { html, type Html } from "../../../page/html.ts";
import { actionForm, badgeOf, nameOf } from "../../../page/parts.ts";
import type { Tone } from "../../../page/layout.ts";
import { isRefused, type Refused } from "../../requests/answer.ts";
import { admitOnce, readerOf } from "../../requests/authenticate.ts";
import { workingIn } from "../../requests/context.ts";
import { admitByRate } from "../../requests/dispatch.ts";
import { type KeyInfo, keyInfos } from "../../keys/keys.ts";
import type { WorkspaceRow } from "../../store/rows.ts";
import { APP, filesAddress, KEYS, REVIEWS, WORKSPACES, withQuery, workspaceAddress } from "../addresses.ts";
import { NOT_SIGNED_IN, notShown, page, type PageResult, refusedPage } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { titled } from "../title.ts";

/** Shows the first page: all workspaces for an administrator, else the grants of the key. */
export function showHome(call: PageCall): Promise<PageResult> {
  return call.who.kind === "admin" ? workspacesPage(call) : ownPage(call, call.who.hash);
}

async function workspacesPage(call: PageCall): Promise<PageResult> {
  const workspaces = await call.core.admin.workspaces();
  const waiting = workspaces.reduce((sum, { inReview }) => sum + inReview, 0);
  const title = titled(`${waiting === 0 ? "" : `(${count(waiting)}) `}Workspaces`);
  return page({
    title,
    here: APP,
    main: html`<h1>Workspaces</h1>
<p>${
      waiting === 0
        ? html`${badgeOf("good", "no reviews")} to decide.`
        : html`${badgeOf("asks", plural(waiting, "review"))} <a href="${REVIEWS}">to decide</a>.`
    }</p>
${workspaces.length === 0 && html`<p>There is no workspace yet.</p>`}
<ul class="cards">${workspaces.map((one) => workspaceCard(one, call))}</ul>
<h2>A new workspace</h2>
${actionForm(
  { action: WORKSPACES, csrf: call.csrf },
  html`<span class="row"><label for="name">Name</label><input id="name" name="name" required maxlength="200">
<button>Create the workspace</button></span>`,
)}`,
  });
}

type Workspace = Awaited<ReturnType<PageCall["core"]["admin"]["workspaces"]>>[number];

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

/** Lists the key's grants: they lead to visible documents even if the folder above is hidden. */
async function ownPage({ core }: PageCall, hash: Buffer): Promise<PageResult> {
  const own = await lookAtOwn(core, hash);
  if (isRefused(own)) return own.code === "unauthenticated" ? notShown(NOT_SIGNED_IN) : refusedPage(own);
  const { workspace } = own;
  const { label, grants, grantPaths } = own.info;
  const seen = grants.flatMap(({ level }, at) => (level === "none" ? [] : [{ level, path: grantPaths[at]! }]));
  return page({
    title: titled(`Documents of ${workspace.name}`),
    here: APP,
    main: html`<h1>${nameOf(workspace.name)}</h1>
<p>Signed in with the key ${label === "" ? "without a label" : nameOf(label)}. It may see:</p>
${
  seen.length === 0
    ? html`<p class="notice quiet">No access: the key has no grant. The person who created it can add one.</p>`
    : html`<ul class="entries">${seen.map(
        ({ path, level }) =>
          html`<li><a href="${filesAddress(workspace.id, path.slice(1))}">${path === "/" ? "everything" : nameOf(path)}</a>
<span class="faint">${level}</span></li>`,
      )}</ul>`
}`,
  });
}

type Own = { readonly workspace: WorkspaceRow; readonly info: KeyInfo };

function lookAtOwn(core: PageCall["core"], hash: Buffer): Promise<Own | Refused> {
  const admit = admitOnce(admitByRate(core));
  return core.server.store.read(async (tables): Promise<Own | Refused> => {
    const working = workingIn(core.server, tables);
    const reader = await readerOf(tables, hash, working.now(), admit);
    if (isRefused(reader)) return reader;
    const [info] = await keyInfos(working, [reader.key]);
    return { workspace: reader.workspace, info: info! };
  });
}
