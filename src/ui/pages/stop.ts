import { ok } from "../../common/trouble.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, nameOf, nextOf, wordsOf } from "../../page/parts.ts";
import { mirrorForm } from "../action.ts";
import { SYNC } from "../actions/sync.ts";
import { mirrorAddress } from "../addresses.ts";
import { type StopModel, modelOfStop } from "../stop-model.ts";
import { answerButtons, backOf, reasonsOf, stoppedOf } from "../stop-parts.ts";
import { lastRunResult, stateOf, trafficOf } from "../mirror-parts.ts";
import { definePage, type Moment } from "../page.ts";

/** Shows a stop: the changes that a safety check stopped, with a form for each answer. */
export const STOP = definePage<StopModel>({
  path: "/m/:name/safety-stop",
  isLive: true,
  async look(ui, asked) {
    const looked = await ui.looks.one(asked.params["name"]!);
    return looked.kind === "trouble" ? looked : ok(modelOfStop(ui, looked.value, asked));
  },
  show: (safetyStop, moment) => ({
    title: `Stopped · ${safetyStop.mirror.name} · mdmirror`,
    here: mirrorAddress(safetyStop.mirror.name, "safety-stop"),
    said: saidOf(safetyStop),
    main: html`<h1>Stopped: ${nameOf(safetyStop.mirror.name)}</h1>
<p>${stateOf(safetyStop.mirror, moment.now)}</p>
<div id="job">${trafficOf(safetyStop.mirror)}${lastRunResult(safetyStop.mirror)}</div>
${haltOf(safetyStop, moment)}`,
  }),
});

function saidOf({ mirror, isStopped, part }: StopModel): string {
  if (!isStopped) return `${mirror.name}: nothing is stopped`;
  return `${mirror.name}: stopped by a safety check${part === null ? "" : `, ${part.total} changes`}`;
}

function haltOf(safetyStop: StopModel, moment: Moment): Html {
  const { mirror, isStopped, approved, look } = safetyStop;
  if (!isStopped) return html`<p>Nothing is stopped.</p>`;
  if (approved)
    return html`${reasonsOf(safetyStop.reasons)}<p>Approved: the next sync carries the changes out.</p>${syncNow(safetyStop, moment)}`;
  return html`${reasonsOf(safetyStop.reasons)}
${lookOf(look, moment.now)}
${look.since !== null && html`<progress aria-label="Looking at both sides"></progress>`}
${look.trouble !== null && html`<div class="notice bad"><p>${wordsOf(look.trouble.what)}</p>${nextOf(look.trouble.next)}</div>`}
${look.kind === "nothing" && html`<p>No change would be stopped now. The next sync continues.</p>${syncNow(safetyStop, moment)}`}
${look.kind === "stopped" && html`${answerButtons(safetyStop, moment)}${stoppedOf(safetyStop)}${backOf(safetyStop)}`}
<p class="faint">Nothing is deleted without a copy: local files go to .mdmirror/trash, documents of the service stay in the history of ${nameOf(mirror.name)}.</p>`;
}

function lookOf({ since, at, kind }: StopModel["look"], now: number): Html | null {
  if (since !== null)
    return html`<p id="looking" class="faint">Scanning both sides for the changes that the safety check stopped …</p>`;
  return kind === "stopped" ? html`<p id="looking" class="faint">Checked ${ageOf(at!, now)} ago.</p>` : null;
}

function syncNow({ mirror }: StopModel, moment: Moment): Html {
  return mirrorForm(mirror, SYNC, moment, html`<button class="main-action">Sync now</button>`);
}
