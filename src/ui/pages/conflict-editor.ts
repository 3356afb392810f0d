/** Shows the whole text of a conflict in an editor, with markers where the edits conflict. */

import type { ProblemView, ShownText } from "../../mirror/operations/manual/problem-view.ts";
import { html, type Html } from "../../page/html.ts";
import { documentAddress } from "../addresses.ts";
import { markClashes, placesOf } from "../clashes.ts";
import { segmentsOf } from "../../page/parts.ts";

/** Contents with which the form can start, with a sentence and with the label of a link. */
const STARTS = {
  merge: ["The merge, with the remaining conflicts marked.", "The merge"],
  mine: ["Starts with mine.", "Mine"],
  theirs: ["Starts with theirs.", "Theirs"],
  base: ["Starts with the last version that both sides had (base).", "Base"],
  draft: ["Your result, not saved yet.", null],
} as const;

type Start = keyof typeof STARTS;
const START_NAMES = Object.keys(STARTS) as Start[];

/**
 * Returns the starting content of the form.
 * @param draft content that a user typed and that could not be saved; null if there is none
 * @param name of the start, from an address or a form
 * @returns null if that content is not known or cannot be shown
 */
export function startText(problem: ProblemView, draft: string | null, name: string | null): string | null {
  const from = startNamed(name);
  if (from === null || from === "draft") return from === null ? null : draft;
  if (from !== "merge") return contentOf(problem[from]);
  const [places, mine] = [placesOf(problem), contentOf(problem.mine)];
  return places === null || mine === null ? null : markClashes(places, mine);
}

function startNamed(name: string | null): Start | null {
  return START_NAMES.find((key) => key === name) ?? null;
}

function contentOf(text: ShownText): string | null {
  return text.kind === "text" ? text.text : null;
}

type Editing = {
  readonly mirror: string;
  readonly problem: ProblemView;
  readonly draft: string | null;
  /** Name of the starting content that the user asked for; null for the default. */
  readonly from: string | null;
  /** Wraps the fields into the form of the conflict. */
  readonly form: (fields: Html) => Html;
};

/** Shows the form with the whole content; null if no version can be shown. */
export function editorOf({ mirror, problem, draft, from, form }: Editing): Html | null {
  const { path, theirs } = problem;
  const wanted = startNamed(from) ?? (draft === null ? "merge" : "draft");
  const start = startText(problem, draft, wanted) === null ? "mine" : wanted;
  const text = startText(problem, draft, start);
  if (text === null) return null;
  const links = START_NAMES.filter((key) => STARTS[key][1] !== null && startText(problem, draft, key) !== null).map(
    (key) => {
      const address = documentAddress(mirror, "conflict", path, { edit: "yes", from: key });
      return { href: `${address}#result`, label: STARTS[key][1]!, isShown: key === start };
    },
  );
  return html`<section id="result"><h2>The whole text</h2>
<p id="result-about">${STARTS[start][0]}${
    text.includes("<<<<<<< ") && " Where the edits conflict, both are between <<<<<<< and >>>>>>>: write one result."
  }</p>
<div class="row"><span class="faint">Start again from</span>${segmentsOf("Start again from", links)}
<a href="${documentAddress(mirror, "conflict", path, { edit: "no" })}">Back to the clashes</a></div>
<p id="moved-on" class="notice asks" role="status" hidden>The versions have changed since you began this result. Saving it writes nothing,
shows the present versions, and keeps your result.</p>
${form(fieldsOf(text, start))}
${
  theirs.kind === "text" &&
  html`<textarea hidden readonly aria-label="Theirs" data-beside="Theirs">
${theirs.text}</textarea>`
}</section>`;
}

/** HTML drops a line feed at the start of a `textarea`, so the form adds one before the content. */
function fieldsOf(text: string, from: Start): Html {
  return html`<input type="hidden" name="from" value="${from}">
<label class="unseen" for="result-text">Content of the document</label>
<textarea id="result-text" name="text" rows="20" spellcheck="false" dir="auto" aria-describedby="result-about" data-editor="The result">
${text}</textarea>
<label class="check"><input type="checkbox" name="force"> Lines of &lt;&lt;&lt;&lt;&lt;&lt;&lt; or &gt;&gt;&gt;&gt;&gt;&gt;&gt; belong to the document</label>
<div class="sticky"><span class="faint wide">All versions stay in the history.</span><button class="main-action" name="way" value="merged">Save the result</button></div>`;
}

/** Shows typed content that can no longer be saved, so that the user can copy it. */
export function unsavedDraft(draft: string | null): Html | null {
  if (draft === null) return null;
  return html`<section id="result"><h2>Your text</h2>
<p>Your result was not saved. Copy it if you need it.</p>
<label for="result-text">Text that was not saved</label>
<textarea id="result-text" rows="20" readonly dir="auto">
${draft}</textarea></section>`;
}
