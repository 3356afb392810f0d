import { plural } from "../../common/count.ts";
import { content as contentSchema } from "../../contract/api/fields.ts";
import { sideBySide } from "../../markdown/merge/side-by-side.ts";
import { type Html, html } from "../../page/html.ts";
import type { Tone } from "../../page/layout.ts";
import { actionForm, ageOf, badgeOf, nameView } from "../../page/parts.ts";
import { countChanges, differenceOf, sidesOf } from "../../page/side-by-side.ts";
import { isRefused } from "../requests/answer.ts";
import { validate } from "../requests/validate.ts";
import type { Review, ReviewInfo } from "../reviews/reviews.ts";
import { REVIEWS, reviewAddress, withQuery } from "./addresses.ts";
import { type PageResult, go, page, refusedForm, refusedPage } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { withLineEnds } from "../../markdown/merge/line-ends.ts";
import { workspaceNames } from "./workspaces.ts";

/** LIMIT: reviews on one page. */
const MOST = 100;
const STATES = { in_review: "waiting", accepted: "accepted", rejected: "rejected" } as const;
type State = keyof typeof STATES;

const WHY: Readonly<Record<string, string>> = {
  protected: "its document is protected",
  conflict: "it conflicts with another edit",
};

/** Shows the pending reviews, or the decided ones. */
export async function showReviews({ core, query, now }: PageCall): Promise<PageResult> {
  const workspaceId = query.get("workspace") ?? undefined;
  const status = (Object.keys(STATES) as State[]).find((one) => one === query.get("status")) ?? "in_review";
  const cursor = query.get("cursor") ?? "";
  const after = /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0;
  const listed = await core.admin.reviews.page({ workspaceId, status, after, limit: MOST });
  if (isRefused(listed)) return refusedPage(listed);
  const names = await workspaceNames(core);
  const common = { workspace: workspaceId ?? null };
  const { data, nextCursor } = listed;
  return page({
    title: "Reviews",
    here: REVIEWS,
    main: html`<h1>Reviews${workspaceId !== undefined && html` of ${nameView(names.get(workspaceId) ?? workspaceId)}`}</h1>
<p class="row">${(Object.keys(STATES) as State[]).map((one) => stateLink(one, status, common))}</p>
${
  data.length === 0
    ? html`<p class="notice quiet">${after === 0 ? `Nothing is ${STATES[status]}.` : "There are no more."}</p>`
    : html`<ul class="cards">${data.map((one) => reviewCard(one, names.get(one.workspaceId) ?? "", now))}</ul>`
}
<nav aria-label="Parts of the list" class="row">${
      after > 0 && html`<a class="button" href="${withQuery(REVIEWS, { ...common, status })}">First page</a>`
    }${
      nextCursor !== null &&
      html`<a class="button" href="${withQuery(REVIEWS, { ...common, status, cursor: nextCursor })}">Next ${plural(MOST, "review")}</a>`
    }</nav>`,
  });
}

function stateLink(one: State, now: State, common: { readonly workspace: string | null }): Html {
  const href = withQuery(REVIEWS, { ...common, status: one });
  return html`<a class="button" href="${href}"${one === now && html` aria-current="true"`}>${STATES[one]}</a>`;
}

function reviewCard({ id, path, reason, at, status }: ReviewInfo, workspace: string, now: number): Html {
  return html`<li class="card"><h2><a href="${reviewAddress(id)}">${nameView(path)}</a></h2>
<p>${status === "in_review" && badgeOf("asks", "waits")} since ${ageOf(at, now)}, because ${WHY[reason] ?? reason}; in ${nameView(workspace)}</p></li>`;
}

const SHOWN_STATES: Readonly<Record<Review["status"], readonly [Tone, string]>> = {
  in_review: ["asks", "waits"],
  accepted: ["good", "accepted"],
  rejected: ["quiet", "rejected"],
};

/** Shows one review: the change, both edits if it is a conflict, and the decision. */
export async function showReview({ core, id, csrf, now }: PageCall): Promise<PageResult> {
  const review = await core.admin.reviews.show(id);
  if (isRefused(review)) return refusedPage(review);
  const { path, status, reason, at, content, liveContent, baseContent } = review;
  const [tone, word] = SHOWN_STATES[status];
  const isOpen = status === "in_review";
  const isConflict = isOpen && reason === "conflict" && baseContent !== null;
  return page({
    title: `Review of ${path}`,
    here: REVIEWS,
    scripts: isOpen ? ["review.js"] : [],
    main: html`<h1>${nameView(path)}</h1>
<p>${badgeOf(tone, word)} since ${ageOf(at, now)}, because ${WHY[reason] ?? reason}</p>
${
  isConflict
    ? bothEdits(review, baseContent)
    : html`<h2>Changes</h2>${changeOf(isOpen ? { text: liveContent, label: "Published" } : { text: baseContent, label: "Before" }, content)}`
}
${isOpen ? decisions(review, csrf) : html`<p class="notice quiet">It was ${word}; there is nothing left to decide.</p>`}`,
  });
}

/**
 * Shows what the submitted version changes.
 * @param before the published version; the version that the edit began with once it is decided,
 * because an accepted version is the published one; its text is null if that version was pruned
 */
function changeOf({ text, label }: { readonly text: string | null; readonly label: string }, content: string): Html {
  if (text === null)
    return html`<p class="notice quiet">The version that this edit began with is no longer stored.</p>`;
  return differenceOf({ text, label }, { text: content, label: "Submitted" });
}

const WORDS = {
  mine: "Published meanwhile",
  theirs: "Submitted",
  alike: "The same change in both",
  both: "Different changes in both",
} as const;

/** Shows the changes of both edits, each compared with the content that both began with. */
function bothEdits({ content, liveContent }: Review, base: string): Html {
  const passages = sideBySide({ base, mine: liveContent, theirs: content }, "base");
  const columns = [
    { side: "mine", label: "Live" },
    { side: "base", label: "Common base" },
    { side: "theirs", label: "Sent" },
  ] as const;
  const caption = "The published version, the common base and the submitted version, line by line";
  return html`<h2>Both edits</h2>
${
  countChanges(passages) === 0
    ? html`<p class="notice quiet">The submitted version is published.</p>`
    : sidesOf(passages, { caption, columns, words: WORDS, whole: false })
}`;
}

function decisions({ id, content, liveContent, liveChangeId, reason }: Review, csrf: string): Html {
  const to = reviewAddress(id);
  // The form sends the id of the published version that it shows. If another version is published
  // by then, the service decides nothing.
  const fields = { live: liveChangeId };
  const replaces =
    reason === "conflict"
      ? "If you accept, the submitted version replaces the published one where they do not merge."
      : "";
  return html`<h2>Decide</h2>
<p class="faint">${replaces} If you reject, the published version stays; the submitted one stays in its history.</p>
<div class="row">${actionForm({ action: `${to}/accept`, csrf, fields }, html`<button class="main-action">Accept</button>`)}
${actionForm({ action: `${to}/reject`, csrf, fields }, html`<button>Reject</button>`)}</div>
<details class="card"${reason === "conflict" && html` open`}><summary>Edit, then accept</summary>
${actionForm(
  { action: `${to}/accept`, csrf, fields: { ...fields, edited: "yes" } },
  html`<label for="content">The version to publish</label>
<textarea id="content" name="content" rows="20" dir="auto" spellcheck="false">
${content}</textarea>
<textarea id="content-live" hidden readonly aria-label="Live">
${liveContent}</textarea>
<button class="main-action">Accept this version</button>`,
)}
<details><summary>The published version, to copy from</summary><pre>${liveContent}</pre></details></details>`;
}

export async function acceptReview({ core, id, form }: PageCall): Promise<PageResult> {
  const { reviews } = core.admin;
  const review = await reviews.show(id);
  if (isRefused(review)) return refusedForm(REVIEWS, review);
  if (review.liveChangeId !== form.get("live")) return movedOn(id);
  const content = form.has("edited") ? validate(contentSchema, textFrom(form, "content", review.content)) : null;
  if (isRefused(content)) return refusedForm(reviewAddress(id), content);
  const accepted = await reviews.accept(id, content, review.liveChangeId);
  if (isRefused(accepted)) return refusedForm(reviewAddress(id), accepted);
  return go(reviewAddress(id), content === null ? "Accepted and published." : "Accepted: your version is published.");
}

export async function rejectReview({ core, id }: PageCall): Promise<PageResult> {
  const rejected = await core.admin.reviews.reject(id);
  if (isRefused(rejected)) return refusedForm(reviewAddress(id), rejected);
  return go(reviewAddress(id), "Rejected: the published version stays.");
}

function movedOn(id: string): PageResult {
  const what =
    "Somebody changed the published version since this page was shown; nothing was done. This page shows the present difference.";
  return go(reviewAddress(id), what, "asks");
}

/**
 * Returns the value of a `textarea`; browsers send its line ends as CRLF.
 * @param like content with which the form began: the result gets the line ends of this content
 */
function textFrom(form: URLSearchParams, name: string, like: string): string {
  return withLineEnds(form.get(name) ?? "", like);
}
