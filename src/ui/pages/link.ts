import { ok } from "../../common/trouble.ts";
import { count } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { commandOf } from "../../page/next-step.ts";
import { actionForm, crumbsView, nameView, sentenceView } from "../../page/parts.ts";
import { LINK } from "../addresses.ts";
import type { LinkDraft } from "../linking.ts";
import type { PageRequest, UiPage } from "../page.ts";

/** Links a new folder: first a form, then the plan of the first sync with the button that links. */
export const LINK_PAGE: UiPage = {
  path: LINK,
  isLive: false,
  show(ui, asked) {
    const id = asked.query.get("draft") ?? "";
    const draft = ui.links.get(id);
    return ok({
      title: "Add a folder · mdmirror",
      main: html`${crumbsView("Path to this page", [
        { href: "/", label: "Linked folders" },
        { href: "", label: "Add a folder", current: "page" },
      ])}
<h1>Add a folder</h1>
${draft === undefined ? formOf(asked) : previewOf(draft, id, asked)}`,
    });
  },
};

const DIRECTIONS = [
  ["both", "Both ways"],
  ["pull", "Download only"],
  ["push", "Upload only"],
] as const;

function formOf({ csrf, query }: PageRequest): Html {
  const field = (name: string, label: string, hint: string, attributes: Html) =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${query.get(name) ?? ""}" aria-describedby="${`${name}-hint`}" spellcheck="false" autocomplete="off" ${attributes}>
<span class="hint" id="${`${name}-hint`}">${hint}</span></div>`;
  const directions = DIRECTIONS.map(
    ([value, label], at) =>
      html`<label><input type="radio" name="direction" value="${value}"${at === 0 && html` checked`}>${label}</label>`,
  );
  return html`<div class="with-aside"><section class="card">${actionForm(
    { action: LINK, csrf },
    html`${field("url", "URL of the service", "Such as https://files.example.com", html`type="url" required`)}
<div class="field"><label for="key">Key</label><input id="key" name="key" type="password" autocomplete="off" required aria-describedby="key-hint">
<span class="hint" id="key-hint">It is stored in the folder, readable for you alone.</span></div>
${field("dir", "Folder on this computer", "A complete path; a new folder is created.", html`required`)}
${field("remote", "Subfolder of the workspace", "Leave it empty for all documents.", html``)}
<div class="field"><span class="label" id="direction-label">Direction</span><div class="segments" role="radiogroup" aria-labelledby="direction-label">${directions}</div></div>
<button class="main-action">Show the first sync</button>`,
  )}</section>
<aside><section class="card"><h2>What happens</h2><p>mdmirror asks the service and shows what the first sync would do. Nothing is written before you agree.</p>
<p>A first sync deletes and overwrites nothing on either side.</p>${commandOf("mdmirror init DIR --url URL --key-file FILE")}</section></aside></div>`;
}

function previewOf({ dir, config, preview }: LinkDraft, id: string, { csrf }: PageRequest): Html {
  const rows = preview.map(
    ({ label, size, first }) =>
      html`<li><span class="main"><b>${count(size)}</b> ${label}<br><span class="faint">${first.map((path, at) => html`${at > 0 && ", "}${nameView(path)}`)}${size > first.length && " …"}</span></span></li>`,
  );
  const form = actionForm(
    { action: LINK, csrf, fields: { draft: id } },
    html`<button class="main-action">Link and sync</button>`,
  );
  return html`<section class="card flush"><header><h2>The first sync of ${nameView(dir)} with ${sentenceView(config.url)}</h2></header>
${rows.length === 0 ? html`<p>Nothing to do: both sides are empty or equal.</p>` : html`<ul class="rows">${rows}</ul>`}</section>
<p class="row">${form}<a class="button" href="${LINK}">Back</a></p>`;
}
