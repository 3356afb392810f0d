import { diffLines } from "../../../markdown/merge/line-diff.ts";
import { sideBySide } from "../../../markdown/merge/side-by-side.ts";
import { diffView } from "../../../page/diff.ts";
import { html, type Html } from "../../../page/html.ts";
import { actionForm, ageOf, badgeOf, nameOf } from "../../../page/parts.ts";
import type { Tone } from "../../../page/layout.ts";
import { countChanges, sidesOf } from "../../../page/side-by-side.ts";
import { isRefused } from "../../requests/answer.ts";
import type { Review } from "../../reviews/reviews.ts";
import { REVIEWS, reviewAddress } from "../addresses.ts";
import { page, type PageResult, refusedPage } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { WHY } from "./reviews.ts";
import { titled } from "../title.ts";

const STATES: Readonly<Record<Review["status"], readonly [Tone, string]>> = {
  in_review: ["asks", "waits"],
  accepted: ["good", "accepted"],
  rejected: ["quiet", "rejected"],
};

/** Shows one review: the change, both edits if it is a conflict, and the decision. */
export async function showReview({ core, params, csrf, now }: PageCall): Promise<PageResult> {
  const review = await core.admin.reviews.show(params[0]!);
  if (isRefused(review)) return refusedPage(review);
  const { path, status, reason, at, content, liveContent, baseContent } = review;
  const [tone, word] = STATES[status];
  const isConflict = reason === "conflict" && baseContent !== null;
  return page({
    title: titled(`Review of ${path}`),
    here: REVIEWS,
    scripts: status === "in_review" ? ["review.js"] : [],
    main: html`<h1>${nameOf(path)}</h1>
<p>${badgeOf(tone, word)} since ${ageOf(at, now)}, because ${WHY[reason] ?? reason}</p>
${
  isConflict
    ? bothEdits(review, baseContent)
    : html`<h2>Changes</h2><p class="faint">From the published to the submitted version.</p>${changeOf(liveContent, content)}`
}
${status === "in_review" ? decisions(review, csrf) : html`<p class="notice quiet">It was ${word}; there is nothing left to decide.</p>`}`,
  });
}

function changeOf(before: string, after: string): Html {
  const hunks = diffLines(before, after);
  return hunks.length === 0 ? html`<p class="notice quiet">The submitted version is published.</p>` : diffView(hunks);
}

const WORDS = {
  mine: "Published meanwhile",
  theirs: "Submitted",
  alike: "The same change in both",
  both: "Different changes in both",
} as const;

/** Shows the changes of each of the two edits to the text that both began with. */
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
  // The form sends the id of the live version that is shown. If another version is live by then,
  // the service decides nothing.
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
