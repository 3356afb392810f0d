import { count, plural } from "../../common/quantities.ts";
import { contentSchema } from "../../contract/api/fields.ts";
import { parentOf } from "../../contract/path.ts";
import { restoreLineEnds } from "../../markdown/merge/style.ts";
import { type RowGroup, compareSideBySide } from "../../markdown/merge/side-by-side.ts";
import { type Query, withQuery } from "../../page/addresses.ts";
import { type Html, html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { renderDocument } from "../../page/markdown.ts";
import {
  renderActionForm,
  renderBadge,
  renderBreadcrumbs,
  renderEmptyState,
  renderName,
  renderSegments,
  renderSentence,
} from "../../page/parts.ts";
import { renderComparison, renderSideBySide } from "../../page/side-by-side.ts";
import { type Refused, toClause, isRefused } from "../requests/answer.ts";
import { validate } from "../requests/input.ts";
import type { ReviewNeighbours, Review, ReviewSummary } from "../reviews/reviews.ts";
import { makeFilesAddress, makeItemAddress, REVIEWS_ADDRESS } from "./addresses.ts";
import { makePage, type PageResult, redirectTo, redirectWithRefusal } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { renderAgo, renderListNav, REFRESH_MS } from "./parts.ts";
import { readWorkspaceNames } from "./workspaces.ts";

/** LIMIT: number of reviews on one page, so that the page stays small. */
const MAX_REVIEWS = 100;

type ReviewState = ReviewSummary["status"];
const REVIEW_STATES = {
  in_review: { label: "Open", tone: "asks" },
  accepted: { label: "Accepted", tone: "good" },
  rejected: { label: "Rejected", tone: "quiet" },
} as const satisfies Record<ReviewState, unknown>;

const REASON_NAMES: Readonly<Record<string, string>> = {
  protected: "Protected document",
  conflict: "Conflict with the published version",
};

export async function showReviews(call: PageCall): Promise<PageResult> {
  const { core, query } = call;
  const workspaceId = query.get("workspace") ?? undefined;
  const status =
    (Object.keys(REVIEW_STATES) as ReviewState[]).find((key) => key === query.get("status")) ?? "in_review";
  const cursor = query.get("cursor") ?? "";
  const afterNumber = /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0;
  const latestFirst = status !== "in_review";
  const listedReviews = await core.admin.reviews.page({
    workspaceId,
    status,
    after: afterNumber,
    limit: MAX_REVIEWS,
    latestFirst,
  });
  if (isRefused(listedReviews)) return listedReviews;
  const names = await readWorkspaceNames(core);
  const { data, nextCursor } = listedReviews;
  const states = Object.entries(REVIEW_STATES).map(([key, { label }]) => {
    return { href: makeListAddress(call, { status: key }), label, isShown: key === status };
  });
  return makePage({
    title: "Reviews",
    refreshMs: REFRESH_MS,
    main: html`<div class="title"><h1>Reviews${workspaceId !== undefined && html` of ${renderName(names.get(workspaceId) ?? workspaceId)}`}</h1>
${renderSegments("States", states)}</div>
${workspaceId !== undefined && html`<p><a href="${withQuery(REVIEWS_ADDRESS, { status })}">Reviews of all workspaces</a></p>`}
${data.length === 0 ? renderNoReviews(status, afterNumber === 0) : renderReviewTable(data, names, call)}
${renderListNav(
  afterNumber > 0 ? makeListAddress(call, { status }) : null,
  nextCursor === null ? null : makeListAddress(call, { status, cursor: nextCursor }),
)}`,
  });
}

/** Returns the address of the list of reviews, with the workspace filter of the current page. */
function makeListAddress({ query }: PageCall, more: Query): string {
  return withQuery(REVIEWS_ADDRESS, { workspace: query.get("workspace"), ...more });
}

function makeReviewAddress({ query }: PageCall, id: string, more: Query = {}): string {
  return withQuery(makeItemAddress(REVIEWS_ADDRESS, id), { workspace: query.get("workspace"), ...more });
}

function renderNoReviews(status: ReviewState, isFirst: boolean): Html {
  if (!isFirst) return html`<p>There are no more reviews.</p>`;
  const hint = "An edit of a protected document waits for a review, and an edit that conflicts with another one.";
  return renderEmptyState(`No ${REVIEW_STATES[status].label.toLowerCase()} reviews`, hint);
}

/** @param names names of workspaces by id */
function renderReviewTable(
  reviews: readonly ReviewSummary[],
  names: ReadonlyMap<string, string>,
  call: PageCall,
): Html {
  const { now } = call;
  const isDecided = reviews[0]!.status !== "in_review";
  return html`<div class="card flush"><table class="table"><thead><tr><th scope="col">Document</th><th scope="col">From</th>
<th scope="col">Reason</th><th scope="col">Workspace</th><th scope="col">Sent</th>${isDecided && html`<th scope="col">Decided</th>`}</tr></thead>
<tbody>${reviews.map(
    ({ id, path, reason, at, decidedAt, sender, workspaceId }) =>
      html`<tr><th scope="row"><a href="${makeReviewAddress(call, id)}">${renderName(path.slice(1))}</a></th>
<td data-label="From">${renderSender(sender)}</td><td data-label="Reason">${REASON_NAMES[reason] ?? reason}</td>
<td data-label="Workspace">${renderName(names.get(workspaceId) ?? "")}</td><td data-label="Sent">${renderAgo(at, now)}</td>${
        isDecided && html`<td data-label="Decided">${decidedAt === null ? "" : renderAgo(decidedAt, now)}</td>`
      }</tr>`,
  )}</tbody></table></div>`;
}

function renderSender(sender: string | null): Html {
  return sender === null || sender === "" ? html`an unnamed key` : renderName(sender);
}

const REVIEW_VIEWS = { source: "Source", rendered: "Rendered", edit: "Edit" } as const;
type ReviewView = keyof typeof REVIEW_VIEWS;

export async function showReview(call: PageCall): Promise<PageResult> {
  const review = await call.core.admin.reviews.show(call.id);
  if (isRefused(review)) return review;
  const wantedView = call.query.get("view");
  const view = listViews(review).find((name) => name === wantedView) ?? "source";
  return makePage(await renderReviewPage(call, review, { view, unsaved: null }));
}

/** Lists the views of a review. Only an open review has the view for editing. */
function listViews({ status }: Review): ReviewView[] {
  return status === "in_review" ? ["source", "rendered", "edit"] : ["source", "rendered"];
}

type UnsavedEdit = { readonly text: string; readonly why: Refused };

async function renderReviewPage(
  call: PageCall,
  review: Review,
  { view, unsaved }: { readonly view: ReviewView; readonly unsaved: UnsavedEdit | null },
): Promise<Content> {
  const { core, id, query } = call;
  const neighbours = await core.admin.reviews.neighbours(id, query.get("workspace"));
  const names = await readWorkspaceNames(core);
  const mergedContent = review.status === "in_review" ? core.admin.reviews.merged(review) : null;
  const shownReview = { ...review, merged: mergedContent };
  const views = listViews(review).map((name) => {
    const href = makeReviewAddress(call, id, { view: name === "source" ? null : name });
    return { href, label: REVIEW_VIEWS[name], isShown: name === view };
  });
  return {
    title: `Review of ${review.path}`,
    scripts: view === "edit" ? ["editor.js"] : [],
    main: html`${renderHeading(review, names.get(review.workspaceId) ?? "", call)}
<div class="row apart">${renderSegments("Views", views)}
${renderNeighbourLinks(neighbours, review, call)}</div>
${mergedContent === null && review.status === "in_review" && renderClashes(review, view)}
${view === "edit" ? renderEditor(call, shownReview, unsaved) : html`<div class="changes">${await renderChanges(call, shownReview, view)}</div>`}
${view !== "edit" && review.status === "in_review" && renderDecisions(shownReview, call)}`,
  };
}

/**
 * A review. `merged`: content that accepting the review would publish. Null if the review is
 * decided, or if its edit conflicts with the published content.
 */
type ShownReview = Review & { readonly merged: string | null };

function renderHeading(review: Review, workspace: string, call: PageCall): Html {
  const { now } = call;
  const { path, status, reason, at, sender, decidedAt, workspaceId } = review;
  const { label, tone } = REVIEW_STATES[status];
  const name = path.slice(1);
  return html`${renderBreadcrumbs("Path to this page", [
    { href: makeListAddress(call, { status }), label: "Reviews" },
    { href: makeItemAddress(REVIEWS_ADDRESS, review.id), label: name, current: "page" },
  ])}
<div class="title"><h1>${renderName(name)}</h1><a class="button" href="${makeFilesAddress(workspaceId, name)}">Open document</a></div>
<p class="meta">${renderBadge(tone, label)} <span>${renderSender(sender)} sent this ${renderAgo(at, now)}</span>${
    decidedAt !== null && html` <span>${label} ${renderAgo(decidedAt, now)}</span>`
  } <span>${REASON_NAMES[reason] ?? reason}</span> <span>Workspace ${renderName(workspace)}</span></p>`;
}

function renderClashes({ reason, baseContent, content, liveContent }: Review, view: ReviewView): Html {
  const baseText = baseContent ?? liveContent;
  const passages = compareSideBySide({ base: baseText, mine: liveContent, theirs: content });
  const clashes = passages.filter(({ kind }) => kind === "both").length;
  const explanation =
    clashes === 0
      ? "The published and the submitted version do not merge."
      : `${plural(clashes, "place")} changed in both versions.`;
  const nextStep =
    reason === "conflict"
      ? "Accepting replaces the published version with the submitted one."
      : "To accept the edit, edit it first.";
  return html`<p class="notice asks">${explanation} ${view !== "edit" && nextStep}</p>`;
}

function renderNeighbourLinks(
  { previous, next, at, total }: ReviewNeighbours,
  { status }: Review,
  call: PageCall,
): Html {
  return html`<nav aria-label="Open reviews" class="row">${renderNeighbourLink(previous, "Previous", call)}${
    status === "in_review" && html`<span class="faint">${count(at)} of ${count(total)}</span>`
  }${renderNeighbourLink(next, "Next", call)}</nav>`;
}

function renderNeighbourLink(id: string | null, label: "Previous" | "Next", call: PageCall): Html {
  if (id === null) return html`<span class="button" aria-disabled="true">${label}</span>`;
  const rel = label === "Previous" ? "prev" : "next";
  return html`<a class="button" rel="${rel}" href="${makeReviewAddress(call, id)}">${label}</a>`;
}

/** A version of a document. `text`: content of the version; null if the content was pruned. */
type LabelledVersion = { readonly text: string | null; readonly label: string };

/**
 * Returns the two versions that the page compares. For an open review: the published version, and
 * the version that accepting would publish. For a decided review: the versions before and after the
 * decision.
 */
async function readComparedVersions(
  { core }: PageCall,
  review: ShownReview,
): Promise<readonly [LabelledVersion, LabelledVersion]> {
  const { id, status, content, liveContent, merged } = review;
  const submittedVersion = { text: content, label: "Submitted" };
  if (status === "in_review") {
    const isMerged = merged !== null && merged !== content;
    const acceptedVersion = isMerged ? { text: merged, label: "Submitted, merged" } : submittedVersion;
    return [{ text: liveContent, label: "Published" }, acceptedVersion];
  }
  const { before, after } = await core.admin.reviews.decided(id);
  if (status === "rejected") return [{ text: after, label: "Published" }, submittedVersion];
  return [
    { text: before, label: "Published before" },
    { text: after, label: "Accepted" },
  ];
}

const NOT_STORED = html`<p class="notice quiet">This version is no longer stored.</p>`;

async function renderChanges(call: PageCall, review: ShownReview, view: ReviewView): Promise<Html> {
  const versions = await readComparedVersions(call, review);
  if (view === "rendered") return renderVersions(call, review, versions);
  const [{ text: before, ...from }, { text: after, ...to }] = versions;
  if (before === null || after === null) return NOT_STORED;
  return html`${renderComparison({ ...from, text: before }, { ...to, text: after })}${renderBothEdits(review)}`;
}

const PASSAGE_LABELS = {
  mine: "Changed in the published version",
  theirs: "Changed in the submitted version",
  alike: "The same change in both",
  both: "Different changes in both",
} as const;

/**
 * Shows both edits of an open review with a conflict, each edit compared with the base. Returns
 * null if there is no conflict, or if the base was pruned.
 */
function renderBothEdits({ status, merged, baseContent, content, liveContent }: ShownReview): Html | null {
  if (status !== "in_review" || merged !== null || baseContent === null) return null;
  const passages = compareSideBySide({ base: baseContent, mine: liveContent, theirs: content }, "base");
  const columns = [
    { side: "mine", label: "Published" },
    { side: "base", label: "Before both" },
    { side: "theirs", label: "Submitted" },
  ] as const;
  const caption = "The published version, the version before both edits, and the submitted version";
  return html`<details><summary>Both edits, with the version before them</summary>${renderSideBySide(passages, { caption, columns, words: ({ kind }) => PASSAGE_LABELS[kind] })}</details>`;
}

function listChangedLines(passages: readonly RowGroup[], side: "mine" | "theirs"): number[] {
  const rows = passages.flatMap((passage) => (passage.kind === "same" ? [] : passage.rows));
  return rows.flatMap((row) => (row[side] === null ? [] : [row[side].number - 1]));
}

async function renderVersions(
  { render }: PageCall,
  { path, workspaceId }: Review,
  versions: readonly [LabelledVersion, LabelledVersion],
): Promise<Html> {
  const linkBase = { files: makeFilesAddress(workspaceId, ""), folder: parentOf(path.slice(1)) };
  const [before, after] = versions;
  const passages = compareSideBySide({ base: null, mine: before.text ?? "", theirs: after.text ?? "" });
  const renderedHalves = await Promise.all(
    (
      [
        [before, "mine", "gone"],
        [after, "theirs", "new"],
      ] as const
    ).map(async ([{ text, label }, side, mark]) => {
      const renderedVersions =
        text === null ? null : await render(text, linkBase, { mark, lines: listChangedLines(passages, side) });
      const content = text === null ? NOT_STORED : renderDocument(renderedVersions, text);
      return html`<section class="card"><h2>${label}</h2>${content}</section>`;
    }),
  );
  return html`<div class="halves">${renderedHalves}</div>`;
}

function renderDecisions(review: ShownReview, call: PageCall): Html {
  const { csrf } = call;
  const { id, liveChangeId, reason, merged } = review;
  const acceptButton =
    merged === null && reason !== "conflict"
      ? html`<a class="button main-action" href="${makeReviewAddress(call, id, { view: "edit" })}">Edit</a>`
      : renderActionForm(
          { action: makeDecisionAddress(call, "accept"), csrf, fields: { live: liveChangeId } },
          html`<button class="main-action">Accept</button>`,
        );
  return html`<div class="sticky" role="group" aria-label="Decision"><span>${describeAccepting(review)} Rejecting keeps the published version.</span>
<span class="row">${renderActionForm({ action: makeDecisionAddress(call, "reject"), csrf }, html`<button>Reject</button>`)}
${acceptButton}</span></div>`;
}

function describeAccepting({ content, reason, merged }: ShownReview): string {
  if (merged === content) return "Accepting publishes the submitted version.";
  if (merged !== null) return "Accepting publishes the submitted version, merged with the published one.";
  return reason === "conflict" ? "Accepting replaces the published version." : "";
}

function makeDecisionAddress({ id, query }: PageCall, verb: "accept" | "reject"): string {
  return withQuery(`${makeItemAddress(REVIEWS_ADDRESS, id)}/${verb}`, { workspace: query.get("workspace") });
}

/**
 * Shows an editor with one button, which accepts the review with the edited content.
 * @param unsaved content that the user edited before; null to begin with the content that accepting
 * would publish
 */
function renderEditor(call: PageCall, review: ShownReview, unsaved: UnsavedEdit | null): Html {
  const { id, status, content, merged, liveContent, liveChangeId } = review;
  const decisionBar = html`<div class="sticky" role="group" aria-label="Decision"><span>Accepting publishes your version.</span>
<span class="row"><a class="button" href="${makeReviewAddress(call, id)}">Discard my edit</a>
<button class="main-action">Accept your version</button></span></div>`;
  return html`${
    unsaved !== null &&
    html`<p role="alert" class="notice bad">${renderSentence(toClause(unsaved.why.detail))}; your version is not published, and is still in the editor.</p>`
  }
${renderActionForm(
  { action: makeDecisionAddress(call, "accept"), csrf: call.csrf, fields: { live: liveChangeId } },
  html`<label for="content">The version to publish</label>
<textarea id="content" name="content" rows="20" dir="auto" spellcheck="false" data-editor="The version to publish">
${unsaved?.text ?? merged ?? content}</textarea>
<textarea hidden readonly aria-label="Published" data-beside="The published version">
${liveContent}</textarea>
<details><summary>The published version, to copy from</summary><pre>${liveContent}</pre></details>
${status === "in_review" && decisionBar}`,
)}`;
}

export async function acceptReview(call: PageCall): Promise<PageResult> {
  const { core, id, form } = call;
  const { reviews } = core.admin;
  const review = await reviews.show(id);
  if (isRefused(review)) return redirectWithRefusal(REVIEWS_ADDRESS, review);
  const typedText = form.has("content") ? readTextarea(form, "content", review.content) : null;
  const content = typedText === null ? null : validate(contentSchema, typedText);
  const showDecision = await prepareDecidedPage(call);
  // The form contains the change id of the published version that the page showed. The service
  // refuses the decision if another version has been published since then.
  const acceptedFile = isRefused(content) ? content : await reviews.accept(id, content, form.get("live") ?? "");
  if (!isRefused(acceptedFile))
    return showDecision(typedText === null ? "Accepted and published." : "Accepted: your version is published.");
  if (typedText === null) return redirectWithRefusal(makeReviewAddress(call, id), acceptedFile);
  const currentReview = await reviews.show(id);
  const unsavedEdit = { text: typedText, why: acceptedFile };
  return makePage(
    await renderReviewPage(call, isRefused(currentReview) ? review : currentReview, {
      view: "edit",
      unsaved: unsavedEdit,
    }),
    409,
  );
}

export async function rejectReview(call: PageCall): Promise<PageResult> {
  const { core, id } = call;
  const showDecision = await prepareDecidedPage(call);
  const rejectedFile = await core.admin.reviews.reject(id);
  if (isRefused(rejectedFile)) return redirectWithRefusal(makeItemAddress(REVIEWS_ADDRESS, id), rejectedFile);
  return showDecision("Rejected: the published version stays.");
}

/**
 * Returns a function that redirects the browser to the decided review. The page shows a notice, and
 * a link to the next open review.
 * ORDER: call this function before the decision. After the decision, the review is no longer in the
 * list of open reviews, so the next review could not be found.
 */
async function prepareDecidedPage(call: PageCall): Promise<(text: string) => PageResult> {
  const { core, id, query } = call;
  const { previous, next } = await core.admin.reviews.neighbours(id, query.get("workspace"));
  const otherReviewId = next ?? previous;
  const link = otherReviewId === null ? null : { href: makeReviewAddress(call, otherReviewId), label: "Next review" };
  return (text) => redirectTo(makeReviewAddress(call, id), text, { link });
}

/**
 * Returns the value of a `textarea`, with the line ends of `originalText`, because browsers always
 * send CRLF.
 * @param originalText content that the form first showed
 */
function readTextarea(form: URLSearchParams, name: string, originalText: string): string {
  return restoreLineEnds(form.get(name) ?? "", originalText);
}
