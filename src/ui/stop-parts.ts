import { waitingClause } from "../mirror/operations/results/stop.ts";
import type { StopView } from "../mirror/operations/manual/answer-stop.ts";
import { count, plural } from "../common/count.ts";
import { html, type Html } from "../page/html.ts";
import { badgeOf, nameView, nextOf, sentenceView } from "../page/parts.ts";
import { mirrorForm } from "./action.ts";
import { BRING_BACK, LET_GO } from "./actions/stop.ts";
import { mirrorAddress } from "./addresses.ts";
import { explained } from "./help-parts.ts";
import type { MirrorModel } from "./mirror-model.ts";
import type { Moment } from "./page.ts";
import { pagerOf, type Part } from "./paging.ts";
import type { StopReading } from "./stops.ts";
import type { MirrorStatus } from "../mirror/folder/read-status.ts";

/** Shows the parts of a stop's page. */

/** LIMIT: names of items to restore that are shown. */
const MOST_BACK = 20;

/** A stop as plain data. */
export type StopModel = StopReading & {
  readonly mirror: MirrorModel;
  /** Null if nothing is stopped. */
  readonly safetyStop: MirrorStatus["safetyStop"];
  /** Result of the last scan; null if there was none, or the scan failed. */
  readonly view: StopView | null;
  readonly part: Part<StopView["stop"]["items"][number]>;
};

type Shown = { readonly model: StopModel; readonly view: StopView; readonly moment: Moment };

export function reasonsOf(reasons: NonNullable<StopModel["safetyStop"]>["reasons"]): Html {
  return html`<ul class="plain" id="reasons">${reasons.map(
    ({ reason, detail }) => html`<li>${explained(reason, badgeOf("bad", reason))} ${sentenceView(detail)}</li>`,
  )}</ul>`;
}

/** Shows both answers. The user has to confirm each; each says how many changes it concerns. */
export function answerButtons({ model: { mirror }, view: { stop, back }, moment }: Shown): Html {
  const fields = { seen: stop.version ?? "" };
  const button = (words: string) => html`<button class="main-action">${words}</button>`;
  const approval = mirrorForm(
    mirror,
    { ...LET_GO, fields },
    moment,
    button(`Carry out ${plural(stop.items.length, "change")}`),
  );
  return html`<section id="answers"><h2>Answer</h2>
<details id="let-go" class="confirm"><summary>Approve …</summary><p>${sumsOf(stop).map((sum) => html`<span class="sum">${sum}</span> `)}</p>
${approval}</details>
${
  back.kind === "trouble"
    ? html`<p>${sentenceView(back.trouble.what)}</p>${nextOf(back.trouble.next)}`
    : html`<details id="bring-back" class="confirm"><summary>Reject …</summary><p>The list below shows the effect.</p>
${mirrorForm(mirror, { ...BRING_BACK, fields }, moment, button(`Undo ${plural(back.value.items.filter(({ end }) => end !== "left").length, "change")}`))}</details>`
}</section>`;
}

function sumsOf({ items }: StopView["stop"]): string[] {
  return [...Map.groupBy(items, ({ what }) => what)].map(([what, all]) => `${what}: ${count(all.length)}`);
}

export function stoppedOf({ model: { part, mirror }, view: { stop } }: Shown): Html {
  const { items, total } = part;
  return html`<section id="stopped"><h2>Stopped: ${count(total)}</h2>
<p>${sumsOf(stop).join("; ")}</p>
${stop.waiting > 0 && html`<p>${waitingClause(stop.waiting)}</p>`}
${
  items.length > 0 &&
  html`<table><thead><tr><th scope="col">What</th><th scope="col">Path</th></tr></thead><tbody>${items.map(
    ({ what, path, notes }) =>
      html`<tr><td>${what}</td><td>${nameView(path)}${notes.map((note) => html` <span class="faint">${sentenceView(note)}</span>`)}</td></tr>`,
  )}</tbody></table>`
}
${pagerOf(part, "changes", (page) => mirrorAddress(mirror.name, "safety-stop", { page }))}</section>`;
}

export function backOf({ view: { back } }: Shown): Html | null {
  if (back.kind === "trouble") return null;
  const groups = [...Map.groupBy(back.value.items, ({ what }) => what)];
  return html`<section id="back"><h2>Effect of Reject</h2><ul>${groups.map(
    ([what, all]) =>
      html`<li>${count(all.length)} × ${what}: ${all
        .slice(0, MOST_BACK)
        .map(
          ({ path, why }, at) => html`${at > 0 && ", "}${nameView(path)}${why !== "" && html` (${sentenceView(why)})`}`,
        )}${all.length > MOST_BACK && html` … and ${count(all.length - MOST_BACK)} more`}</li>`,
  )}</ul></section>`;
}
