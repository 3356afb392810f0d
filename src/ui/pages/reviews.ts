import { listReviews, type WaitingReview } from "../../mirror/operations/manual/reviews.ts";
import { ok } from "../../common/trouble.ts";
import { DELETION_WAITS, SENT_UNKNOWN, STOPS, whyInReview } from "../../mirror/operations/results/reviews.ts";
import { plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { badgeOf, nameView, sentenceView } from "../../page/parts.ts";
import { mirrorForm } from "../action.ts";
import { LOOK } from "../actions/check-reviews.ts";
import { documentAddress, mirrorAddress } from "../addresses.ts";
import { differenceOf } from "../diff-parts.ts";
import type { JobView } from "../jobs.ts";
import { lastRunResult, jobOf } from "../mirror-parts.ts";
import type { Moment } from "../page.ts";
import { type Part, pagerOf, partOf } from "../paging.ts";
import { defineMirrorPage } from "../seen-mirror.ts";
import { timeOf } from "../time-parts.ts";

/** LIMIT: reviews on one page; each shows its content. */
const SIZE = 20;

type Model = {
  readonly name: string;
  readonly root: string;
  readonly job: JobView | null;
  readonly part: Part<WaitingReview>;
};

/**
 * Shows changes in review, from the folder's state. Only the button sends requests to the service.
 */
export const REVIEWS = defineMirrorPage<Model>({
  path: "/m/:name/reviews",
  isLive: true,
  look(ui, { name, root, job }, asked) {
    const all = ui.reads.read(root, { key: "reviews", file: null }, (local) => ok(listReviews(local)));
    return all.kind === "trouble" ? all : ok({ name, root, job, part: partOf(all.value, asked, SIZE) });
  },
  show: ({ name, root, job, part }, moment) => ({
    title: `${part.total > 0 ? `(${part.total}) ` : ""}Reviews · ${name} · mdmirror`,
    said: `${name}: ${plural(part.total, "text")} in review`,
    main: html`<h1>In review: ${nameView(name)}</h1>
<p>These changes are published when somebody accepts them in the app. A sync reads the decision; the
service does not report a rejection.</p>
${mirrorForm({ name, root }, LOOK, moment, lookButton(job))}
${job !== null && job.end === null ? jobOf(job) : lastRunResult({ job })}
${part.total === 0 ? html`<p>Nothing is in review.</p>` : part.items.map((one) => reviewOf(name, one, moment))}
${pagerOf(part, "reviews", (page) => mirrorAddress(name, "reviews", { page }))}`,
  }),
});

function lookButton(job: JobView | null): Html {
  return html`<button${job !== null && job.end === null && html` disabled`}>Check now</button>`;
}

function reviewOf(mirror: string, one: WaitingReview, { now }: Moment): Html {
  const { path, changeId, since, blocks, deletionWaits } = one;
  const why = whyInReview(one);
  const name = html`<a href="${documentAddress(mirror, "docs", path)}">${nameView(path)}</a>`;
  return html`<section class="card" id="${`r-${changeId ?? path}`}"><h2>${name}</h2>
<p>${badgeOf("quiet", "in review")} ${changeId !== null && html`<code>${changeId}</code> `}since ${timeOf(since, now)}${
    why !== null && html`, because ${sentenceView(why)}`
  }</p>
<p class="faint">${STOPS}: ${blocks.map((path, at) => html`${at > 0 && ", "}${nameView(path)}`)}${deletionWaits && `; ${DELETION_WAITS}`}</p>
${textsOf(one)}</section>`;
}

function textsOf({ live, submitted }: WaitingReview): Html {
  if (live === null || submitted === null) return html`<p class="faint">${SENT_UNKNOWN}</p>`;
  const [before, after] = [
    { text: live, label: "Live, as last seen" },
    { text: submitted, label: "Sent" },
  ];
  return html`<h3>From the published version, as last seen, to the submitted version</h3>${differenceOf(before, after)}`;
}
