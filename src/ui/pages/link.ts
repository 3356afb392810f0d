import type { ActionKind } from "../../mirror/model/action.ts";
import { ACTION_WORDS } from "../../mirror/operations/results/actions.ts";
import type { Trouble } from "../../common/trouble.ts";
import { plural } from "../../common/quantities.ts";
import { toSentence } from "../../common/shown-words.ts";
import { html, type Html } from "../../page/html.ts";
import {
  renderActionForm,
  renderCommand,
  renderBreadcrumbs,
  hasCommand,
  renderName,
  renderRadioButtons,
  renderRefusal,
  renderRefusedAttributes,
  renderSentence,
} from "../../page/parts.ts";
import { LINK_PATH } from "../addresses.ts";
import type { LinkDraft, LinkFields, RefusedLink } from "../linking.ts";
import type { PageRequest, UiPage } from "../page.ts";
import { DIRECTIONS } from "../setting-words.ts";

/** Shows a form, then the plan of the first sync and a button that links the folder. */
export const LINK_PAGE: UiPage = {
  path: LINK_PATH,
  isLive: false,
  show(ui, request) {
    const id = request.query.get("draft") ?? "";
    const draft = ui.links.get(id);
    return {
      title: "Add a folder · mdmirror",
      main: html`${renderBreadcrumbs("Path to this page", [
        { href: "/", label: "Linked folders" },
        { href: "", label: "Add a folder", current: "page" },
      ])}
<h1>Add a folder</h1>
${draft?.kind === "planned" ? renderPreview(draft, id, request) : renderForm(draft ?? null, id, request)}`,
    };
  },
};

/** @param refused the refused form, whose fields are filled in again; null for an empty form */
function renderForm(refused: RefusedLink | null, id: string, { csrf }: PageRequest): Html {
  const readTyped = (name: keyof LinkFields) => refused?.typed[name] ?? "";
  const isKeyKept = readTyped("key") !== "";
  const renderField = (name: keyof LinkFields, label: string, hint: string, attributes: Html) => {
    const isRefused = refused?.field === name;
    return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}"${name !== "key" && html` value="${readTyped(name)}"`} aria-describedby="${`${name}-hint`}" spellcheck="false" autocomplete="off" ${attributes}${isRefused && renderRefusedAttributes()}>
${isRefused && renderRefusal(explainRefusal(refused.trouble))}<span class="hint" id="${`${name}-hint`}">${hint}</span></div>`;
  };
  const direction = readTyped("direction") || "both";
  return html`<div class="with-aside"><section class="card">${renderActionForm(
    { action: LINK_PATH, csrf, fields: { draft: id } },
    html`${renderField("url", "URL of the service", "Such as https://files.example.com", html`type="url" required`)}
${renderField("key", "Key", isKeyKept ? "The key that you entered is kept. Enter another one to change it." : "It is stored in the folder, readable for you alone.", html`type="password"${!isKeyKept && html` required`}`)}
${renderField("dir", "Folder on this computer", "A complete path; a new folder is created.", html`required`)}
${renderField("remote", "Subfolder of the workspace", "Leave it empty for all documents.", html``)}
<div class="field"><span class="label" id="direction-label">Direction</span><div class="segments" role="radiogroup" aria-labelledby="direction-label">${renderRadioButtons("direction", DIRECTIONS, direction)}</div></div>
<button class="main-action">Show the first sync</button>`,
  )}</section>
<aside><section class="card"><h2>What happens</h2><p>mdmirror asks the service and shows what the first sync would do. Nothing is written before you agree.</p>
<p>A first sync deletes and overwrites nothing on either side.</p>${renderCommand("mdmirror init DIR --url URL --key-file FILE")}</section></aside></div>`;
}

function explainRefusal({ what, next }: Trouble): string {
  return hasCommand(next) ? toSentence(what) : `${toSentence(what)} ${toSentence(next)}`;
}

/** Words for the steps of a first sync: a noun for the changed items, and words for the change. */
const STEP_WORDS: Readonly<Partial<Record<ActionKind, readonly [noun: string, where: string]>>> = {
  "create-local": ["document", "to download"],
  "create-remote": ["document", "to upload"],
  meet: ["document", "to compare, which both sides have"],
  "make-folder-local": ["folder", "to create on this computer"],
  "make-folder-remote": ["folder", "to create on the service"],
};

function describeSteps(kind: ActionKind, size: number): string {
  const [noun, where] = STEP_WORDS[kind] ?? ["step", `to ${ACTION_WORDS[kind].label}`];
  return `${plural(size, noun)} ${where}`;
}

function renderPreview({ dir, config, preview }: LinkDraft, id: string, { csrf }: PageRequest): Html {
  const documents = preview.filter(({ kind }) => STEP_WORDS[kind]?.[0] === "document");
  const rows = [...documents, ...preview.filter((group) => !documents.includes(group))].map(
    ({ kind, size, first }) =>
      html`<li><div class="main"><b>${describeSteps(kind, size)}</b><br><span class="faint">${first.map((path, i) => html`${i > 0 && ", "}${renderName(path)}`)}${size > first.length && " …"}</span></div></li>`,
  );
  const form = renderActionForm(
    { action: LINK_PATH, csrf, fields: { draft: id } },
    html`<button class="main-action">Link and sync</button>`,
  );
  const summary =
    rows.length === 0 ? "Both sides are empty or equal, so there is nothing to sync yet." : NO_LOSS_SENTENCE;
  return html`<section class="card flush"><header><h2>First sync of ${renderName(dir)}</h2></header>
<p>${summary} <span class="faint">Service: ${renderSentence(config.url)}</span></p>
${rows.length > 0 && html`<ul class="rows">${rows}</ul>`}</section>
<div class="row">${form}<a class="button plain" href="${LINK_PATH}">Back</a></div>`;
}

const NO_LOSS_SENTENCE = "Nothing is deleted or overwritten on either side.";
