import { listReviews, type WaitingReview } from "../../mirror/operations/manual/reviews.ts";
import { findProblem } from "../../mirror/operations/manual/open-problem.ts";
import { type Versions, versionsOf } from "../../mirror/operations/manual/problem-view.ts";
import type { LocalMirror } from "../../mirror/folder/open-local.ts";
import { plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, detailsOf, emptyOf, nameView } from "../../page/parts.ts";
import { differenceOf } from "../../page/side-by-side.ts";
import { documentAddress, documentPart, mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest, readLocal } from "../page.ts";
import { folderForm, pagerOf, partOf } from "../parts.ts";
import { problemBadge } from "../states.ts";
import { jobOf } from "../status.ts";

/** LIMIT: number of reviews on one page. Each of them shows the difference of two versions. */
const REVIEWS_PER_PAGE = 20;

/**
 * Lists changes in review, as the state file knows them. Only the button *Check now* asks the
 * service.
 */
export const REVIEWS = folderPage({
  path: "/m/:name/reviews",
  section: "reviews",
  show(ui, folder, request) {
    const { name, root, job, addresses } = folder;
    const { part, versions } = readLocal(ui, root, (local) => {
      const part = partOf(listReviews(local), request, REVIEWS_PER_PAGE);
      return { part, versions: part.items.map(({ path }) => versionsAt(local, path)) };
    });
    const button = html`<button${job?.end === null && html` disabled`}>Check now</button>`;
    const app = addresses.map(
      (address) => html`<a class="button" href="${new URL("/app", address).href}">Open the web app</a>`,
    );
    return {
      title: `${part.total > 0 ? `(${part.total}) ` : ""}Reviews · ${name} · mdmirror`,
      announcement: `${name}: ${plural(part.total, "change")} in review`,
      main: html`<div class="title"><h1>Reviews</h1><div class="row">${app}${folderForm(folder, { path: "reviews" }, request, button)}</div></div>
<div id="job">${jobOf(job)}</div>
${
  part.total === 0
    ? emptyOf("Nothing is in review", "A change of a protected document appears on this page after it was sent.")
    : html`<p class="faint">A reviewer accepts or rejects these changes in the web app. A sync takes over accepted ones.</p>${part.items.map(
        (review, i) => reviewOf(folder, review, versions[i]!, request, i === 0),
      )}`
}
${pagerOf(part, "reviews", (page) => mirrorAddress(name, "reviews", { page }))}`,
    };
  },
});

/**
 * Returns the versions of a document whose change was perhaps rejected. Returns null if the user
 * cannot take the published version to end the review.
 */
function versionsAt(local: LocalMirror, path: string): Versions | null {
  const found = findProblem(local, path);
  const canTake = found.kind === "ok" && found.value.conflict === null && found.value.ways.includes("theirs");
  return canTake ? versionsOf(local, found.value) : null;
}

const REASONS = {
  protected: "The document is protected.",
  conflict: "Another edit was published meanwhile, and the two do not merge.",
} as const satisfies Record<NonNullable<WaitingReview["reason"]>, string>;

/**
 * Shows a review as one line, which expands to the difference between the published and the
 * submitted version.
 */
function reviewOf(
  folder: Folder,
  review: WaitingReview,
  versions: Versions | null,
  request: PageRequest,
  isOpen: boolean,
): Html {
  const { path, changeId, since, reason, deletionWaits } = review;
  const document = html`<a href="${documentAddress(folder.name, "docs", path)}">Open the document</a>`;
  return html`<details class="card flush" id="${`r-${changeId ?? path}`}"${isOpen && html` open`}><summary><b>${nameView(path)}</b> ${problemBadge("in-review")} <span class="faint">${ageOf(since, request.now)} ago</span></summary>
<p>${reason !== null && REASONS[reason]}${
    deletionWaits && " You deleted the file; the deletion waits for the decision."
  } ${document}</p>
${textsOf(review)}${originOfReview(review)}${versions !== null && rejectedPart(folder, path, versions, request)}</details>`;
}

function originOfReview({ changeId, liveChangeId, blocks }: WaitingReview): Html {
  const blocked = blocks.map((path, i) => html`${i > 0 && ", "}${nameView(path)}`);
  return detailsOf(
    "Details",
    html`<p>${changeId !== null && html`Submitted change: <code>${changeId}</code>`} Published change: <code>${liveChangeId}</code></p>
<p>Until the decision, the service does not delete: ${blocked}</p>`,
  );
}

/**
 * Shows a form with which the user reports that a change was rejected, because the service does not
 * report this.
 */
function rejectedPart(folder: Folder, path: string, { mine, theirs, base }: Versions, request: PageRequest): Html {
  const fields = { way: "theirs", mine: mine ?? "", theirs: theirs ?? "", base: base ?? "" };
  const form = folderForm(
    folder,
    { path: documentPart("conflict", path), fields },
    request,
    html`<button class="danger">Take the published version</button>`,
  );
  return html`<details class="confirm"><summary class="button">Was it rejected? …</summary><p>The service does not report a rejection. The published version then replaces your file; your version stays in the history.</p>${form}</details>`;
}

function textsOf({ live, submitted }: WaitingReview): Html {
  if (live === null || submitted === null)
    return html`<p class="faint">The submitted version is not known on this computer.</p>`;
  return differenceOf({ text: live, label: "Published, as last seen" }, { text: submitted, label: "Submitted" });
}
