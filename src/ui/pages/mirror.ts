import { ok } from "../../common/trouble.ts";
import { count, plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, nameView, sentenceView } from "../../page/parts.ts";
import { mirrorForm } from "../action.ts";
import { PAUSE, RESUME } from "../actions/daemon.ts";
import { SYNC } from "../actions/sync.ts";
import { mirrorAddress } from "../addresses.ts";
import { type MirrorModel, modelOf } from "../mirror-model.ts";
import { attentionList, lastRunResult, saidOf, sizeOf, stateOf, trafficOf } from "../mirror-parts.ts";
import { definePage, type Moment } from "../page.ts";

/** Shows one linked folder: its state, its running work, and problems to fix. */
export const MIRROR = definePage<MirrorModel>({
  path: "/m/:name",
  isLive: true,
  async look(ui, { params }) {
    const looked = await ui.looks.one(params["name"]!);
    return looked.kind === "trouble" ? looked : ok(modelOf(looked.value, ui));
  },
  show: (mirror, moment) => ({
    title: `${mirror.needs.length > 0 ? `(${mirror.needs.length}) ` : ""}${mirror.name} · mdmirror`,
    here: mirrorAddress(mirror.name),
    said: saidOf(mirror),
    main: html`<h1>${nameView(mirror.name)}</h1>
<p>${stateOf(mirror, moment.now)}</p>
${trafficOf(mirror)}${lastRunResult(mirror)}
${mirror.facts !== null && buttons(mirror, moment)}
${openOf(mirror)}
<h2>The linked folder</h2>
${factsOf(mirror, moment.now)}`,
  }),
});

function buttons(mirror: MirrorModel, moment: Moment): Html {
  const isBusy = mirror.job !== null && mirror.job.end === null;
  const sync = html`<button class="main-action"${isBusy && html` disabled`}>Sync now</button>`;
  return html`<div class="row">${mirrorForm(mirror, SYNC, moment, sync)}${
    mirror.daemon !== null &&
    (mirror.daemon.paused
      ? mirrorForm(mirror, RESUME, moment, html`<button>Resume</button>`)
      : mirrorForm(mirror, PAUSE, moment, html`<button>Pause</button>`))
  }</div>`;
}

/** LIMIT: problems that this page lists. A separate page lists all of them. */
const MOST = 20;

function openOf({ name, needs, waits }: MirrorModel): Html {
  return html`<h2>Action required</h2>
${needs.length === 0 ? html`<p>No problems.</p>` : attentionList(needs.slice(0, MOST), name)}
${needs.length > MOST && html`<p><a href="${mirrorAddress(name, "needs")}">All ${count(needs.length)} problems</a></p>`}
${waits.length > 0 && html`<details><summary>${count(waits.length)} pending: nothing for you to do</summary>${attentionList(waits, name)}</details>`}`;
}

function factsOf({ root, addresses, facts, daemon }: MirrorModel, now: number): Html {
  const rows: readonly (readonly [string, Html | string | null])[] = [
    ["Folder", nameView(root)],
    ["Service", sentenceView(addresses.join(" "))],
    ["Subfolder", facts === null || facts.remote === "" ? null : nameView([facts.remote].flat().join(", "))],
    ["Content", facts === null ? null : sizeOf(facts)],
    [
      "Interrupted",
      facts === null || facts.pending === 0 ? null : `${plural(facts.pending, "step")}; the next sync completes them`,
    ],
    ["Last run", facts === null ? null : lastRunOf(facts.lastRun, now)],
    ["Daemon", facts === null ? null : daemon === null ? "none" : "runs"],
  ];
  return html`<dl class="facts">${rows.map(([term, what]) => what !== null && html`<dt>${term}</dt><dd>${what}</dd>`)}</dl>`;
}

function lastRunOf(run: NonNullable<MirrorModel["facts"]>["lastRun"], now: number): Html | string {
  if (run === null) return "none yet";
  return html`${run.kind} ${run.run}, ${ageOf(run.endedAt ?? run.startedAt, now)} ago`;
}
