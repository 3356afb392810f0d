import type { StopView } from "../../mirror/operations/manual/answer-stop.ts";
import { waitingClause } from "../../mirror/operations/results/stop.ts";
import { ok } from "../../common/trouble.ts";
import { count, plural } from "../../common/count.ts";
import { nameOf, parentOf } from "../../contract/path.ts";
import { html, type Html } from "../../page/html.ts";
import { nextOf } from "../../page/next-step.ts";
import { ageOf, bannerOf, emptyOf, nameView, sentenceView } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest } from "../page.ts";
import { explained, folderForm, pagerOf, partOf } from "../parts.ts";
import { jobOf } from "../status.ts";
import type { StopReading } from "../stops.ts";

/** LIMIT: changes on one page. */
const SIZE = 100;

/** Shows a stop as a question, with the stopped changes and both answers. */
export const STOP = folderPage({
  path: "/m/:name/safety-stop",
  section: "needs",
  showsUnread: true,
  show(ui, folder, asked) {
    const { name, root, status, job } = folder;
    const safetyStop = status?.safetyStop ?? null;
    const isOpen = safetyStop?.approved === false;
    const reading = isOpen ? ui.stops.of(root, status!) : { isScanning: false, seen: null };
    const { seen } = reading;
    const changes = seen?.result.kind === "ok" ? `, ${seen.result.value.stop.items.length} changes` : "";
    return ok({
      title: `Stopped · ${name} · mdmirror`,
      here: mirrorAddress(name, "safety-stop"),
      announcement: `${name}: ${safetyStop === null ? "nothing is stopped" : `stopped by a safety check${changes}`}`,
      main: html`<div id="job">${jobOf(job)}</div>
${safetyStop === null ? emptyOf("Nothing is stopped", "No safety check stops the sync of this folder.") : stopPart(folder, safetyStop, reading, asked)}`,
    });
  },
});

type SafetyStop = NonNullable<NonNullable<Folder["status"]>["safetyStop"]>;

function stopPart(folder: Folder, safetyStop: SafetyStop, { isScanning, seen }: StopReading, asked: PageRequest): Html {
  const { approved, reasons } = safetyStop;
  if (approved)
    return bannerOf("asks", "Approved: the next sync carries the changes out", null, syncNow(folder, asked));
  const trouble = seen?.result.kind === "trouble" ? seen.result.trouble : null;
  const view = seen?.result.kind === "ok" ? seen.result.value : null;
  const isOver = view !== null && view.stop.version === null;
  const scanned = seen !== null && !isScanning && html` · Checked ${ageOf(seen.at, asked.now)} ago`;
  return html`${bannerOf("bad", questionOf(reasons, view), html`${reasonList(reasons)}${scanned}`)}
${isScanning && html`<div id="looking"><p class="faint">Scanning both sides for the changes that the safety check stopped …</p><progress aria-label="Looking at both sides"></progress></div>`}
${trouble !== null && html`<div class="notice bad"><p>${sentenceView(trouble.what)}</p>${nextOf(trouble.next)}</div>`}
${isOver && bannerOf("quiet", "No change would be stopped now", "The next sync continues.", syncNow(folder, asked))}
${view !== null && !isOver && html`${answers(folder, view, asked)}${stoppedList(folder, view.stop, asked)}`}`;
}

function reasonList(reasons: SafetyStop["reasons"]): Html {
  return html`<span id="reasons">${reasons.map(
    ({ reason, detail }, at) => html`${at > 0 && "; "}${explained(reason, sentenceView(detail))}`,
  )}</span>`;
}

const ON_SERVICE = ["Delete", "on the service"] as const;
const LOCALLY = ["Move", "from this folder to its trash"] as const;

/** Beginning and end of the question for a reason that deletes documents. */
const QUESTIONS: Readonly<Record<string, readonly [string, string]>> = {
  "delete-budget-remote": ON_SERVICE,
  "local-emptied": ON_SERVICE,
  "delete-budget-local": LOCALLY,
  "remote-emptied": LOCALLY,
};

/** Returns the stop as one question; before the scan has ended, as the reason. */
function questionOf([first]: SafetyStop["reasons"], view: StopView | null): string {
  const items = view?.stop.items ?? [];
  if (first === undefined || items.length === 0) return "Stopped by a safety check";
  const [verb, place] = QUESTIONS[first.reason] ?? ["Carry out", ""];
  if (place === "") return `Carry out ${plural(items.length, "change")}?`;
  const most = Math.max(...[...Map.groupBy(items, ({ what }) => what).values()].map(({ length }) => length));
  return `${verb} ${plural(most, "document")} ${place}?`;
}

function syncNow(folder: Folder, asked: PageRequest): Html {
  return folderForm(folder, { path: "sync" }, asked, html`<button class="main-action">Sync now</button>`);
}

/** Shows both answers beside each other: what each does, and its button. */
function answers(folder: Folder, { stop, back }: StopView, asked: PageRequest): Html {
  const form = (answer: "approve" | "reject", button: Html) => {
    const action = { path: `safety-stop/${answer}`, fields: { seen: stop.version ?? "" } };
    return folder.job?.end === null ? null : folderForm(folder, action, asked, button);
  };
  const sums = [...Map.groupBy(stop.items, ({ what }) => what)].map(
    ([what, all]) => html`<li><b>${count(all.length)}</b> ${what.replace(/^[→←↔·] /, "")}</li>`,
  );
  return html`<div class="halves" id="answers"><section class="card"><h2>Yes, carry them out</h2><ul >${sums}</ul>
<p class="faint">Deleted local files go to the trash of this folder. Deleted documents stay in its history.</p>
${stop.waiting > 0 && html`<p class="faint">${waitingClause(stop.waiting)}.</p>`}
${form("approve", html`<button class="danger">Carry out ${plural(stop.items.length, "change")}</button>`)}</section>
${rejectCard(back, (words) => form("reject", html`<button class="main-action">${words}</button>`))}</div>`;
}

function rejectCard(back: StopView["back"], form: (words: string) => Html | null): Html {
  if (back.kind === "trouble")
    return html`<section class="card"><h2>No, undo them</h2><p>${sentenceView(back.trouble.what)}</p>${nextOf(back.trouble.next)}</section>`;
  const { items } = back.value;
  const groups = [...Map.groupBy(items, ({ what, why }) => `${what}\0${why}`)].map(([, all]) => {
    const { what, why } = all[0]!;
    return html`<li><b>${count(all.length)}</b> ${what}${why !== "" && html` (${sentenceView(why)})`}</li>`;
  });
  const undone = items.filter(({ end }) => end !== "left").length;
  return html`<section class="card" id="back"><h2>No, undo them</h2><ul >${groups}</ul>
${form(`Undo ${plural(undone, "change")}`)}</section>`;
}

/** Lists the stopped changes by folder. */
function stoppedList({ name }: Folder, stop: StopView["stop"], asked: PageRequest): Html {
  const part = partOf(stop.items, asked, SIZE);
  const totals = Map.groupBy(stop.items, ({ path }) => parentOf(path));
  const folders = [...Map.groupBy(part.items, ({ path }) => parentOf(path))].map(
    ([folder, items]) =>
      html`<section class="card flush"><header><h3>${folder === "" ? "This folder itself" : nameView(folder)}</h3><span class="count quiet">${count(totals.get(folder)!.length)}</span></header>
<ul class="rows">${items.map(
        ({ what, path, notes }) =>
          html`<li><span>${nameView(nameOf(path))}${notes.map((note) => html` <span class="faint">${sentenceView(note)}</span>`)}</span><span class="faint">${what}</span></li>`,
      )}</ul></section>`,
  );
  return html`<section id="stopped"><h2>Stopped: ${plural(part.total, "change")}</h2>${folders}
${pagerOf(part, "changes", (page) => mirrorAddress(name, "safety-stop", { page }))}</section>`;
}
