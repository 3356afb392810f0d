import { ok } from "../../common/trouble.ts";
import type { StopView } from "../../mirror/operations/manual/answer-stop.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, nameView, nextOf, sentenceView } from "../../page/parts.ts";
import { mirrorForm } from "../action.ts";
import { SYNC } from "../actions/sync.ts";
import { mirrorAddress } from "../addresses.ts";
import { modelOf } from "../mirror-model.ts";
import { partOf } from "../paging.ts";
import { answerButtons, backOf, reasonsOf, type StopModel, stoppedOf } from "../stop-parts.ts";
import { lastRunResult, stateOf, trafficOf } from "../mirror-parts.ts";
import { definePage, type Moment } from "../page.ts";

/** LIMIT: rows on one page. */
const SIZE = 100;

/** Shows a stop: the changes that a safety check stopped, with a form for each answer. */
export const STOP = definePage<StopModel>({
  path: "/m/:name/safety-stop",
  isLive: true,
  async look(ui, asked) {
    const looked = await ui.looks.one(asked.params["name"]!);
    if (looked.kind === "trouble") return looked;
    const mirror = { ...modelOf(looked.value, ui), needs: [], waits: [] };
    const { look } = looked.value;
    const safetyStop = look.kind === "seen" ? look.status.safetyStop : null;
    const isOpen = look.kind === "seen" && safetyStop?.approved === false;
    const { since, seen } = isOpen ? ui.halts.of(mirror.root, look.status) : { since: null, seen: null };
    const view = seen?.result.kind === "ok" ? seen.result.value : null;
    return ok({ mirror, safetyStop, since, seen, view, part: partOf(view?.stop.items ?? [], asked, SIZE) });
  },
  show: (safetyStop, moment) => ({
    title: `Stopped · ${safetyStop.mirror.name} · mdmirror`,
    here: mirrorAddress(safetyStop.mirror.name, "safety-stop"),
    said: saidOf(safetyStop),
    main: html`<h1>Stopped: ${nameView(safetyStop.mirror.name)}</h1>
<p>${stateOf(safetyStop.mirror, moment.now)}</p>
<div id="job">${trafficOf(safetyStop.mirror)}${lastRunResult(safetyStop.mirror)}</div>
${haltOf(safetyStop, moment)}`,
  }),
});

function saidOf({ mirror, safetyStop, view }: StopModel): string {
  if (safetyStop === null) return `${mirror.name}: nothing is stopped`;
  return `${mirror.name}: stopped by a safety check${view === null ? "" : `, ${view.stop.items.length} changes`}`;
}

function haltOf(model: StopModel, moment: Moment): Html {
  const { mirror, safetyStop, since, seen, view } = model;
  if (safetyStop === null) return html`<p>Nothing is stopped.</p>`;
  const { reasons, approved } = safetyStop;
  const trouble = seen?.result.kind === "trouble" ? seen.result.trouble : null;
  if (approved)
    return html`${reasonsOf(reasons)}<p>Approved: the next sync carries the changes out.</p>${syncNow(model, moment)}`;
  return html`${reasonsOf(reasons)}
${since !== null && html`<p id="looking" class="faint">Scanning both sides for the changes that the safety check stopped …</p><progress aria-label="Looking at both sides"></progress>`}
${trouble !== null && html`<div class="notice bad"><p>${sentenceView(trouble.what)}</p>${nextOf(trouble.next)}</div>`}
${view !== null && viewOf(model, view, moment)}
<p class="faint">Nothing is deleted without a copy: local files go to .mdmirror/trash, documents of the service stay in the history of ${nameView(mirror.name)}.</p>`;
}

function viewOf(model: StopModel, view: StopView, moment: Moment): Html {
  if (view.stop.version === null)
    return html`<p>No change would be stopped now. The next sync continues.</p>${syncNow(model, moment)}`;
  const shown = { model, view, moment };
  return html`${model.since === null && html`<p id="looking" class="faint">Checked ${ageOf(model.seen!.at, moment.now)} ago.</p>`}
${answerButtons(shown)}${stoppedOf(shown)}${backOf(shown)}`;
}

function syncNow({ mirror }: StopModel, moment: Moment): Html {
  return mirrorForm(mirror, SYNC, moment, html`<button class="main-action">Sync now</button>`);
}
