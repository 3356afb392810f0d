import { requireRejectable, type StopPlan } from "../../mirror/operations/manual/answer-stop.ts";
import { describeWaiting, type RejectionKind } from "../../mirror/operations/results/attention.ts";
import { count, plural } from "../../common/quantities.ts";
import { toSentence } from "../../common/shown-words.ts";
import { html, type Html } from "../../page/html.ts";
import {
  renderAge,
  renderBanner,
  renderEmptyState,
  renderName,
  renderNextStep,
  renderSentence,
} from "../../page/parts.ts";
import type { Folder } from "../folders.ts";
import { makeFolderPage, type PageRequest } from "../page.ts";
import { renderFolderForm, renderHelpLink, renderJob, renderProgress } from "../parts.ts";
import type { StopReading } from "../jobs.ts";

/** LIMIT: number of changes that are listed for each folder, so that the page stays small. */
const MAX_CHANGES = 100;

/**
 * Shows the changes that a safety check stopped, and what approving and rejecting these changes
 * would do.
 */
export const STOP_PAGE = makeFolderPage({
  path: "/m/:name/safety-stop",
  section: "needs",
  showsUnreadable: true,
  show(ui, folder, request) {
    const { name, root, status, job } = folder;
    const safetyStop = status?.safetyStop ?? null;
    const isAnswering = job?.end === null;
    const needsAnswer = safetyStop?.approved === false && !isAnswering;
    const reading = needsAnswer ? ui.stops.of(root, status!) : { isScanning: false, seen: null };
    return {
      title: `Stopped · ${name} · mdmirror`,
      announcement: `${name}: ${safetyStop === null ? "nothing is stopped" : "stopped by a safety check"}`,
      main: html`<div id="job">${renderJob(job)}</div>
${safetyStop === null ? renderNothingStopped(folder) : !isAnswering && renderStop(folder, safetyStop, reading, request)}`,
    };
  },
});

function renderNothingStopped({ job }: Folder): Html {
  const result = job?.end ?? null;
  if (result !== null) return renderBanner(result.tone, result.text, null);
  return html`<h1>Stopped changes</h1>${renderEmptyState("Nothing is stopped", "No safety check stops the sync of this folder.")}`;
}

type SafetyStop = NonNullable<NonNullable<Folder["status"]>["safetyStop"]>;

function renderStop(folder: Folder, stop: SafetyStop, { isScanning, seen }: StopReading, request: PageRequest): Html {
  const { approved, reasons } = stop;
  const button = html`<button class="main-action">Sync now</button>`;
  const syncForm = renderFolderForm(folder, { path: "sync" }, request, button);
  if (approved) return renderBanner("asks", "Approved: the next sync carries the changes out", null, syncForm);
  const trouble = seen?.result.kind === "trouble" ? seen.result.trouble : null;
  const view = seen?.result.kind === "ok" ? seen.result.value : null;
  if (view?.stop.version === null)
    return renderBanner("quiet", "Nothing would be stopped any more", "The next sync continues.", syncForm);
  const stopWords = chooseWords(reasons, view);
  return html`${renderStopBanner(reasons, stopWords, view === null ? null : html`Checked ${renderAge(seen!.scannedAt, request.now)} ago.`)}
${trouble === null ? renderAnswers(folder, view, stopWords, request) : html`<div class="notice bad"><p>${renderSentence(toSentence(trouble.what))}</p>${renderNextStep(trouble.next)}</div>`}
${isScanning && html`<div id="looking"><p class="faint">Reading both sides to list the changes …</p>${renderProgress("Reading both sides", 0, null)}</div>`}
${view !== null && renderStoppedChanges(view)}`;
}

/**
 * Shows what the user has to decide, and the reasons of the stop. Before the scan has ended, shows
 * only the reasons.
 * @param checked sentence with the age of the scan; null before the scan has ended
 */
function renderStopBanner(reasons: SafetyStop["reasons"], { question }: StopWords, checked: Html | null): Html {
  const sentences = renderSentence(reasons.map(({ detail }) => toSentence(detail)).join(" "));
  const helpLinks = reasons.map(({ reason }) => html` ${renderHelpLink(reason, "Why it stopped")}`);
  return checked === null
    ? renderBanner("bad", sentences, html`${helpLinks}`)
    : renderBanner("bad", question, html`${sentences} ${checked}${helpLinks}`);
}

type StopWords = { readonly question: string; readonly yes: string; readonly no: string; readonly does: string };

/** Side on which a sync would delete documents, by the reason of the stop. */
const DELETING_SIDES: Readonly<Record<string, "service" | "local">> = {
  "delete-budget-remote": "service",
  "local-emptied": "service",
  "delete-budget-local": "local",
  "remote-emptied": "local",
};

/**
 * Returns the sentences and the labels of the buttons for a stop.
 * @param view result of the scan; null before the scan has ended, so that the sentences have no
 * numbers
 */
function chooseWords([first]: SafetyStop["reasons"], view: StopPlan | null): StopWords {
  const deletingSide = first === undefined ? undefined : DELETING_SIDES[first.reason];
  const documents = view === null || view.deleted.size === 0 ? "documents" : plural(view.deleted.size, "document");
  const documentsWord = view === null ? "them" : documents;
  switch (deletingSide) {
    case "service":
      return {
        question: `Delete ${documents} on the service?`,
        yes: `Delete ${documentsWord}`,
        no: "Keep them",
        does: "Their content stays in the history of this folder. A deleted document cannot get its id back.",
      };
    case "local":
      return {
        question: `Move ${documents} from this folder to its trash?`,
        yes: `Move ${documentsWord} to the trash`,
        no: "Keep them",
        does: "The files stay in the trash of this folder, and their content in its history.",
      };
    case undefined: {
      const changes = view === null ? "the changes" : plural(view.stop.items.length, "change");
      const approvalEffect = "The content before stays in the history of this folder.";
      return { question: `Carry out ${changes}?`, yes: `Carry out ${changes}`, no: "Undo them", does: approvalEffect };
    }
  }
}

/**
 * Shows the two answers to a stop side by side: approve and reject. Each answer has a list of
 * effects and a button.
 * @param view result of the scan; null before the scan has ended, so that the buttons are disabled
 */
function renderAnswers(folder: Folder, view: StopPlan | null, words: StopWords, request: PageRequest): Html {
  const renderAnswerForm = (answer: "approve" | "reject", className: string, label: string) => {
    const button = html`<button class="${className}"${view === null && " disabled"}>${label}</button>`;
    if (view === null) return button;
    const fields = { seen: view.stop.version ?? "" };
    return renderFolderForm(folder, { path: `safety-stop/${answer}`, fields }, request, button);
  };
  const rejectionResult = view === null ? null : requireRejectable(view);
  return html`<div class="halves" id="answers"><section class="card"><h2>${words.yes}</h2>
<p>${words.does}</p>${renderAnswerForm("approve", "danger", words.yes)}</section>
<section class="card" id="back"><h2>${words.no}</h2>${
    rejectionResult?.kind === "trouble"
      ? html`<p>${renderSentence(toSentence(rejectionResult.trouble.what))}</p>${renderNextStep(rejectionResult.trouble.next)}`
      : html`<ul>${rejectionResult !== null && renderRejections(rejectionResult.value.back)}</ul>${renderAnswerForm("reject", "main-action", words.no)}`
  }</section></div>`;
}

const REJECTION_WORDS: Readonly<Record<RejectionKind | "left", readonly [noun: string, words: string]>> = {
  "file-back": ["document", "restored, with the same id and history"],
  "folder-back": ["folder", "restored"],
  "folder-stays": ["folder", "kept, and created on the service again"],
  "stays-as-new": ["document", "kept, and uploaded as a new document with a new id"],
  "other-version-back": ["conflict", "kept open, with its conflict copy"],
  "text-back": ["document", "restored to the content before"],
  "newer-text-back": ["document", "uploaded again in the local version"],
  left: ["document", "left alone"],
};

function renderRejections(rejections: StopPlan["back"]): Html[] {
  return [...Map.groupBy(rejections, ({ kind }) => kind)].map(([kind, all]) => {
    const [noun, words] = REJECTION_WORDS[kind];
    const reasonClause = kind === "left" && html`: ${renderSentence(all[0]!.row.why)}`;
    return html`<li><b>${plural(all.length, noun)}</b> ${words}${reasonClause}</li>`;
  });
}

/** Lists the stopped changes, grouped by their topmost folder. Each group can be expanded. */
function renderStoppedChanges({ stop: { items, waiting }, deleted }: StopPlan): Html {
  const topFolders = new Set(items.flatMap(({ path }) => (path.includes("/") ? [path.split("/", 1)[0]!] : [])));
  const folders = [
    ...Map.groupBy(items, ({ path }) => [path.split("/", 1)[0]!].find((top) => topFolders.has(top)) ?? ""),
  ];
  return html`<section id="stopped"><h2>${formatChanges(items.length, deleted.size)}</h2>
${waiting > 0 && html`<p class="faint">${toSentence(describeWaiting(waiting))}</p>`}${folders.map(
  ([folder, changes]) =>
    html`<details class="card flush" id="${`stopped-${folder}`}"><summary>${folder === "" ? "In this folder itself" : renderName(folder)} <span class="count quiet">${count(changes.filter(({ path }) => deleted.has(path)).length || changes.length)}</span></summary>
<ul class="rows">${changes
      .slice(0, MAX_CHANGES)
      .map(
        ({ what, path, notes }) =>
          html`<li><span>${renderName(path)}${notes.map((note) => html` <span class="faint">${renderSentence(note)}</span>`)}</span><span class="faint">${what}</span></li>`,
      )}</ul>${changes.length > MAX_CHANGES && html`<p class="faint">… and ${plural(changes.length - MAX_CHANGES, "more change")}</p>`}</details>`,
)}</section>`;
}

/** Returns the number of deletions and of other changes: `3 deletions, 1 other change`. */
function formatChanges(changes: number, deletions: number): string {
  if (deletions === 0) return plural(changes, "change");
  const otherCount = changes - deletions;
  return `${plural(deletions, "deletion")}${otherCount === 0 ? "" : `, ${plural(otherCount, "other change")}`}`;
}
