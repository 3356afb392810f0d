import { html, type Html } from "../../page/html.ts";
import { plural } from "../../common/quantities.ts";
import { shownName } from "../../common/shown-words.ts";
import { renderAge, renderEmptyState, renderName } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder, LinkedProblem } from "../folders.ts";
import { makeFolderPage, type PageRequest, type Ui } from "../page.ts";
import {
  cutListPage,
  describeForScreenReader,
  problemRows,
  renderFolderForm,
  renderJob,
  renderPager,
} from "../parts.ts";
import { MANY_WAYS, type OpenConflict, readOpenConflicts } from "../resolving.ts";

const PROBLEMS_PER_PAGE = 100;

export const PROBLEMS_PAGE = makeFolderPage({
  path: "/m/:name/needs",
  section: "needs",
  showsUnreadable: true,
  show(ui, folder, request) {
    const { name, waits } = folder;
    const listPage = cutListPage(
      folder.needs.toSorted((a, b) => rankProblem(a) - rankProblem(b)),
      request,
      PROBLEMS_PER_PAGE,
    );
    return {
      title: `Problems · ${name} · mdmirror`,
      announcement: describeForScreenReader(folder),
      main: html`<h1>Problems to solve</h1>
<div id="job">${renderJob(folder.job)}</div>
${listPage.total === 0 ? renderEmptyState("No problems", "Nothing needs a decision of yours.") : renderGroups(ui, folder, listPage.items, request)}
${renderPager(listPage, "problems", (page) => mirrorAddress(name, "needs", { page }))}
${
  waits.length > 0 &&
  html`<section class="card flush" id="pending"><header><h2>Pending: nothing for you to do</h2></header>${problemRows(waits.slice(0, PROBLEMS_PER_PAGE))}</section>`
}`,
    };
  },
});

/**
 * Returns the position in the list: problems of the folder, then conflicts, then blocked documents.
 */
function rankProblem({ path, kind }: LinkedProblem): 0 | 1 | 2 {
  if (path === "") return 0;
  return kind === "conflict" ? 1 : 2;
}

function renderGroups(ui: Ui, folder: Folder, needs: readonly LinkedProblem[], request: PageRequest): Html {
  const [ofFolder, inConflict, blocked] = ([0, 1, 2] as const).map((rank) =>
    needs.filter((need) => rankProblem(need) === rank),
  );
  const openByPath = inConflict!.length === 0 ? new Map<string, OpenConflict>() : readOpenConflicts(ui, folder.root);
  const renderSection = (id: string, title: string, shown: readonly LinkedProblem[]) =>
    shown.length > 0 &&
    html`<section class="card flush" id="${id}"><header><h2>${title}</h2></header>${problemRows(shown)}</section>`;
  return html`${renderSection("folder-problems", "The whole folder", ofFolder!)}
${inConflict!.length > 0 && renderFolderForm(folder, { path: "resolve" }, request, renderConflictList(inConflict!, openByPath, request.now))}
${renderSection("blocked", "Blocked documents", blocked!)}`;
}

/** Lists conflicts with check boxes. Each button resolves all checked conflicts in one way. */
function renderConflictList(
  needs: readonly LinkedProblem[],
  open: ReadonlyMap<string, OpenConflict>,
  now: number,
): Html {
  const ways = Object.entries(MANY_WAYS).map(
    ([way, label]) => html`<button name="way" value="${way}">${label}</button>`,
  );
  return html`<section class="card flush" id="problems"><header><label class="check"><input type="checkbox" data-all="conflict">Select all conflicts</label>
<span class="row">${ways}</span></header><p class="faint">Mine is the local file, theirs the version on the service. The version that you do not choose stays in the history.</p>
<ul class="rows">${needs.map((need) => renderConflictRow(need, open.get(need.path), now))}</ul></section>`;
}

function renderConflictRow({ path, address }: LinkedProblem, open: OpenConflict | undefined, now: number): Html {
  const box =
    open !== undefined &&
    html`<input type="checkbox" name="conflict" value="${open.choice}" aria-label="${`Select ${shownName(path)}`}">`;
  const clashes = open?.clashes ?? null;
  const facts =
    open !== undefined &&
    html` <span class="faint">${clashes !== null && clashes > 0 && html`${plural(clashes, "clash", "clashes")} · `}for ${renderAge(open.since, now)}</span>`;
  return html`<li>${box}<div class="main"><a href="${address!}">${renderName(path)}</a>${facts}</div><a class="button" href="${address!}">Resolve</a></li>`;
}
