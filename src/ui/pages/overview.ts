/** Overview of a linked folder: its status, numbers of documents, problems and latest changes. */

import { type DayOfChanges, readDays } from "../../mirror/operations/history/runs.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import { ok } from "../../common/trouble.ts";
import { bytesText, count, plural } from "../../common/count.ts";
import { panelOf } from "../../page/charts.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, emptyOf, factsOf, nameView, sentenceView, tilesOf } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest, type Ui } from "../page.ts";
import { problemRows } from "../parts.ts";
import { DIRECTIONS } from "../setting-words.ts";
import { screenReaderText, statusBanner, workOf } from "../status.ts";
import { readActivity, runRows } from "./runs.ts";

/** LIMIT: number of problems, runs and days that are shown. */
const MOST = { problems: 5, runs: 10, days: 30 } as const;
/** LIMIT: number of events that are read from the log, the newest first. */
const EVENTS = 2_000;

export const OVERVIEW = folderPage({
  path: "/m/:name",
  section: "",
  showsUnreadable: true,
  show: (ui, folder, request) => ({
    title: `${folder.needs.length > 0 ? `(${folder.needs.length}) ` : ""}${folder.name} · mdmirror`,
    announcement: screenReaderText(folder),
    main: html`${statusBanner(folder, request)}
${folder.status !== null && numbersOf(folder, folder.status)}
<div class="with-aside"><div>${problemsPart(folder)}${folder.status !== null && activityPart(ui, folder, request)}</div>
<aside>${aboutOf(folder, request.now)}</aside></div>`,
  }),
});

function numbersOf({ name, waits, needs }: Folder, status: NonNullable<Folder["status"]>): Html {
  const { documents, bytes, reviews, pending } = status;
  return tilesOf([
    { value: count(documents), label: "documents", href: mirrorAddress(name, "docs/") },
    { value: bytesText(bytes), label: "size" },
    { value: count(needs.length), label: "problems", href: mirrorAddress(name, "needs") },
    { value: count(waits.length + pending), label: "pending", href: mirrorAddress(name, "needs") },
    { value: count(reviews.length), label: "in review", href: mirrorAddress(name, "reviews") },
  ]);
}

function problemsPart({ name, needs }: Folder): Html | null {
  if (needs.length === 0) return null;
  const isCut = needs.length > MOST.problems;
  const all = isCut && html`<a href="${mirrorAddress(name, "needs")}">All ${count(needs.length)}</a>`;
  return html`<section class="card flush" id="problems"><header><h2>Problems to solve</h2>${all}</header>${problemRows(needs.slice(0, MOST.problems))}</section>`;
}

function activityPart(ui: Ui, { name, root }: Folder, { now }: PageRequest): Html | null {
  const read = withLocal(root, ui, ({ state }) =>
    ok({ days: readDays(state, now, MOST.days), runs: readActivity(state, EVENTS) }),
  );
  if (read.kind === "trouble") return null;
  const { days, runs } = read.value;
  const latest = runs.filter(({ changes }) => changes.length > 0).slice(0, MOST.runs);
  return html`${chartsOf(days)}
<section class="card flush" id="latest"><header><h2>Latest changes</h2><a href="${mirrorAddress(name, "runs")}">All</a></header>${
    latest.length === 0 ? emptyOf("No changes yet", "The first sync shows them.") : runRows(name, latest, now)
  }</section>`;
}

const SERIES = { uploaded: "Uploaded", downloaded: "Downloaded", merged: "Merged", conflicts: "Conflicts" } as const;

/** Shows a chart for each kind of change, with the sum over all days. */
function chartsOf(days: readonly DayOfChanges[]): Html {
  const times = [dayText(days[0]!.at), dayText(days.at(-1)!.at)] as const;
  const panels = Object.entries(SERIES).map(([kind, title]) => {
    const values = days.map((day) => day[kind as keyof typeof SERIES]);
    const bars = values.map((value, i) => ({ value, title: `${dayText(days[i]!.at)}: ${count(value)}` }));
    const sum = values.reduce((all, value) => all + value, 0);
    const detail = `in the last ${days.length} days`;
    return panelOf({ title, value: count(sum), detail, bars, textOf: count }, times);
  });
  return html`<div class="tiles panels" id="chart">${panels}</div>`;
}

function dayText(time: number): string {
  return new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

function aboutOf(folder: Folder, now: number): Html {
  const { root, addresses, status, daemon } = folder;
  const rows: (readonly [string, Html | string])[] = [
    ["Folder", nameView(root)],
    ["Service", sentenceView(addresses.join(" "))],
  ];
  if (status !== null) {
    const { remote, pending, lastRun, direction, folders } = status;
    if (remote !== "") rows.push(["Subfolder", nameView([remote].flat().join(", "))]);
    rows.push(["Direction", DIRECTIONS[direction]], ["Folders", count(folders)]);
    if (pending > 0 && workOf(folder) === null)
      rows.push(["Interrupted", `${plural(pending, "step")}; the next sync completes them`]);
    const last = lastRun && html`${lastRun.kind}, ${ageOf(lastRun.endedAt ?? lastRun.startedAt, now)} ago`;
    const watching = daemon === null ? "no" : daemon.paused ? "paused" : "yes";
    rows.push(["Last run", last ?? "none yet"], ["Watched", watching]);
  }
  return html`<section class="card flush" id="facts"><header><h2>About this folder</h2></header>${factsOf(rows)}</section>`;
}
