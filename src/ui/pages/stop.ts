import type { StopView } from "../../mirror/operations/manual/answer-stop.ts";
import { type RejectionKind, waitingClause } from "../../mirror/operations/results/stop.ts";
import { count, plural } from "../../common/count.ts";
import { sentenceOf } from "../../common/sentence.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, bannerOf, emptyOf, nameView, nextOf, sentenceView } from "../../page/parts.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest } from "../page.ts";
import { explained, folderForm } from "../parts.ts";
import { jobOf, progressOf } from "../status.ts";
import type { StopReading } from "../jobs.ts";

/** LIMIT: number of changes that are listed for each folder. */
const MAX_CHANGES = 100;

/**
 * Page on which the user answers a stop by a safety check. Shows the stopped changes and what each
 * answer would do.
 */
export const STOP = folderPage({
  path: "/m/:name/safety-stop",
  section: "needs",
  showsUnreadable: true,
  show(ui, folder, request) {
    const { name, root, status, job } = folder;
    const safetyStop = status?.safetyStop ?? null;
    const isAnswering = job?.end === null;
    const isOpen = safetyStop?.approved === false && !isAnswering;
    const reading = isOpen ? ui.stops.of(root, status!) : { isScanning: false, seen: null };
    return {
      title: `Stopped · ${name} · mdmirror`,
      announcement: `${name}: ${safetyStop === null ? "nothing is stopped" : "stopped by a safety check"}`,
      main: html`<div id="job">${jobOf(job)}</div>
${safetyStop === null ? nothingStopped(folder) : !isAnswering && stopPart(folder, safetyStop, reading, request)}`,
    };
  },
});

/** Shows the result of the user's answer, or that nothing is stopped. */
function nothingStopped({ job }: Folder): Html {
  const result = job?.end ?? null;
  if (result !== null) return bannerOf(result.tone, result.text, null);
  return html`<h1>Stopped changes</h1>${emptyOf("Nothing is stopped", "No safety check stops the sync of this folder.")}`;
}

type SafetyStop = NonNullable<NonNullable<Folder["status"]>["safetyStop"]>;

function stopPart(folder: Folder, stop: SafetyStop, { isScanning, seen }: StopReading, request: PageRequest): Html {
  const { approved, reasons } = stop;
  if (approved)
    return bannerOf("asks", "Approved: the next sync carries the changes out", null, syncNow(folder, request));
  const trouble = seen?.result.kind === "trouble" ? seen.result.trouble : null;
  const view = seen?.result.kind === "ok" ? seen.result.value : null;
  if (view !== null && view.stop.version === null)
    return bannerOf("quiet", "Nothing would be stopped any more", "The next sync continues.", syncNow(folder, request));
  const words = wordsOf(reasons, view);
  return html`${stopBanner(reasons, words, view === null ? null : html`Checked ${ageOf(seen!.scannedAt, request.now)} ago.`)}
${trouble === null ? answers(folder, view, words, request) : html`<div class="notice bad"><p>${sentenceView(sentenceOf(trouble.what))}</p>${nextOf(trouble.next)}</div>`}
${isScanning && html`<div id="looking"><p class="faint">Reading both sides to list the changes …</p>${progressOf("Reading both sides", 0, null)}</div>`}
${view !== null && stoppedList(view)}`;
}

/**
 * Shows the question that the user has to answer, and the reasons of the stop. Before the scan has
 * ended, shows only the reasons.
 * @param checked sentence with the age of the scan; null before the scan has ended
 */
function stopBanner(reasons: SafetyStop["reasons"], { question }: Words, checked: Html | null): Html {
  const sentences = sentenceView(reasons.map(({ detail }) => sentenceOf(detail)).join(" "));
  const why = reasons.map(({ reason }) => html` ${explained(reason, "Why it stopped")}`);
  return checked === null
    ? bannerOf("bad", sentences, html`${why}`)
    : bannerOf("bad", question, html`${sentences} ${checked}${why}`);
}

/** Words for a stop: the question, the labels of both answers, and what the answer yes does. */
type Words = { readonly question: string; readonly yes: string; readonly no: string; readonly does: string };

/** Side on which documents would be deleted, by the reason of the stop. */
const DELETES: Readonly<Record<string, "service" | "local">> = {
  "delete-budget-remote": "service",
  "local-emptied": "service",
  "delete-budget-local": "local",
  "remote-emptied": "local",
};

/**
 * Returns the words for a stop.
 * @param view the scanned changes; null before the scan has ended, so that the words have no
 * numbers
 */
function wordsOf([first]: SafetyStop["reasons"], view: StopView | null): Words {
  const deletes = first === undefined ? undefined : DELETES[first.reason];
  const documents = view === null || view.deleted.size === 0 ? "documents" : plural(view.deleted.size, "document");
  const them = view === null ? "them" : documents;
  switch (deletes) {
    case "service":
      return {
        question: `Delete ${documents} on the service?`,
        yes: `Delete ${them}`,
        no: "Keep them",
        does: "Their content stays in the history of this folder. A deleted document cannot get its id back.",
      };
    case "local":
      return {
        question: `Move ${documents} from this folder to its trash?`,
        yes: `Move ${them} to the trash`,
        no: "Keep them",
        does: "The files stay in the trash of this folder, and their content in its history.",
      };
    case undefined: {
      const changes = view === null ? "the changes" : plural(view.stop.items.length, "change");
      const does = "The content before stays in the history of this folder.";
      return { question: `Carry out ${changes}?`, yes: `Carry out ${changes}`, no: "Undo them", does };
    }
  }
}

function syncNow(folder: Folder, request: PageRequest): Html {
  return folderForm(folder, { path: "sync" }, request, html`<button class="main-action">Sync now</button>`);
}

/**
 * Shows both answers side by side, each with what it does and a button.
 * @param view the scanned changes; null before the scan has ended, so that the buttons are disabled
 */
function answers(folder: Folder, view: StopView | null, words: Words, request: PageRequest): Html {
  const form = (answer: "approve" | "reject", look: string, label: string) =>
    view === null
      ? html`<button class="${look}" disabled>${label}</button>`
      : folderForm(
          folder,
          { path: `safety-stop/${answer}`, fields: { seen: view.stop.version ?? "" } },
          request,
          html`<button class="${look}">${label}</button>`,
        );
  const back = view?.back;
  return html`<div class="halves" id="answers"><section class="card"><h2>${words.yes}</h2>
<p>${words.does}</p>${form("approve", "danger", words.yes)}</section>
<section class="card" id="back"><h2>${words.no}</h2>${
    back?.kind === "trouble"
      ? html`<p>${sentenceView(sentenceOf(back.trouble.what))}</p>${nextOf(back.trouble.next)}`
      : html`<ul>${back !== undefined && rejections(back.value)}</ul>${form("reject", "main-action", words.no)}`
  }</section></div>`;
}

type Rejections = Extract<StopView["back"], { kind: "ok" }>["value"];

/** Words for what a rejection does: a noun to count, and words that follow it. */
const REJECTED: Readonly<Record<RejectionKind | "left", readonly [noun: string, words: string]>> = {
  "file-back": ["document", "restored, with the same id and history"],
  "folder-back": ["folder", "restored"],
  "folder-stays": ["folder", "kept, and created on the service again"],
  "stays-as-new": ["document", "kept, and uploaded as a new document with a new id"],
  "other-version-back": ["conflict", "kept open, with its conflict copy"],
  "text-back": ["document", "restored to the content before"],
  "newer-text-back": ["document", "uploaded again in the local version"],
  left: ["document", "left alone"],
};

function rejections(back: Rejections): Html[] {
  return [...Map.groupBy(back, ({ kind }) => kind)].map(([kind, all]) => {
    const [noun, words] = REJECTED[kind];
    const why = kind === "left" && html`: ${sentenceView(all[0]!.row.why)}`;
    return html`<li><b>${plural(all.length, noun)}</b> ${words}${why}</li>`;
  });
}

/** Lists the stopped changes, grouped by their topmost folder. Each group can be expanded. */
function stoppedList({ stop: { items, waiting }, deleted }: StopView): Html {
  const tops = new Set(items.flatMap(({ path }) => (path.includes("/") ? [path.split("/", 1)[0]!] : [])));
  const folders = [...Map.groupBy(items, ({ path }) => [path.split("/", 1)[0]!].find((top) => tops.has(top)) ?? "")];
  return html`<section id="stopped"><h2>${countedChanges(items.length, deleted.size)}</h2>
${waiting > 0 && html`<p class="faint">${sentenceOf(waitingClause(waiting))}</p>`}${folders.map(
  ([folder, changes]) =>
    html`<details class="card flush" id="${`stopped-${folder}`}"><summary>${folder === "" ? "In this folder itself" : nameView(folder)} <span class="count quiet">${count(changes.filter(({ path }) => deleted.has(path)).length || changes.length)}</span></summary>
<ul class="rows">${changes
      .slice(0, MAX_CHANGES)
      .map(
        ({ what, path, notes }) =>
          html`<li><span>${nameView(path)}${notes.map((note) => html` <span class="faint">${sentenceView(note)}</span>`)}</span><span class="faint">${what}</span></li>`,
      )}</ul>${changes.length > MAX_CHANGES && html`<p class="faint">… and ${plural(changes.length - MAX_CHANGES, "more change")}</p>`}</details>`,
)}</section>`;
}

/** Returns how many changes are deletions and how many are not: `3 deletions, 1 other change`. */
function countedChanges(changes: number, deletions: number): string {
  if (deletions === 0) return plural(changes, "change");
  const others = changes - deletions;
  return `${plural(deletions, "deletion")}${others === 0 ? "" : `, ${plural(others, "other change")}`}`;
}
