import { findProblem } from "../../mirror/operations/manual/open-problem.ts";
import { type ProblemView, type ShownText, viewProblem } from "../../mirror/operations/manual/problem-view.ts";
import { nextFor } from "../../mirror/operations/results/next-step.ts";
import { resolutionWords } from "../../mirror/operations/results/resolutions.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import type { BlockReason, ResolutionKind } from "../../mirror/model/block.ts";
import { markConflicts } from "../../markdown/merge/marked.ts";
import { mergeText } from "../../markdown/merge/merge.ts";
import { type Passage, sideBySide } from "../../markdown/merge/side-by-side.ts";
import { plural } from "../../common/count.ts";
import { ok, type Result } from "../../common/trouble.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, badgeOf, nameView, nextOf, sentenceView } from "../../page/parts.ts";
import { countChanges, sidesOf } from "../../page/side-by-side.ts";
import { documentAddress, documentPart, mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { draftKey } from "../jobs.ts";
import { folderPage, type PageRequest, type Ui } from "../page.ts";
import { folderForm } from "../parts.ts";

/** LIMIT: other conflicts that the page links to. */
const MOST_OTHERS = 5;

/** Shows a conflict or a block: its versions side by side, the choices, and the result to edit. */
export const CONFLICT = folderPage({
  path: "/m/:name/conflict/*",
  section: "needs",
  show(ui, folder, asked) {
    const { name, root, status, job } = folder;
    const found = readProblem(ui, root, asked.params["*"]!);
    const open = found.kind === "ok" ? found.value : null;
    const path = open?.path ?? asked.params["*"]!;
    const draft = ui.drafts.get(draftKey(root, path)) ?? null;
    const others = status!.conflicts.filter((one) => one !== asked.params["*"] && one !== path).slice(0, MOST_OTHERS);
    const othersPart =
      others.length > 0 &&
      html`<section id="others"><h2>Other conflicts</h2><ul>${others.map(
        (one) => html`<li><a href="${documentAddress(name, "conflict", one)}">${nameView(one)}</a></li>`,
      )}</ul></section>`;
    const title = `${path} · ${name} · mdmirror`;
    // The problem has ended, or never existed.
    if (found.kind === "trouble") {
      const { what, next } = found.trouble;
      return ok({
        title,
        said: `${path}: nothing is open`,
        main: html`<h1>${nameView(path)}</h1>
<div id="stands" data-versions=""><p>${badgeOf("quiet", "nothing to choose")} ${sentenceView(what)}</p>${nextOf(next)}</div>
${draftLeft(draft)}
${othersPart}
<p><a href="${mirrorAddress(name, "needs")}">All problems of ${nameView(name)}</a></p>`,
      });
    }
    const problem = { ...found.value, folder, asked, draft };
    const versions = Object.values(problem.versions).join(" ");
    return ok({
      title,
      said: `${path}: ${problem.conflict === null ? "blocked" : "in conflict"}`,
      scripts: problem.ways.includes("merged") ? ["conflict.js"] : [],
      main: html`<h1>${nameView(path)}</h1>
<div id="stands" data-versions="${versions}">${standsAs(problem)}</div>
${job?.end === null && html`<p id="busy" class="notice quiet">${job.what} is running in this folder; you can choose when it has ended.</p>`}
${choicesOf(problem)}
${textsOf(problem)}
${resultOf(problem)}
${othersPart}`,
    });
  },
});

/** An open problem with the request for its page. */
type ShownProblem = ProblemView & {
  readonly folder: Folder;
  readonly asked: PageRequest;
  /** Content that a user typed and that could not be saved; null if there is none. */
  readonly draft: string | null;
};

function readProblem(ui: Ui, root: string, path: string): Result<ProblemView> {
  return withLocal(root, ui, (local) => {
    const found = findProblem(local, path);
    return found.kind === "trouble" ? found : ok(viewProblem(local, found.value));
  });
}

function standsAs({ conflict, block, asked }: ShownProblem): Html {
  return html`${conflict !== null && conflictWords(conflict, asked.now)}${block !== null && blockWords(block, asked.now)}${
    conflict === null && block === null && html`<p>${badgeOf("quiet", "in review")} Its change is in review.</p>`
  }`;
}

function conflictWords(conflict: NonNullable<ProblemView["conflict"]>, now: number): Html {
  const { since, conflictCopy, hasConflictCopy, bothNew, renewed } = conflict;
  const how = bothNew
    ? "It was new on both sides, with different content."
    : "It was edited locally and on the service, and the two edits do not merge.";
  return html`<p>${badgeOf("asks", "conflict")} for ${ageOf(since, now)}. ${how}${
    renewed > 0 && html` The version on the service has changed ${plural(renewed, "time")} since.`
  }</p>
<p class="faint">Mine is the local file. Theirs is the version on the service; it is ${
    hasConflictCopy
      ? html`beside it as ${nameView(conflictCopy)}.`
      : html`kept in the history: the file ${nameView(conflictCopy)} was removed, which chooses mine at the next sync.`
  }</p>`;
}

function blockWords(block: NonNullable<ProblemView["block"]>, now: number): Html {
  const { kind, detail, code, since } = block;
  return html`<p>${badgeOf("asks", "blocked")} for ${ageOf(since, now)}. <b>${kind}</b>: ${sentenceView(detail)}${code !== null && ` (${code})`}</p>
${nextOf(nextFor(block))}`;
}

/** Returns a form about a conflict. The form sends the versions that the page shows. */
function resolveForm({ versions, path, folder, asked }: ShownProblem, content: Html): Html {
  const { mine, theirs, base } = versions;
  const fields = { mine: mine ?? "", theirs: theirs ?? "", base: base ?? "" };
  return folderForm(folder, { path: documentPart("conflict", path), fields }, asked, content);
}

function choicesOf(problem: ShownProblem): Html {
  const ways = problem.ways.filter((way) => way !== "merged");
  if (ways.length === 0) return html`<section id="choose"></section>`;
  const inputs = ways.map((way) => choiceOf(way, problem));
  return html`<section id="choose"><h2>Choose</h2>${resolveForm(problem, html`<ul class="choices">${inputs}</ul>`)}
<p class="faint">Nothing is lost: the version that you do not choose stays in .mdmirror/trash and in the history.</p></section>`;
}

function choiceOf(way: ResolutionKind, { conflict, block }: ProblemView): Html {
  const { label, does } = resolutionWords(way, conflict !== null, (block?.kind ?? null) as BlockReason | null);
  const button = html`<button name="way" value="${way}" aria-describedby="does-${way}">${label}</button> <span id="does-${way}">${does}</span>`;
  if (way !== "recreate") return html`<li>${button}</li>`;
  return html`<li><details class="confirm"><summary class="button">${label} …</summary><p>${button}</p></details></li>`;
}

/** Returns the address of this page with some options changed; null removes one. */
function otherView({ folder, path, asked }: ShownProblem, other: Readonly<Record<string, string | null>>): string {
  const [base, lines, from] = ["base", "lines", "from"].map((name) => asked.query.get(name));
  return documentAddress(folder.name, "conflict", path, { base: base!, lines: lines!, from: from!, ...other });
}

function textsOf(problem: ShownProblem): Html {
  const { mine, theirs, base, conflict, path, asked } = problem;
  if (mine.kind === "none" || theirs.kind === "none")
    return html`<section id="texts"><h2>Versions</h2>${oneText(html`Mine, ${nameView(path)}`, mine)}${oneText(html`Theirs`, theirs)}</section>`;
  const isBlock = conflict === null;
  const baseText = isBlock || conflict.bothNew || base.kind === "none" ? null : base.text;
  const withBase = asked.query.get("base") === "yes" && baseText !== null;
  const whole = asked.query.get("lines") === "all";
  const passages = sideBySide({ base: baseText, mine: mine.text, theirs: theirs.text }, withBase ? "base" : "other");
  const columns = [
    { side: "mine", label: "Mine" },
    ...(withBase ? [{ side: "base", label: "Base" } as const] : []),
    { side: "theirs", label: isBlock ? "Base (the last version that both sides had)" : "Theirs" },
  ] as const;
  const caption = withBase ? "Mine, base and theirs, line by line" : "Mine and theirs, line by line";
  const words = baseText === null ? TWO_WORDS : WORDS;
  const link = (label: string, other: Readonly<Record<string, string | null>>) =>
    html`<a class="button" href="${otherView(problem, other)}#texts">${label}</a>`;
  return html`<section id="texts"><h2>${isBlock ? "Local edits" : "Versions"}</h2>
<p>${meetingOf(problem, passages)}</p>
<p class="row">${
    baseText !== null && (withBase ? link("Hide the base", { base: null }) : link("Show the base", { base: "yes" }))
  }${whole ? link("Only what changed", { lines: null }) : link("All lines", { lines: "all" })}</p>
${countChanges(passages) > 0 && sidesOf(passages, { caption, columns, words, whole })}</section>`;
}

const WORDS: Readonly<Record<Exclude<Passage["kind"], "same">, string>> = {
  mine: "Changed locally (mine)",
  theirs: "Changed on the service (theirs)",
  alike: "The same change on both sides",
  both: "Different changes on both sides",
};
const TWO_WORDS = { ...WORDS, both: "They differ" };

function meetingOf({ mine, theirs, base, conflict }: ProblemView, passages: readonly Passage[]): string {
  const changes = plural(countChanges(passages), "place");
  if (countChanges(passages) === 0) return "The versions are equal.";
  if (conflict === null) return `They differ in ${changes}.`;
  const merged = mergeText(contentOf(base) ?? "", contentOf(mine) ?? "", contentOf(theirs) ?? "");
  if (merged.kind === "clean")
    return `They differ in ${changes}. The two edits merge now: the next sync ends the conflict.`;
  return `They differ in ${changes}; in ${plural(merged.hunks.length, "place")} the two edits do not merge.`;
}

/** Shows one version alone, because at least one version cannot be shown. */
function oneText(label: Html, text: ShownText): Html {
  if (text.kind === "none") return html`<h3>${label}</h3><p>It cannot be shown: ${sentenceView(text.why)}.</p>`;
  return html`<h3>${label}</h3><pre tabindex="0" dir="auto">${text.text}</pre>`;
}

function contentOf(text: ShownText): string | null {
  return text.kind === "text" ? text.text : null;
}

/** Contents with which the form can start, with a sentence and with the label of a link. */
const STARTS = {
  merge: ["The merge, with the remaining conflicts marked.", "the merge"],
  mine: ["Starts with mine.", "mine"],
  theirs: ["Starts with theirs.", "theirs"],
  base: ["Starts with the last version that both sides had (base).", "base"],
  draft: ["Your result, not saved yet.", null],
} as const;

type Start = keyof typeof STARTS;
const START_NAMES = Object.keys(STARTS) as Start[];

/** Returns the starting content of the form; null if that content cannot be shown. */
function startText(open: ProblemView, draft: string | null, from: Start): string | null {
  if (from === "draft") return draft;
  const [mine, theirs, base] = [contentOf(open.mine), contentOf(open.theirs), contentOf(open.base)];
  if (from !== "merge") return { mine, theirs, base }[from];
  return mine === null || theirs === null ? null : markConflicts({ base: base ?? "", mine, theirs });
}

function requestedStart(name: string | null): Start | null {
  return START_NAMES.find((one) => one === name) ?? null;
}

/**
 * Returns the starting content that a form was shown with; "" if that content is no longer known.
 */
export function startOfForm(ui: Ui, root: string, path: string, name: string | null): string {
  const from = requestedStart(name);
  const found = from === null ? null : readProblem(ui, root, path);
  const draft = ui.drafts.get(draftKey(root, path)) ?? null;
  return found?.kind === "ok" ? (startText(found.value, draft, from!) ?? "") : "";
}

/** Shows the form with the merged content, for editing and saving. */
function resultOf(problem: ShownProblem): Html | null {
  const { draft, ways, theirs, asked } = problem;
  if (!ways.includes("merged")) return draftLeft(draft);
  const from = requestedStart(asked.query.get("from")) ?? (draft === null ? "merge" : "draft");
  const text = startText(problem, draft, from) ?? startText(problem, draft, "mine");
  if (text === null) return draftLeft(draft);
  const links = START_NAMES.filter((one) => one !== from && startText(problem, draft, one) !== null).map((one) => {
    const label = STARTS[one][1];
    return label !== null && html`<a class="button" href="${otherView(problem, { from: one })}#result">${label}</a>`;
  });
  return html`<section id="result"><h2>The result</h2>
<p id="result-about">${STARTS[from][0]}${
    text.includes("<<<<<<< ") && " Where the edits conflict, both are between <<<<<<< and >>>>>>>: write one result."
  }</p>
<p class="row">Start again from: ${links}</p>
<p id="moved-on" class="notice asks" role="status" hidden>The versions have changed since you began this result. Saving it writes nothing,
shows the present versions, and keeps your result.</p>
${resolveForm(problem, fieldsOf(text, from))}
${
  theirs.kind === "text" &&
  html`<textarea id="result-other" hidden readonly aria-label="Theirs">
${theirs.text}</textarea>`
}</section>`;
}

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
function draftLeft(draft: string | null): Html | null {
  if (draft === null) return null;
  return html`<section id="result"><h2>Your text</h2>
<p>Your result was not saved. Copy it if you need it.</p>
<label for="result-text">Text that was not saved</label>
<textarea id="result-text" rows="20" readonly dir="auto">
${draft}</textarea></section>`;
}
