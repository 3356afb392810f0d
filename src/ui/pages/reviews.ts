import { listReviews, type WaitingReview } from "../../mirror/operations/manual/reviews.ts";
import { PENDING_DELETION_TEXT, SENT_UNKNOWN, STOPS, whyInReview } from "../../mirror/operations/results/reviews.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import { ok } from "../../common/trouble.ts";
import { plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { nameView, sentenceView } from "../../page/parts.ts";
import { differenceOf } from "../../page/side-by-side.ts";
import { documentAddress, mirrorAddress } from "../addresses.ts";
import { folderPage } from "../page.ts";
import { folderForm, pagerOf, partOf, timeOf } from "../parts.ts";
import { problemBadge } from "../states.ts";
import { jobOf } from "../status.ts";

/** LIMIT: reviews on one page; each shows its content. */
const SIZE = 20;

/**
 * Shows changes in review, from the folder's state. Only the button sends requests to the service.
 */
export const REVIEWS = folderPage({
  path: "/m/:name/reviews",
  section: "reviews",
  show(ui, folder, asked) {
    const { name, root, job } = folder;
    const read = withLocal(root, ui, (local) => ok(partOf(listReviews(local), asked, SIZE)));
    if (read.kind === "trouble") return read;
    const part = read.value;
    const button = html`<button${job?.end === null && html` disabled`}>Check now</button>`;
    return ok({
      title: `${part.total > 0 ? `(${part.total}) ` : ""}Reviews · ${name} · mdmirror`,
      announcement: `${name}: ${plural(part.total, "text")} in review`,
      main: html`<div class="title"><h1>In review</h1>${folderForm(folder, { path: "reviews" }, asked, button)}</div>
<p class="faint">These changes are published when somebody accepts them in the app. A sync reads the decision; the
service does not report a rejection.</p>
${jobOf(job)}
${part.total === 0 ? html`<p>Nothing is in review.</p>` : part.items.map((review) => reviewOf(name, review, asked.now))}
${pagerOf(part, "reviews", (page) => mirrorAddress(name, "reviews", { page }))}`,
    });
  },
});

function reviewOf(mirror: string, review: WaitingReview, now: number): Html {
  const { path, changeId, since, blocks, deletionWaits } = review;
  const why = whyInReview(review);
  const name = html`<a href="${documentAddress(mirror, "docs", path)}">${nameView(path)}</a>`;
  return html`<section class="card" id="${`r-${changeId ?? path}`}"><h2>${name}</h2>
<p>${problemBadge("in-review")} ${changeId !== null && html`<code>${changeId}</code> `}since ${timeOf(since, now)}${
    why !== null && html`, because ${sentenceView(why)}`
  }</p>
<p class="faint">${STOPS}: ${blocks.map((path, at) => html`${at > 0 && ", "}${nameView(path)}`)}${deletionWaits && `; ${PENDING_DELETION_TEXT}`}</p>
${textsOf(review)}</section>`;
}

function textsOf({ live, submitted }: WaitingReview): Html {
  if (live === null || submitted === null) return html`<p class="faint">${SENT_UNKNOWN}</p>`;
  const difference = differenceOf({ text: live, label: "Live, as last seen" }, { text: submitted, label: "Sent" });
  return html`<h3>From the published version, as last seen, to the submitted version</h3>${difference}`;
}
