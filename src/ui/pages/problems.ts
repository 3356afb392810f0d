import { html, type Html } from "../../page/html.ts";
import { plural } from "../../common/quantities.ts";
import { shownName } from "../../common/shown-words.ts";
import { renderAge, renderEmptyState, renderName } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder, LinkedProblem } from "../folders.ts";
import {
  makeFolderPage,
  type ActionResult,
  type ActionRequest,
  syncFolder,
  startJob,
  makeUndo,
  type PageRequest,
  type Ui,
} from "../page.ts";
import { cutListPage, announceState, renderProblemRows, renderFolderForm, renderJob, renderPager } from "../parts.ts";
import { BoundedMap } from "../../common/bounded-map.ts";
import { unwrap, ok } from "../../common/trouble.ts";
import type { DocId } from "../../contract/ids.ts";
import { withLocal, type LocalMirror } from "../../mirror/folder/open-local.ts";
import type { Conflict } from "../../mirror/model/record.ts";
import type { BaseTree } from "../../mirror/model/tree.ts";
import { findRecordProblem, viewProblem } from "../../mirror/operations/manual/problem.ts";
import { resolve } from "../../mirror/operations/manual/resolve.ts";
import { runOperation } from "../../mirror/operations/run-operation.ts";
import { splitConflict, findClashes } from "../clashes.ts";
import { makeNothingDoneNotice, makeManyResolvedNotice } from "../messages.ts";

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
      announcement: announceState(folder),
      main: html`<h1>Problems to solve</h1>
<div id="job">${renderJob(folder.job)}</div>
${listPage.total === 0 ? renderEmptyState("No problems", "Nothing needs a decision of yours.") : renderGroups(ui, folder, listPage.items, request)}
${renderPager(listPage, "problems", (page) => mirrorAddress(name, "needs", { page }))}
${
  waits.length > 0 &&
  html`<section class="card flush" id="pending"><header><h2>Pending: nothing for you to do</h2></header>${renderProblemRows(waits.slice(0, PROBLEMS_PER_PAGE))}</section>`
}`,
    };
  },
});

/**
 * Returns the rank of a problem in the list: first problems of the folder, then conflicts, then
 * blocked documents.
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
    html`<section class="card flush" id="${id}"><header><h2>${title}</h2></header>${renderProblemRows(shown)}</section>`;
  return html`${renderSection("folder-problems", "The whole folder", ofFolder!)}
${inConflict!.length > 0 && renderFolderForm(folder, { path: "resolve" }, request, renderConflicts(inConflict!, openByPath, request.now))}
${renderSection("blocked", "Blocked documents", blocked!)}`;
}

/** Lists conflicts with check boxes. Each button resolves all checked conflicts in one way. */
function renderConflicts(needs: readonly LinkedProblem[], open: ReadonlyMap<string, OpenConflict>, now: number): Html {
  const ways = Object.entries(MANY_WAYS).map(([way, text]) => html`<button name="way" value="${way}">${text}</button>`);
  return html`<section class="card flush" id="problems"><header><label class="check"><input type="checkbox" data-all="conflict">Select all conflicts</label>
<span class="row">${ways}</span></header><p class="faint">Mine is the local file, theirs the version on the service. The version that you do not choose stays in the history.</p>
<ul class="rows">${needs.map((need) => renderConflictRow(need, open.get(need.path), now))}</ul></section>`;
}

function renderConflictRow({ path, address }: LinkedProblem, open: OpenConflict | undefined, now: number): Html {
  const checkBox =
    open !== undefined &&
    html`<input type="checkbox" name="conflict" value="${open.choice}" aria-label="${`Select ${shownName(path)}`}">`;
  const clashes = open?.clashes ?? null;
  const facts =
    open !== undefined &&
    html` <span class="faint">${clashes !== null && clashes > 0 && html`${plural(clashes, "clash", "clashes")} · `}for ${renderAge(open.since, now)}</span>`;
  return html`<li>${checkBox}<div class="main"><a href="${address!}">${renderName(path)}</a>${facts}</div><a class="button" href="${address!}">Resolve</a></li>`;
}

const MANY_WAYS = {
  mine: "Take mine",
  theirs: "Take theirs",
  "merged-where-clean": "Merge where clean",
} as const;

/**
 * Resolves all checked conflicts as one run. Skips a conflict if one of the versions is no longer
 * the one that the page showed.
 */
export function resolveMany(ui: Ui, { folder, form }: ActionRequest): ActionResult {
  const { root } = folder;
  const way = (Object.keys(MANY_WAYS) as (keyof typeof MANY_WAYS)[]).find((key) => key === form.get("way"));
  const chosenConflicts = new Set(form.getAll("conflict"));
  const presentConflicts = readOpenConflicts(ui, root);
  const paths = [...presentConflicts].filter(([, { choice }]) => chosenConflicts.has(choice)).map(([path]) => path);
  if (way === undefined || chosenConflicts.size === 0)
    return { notice: makeNothingDoneNotice("Select at least one conflict") };
  if (paths.length === 0) return { notice: makeNothingDoneNotice("The versions changed since this page was shown") };
  const reason = "its versions changed since the page was shown";
  const isPresent = new Set([...presentConflicts.values()].map(({ choice }) => choice));
  const changedConflicts = [...chosenConflicts]
    .filter((choice) => !isPresent.has(choice))
    .map((choice) => ({ path: choice.split(" ").slice(2).join(" "), end: "left", why: reason }));
  return startJob(ui, folder, "Resolving conflicts", async (progress) => {
    const input = { paths, way, noSync: true };
    const { items, run } = unwrap(await runOperation(root, resolve, input, { ...ui, progress }));
    await syncFolder(ui, folder, progress);
    return { ...makeManyResolvedNotice([...items, ...changedConflicts]), ...makeUndo(ui, folder, run) };
  });
}

type OpenConflict = {
  /** Value of the conflict's check box: its path, and the versions that the page shows. */
  readonly choice: string;
  /** Number of clashes to decide; null if a version cannot be shown. */
  readonly clashes: number | null;
  /** Start of the conflict, in milliseconds since the epoch. */
  readonly since: number;
};

function readOpenConflicts(ui: Ui, root: string): ReadonlyMap<string, OpenConflict> {
  const readResult = withLocal(root, ui, (local) => {
    const base = local.state.load();
    return ok(new Map([...base.conflicts.values()].map((conflict) => toOpenConflict(local, base, conflict))));
  });
  return readResult.kind === "ok" ? readResult.value : new Map();
}

function toOpenConflict(local: LocalMirror, base: BaseTree, conflict: Conflict): readonly [string, OpenConflict] {
  const path = base.records.get(conflict.id)?.localPath ?? conflict.newestCopyPath;
  const observation = local.disk.look(path);
  const localDigest = observation.kind === "file" ? observation.digest : "";
  const choice = `${localDigest} ${conflict.shown.at(-1)!.digest} ${path}`;
  const clashes = countClashesOnce(`${choice} ${conflict.baseDigest}`, () => countClashes(local, base, conflict.id));
  return [path, { choice, clashes, since: conflict.since }];
}

/** LIMIT: number of conflicts with a remembered count of clashes, so that memory stays bounded. */
const MAX_COUNTED_CONFLICTS = 1_000;
const clashCounts = new BoundedMap<string, number | null>(MAX_COUNTED_CONFLICTS);

/**
 * Returns the number of clashes in a conflict. Counts once for each set of `versions`, and
 * remembers the number, because an open page needs the number every second.
 */
function countClashesOnce(versions: string, countNow: () => number | null): number | null {
  const knownCount = clashCounts.get(versions);
  if (knownCount !== undefined) return knownCount;
  const clashes = countNow();
  clashCounts.set(versions, clashes);
  return clashes;
}

function countClashes(local: LocalMirror, base: BaseTree, id: DocId): number | null {
  const record = base.records.get(id);
  const problem = record === undefined ? null : findRecordProblem(local, base, record);
  const parts = problem === null ? null : splitConflict(viewProblem(local, problem));
  return parts === null ? null : findClashes(parts).length;
}
