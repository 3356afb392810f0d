/** Overview of a linked folder: its status, counts of documents, problems and latest changes. */

import { type DayOfChanges, readDays } from "../../mirror/operations/history/runs.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import { ok } from "../../common/trouble.ts";
import { formatBytes, count, plural } from "../../common/count.ts";
import { renderChart } from "../../page/charts.ts";
import { html, type Html } from "../../page/html.ts";
import { renderAge, renderEmptyState, renderFacts, renderName, renderSentence, renderTiles } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { makeFolderPage, type PageRequest, type Ui } from "../page.ts";
import { problemRows } from "../parts.ts";
import { DIRECTIONS } from "../setting-words.ts";
import { describeForScreenReader, renderStatusBanner, renderWork } from "../status.ts";
import { readActivity, renderRuns } from "./runs.ts";

/** LIMIT: number of problems, runs and days that are shown. Other pages list all of them. */
const MAX_SHOWN = { problems: 5, runs: 10, days: 30 } as const;
/** LIMIT: number of newest events that are read from the log, so that the page is fast. */
const MAX_EVENTS = 2_000;

export const OVERVIEW_PAGE = makeFolderPage({
  path: "/m/:name",
  section: "",
  showsUnreadable: true,
  show: (ui, folder, request) => ({
    title: `${folder.needs.length > 0 ? `(${folder.needs.length}) ` : ""}${folder.name} · mdmirror`,
    announcement: describeForScreenReader(folder),
    main: html`${renderStatusBanner(folder, request)}
${folder.status !== null && renderNumbers(folder, folder.status)}
<div class="with-aside"><div>${renderProblemsPart(folder)}${folder.status !== null && renderActivity(ui, folder, request)}</div>
<aside>${renderAbout(folder, request.now)}</aside></div>`,
  }),
});

function renderNumbers({ name, waits, needs }: Folder, status: NonNullable<Folder["status"]>): Html {
  const { documents, bytes, reviews, pending } = status;
  return renderTiles([
    { value: count(documents), label: "documents", href: mirrorAddress(name, "docs/") },
    { value: formatBytes(bytes), label: "size" },
    { value: count(needs.length), label: "problems", href: mirrorAddress(name, "needs") },
    { value: count(waits.length + pending), label: "pending", href: mirrorAddress(name, "needs") },
    { value: count(reviews.length), label: "in review", href: mirrorAddress(name, "reviews") },
  ]);
}

function renderProblemsPart({ name, needs }: Folder): Html | null {
  if (needs.length === 0) return null;
  const isCut = needs.length > MAX_SHOWN.problems;
  const allLink = isCut && html`<a href="${mirrorAddress(name, "needs")}">All ${count(needs.length)}</a>`;
  return html`<section class="card flush" id="problems"><header><h2>Problems to solve</h2>${allLink}</header>${problemRows(needs.slice(0, MAX_SHOWN.problems))}</section>`;
}

function renderActivity(ui: Ui, { name, root }: Folder, { now }: PageRequest): Html | null {
  const readResult = withLocal(root, ui, ({ state }) =>
    ok({ days: readDays(state, now, MAX_SHOWN.days), runs: readActivity(state, MAX_EVENTS) }),
  );
  if (readResult.kind === "trouble") return null;
  const { days, runs } = readResult.value;
  const latestRuns = runs.filter(({ changes }) => changes.length > 0).slice(0, MAX_SHOWN.runs);
  return html`${renderCharts(days)}
<section class="card flush" id="latest"><header><h2>Latest changes</h2><a href="${mirrorAddress(name, "runs")}">All</a></header>${
    latestRuns.length === 0
      ? renderEmptyState("No changes yet", "The first sync shows them.")
      : renderRuns(name, latestRuns, now)
  }</section>`;
}

const CHART_TITLES = {
  uploaded: "Uploaded",
  downloaded: "Downloaded",
  merged: "Merged",
  conflicts: "Conflicts",
} as const;

function renderCharts(days: readonly DayOfChanges[]): Html {
  const times = [formatDay(days[0]!.at), formatDay(days.at(-1)!.at)] as const;
  const panels = Object.entries(CHART_TITLES).map(([kind, title]) => {
    const values = days.map((day) => day[kind as keyof typeof CHART_TITLES]);
    const bars = values.map((value, i) => ({ value, title: `${formatDay(days[i]!.at)}: ${count(value)}` }));
    const sum = values.reduce((all, value) => all + value, 0);
    const detail = `in the last ${days.length} days`;
    return renderChart({ title, value: count(sum), detail, bars, textOf: count }, times);
  });
  return html`<div class="tiles panels" id="chart">${panels}</div>`;
}

function formatDay(time: number): string {
  return new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

function renderAbout(folder: Folder, now: number): Html {
  const { root, addresses, status, daemon } = folder;
  const rows: (readonly [string, Html | string])[] = [
    ["Folder", renderName(root)],
    ["Service", renderSentence(addresses.join(" "))],
  ];
  if (status !== null) {
    const { remote, pending, lastRun, direction, folders } = status;
    if (remote !== "") rows.push(["Subfolder", renderName([remote].flat().join(", "))]);
    rows.push(["Direction", DIRECTIONS[direction]], ["Folders", count(folders)]);
    if (pending > 0 && renderWork(folder) === null)
      rows.push(["Interrupted", `${plural(pending, "step")}; the next sync completes them`]);
    const lastRunText = lastRun && html`${lastRun.kind}, ${renderAge(lastRun.endedAt ?? lastRun.startedAt, now)} ago`;
    const watchedWord = daemon === null ? "no" : daemon.paused ? "paused" : "yes";
    rows.push(["Last run", lastRunText ?? "none yet"], ["Watched", watchedWord]);
  }
  return html`<section class="card flush" id="facts"><header><h2>About this folder</h2></header>${renderFacts(rows)}</section>`;
}
