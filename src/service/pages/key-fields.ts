import { html, type Html } from "../../page/html.ts";
import { shownPath } from "../files/present.ts";
import type { Core } from "../requests/dispatch.ts";
import type { KeyInfo } from "../keys/keys.ts";
import { ROOT, type WorkspaceRow } from "../store/rows.ts";

/** Fields of the form for a key, new or existing. */

/** LIMIT: folders offered for a grant. Users can type any other path. */
const MOST_FOLDERS = 200;
/** LIMIT: rows for grants in a form. */
const MOST_ROWS = 50;

export const LEVELS = ["full", "edit", "read", "none"] as const;

const WORDS: Readonly<Record<(typeof LEVELS)[number], string>> = {
  full: "full: edit, move, delete, protect",
  edit: "edit: read and write documents",
  read: "read",
  none: "none: hidden",
};

/**
 * Returns the number of rows for grants.
 * @param least number of rows unless the address asks for more
 */
export function rowsOf(query: URLSearchParams, least: number): number {
  const asked = Number(query.get("rows") ?? "0");
  return Math.min(MOST_ROWS, Number.isInteger(asked) && asked > least ? asked : least);
}

type Asked = {
  /** Null if the key is new. */
  readonly key: KeyInfo | null;
  readonly rows: number;
  /** Address of this page with more rows. */
  readonly more: string;
};

/** @param folders folders that are offered for a grant */
export function keyFields(folders: readonly string[], { key, rows, more }: Asked): Html {
  const grants = Array.from({ length: rows }, (_, at) => grantRow(at, key));
  const date = key?.expiresAt == null ? "" : new Date(key.expiresAt).toISOString().slice(0, 10);
  return html`<div class="stack">
<label for="label">Label</label>
<input id="label" name="label" required maxlength="200" value="${key?.label ?? ""}">
<fieldset><legend>Access</legend>
<p class="faint">A folder or document, such as /team; / is everything. The nearest one above a document decides.</p>
${grants}
<a href="${more}${more.includes("?") ? "&" : "?"}rows=${rows + 5}">More rows</a></fieldset>
<datalist id="folders">${folders.map((path) => html`<option value="${path}"></option>`)}</datalist>
<label for="expires">Expires at the end of (empty: never)</label>
<input id="expires" name="expires" type="date" value="${date}">
<fieldset><legend>Rate limit (empty: the default of the service)</legend>
<span class="row"><label for="requests">requests</label><input id="requests" name="requests" inputmode="numeric" pattern="[0-9]*" size="6" value="${key?.rateLimit?.requests ?? ""}">
<label for="seconds">in seconds</label><input id="seconds" name="seconds" inputmode="numeric" pattern="[0-9]*" size="6" value="${key?.rateLimit?.seconds ?? ""}"></span></fieldset>
</div>`;
}

function grantRow(at: number, key: KeyInfo | null): Html {
  const path = key?.grantPaths[at] ?? "";
  const level = key?.grants[at]?.level ?? "read";
  const options = LEVELS.map(
    (one) => html`<option value="${one}"${one === level && html` selected`}>${WORDS[one]}</option>`,
  );
  const n = at + 1;
  return html`<span class="row"><input name="path" list="folders" aria-label="Path ${n}" value="${path}" maxlength="1024" dir="auto">
<select name="level" aria-label="May, path ${n}">${options}</select></span>`;
}

type Offered = { readonly workspace: WorkspaceRow; readonly folders: readonly string[] };

/** Reads the top-level folders of the workspace, which most grants are on. */
export function workspaceOf({ server }: Core, id: string): Promise<Offered | null> {
  return server.store.read(async ({ workspaces, folders }): Promise<Offered | null> => {
    const workspace = await workspaces.byId(id);
    if (workspace === undefined) return null;
    const page = { workspace: workspace.seq, folder: ROOT, after: "", count: MOST_FOLDERS };
    const rows = await folders.inParentByName(page);
    return { workspace, folders: ["/", ...rows.map(({ path }) => shownPath(path))] };
  });
}
