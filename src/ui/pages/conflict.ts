/**
 * Shows a conflict: clashes to decide one by one, or the whole document in an editor. Also shows a
 * blocked document whose block ends when the user chooses a version.
 */

import {
  type ContentOrReason,
  describeResolution,
  findProblem,
  type ProblemView,
  viewProblem,
} from "../../mirror/operations/manual/problem.ts";
import { findNextStep } from "../../mirror/operations/results/attention.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import type { BlockReason, ResolutionKind } from "../../mirror/model/block.ts";
import { plural } from "../../common/quantities.ts";
import { ok, type Result } from "../../common/trouble.ts";
import { parentOf } from "../../contract/path.ts";
import { toSentence } from "../../common/shown-words.ts";
import { type Html, html, type HtmlValue } from "../../page/html.ts";
import { renderDocument } from "../../page/markdown.ts";
import {
  renderAge,
  renderBreadcrumbs,
  renderEmptyState,
  renderName,
  renderNextStep,
  renderRadioButtons,
  renderSegments,
  renderSentence,
} from "../../page/parts.ts";
import { renderComparison, renderSideBySide } from "../../page/side-by-side.ts";
import { documentAddress, documentPart, mirrorAddress } from "../addresses.ts";
import {
  readChoice,
  CHOICES,
  type Clash,
  findClashes,
  composeResult,
  readEditedText,
  markClashes,
  type ConflictPart,
  splitConflict,
} from "../clashes.ts";
import type { Folder } from "../folders.ts";
import { toChoicesKey, toDraftKey } from "../jobs.ts";
import { makeFolderPage, type PageRequest, type Ui } from "../page.ts";
import { renderProblemRows, renderFolderForm, renderHelpLink, renderJob, renderOrigin } from "../parts.ts";
import { renderProblemBadge } from "../states.ts";

export const CONFLICT_PAGE = makeFolderPage({
  path: "/m/:name/conflict/*",
  section: "needs",
  async show(ui, folder, request) {
    const { name, root, job } = folder;
    const problemResult = readProblem(ui, root, request.params["*"]!);
    const path = problemResult.kind === "ok" ? problemResult.value.path : request.params["*"]!;
    const draft = ui.drafts.get(toDraftKey(root, path)) ?? null;
    const title = `${path} · ${name} · mdmirror`;
    const crumbs = renderBreadcrumbs("Path to this page", [
      { href: mirrorAddress(name, "needs"), label: "Problems" },
      { href: "", label: path, current: "page" },
    ]);
    const blockedProblem = folder.needs.find((need) => need.path === path);
    // The problem has ended, has never existed, or has no choices. The message says which of these
    // three is true.
    if (problemResult.kind === "trouble") {
      const nothingSentence = renderSentence(toSentence(problemResult.trouble.what));
      return {
        title,
        announcement: `${path}: ${blockedProblem === undefined ? "nothing is open" : "blocked"}`,
        main: html`${crumbs}<h1>${renderName(path)}</h1>
<div id="job">${renderJob(job)}</div>
<div id="versions" data-versions="">${blockedProblem === undefined ? renderEmptyState("Nothing to decide", nothingSentence, renderNextLink(folder, path)) : html`<section class="card flush">${renderProblemRows([{ ...blockedProblem, address: documentAddress(name, "docs", path) }])}</section>`}</div>
${renderUnsavedDraft(draft)}`,
      };
    }
    const choices = new URLSearchParams(ui.drafts.get(toChoicesKey(root, path)) ?? "");
    const view = problemResult.value;
    const shownProblem = { ...view, folder, request, draft, choices, places: splitConflict(view) };
    const versions = Object.values(view.versions).join(" ");
    return {
      title,
      announcement: `${path}: ${shownProblem.conflict === null ? "blocked" : "in conflict"}`,
      scripts: isEditing(shownProblem) ? ["editor.js"] : ["clashes.js"],
      main: html`${crumbs}<div class="title"><h1>${renderName(path)}</h1>${renderWholeChoices(shownProblem)}</div>
<div id="versions" data-versions="${versions}">${renderState(shownProblem)}</div>
<div id="job">${renderJob(job)}</div>
${isEditing(shownProblem) ? renderEditorPart(shownProblem) : await renderDecisionPart(ui, shownProblem)}`,
    };
  },
});

type ShownProblem = ProblemView & {
  readonly folder: Folder;
  readonly request: PageRequest;
  /** Typed content that could not be saved; null if there is none. */
  readonly draft: string | null;
  /** The user's choices for clashes, which are not saved yet. */
  readonly choices: URLSearchParams;
  /** Parts of the conflict; null for a blocked document, or if a version cannot be shown. */
  readonly places: readonly ConflictPart[] | null;
};

export function readProblem(ui: Ui, root: string, path: string): Result<ProblemView> {
  return withLocal(root, ui, (local) => {
    const problemResult = findProblem(local, path);
    return problemResult.kind === "trouble" ? problemResult : ok(viewProblem(local, problemResult.value));
  });
}

/**
 * Returns true if the page shows the editor: the user requested the editor, a draft exists, or the
 * conflict has no clash.
 */
function isEditing({ ways, request, draft, places }: ShownProblem): boolean {
  if (!ways.includes("merged")) return false;
  const editRequest = request.query.get("edit");
  return (
    editRequest === "yes" ||
    (editRequest === null && draft !== null) ||
    (places !== null && findClashes(places).length === 0)
  );
}

export function findNextConflict({ status }: Pick<Folder, "status">, path: string): string | null {
  return status?.conflicts.find((candidate) => candidate !== path) ?? null;
}

function renderNextLink(folder: Folder, path: string): Html {
  const nextPath = findNextConflict(folder, path);
  const allLink = html`<a class="button" href="${mirrorAddress(folder.name, "needs")}">All problems</a>`;
  if (nextPath === null) return allLink;
  return html`<div class="row center"><a class="button main-action" href="${documentAddress(folder.name, "conflict", nextPath)}">Next conflict →</a>${allLink}</div>`;
}

function renderState({ conflict, block, request }: ShownProblem): Html {
  if (conflict !== null) return renderConflictState(conflict, request.now);
  if (block === null) return html`<p>${renderProblemBadge("in-review")} Its change is in review.</p>`;
  const { kind, detail, code, since } = block;
  return html`<p>${renderHelpLink(kind, renderProblemBadge(kind))} for ${renderAge(since, request.now)}. ${renderSentence(toSentence(detail))}</p>
${renderNextStep(findNextStep(block), renderOrigin(code))}`;
}

function renderConflictState(conflict: NonNullable<ProblemView["conflict"]>, now: number): Html {
  const { since, conflictCopy, hasConflictCopy, bothNew, renewed } = conflict;
  const causeSentence = bothNew
    ? "It was new on both sides, with different content."
    : "It was edited locally and on the service, and the two edits do not merge.";
  return html`<p>${renderProblemBadge("conflict")} for ${renderAge(since, now)}. ${causeSentence}${
    renewed > 0 && html` The version on the service has changed ${plural(renewed, "time")} since.`
  } <span class="faint">Mine is the local file. Theirs is the version on the service; it is ${
    hasConflictCopy
      ? html`beside it as ${renderName(conflictCopy)}.`
      : html`kept in the history: the file ${renderName(conflictCopy)} was removed, which chooses mine at the next sync.`
  }</span></p>`;
}

/**
 * Returns the form that sends the user's answer to a conflict or a block, and the digests of the
 * versions on the page.
 */
function renderResolveForm({ versions, path, folder, request }: ShownProblem, content: HtmlValue): Html {
  const { mine, theirs, base } = versions;
  const fields = { mine: mine ?? "", theirs: theirs ?? "", base: base ?? "" };
  return renderFolderForm(folder, { path: documentPart("conflict", path), fields }, request, content);
}

function renderWholeChoices(problem: ShownProblem): Html | null {
  const { ways, conflict, folder, path } = problem;
  if (conflict === null) return null;
  const sides = (["mine", "theirs"] as const).filter((way) => ways.includes(way));
  const buttons = sides.map((way) => {
    const { label, does } = describeResolution(way, true, null);
    return html`<button name="way" value="${way}" title="${does}">${label}</button>`;
  });
  const canEdit = ways.includes("merged") && !isEditing(problem);
  return html`<div class="row" id="choose">${renderResolveForm(problem, html`<span class="row">${buttons}</span>`)}${
    canEdit &&
    html`<a class="button" href="${documentAddress(folder.name, "conflict", path, { edit: "yes" })}#result">Open the editor</a>`
  }</div>`;
}

function renderEditorPart(problem: ShownProblem): Html {
  return html`${renderEditor(problem) ?? renderUnsavedDraft(problem.draft)}${renderVersions(problem)}`;
}

async function renderDecisionPart(ui: Ui, problem: ShownProblem): Promise<Html> {
  const { places, draft } = problem;
  if (places !== null && problem.ways.includes("merged"))
    return renderClashForm(problem, places, await renderPreview(ui, problem, places));
  return html`${renderChoices(problem)}${renderVersions(problem)}${renderUnsavedDraft(draft)}`;
}

function renderClashForm(problem: ShownProblem, places: readonly ConflictPart[], preview: Html | null): Html {
  const clashes = findClashes(places);
  const openClashes = clashes.filter((clash) => readChoice(problem.choices, clash) === null);
  return html`<div id="texts">${renderResolveForm(
    problem,
    html`${places.map((place) => renderConflictPart(place, problem, clashes.length))}
${preview}
<div class="sticky"><span><b><span id="decided">${clashes.length - openClashes.length}</span> of ${clashes.length}<span class="wide"> decided</span></b>
<span class="faint wide">The versions that you do not choose stay in the history.</span></span>
<span class="row"><a class="button" id="next-clash" href="${`#clash-${(openClashes[0] ?? clashes[0]!).position}`}"${openClashes.length === 0 && " hidden"}>Next<span class="wide"> open clash</span> ↓</a>
<button name="way" value="preview">Preview</button><button class="main-action" name="way" value="decided">Save</button></span></div>`,
  )}</div>`;
}

function renderConflictPart(place: ConflictPart, problem: ShownProblem, clashCount: number): Html {
  if (place.kind === "clash") return renderClash(place, problem, clashCount);
  const { kind } = place.passage;
  return kind === "same" ? renderContext(place.text) : renderSettled(kind, place.text);
}

/** LIMIT: number of unchanged lines that are shown expanded, so that the clashes are in view. */
const MAX_CONTEXT_LINES = 4;

function renderContext(text: string): Html {
  const lines = text.split("\n");
  const contextElement = html`<pre class="context" dir="auto">${text}</pre>`;
  if (lines.length <= MAX_CONTEXT_LINES) return contextElement;
  return html`<details class="command"><summary>${plural(lines.length - 1, "unchanged line")}</summary>${contextElement}</details>`;
}

const SETTLED_SENTENCES = {
  mine: "Only you changed this: kept",
  theirs: "Only the service changed this: taken",
  alike: "The same change on both sides",
  both: "Both edits fit together: merged",
} as const;

function renderSettled(kind: keyof typeof SETTLED_SENTENCES, text: string): Html {
  return html`<details class="command"><summary>${SETTLED_SENTENCES[kind]}</summary><pre class="context" dir="auto">${text}</pre></details>`;
}

const CLASH_COLUMNS = [
  { side: "mine", label: "Mine · this computer" },
  { side: "theirs", label: "Theirs · service" },
] as const;

function renderClash(clash: Clash, { choices }: ShownProblem, clashCount: number): Html {
  const { position, passage, base } = clash;
  const name = `clash-${position}`;
  const text = readEditedText(choices, clash);
  const caption = `Clash ${position} of ${clashCount}: mine and theirs`;
  return html`<section class="card flush clash" id="${name}" role="group" aria-labelledby="${`${name}-title`}"><header><h2 id="${`${name}-title`}">Clash ${position} of ${clashCount}</h2>
<div class="segments" role="radiogroup" aria-label="${`Clash ${position}: take`}">${renderRadioButtons(name, CHOICES, readChoice(choices, clash))}</div></header>
${base !== "" && html`<p class="base">Before both edits<br><span dir="auto">${base}</span></p>`}
${renderSideBySide([passage], { caption, columns: CLASH_COLUMNS, words: null })}
<div class="edit"><label class="unseen" for="${`${name}-text`}">Your text for clash ${position}</label>
<textarea id="${`${name}-text`}" name="${`${name}-text`}" rows="${Math.min(16, text.split("\n").length + 1)}" spellcheck="false" dir="auto">
${text}</textarea></div></section>`;
}

/**
 * Shows the document that results from the user's choices. Shows an empty element until the user
 * requests the preview.
 */
async function renderPreview(ui: Ui, problem: ShownProblem, places: readonly ConflictPart[]): Promise<Html | null> {
  const { choices, folder, path, request } = problem;
  if (request.query.get("preview") === null) return html`<div id="preview"></div>`;
  const text = composeResult(places, choices);
  const base = { files: documentAddress(folder.name, "docs", ""), folder: parentOf(path) };
  const renderedText = text === null ? null : await ui.documents.render(text, base);
  return html`<section class="card flush" id="preview" tabindex="-1" aria-label="Preview"><header><h2>Preview</h2></header>${
    text === null
      ? html`<p>Decide every clash first; the preview then shows the result.</p>`
      : renderDocument(renderedText, text)
  }</section>`;
}

function renderChoices(problem: ShownProblem): Html | null {
  const { conflict } = problem;
  const ways = problem.ways.filter(
    (way) => way !== "merged" && (conflict === null || (way !== "mine" && way !== "theirs")),
  );
  if (ways.length === 0) return null;
  const inputs = ways.map((way) => renderChoice(way, problem));
  return html`<section class="card" id="choices"><h2>Choose</h2>${renderResolveForm(problem, html`<ul class="choices">${inputs}</ul>`)}
<p class="faint">Nothing is lost: the version that you do not choose stays in the trash of this folder and in the history.</p></section>`;
}

function renderChoice(way: ResolutionKind, { conflict, block }: ProblemView): Html {
  const { label, does } = describeResolution(way, conflict !== null, (block?.kind ?? null) as BlockReason | null);
  const button = html`<button name="way" value="${way}" aria-describedby="does-${way}">${label}</button> <span id="does-${way}">${does}</span>`;
  if (way !== "recreate") return html`<li>${button}</li>`;
  return html`<li><details class="confirm"><summary class="button">${label} …</summary><p>${button}</p></details></li>`;
}

/**
 * Shows how the versions differ. If the content of one version cannot be shown, shows the versions
 * one after the other.
 */
function renderVersions({ mine, theirs, path, conflict }: ShownProblem): Html {
  if (mine.kind === "none" || theirs.kind === "none")
    return html`<section id="texts"><h2>Versions</h2>${renderVersion(html`Mine, ${renderName(path)}`, mine)}${renderVersion(html`Theirs`, theirs)}</section>`;
  if (mine.text === theirs.text) return html`<section id="texts"><p>The versions are equal.</p></section>`;
  const label = conflict === null ? "The last version that both sides had" : "Theirs";
  const difference = renderComparison({ text: theirs.text, label }, { text: mine.text, label: "Mine" });
  return html`<section id="texts"><h2>Local edits</h2>${difference}</section>`;
}

function renderVersion(label: Html, text: ContentOrReason): Html {
  if (text.kind === "none") return html`<h3>${label}</h3><p>It cannot be shown: ${renderSentence(text.why)}.</p>`;
  return html`<h3>${label}</h3><pre tabindex="0" dir="auto">${text.text}</pre>`;
}

/** Contents with which the editor can start: for each, a sentence and the label of a link. */
const START_CONTENTS = {
  merge: ["The merge, with the remaining conflicts marked.", "The merge"],
  mine: ["Starts with mine.", "Mine"],
  theirs: ["Starts with theirs.", "Theirs"],
  base: ["Starts with the last version that both sides had (base).", "Base"],
  draft: ["Your result, not saved yet.", null],
} as const;

type StartName = keyof typeof START_CONTENTS;
const START_NAMES = Object.keys(START_CONTENTS) as StartName[];

/**
 * Returns the content with which the editor starts; null if `name` is unknown, or if that content
 * cannot be shown.
 * @param draft typed content that could not be saved; null if there is none
 */
export function makeStartContent(problem: ProblemView, draft: string | null, name: string | null): string | null {
  const startName = findStartName(name);
  if (startName === null || startName === "draft") return startName === null ? null : draft;
  if (startName !== "merge") return readContent(problem[startName]);
  const [places, mine] = [splitConflict(problem), readContent(problem.mine)];
  return places === null || mine === null ? null : markClashes(places, mine);
}

function findStartName(name: string | null): StartName | null {
  return START_NAMES.find((key) => key === name) ?? null;
}

function readContent(text: ContentOrReason): string | null {
  return text.kind === "text" ? text.text : null;
}

function renderEditor(problem: ShownProblem): Html | null {
  const { path, theirs, draft, folder, request } = problem;
  const wantedStart = findStartName(request.query.get("from")) ?? (draft === null ? "merge" : "draft");
  const shownStart = makeStartContent(problem, draft, wantedStart) === null ? "mine" : wantedStart;
  const text = makeStartContent(problem, draft, shownStart);
  if (text === null) return null;
  const links = START_NAMES.filter(
    (key) => START_CONTENTS[key][1] !== null && makeStartContent(problem, draft, key) !== null,
  ).map((key) => {
    const address = documentAddress(folder.name, "conflict", path, { edit: "yes", from: key });
    return { href: `${address}#result`, label: START_CONTENTS[key][1]!, isShown: key === shownStart };
  });
  return html`<section id="result"><h2>The whole text</h2>
<p id="result-about">${START_CONTENTS[shownStart][0]}${
    text.includes("<<<<<<< ") && " Where the edits conflict, both are between <<<<<<< and >>>>>>>: write one result."
  }</p>
<div class="row"><span class="faint">Start again from</span>${renderSegments("Start again from", links)}
<a href="${documentAddress(folder.name, "conflict", path, { edit: "no" })}">Back to the clashes</a></div>
<p id="moved-on" class="notice asks" role="status" hidden>The versions have changed since you began this result. Saving it writes nothing,
shows the present versions, and keeps your result.</p>
${renderResolveForm(problem, renderEditorFields(text, shownStart))}
${
  theirs.kind === "text" &&
  html`<textarea hidden readonly aria-label="Theirs" data-beside="Theirs">
${theirs.text}</textarea>`
}</section>`;
}

/** A line feed precedes the content, because HTML drops the first line feed of a `textarea`. */
function renderEditorFields(text: string, from: StartName): Html {
  return html`<input type="hidden" name="from" value="${from}">
<label class="unseen" for="result-text">Content of the document</label>
<textarea id="result-text" name="text" rows="20" spellcheck="false" dir="auto" aria-describedby="result-about" data-editor="The result">
${text}</textarea>
<label class="check"><input type="checkbox" name="force"> Lines of &lt;&lt;&lt;&lt;&lt;&lt;&lt; or &gt;&gt;&gt;&gt;&gt;&gt;&gt; belong to the document</label>
<div class="sticky"><span class="faint wide">All versions stay in the history.</span><button class="main-action" name="way" value="merged">Save the result</button></div>`;
}

/** Shows typed content that can no longer be saved, so that the user can copy it. */
function renderUnsavedDraft(draft: string | null): Html | null {
  if (draft === null) return null;
  return html`<section id="result"><h2>Your text</h2>
<p>Your result was not saved. Copy it if you need it.</p>
<label for="result-text">Text that was not saved</label>
<textarea id="result-text" rows="20" readonly dir="auto">
${draft}</textarea></section>`;
}
