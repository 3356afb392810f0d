import { listReviews, type PendingReview } from "../../mirror/operations/manual/problem-lists.ts";
import { findProblem, type ProblemVersions, readVersions } from "../../mirror/operations/manual/problem.ts";
import type { LocalMirror } from "../../mirror/folder/open-local.ts";
import { plural } from "../../common/quantities.ts";
import { html, type Html } from "../../page/html.ts";
import { renderAge, renderDetails, renderEmptyState, renderName } from "../../page/parts.ts";
import { renderComparison } from "../../page/side-by-side.ts";
import { documentAddress, documentPart, mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { makeFolderPage, type PageRequest, readLocalMirror } from "../page.ts";
import { cutListPage, renderFolderForm, renderJob, renderPager } from "../parts.ts";
import { renderProblemBadge } from "../states.ts";

/**
 * LIMIT: number of reviews on one page, so that the page stays small. Each review shows a
 * comparison of two versions.
 */
const REVIEWS_PER_PAGE = 20;

/** Reads only the state file. The button *Check now* starts a sync, which reads the service. */
export const REVIEWS_PAGE = makeFolderPage({
  path: "/m/:name/reviews",
  section: "reviews",
  show(ui, folder, request) {
    const { name, root, job, addresses } = folder;
    const { part, versions } = readLocalMirror(ui, root, (local) => {
      const listPage = cutListPage(listReviews(local), request, REVIEWS_PER_PAGE);
      return { part: listPage, versions: listPage.items.map(({ path }) => findRejectableVersions(local, path)) };
    });
    const button = html`<button${job?.end === null && html` disabled`}>Check now</button>`;
    const appLinks = addresses.map(
      (address) => html`<a class="button" href="${new URL("/app", address).href}">Open the web app</a>`,
    );
    return {
      title: `${part.total > 0 ? `(${part.total}) ` : ""}Reviews · ${name} · mdmirror`,
      announcement: `${name}: ${plural(part.total, "change")} in review`,
      main: html`<div class="title"><h1>Reviews</h1><div class="row">${appLinks}${renderFolderForm(folder, { path: "reviews" }, request, button)}</div></div>
<div id="job">${renderJob(job)}</div>
${
  part.total === 0
    ? renderEmptyState(
        "Nothing is in review",
        "A change of a protected document appears on this page after it was sent.",
      )
    : html`<p class="faint">A reviewer accepts or rejects these changes in the web app. A sync takes over accepted ones.</p>${part.items.map(
        (review, i) => renderReview(folder, review, versions[i]!, request, i === 0),
      )}`
}
${renderPager(part, "reviews", (page) => mirrorAddress(name, "reviews", { page }))}`,
    };
  },
});

/**
 * Returns the versions of a document whose change the reviewers may have rejected. Returns null if
 * the user cannot end the review by choosing the published version.
 */
function findRejectableVersions(local: LocalMirror, path: string): ProblemVersions | null {
  const problem = findProblem(local, path);
  const canTake = problem.kind === "ok" && problem.value.conflict === null && problem.value.ways.includes("theirs");
  return canTake ? readVersions(local, problem.value) : null;
}

const REVIEW_REASONS = {
  protected: "The document is protected.",
  conflict: "Another edit was published meanwhile, and the two do not merge.",
} as const satisfies Record<NonNullable<PendingReview["reason"]>, string>;

function renderReview(
  folder: Folder,
  review: PendingReview,
  versions: ProblemVersions | null,
  request: PageRequest,
  isOpen: boolean,
): Html {
  const { path, changeId, since, reason, deletionWaits } = review;
  const documentLink = html`<a href="${documentAddress(folder.name, "docs", path)}">Open the document</a>`;
  return html`<details class="card flush" id="${`r-${changeId ?? path}`}"${isOpen && html` open`}><summary><b>${renderName(path)}</b> ${renderProblemBadge("in-review")} <span class="faint">${renderAge(since, request.now)} ago</span></summary>
<p>${reason !== null && REVIEW_REASONS[reason]}${
    deletionWaits && " You deleted the file; the deletion waits for the decision."
  } ${documentLink}</p>
${renderDifference(review)}${renderReviewDetails(review)}${versions !== null && renderRejectionForm(folder, path, versions, request)}</details>`;
}

function renderReviewDetails({ changeId, liveChangeId, blocks }: PendingReview): Html {
  const blockedNames = blocks.map((path, i) => html`${i > 0 && ", "}${renderName(path)}`);
  return renderDetails(
    "Details",
    html`<p>${changeId !== null && html`Submitted change: <code>${changeId}</code>`} Published change: <code>${liveChangeId}</code></p>
<p>Until the decision, the service does not delete: ${blockedNames}</p>`,
  );
}

/** Shows a form for reporting a rejection, because the service does not report rejections. */
function renderRejectionForm(
  folder: Folder,
  path: string,
  { mine, theirs, base }: ProblemVersions,
  request: PageRequest,
): Html {
  const fields = { way: "theirs", mine: mine ?? "", theirs: theirs ?? "", base: base ?? "" };
  const form = renderFolderForm(
    folder,
    { path: documentPart("conflict", path), fields },
    request,
    html`<button class="danger">Take the published version</button>`,
  );
  return html`<details class="confirm"><summary class="button">Was it rejected? …</summary><p>The service does not report a rejection. The published version then replaces your file; your version stays in the history.</p>${form}</details>`;
}

function renderDifference({ live, submitted }: PendingReview): Html {
  if (live === null || submitted === null)
    return html`<p class="faint">The submitted version is not known on this computer.</p>`;
  return renderComparison({ text: live, label: "Published, as last seen" }, { text: submitted, label: "Submitted" });
}
