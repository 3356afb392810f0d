import { html, type Html } from "../page/html.ts";
import { type ConflictModel, type Start, startText } from "./conflict-model.ts";
import { resolveForm } from "./conflict-parts.ts";
import { type View, viewAddress } from "./conflict-texts.ts";
import type { Moment } from "./page.ts";

/** Shows the form with the merged content, for editing and saving. */

const STARTS: readonly { readonly from: Start; readonly label: string }[] = [
  { from: "merge", label: "the merge" },
  { from: "mine", label: "mine" },
  { from: "theirs", label: "theirs" },
  { from: "base", label: "base" },
];

export function resultOf(conflict: ConflictModel, view: View, moment: Moment): Html | null {
  const { draft } = conflict;
  const open = conflict.open!;
  if (!open.ways.includes("merged")) return draftLeft(conflict);
  const from = view.from ?? (draft === null ? "merge" : "draft");
  const text = startText(open, draft, from) ?? startText(open, draft, "mine");
  if (text === null) return draftLeft(conflict);
  const starts = STARTS.filter((one) => one.from !== from && startText(open, draft, one.from) !== null);
  return html`<section id="result"><h2>The result</h2>
<p id="result-about">${draft !== null && from === "draft" ? "Your result, not saved yet." : ABOUT[from]}${
    text.includes("<<<<<<< ") && " Where the edits conflict, both are between <<<<<<< and >>>>>>>: write one result."
  }</p>
<p class="row">Start again from: ${starts.map((one) => html`<a class="button" href="${viewAddress(conflict, view, { from: one.from }, "result")}">${one.label}</a>`)}</p>
<p id="moved-on" class="notice asks" role="status" hidden>The versions have changed since you began this result. Saving it writes nothing,
shows the present versions, and keeps your result.</p>
${resolveForm(conflict, moment, fieldsOf(text, from))}
${
  open.theirs.kind === "text" &&
  html`<textarea id="result-other" hidden readonly aria-label="Theirs">
${open.theirs.text}</textarea>`
}</section>`;
}

const ABOUT: Readonly<Record<Start, string>> = {
  merge: "The merge, with the remaining conflicts marked.",
  mine: "Starts with mine.",
  theirs: "Starts with theirs.",
  base: "Starts with the last version that both sides had (base).",
  draft: "",
};

/** HTML drops a line feed at the start of a `textarea`, so the form adds one before the content. */
function fieldsOf(text: string, from: Start): Html {
  return html`<input type="hidden" name="from" value="${from}">
<label for="result-text">Content of the document</label>
<textarea id="result-text" name="text" rows="20" spellcheck="false" dir="auto" aria-describedby="result-about" data-keep>
${text}</textarea>
<p class="row"><button class="main-action" name="way" value="merged">Save the result</button>
<label class="check"><input type="checkbox" name="force"> Lines of &lt;&lt;&lt;&lt;&lt;&lt;&lt; or &gt;&gt;&gt;&gt;&gt;&gt;&gt; belong to the document</label></p>`;
}

/** Shows typed content that can no longer be saved, so that the user can copy it. */
export function draftLeft({ draft }: ConflictModel): Html | null {
  if (draft === null) return null;
  return html`<section id="result"><h2>Your text</h2>
<p>Your result was not saved. Copy it if you need it.</p>
<label for="result-text">Text that was not saved</label>
<textarea id="result-text" rows="20" readonly dir="auto">
${draft}</textarea></section>`;
}
