/** The two status pages: about all linked folders, and about one linked folder. */
import { count, formatBytes, plural } from "../../common/quantities.ts";
import { html, type Html } from "../../page/html.ts";
import {
  renderAge,
  renderCommand,
  renderDot,
  renderEmptyState,
  renderFacts,
  renderName,
  renderSentence,
  renderTiles,
} from "../../page/parts.ts";
import { LINK_PATH, mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { makeFolderPage, type PageRequest, type Ui, type UiPage } from "../page.ts";
import {
  chooseStateBadge,
  announceState,
  renderFolderActions,
  renderProblemRows,
  renderJob,
  renderProgress,
  renderStatusBanner,
  renderWork,
  sortWorstFirst,
} from "../parts.ts";
import { type DayOfChanges, readDays } from "../../mirror/operations/history/timeline.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import { ok } from "../../common/trouble.ts";
import { renderChart } from "../../page/charts.ts";
import { DIRECTIONS } from "../setting-words.ts";
import { readActivity, renderRuns } from "./runs.ts";

export const HOME_PAGE: UiPage = {
  path: "/",
  show(_ui, request) {
    const { folders, unfit } = request.all;
    const problems = folders.reduce((sum, { needs }) => sum + needs.length, 0);
    return {
      title: `${problems === 0 ? "" : `(${problems}) `}Linked folders · mdmirror`,
      announcement: folders.map(announceState).join("; "),
      main: html`<div class="title"><h1>Linked folders</h1><a class="button main-action" href="${LINK_PATH}">Add a folder</a></div>
${unfit.map((why) => html`<div class="notice bad"><p>${renderSentence(why)}</p>${renderCommand("mdmirror trust FOLDER")}</div>`)}
${folders.length === 0 ? NO_FOLDER_YET : renderTable(sortWorstFirst(folders), request)}`,
    };
  },
};

const NO_FOLDER_YET = renderEmptyState(
  "No folder is linked yet",
  "Link a folder to a workspace; it then appears on this page.",
  html`<a class="button main-action" href="${LINK_PATH}">Add a folder</a>`,
);

function renderTable(folders: readonly Folder[], request: PageRequest): Html {
  return html`<div class="card flush"><table class="table"><thead><tr><th scope="col">Folder</th><th scope="col">Status</th><th scope="col">Last in sync</th>
<th scope="col" class="number">Documents</th><th scope="col" class="number">Problems</th><th scope="col" class="number">Pending</th>
<th scope="col" class="number">In review</th><th scope="col" class="end"><span class="unseen">Actions</span></th></tr></thead>
<tbody>${folders.map((folder) => renderRow(folder, request))}</tbody></table></div>`;
}

function renderProgressIn({ job, daemon }: Folder): Html | null {
  const traffic = job?.end === null ? job.traffic : (daemon?.traffic ?? null);
  if (traffic === null) return renderJob(job);
  const { done, total } = traffic;
  return html`<br><span class="faint">Syncing ${count(done)} of ${count(total)}</span> ${renderProgress("changes synced", done, total)}`;
}

function renderRow(folder: Folder, request: PageRequest): Html {
  const { name, root, status, needs, waits } = folder;
  const [tone, word] = chooseStateBadge(folder);
  const renderNumber = (label: string, n: number, part: string) =>
    html`<td class="number" data-label="${label}">${n === 0 ? html`<span class="faint">0</span>` : html`<a href="${mirrorAddress(name, part)}">${count(n)}</a>`}</td>`;
  const reviews = status?.reviews.length ?? 0;
  return html`<tr id="${`m-${name}`}"><th scope="row"><a href="${mirrorAddress(name)}">${renderName(name)}</a><br><span class="faint">${renderName(root)}</span></th>
<td>${renderDot(tone, word)}${renderProgressIn(folder)}</td><td data-label="Last in sync">${status === null || status.syncedAt === null ? "never" : html`${renderAge(status.syncedAt, request.now)} ago`}</td>
${renderNumber("Documents", status?.documents ?? 0, "docs/")}${renderNumber("Problems", needs.length, "needs")}
${renderNumber("Pending", waits.length + (status?.pending ?? 0), "needs")}${renderNumber("In review", reviews, "reviews")}
<td class="end">${status !== null && html`<div class="row">${renderFolderActions(folder, request)}</div>`}</td></tr>`;
}

/**
 * LIMIT: number of problems, runs and days on the page, so that the page stays small. Other pages
 * list all problems and runs.
 */
const MAX_ROWS = { problems: 5, runs: 10, days: 30 } as const;
/** LIMIT: number of newest events that are read from the log, so that the page is fast. */
const MAX_EVENTS = 2_000;

export const OVERVIEW_PAGE = makeFolderPage({
  path: "/m/:name",
  section: "",
  showsUnreadable: true,
  show: (ui, folder, request) => ({
    title: `${folder.needs.length > 0 ? `(${folder.needs.length}) ` : ""}${folder.name} · mdmirror`,
    announcement: announceState(folder),
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
  const isCut = needs.length > MAX_ROWS.problems;
  const allLink = isCut && html`<a href="${mirrorAddress(name, "needs")}">All ${count(needs.length)}</a>`;
  return html`<section class="card flush" id="problems"><header><h2>Problems to solve</h2>${allLink}</header>${renderProblemRows(needs.slice(0, MAX_ROWS.problems))}</section>`;
}

function renderActivity(ui: Ui, { name, root }: Folder, { now }: PageRequest): Html | null {
  const readResult = withLocal(root, ui, ({ state }) =>
    ok({ days: readDays(state, now, MAX_ROWS.days), runs: readActivity(state, MAX_EVENTS) }),
  );
  if (readResult.kind === "trouble") return null;
  const { days, runs } = readResult.value;
  const latestRuns = runs.filter(({ changes }) => changes.length > 0).slice(0, MAX_ROWS.runs);
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
