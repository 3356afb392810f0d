import { html } from "../../../page/html.ts";
import { actionForm, nameOf } from "../../../page/parts.ts";
import { APP, KEYS, withQuery } from "../addresses.ts";
import { NO_PAGE, notShown, page, type PageResult } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { keyFields, rowsOf, workspaceOf } from "../key-fields.ts";
import { titled } from "../title.ts";
import { workspacesOf } from "../workspaces.ts";

/** Shows the form for a new key: first its workspace, then its access. */
export async function showNewKey({ core, query, csrf }: PageCall): Promise<PageResult> {
  const workspaces = await workspacesOf(core);
  const asked = query.get("workspace");
  const workspace =
    asked === null && workspaces.length === 1 ? workspaces[0] : workspaces.find(({ id }) => id === asked);
  const title = titled("A new key");
  const known = workspace && (await workspaceOf(core, workspace.id));
  if (workspace !== undefined && known) {
    const more = withQuery(`${KEYS}/new`, { workspace: workspace.id });
    const fields = keyFields(known.folders, { key: null, rows: rowsOf(query, 2), more });
    return page({
      title,
      here: KEYS,
      main: html`<h1>A new key of ${nameOf(workspace.name)}</h1>
${actionForm({ action: KEYS, csrf, fields: { workspace: workspace.id } }, html`${fields}<button class="main-action">Create the key</button>`)}`,
    });
  }
  if (asked !== null) return notShown({ ...NO_PAGE, what: "there is no such workspace" });
  return page({
    title,
    here: KEYS,
    main: html`<h1>A new key: for which workspace?</h1>
${
  workspaces.length === 0
    ? html`<p class="notice quiet">There is no workspace yet; <a href="${APP}">create one first</a>.</p>`
    : html`<ul class="entries">${workspaces.map(({ id, name }) => html`<li><a href="${withQuery(`${KEYS}/new`, { workspace: id })}">${nameOf(name)}</a></li>`)}</ul>`
}`,
  });
}
