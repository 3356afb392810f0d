import { count } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { renderAge, renderCommand, renderDot, renderEmptyState, renderName, renderSentence } from "../../page/parts.ts";
import { LINK_PATH, mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import type { PageRequest, UiPage } from "../page.ts";
import {
  folderActions,
  renderJob,
  renderProgress,
  describeForScreenReader,
  chooseStateBadge,
  sortWorstFirst,
} from "../status.ts";

export const HOME_PAGE: UiPage = {
  path: "/",
  show(_ui, request) {
    const { folders, unfit } = request.all;
    const problems = folders.reduce((sum, { needs }) => sum + needs.length, 0);
    return {
      title: `${problems === 0 ? "" : `(${problems}) `}Linked folders · mdmirror`,
      announcement: folders.map(describeForScreenReader).join("; "),
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
<td class="end">${status !== null && html`<div class="row">${folderActions(folder, request)}</div>`}</td></tr>`;
}
