import { REJECTION_WORDS, waitingClause } from "../mirror/operations/results/stop.ts";
import { count, plural } from "../common/count.ts";
import { html, type Html } from "../page/html.ts";
import { badgeOf, nameOf, nextOf, wordsOf } from "../page/parts.ts";
import { mirrorForm } from "./action.ts";
import { BRING_BACK, LET_GO } from "./actions/stop.ts";
import { mirrorAddress } from "./addresses.ts";
import { explained } from "./help-parts.ts";
import type { StopModel } from "./stop-model.ts";
import type { Moment } from "./page.ts";
import { pagerOf } from "./paging.ts";

/** Shows the parts of a stop's page. */

export function reasonsOf(reasons: StopModel["reasons"]): Html {
  return html`<ul class="plain" id="reasons">${reasons.map(
    ({ reason, detail }) => html`<li>${explained(reason, badgeOf("bad", reason))} ${wordsOf(detail)}</li>`,
  )}</ul>`;
}

/** Shows both answers. The user has to confirm each; each says how many changes it concerns. */
export function answerButtons(safetyStop: StopModel, moment: Moment): Html {
  const { mirror, seen, sums, part, back, instead } = safetyStop;
  const things = plural(part!.total, "change");
  const go = html`<p>${sums.map((sum) => html`<span class="sum">${sum}</span> `)}</p>
${mirrorForm(mirror, { ...LET_GO, fields: { seen } }, moment, html`<button class="main-action">Carry out ${things}</button>`)}`;
  const able = back.filter(({ kind }) => kind !== "left").reduce((sum, { total }) => sum + total, 0);
  const bring = html`<p>${able === 0 ? null : "The list below shows the effect."}</p>
${mirrorForm(mirror, { ...BRING_BACK, fields: { seen } }, moment, html`<button class="main-action">Undo ${plural(able, "change")}</button>`)}`;
  return html`<section id="answers"><h2>Answer</h2>
<details id="let-go" class="confirm"><summary>Approve …</summary>${go}</details>
${
  able > 0
    ? html`<details id="bring-back" class="confirm"><summary>Reject …</summary>${bring}</details>`
    : html`<p>There is nothing to undo: nothing was deleted on either side.</p>${instead.map(nextOf)}`
}</section>`;
}

export function stoppedOf({ part, mirror, sums, waiting }: StopModel): Html {
  const { items, total } = part!;
  return html`<section id="stopped"><h2>Stopped: ${count(total)}</h2>
<p>${sums.join("; ")}</p>
${waiting > 0 && html`<p>${waitingClause(waiting)}</p>`}
${
  items.length > 0 &&
  html`<table><thead><tr><th scope="col">What</th><th scope="col">Path</th></tr></thead><tbody>${items.map(
    ({ arrow, what, path, why }) =>
      html`<tr><td>${arrow} ${what}</td><td>${nameOf(path)}${why !== "" && html` <span class="faint">${wordsOf(why)}</span>`}</td></tr>`,
  )}</tbody></table>`
}
${pagerOf(part!, "changes", (page) => mirrorAddress(mirror.name, "safety-stop", { page }))}</section>`;
}

export function backOf({ back }: StopModel): Html | null {
  if (back.length === 0) return null;
  return html`<section id="back"><h2>Effect of Reject</h2><ul>${back.map(
    ({ kind, total, items }) =>
      html`<li>${count(total)} × ${kind === "left" ? "left alone" : REJECTION_WORDS[kind]}: ${items.map(
        (item, at) =>
          html`${at > 0 && ", "}${nameOf(item.path)}${item.kind === "left" && html` (${wordsOf(item.why)})`}`,
      )}${total > items.length && html` … and ${count(total - items.length)} more`}</li>`,
  )}</ul></section>`;
}
