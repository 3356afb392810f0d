import { diffLines } from "../../../merge/line-diff.ts";
import { diffView } from "../../../page/diff.ts";
import { html, type Html } from "../../../page/html.ts";
import { actionForm, ageOf, badgeOf, nameOf } from "../../../page/parts.ts";
import type { Tone } from "../../../page/layout.ts";
import { isRefused } from "../../answer.ts";
import type { Review } from "../../reviews.ts";
import { REVIEWS, reviewAddress } from "../addresses.ts";
import { page, type PageResult, refusedPage } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { survivesForm } from "../form.ts";
import { WHY } from "./reviews.ts";
import { titled } from "../title.ts";

const STATES: Readonly<Record<Review["status"], readonly [Tone, string]>> = {
  in_review: ["asks", "waits"],
  accepted: ["good", "accepted"],
  rejected: ["quiet", "rejected"],
};

/** One review: what would change, both edits of a conflict, and its end. */
export function showReview({ core, params, csrf, now }: PageCall): PageResult {
  const review = core.admin.reviews.show(params[0]!);
  if (isRefused(review)) return refusedPage(review);
  const { path, status, reason, at, content, liveContent, baseContent } = review;
  const [tone, word] = STATES[status];
  const isConflict = reason === "conflict" && baseContent !== null;
  return page({
    title: titled(`Review of ${path}`),
    here: REVIEWS,
    main: html`<h1>${nameOf(path)}</h1>
<p>${badgeOf(tone, word)} since ${ageOf(at, now)}, because ${WHY[reason] ?? reason}</p>
<h2>What would change</h2>
<p class="faint">From what is live to what was sent.</p>
${changeOf(liveContent, content, "What was sent is what is live.")}
${isConflict && bothEdits(review, baseContent)}
${status === "in_review" ? decisions(review, csrf) : html`<p class="notice quiet">It was ${word}; there is nothing left to decide.</p>`}`,
  });
}

function changeOf(before: string, after: string, same: string): Html {
  const hunks = diffLines(before, after);
  return hunks.length === 0 ? html`<p class="notice quiet">${same}</p>` : diffView(hunks);
}

/** Who decides a conflict sees what each of the two did to the text that both began with. */
function bothEdits({ content, liveContent }: Review, base: string): Html {
  return html`<h2>Both edits</h2>
<p class="faint">Each from the text that both began with.</p>
<div class="pair"><section><h3>What became live meanwhile</h3>${changeOf(base, liveContent, "Nothing.")}</section>
<section><h3>What was sent</h3>${changeOf(base, content, "Nothing.")}</section></div>
<details><summary>The text that both began with</summary><pre>${base}</pre></details>`;
}

function decisions({ id, content, liveContent, liveChangeId, reason }: Review, csrf: string): Html {
  const to = reviewAddress(id);
  // What is decided is what was shown: another edit meanwhile asks for another look.
  const fields = { live: liveChangeId };
  const replaces = reason === "conflict" ? "Accepted, what was sent replaces what is live, if they do not merge." : "";
  return html`<h2>Decide</h2>
<p class="faint">${replaces} Rejected, what is live stays; what was sent stays in its history.</p>
<div class="row">${actionForm({ action: `${to}/accept`, csrf, fields }, html`<button class="main-action">Accept</button>`)}
${actionForm({ action: `${to}/reject`, csrf, fields }, html`<button>Reject</button>`)}</div>
<details class="card"${reason === "conflict" && html` open`}><summary>Edit, then accept</summary>
${!survivesForm(content) && html`<p class="notice asks">Its line ends are mixed; edited here, they become the same.</p>`}
${actionForm(
  { action: `${to}/accept`, csrf, fields: { ...fields, edited: "yes" } },
  html`<label for="content">The text that becomes live</label>
<textarea id="content" name="content" rows="20" dir="auto" spellcheck="false">
${content}</textarea>
<button class="main-action">Accept this text</button>`,
)}
<details><summary>What is live, to copy from</summary><pre>${liveContent}</pre></details></details>`;
}
