import { nextFor } from "../mirror/operations/results/next-step.ts";
import { resolutionWords } from "../mirror/operations/results/resolutions.ts";
import type { ProblemView } from "../mirror/operations/manual/problem-view.ts";
import type { BlockReason, ResolutionKind } from "../mirror/model/block.ts";
import { plural } from "../common/count.ts";
import { html, type Html } from "../page/html.ts";
import { ageOf, badgeOf, nameView, nextOf, sentenceView } from "../page/parts.ts";
import { mirrorForm } from "./action.ts";
import { documentPart } from "./addresses.ts";
import type { ConflictModel } from "./conflict-model.ts";
import type { Moment } from "./page.ts";

/** Shows parts of a conflict's page: its state, and the choices. */

export function standsAs({ open }: ConflictModel, now: number): Html {
  const { conflict, block } = open!;
  return html`${conflict !== null && conflictWords(conflict, now)}${block !== null && blockWords(block, now)}${
    conflict === null && block === null && html`<p>${badgeOf("quiet", "in review")} Its change is in review.</p>`
  }`;
}

function conflictWords(conflict: NonNullable<ProblemView["conflict"]>, now: number): Html {
  const { since, conflictCopy, hasConflictCopy, bothNew, renewed } = conflict;
  const how = bothNew
    ? "It was new on both sides, with different content."
    : "It was edited locally and on the service, and the two edits do not merge.";
  return html`<p>${badgeOf("asks", "conflict")} for ${ageOf(since, now)}. ${how}${
    renewed > 0 && html` The version on the service has changed ${plural(renewed, "time")} since.`
  }</p>
<p class="faint">Mine is the local file. Theirs is the version on the service; it is ${
    hasConflictCopy
      ? html`beside it as ${nameView(conflictCopy)}.`
      : html`kept in the history: the file ${nameView(conflictCopy)} was removed, which chooses mine at the next sync.`
  }</p>`;
}

function blockWords(block: NonNullable<ProblemView["block"]>, now: number): Html {
  const { kind, detail, code, since } = block;
  return html`<p>${badgeOf("asks", "blocked")} for ${ageOf(since, now)}. <b>${kind}</b>: ${sentenceView(detail)}${code !== null && ` (${code})`}</p>
${nextOf(nextFor(block))}`;
}

/** Returns a form about a conflict. The form sends the versions that the page shows. */
export function resolveForm(conflict: ConflictModel, moment: Moment, content: Html): Html {
  const { open, path } = conflict;
  const { mine, theirs, base } = open!.versions;
  const fields = { mine: mine ?? "", theirs: theirs ?? "", base: base ?? "" };
  return mirrorForm(conflict, { path: documentPart("conflict", path), fields }, moment, content);
}

export function choicesOf(conflict: ConflictModel, moment: Moment): Html {
  const open = conflict.open!;
  const ways = open.ways.filter((way) => way !== "merged");
  if (ways.length === 0) return html`<section id="choose"></section>`;
  const inputs = ways.map((way) => choiceOf(way, open));
  return html`<section id="choose"><h2>Choose</h2>${resolveForm(conflict, moment, html`<ul class="choices">${inputs}</ul>`)}
<p class="faint">Nothing is lost: the version that you do not choose stays in .mdmirror/trash and in the history.</p></section>`;
}

function choiceOf(way: ResolutionKind, { conflict, block }: ProblemView): Html {
  const { label, does } = resolutionWords(way, conflict !== null, (block?.kind ?? null) as BlockReason | null);
  const button = html`<button name="way" value="${way}" aria-describedby="does-${way}">${label}</button> <span id="does-${way}">${does}</span>`;
  if (way !== "recreate") return html`<li>${button}</li>`;
  return html`<li><details class="confirm"><summary>${label} …</summary><p>${button}</p></details></li>`;
}
