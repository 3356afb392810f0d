import type { StopView } from "../../mirror/operations/manual/answer-stop.ts";
import { waitingClause } from "../../mirror/operations/results/stop.ts";
import { ok } from "../../common/trouble.ts";
import { count, plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, badgeOf, nameView, nextOf, sentenceView } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest } from "../page.ts";
import { explained, folderForm, pagerOf, partOf } from "../parts.ts";
import { jobOf } from "../status.ts";
import type { StopReading } from "../stops.ts";

/** LIMIT: rows on one page. */
const SIZE = 100;
/** LIMIT: names of items to restore that are shown. */
const MOST_BACK = 20;

/** Shows a stop: the changes that a safety check stopped, with a form for each answer. */
export const STOP = folderPage({
  path: "/m/:name/safety-stop",
  section: "needs",
  showsUnread: true,
  show(ui, folder, asked) {
    const { name, root, status } = folder;
    const safetyStop = status?.safetyStop ?? null;
    const isOpen = safetyStop?.approved === false;
    const reading = isOpen ? ui.stops.of(root, status!) : { isScanning: false, seen: null };
    const { seen } = reading;
    const changes = seen?.result.kind === "ok" ? `, ${seen.result.value.stop.items.length} changes` : "";
    return ok({
      title: `Stopped · ${name} · mdmirror`,
      here: mirrorAddress(name, "safety-stop"),
      said: `${name}: ${safetyStop === null ? "nothing is stopped" : `stopped by a safety check${changes}`}`,
      main: html`<h1>Stopped: ${nameView(name)}</h1>
<div id="job">${jobOf(folder.job, asked.csrf)}</div>
${safetyStop === null ? html`<p>Nothing is stopped.</p>` : stopPart(folder, safetyStop, reading, asked)}`,
    });
  },
});

type SafetyStop = NonNullable<NonNullable<Folder["status"]>["safetyStop"]>;

function stopPart(folder: Folder, { reasons, approved }: SafetyStop, reading: StopReading, asked: PageRequest): Html {
  const { isScanning, seen } = reading;
  const list = html`<ul class="plain" id="reasons">${reasons.map(
    ({ reason, detail }) => html`<li>${explained(reason, badgeOf("bad", reason))} ${sentenceView(detail)}</li>`,
  )}</ul>`;
  if (approved) return html`${list}<p>Approved: the next sync carries the changes out.</p>${syncNow(folder, asked)}`;
  const trouble = seen?.result.kind === "trouble" ? seen.result.trouble : null;
  return html`${list}
${isScanning && html`<p id="looking" class="faint">Scanning both sides for the changes that the safety check stopped …</p><progress aria-label="Looking at both sides"></progress>`}
${trouble !== null && html`<div class="notice bad"><p>${sentenceView(trouble.what)}</p>${nextOf(trouble.next)}</div>`}
${seen?.result.kind === "ok" && answersPart(folder, seen.result.value, asked, isScanning ? null : seen.at)}
<p class="faint">Nothing is deleted without a copy: local files go to .mdmirror/trash, documents of the service stay in the history of ${nameView(folder.name)}.</p>`;
}

/** @param at time of the scan; null while another one runs */
function answersPart(folder: Folder, view: StopView, asked: PageRequest, at: number | null): Html {
  if (view.stop.version === null)
    return html`<p>No change would be stopped now. The next sync continues.</p>${syncNow(folder, asked)}`;
  return html`${at !== null && html`<p id="looking" class="faint">Checked ${ageOf(at, asked.now)} ago.</p>`}
${answerForms(folder, view, asked)}${stoppedList(folder, view.stop, asked)}${effectOfReject(view)}`;
}

function syncNow(folder: Folder, asked: PageRequest): Html {
  return folderForm(folder, { path: "sync" }, asked, html`<button class="main-action">Sync now</button>`);
}

/**
 * Shows both answers. The user has to confirm each answer, which says how many changes it concerns.
 */
function answerForms(folder: Folder, { stop, back }: StopView, asked: PageRequest): Html {
  const form = (answer: "approve" | "reject", words: string) => {
    const action = { path: `safety-stop/${answer}`, fields: { seen: stop.version ?? "" } };
    return folderForm(folder, action, asked, html`<button class="main-action">${words}</button>`);
  };
  return html`<section id="answers"><h2>Answer</h2>
<details id="let-go" class="confirm"><summary class="button">Approve …</summary><p>${sumsOf(stop).map((sum) => html`<span class="sum">${sum}</span> `)}</p>
${form("approve", `Carry out ${plural(stop.items.length, "change")}`)}</details>
${
  back.kind === "trouble"
    ? html`<p>${sentenceView(back.trouble.what)}</p>${nextOf(back.trouble.next)}`
    : html`<details id="bring-back" class="confirm"><summary class="button">Reject …</summary><p>The list below shows the effect.</p>
${form("reject", `Undo ${plural(back.value.items.filter(({ end }) => end !== "left").length, "change")}`)}</details>`
}</section>`;
}

function sumsOf({ items }: StopView["stop"]): string[] {
  return [...Map.groupBy(items, ({ what }) => what)].map(([what, all]) => `${what}: ${count(all.length)}`);
}

function stoppedList({ name }: Folder, stop: StopView["stop"], asked: PageRequest): Html {
  const part = partOf(stop.items, asked, SIZE);
  return html`<section id="stopped"><h2>Stopped: ${count(part.total)}</h2>
<p>${sumsOf(stop).join("; ")}</p>
${stop.waiting > 0 && html`<p>${waitingClause(stop.waiting)}</p>`}
${
  part.total > 0 &&
  html`<table><thead><tr><th scope="col">What</th><th scope="col">Path</th></tr></thead><tbody>${part.items.map(
    ({ what, path, notes }) =>
      html`<tr><td>${what}</td><td>${nameView(path)}${notes.map((note) => html` <span class="faint">${sentenceView(note)}</span>`)}</td></tr>`,
  )}</tbody></table>`
}
${pagerOf(part, "changes", (page) => mirrorAddress(name, "safety-stop", { page }))}</section>`;
}

function effectOfReject({ back }: StopView): Html | null {
  if (back.kind === "trouble") return null;
  const groups = [...Map.groupBy(back.value.items, ({ what }) => what)];
  return html`<section id="back"><h2>Effect of Reject</h2><ul>${groups.map(
    ([what, all]) =>
      html`<li>${count(all.length)} × ${what}: ${all
        .slice(0, MOST_BACK)
        .map(
          ({ path, why }, at) => html`${at > 0 && ", "}${nameView(path)}${why !== "" && html` (${sentenceView(why)})`}`,
        )}${all.length > MOST_BACK && html` … and ${count(all.length - MOST_BACK)} more`}</li>`,
  )}</ul></section>`;
}
