import { readRuns, type RunLine } from "../../mirror/operations/history/runs.ts";
import { ok } from "../../common/trouble.ts";
import { html, type Html } from "../../page/html.ts";
import type { Tone } from "../../page/layout.ts";
import { badgeOf, nameView } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import { lastRunResult, jobOf } from "../mirror-parts.ts";
import { type Part, pagerOf, partOf } from "../paging.ts";
import { defineMirrorPage, type SeenMirror } from "../seen-mirror.ts";
import { timeOf } from "../time-parts.ts";

/** Shows the results of all runs. */

/** LIMIT: runs on one page. */
const SIZE = 50;

type Model = { readonly mirror: Pick<SeenMirror, "name" | "job">; readonly part: Part<RunLine> };

export const RUNS = defineMirrorPage<Model>({
  path: "/m/:name/runs",
  isLive: true,
  look(ui, { name, root, job }, asked) {
    const runs = ui.reads.read(root, { key: "runs", file: null }, ({ state }) => ok(readRuns(state)));
    return runs.kind === "trouble" ? runs : ok({ mirror: { name, job }, part: partOf(runs.value, asked, SIZE) });
  },
  show: ({ mirror, part }, { now }) => ({
    title: `Runs · ${mirror.name} · mdmirror`,
    main: html`<h1>Runs of ${nameView(mirror.name)}</h1>
${mirror.job?.end === null ? jobOf(mirror.job) : lastRunResult(mirror)}
${part.total === 0 ? html`<p>No run has changed anything yet.</p>` : html`<ul class="rows">${part.items.map((run) => runRow(mirror.name, run, now))}</ul>`}
${pagerOf(part, "runs", (page) => mirrorAddress(mirror.name, "runs", { page }))}`,
  }),
});

function runRow(mirror: string, line: RunLine, now: number): Html {
  const { run, kind, startedAt, done } = line;
  return html`<li id="${`run-${run}`}"><span><a href="${mirrorAddress(mirror, `runs/${run}`)}">Run ${run}</a> ${kind} ${runBadge(line)}<br>
<span>${done ?? html`<span class="faint">no document was synced</span>`}</span></span>${timeOf(startedAt, now)}</li>`;
}

const STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  "in-sync": ["good", "in sync"],
  attention: ["asks", "attention"],
  stopped: ["bad", "stopped"],
  offline: ["bad", "offline"],
  "by-hand": ["quiet", "by command"],
};

export function runBadge({ state, endedAt }: RunLine): Html | null {
  if (endedAt === null) return badgeOf("asks", "not ended");
  const [tone, word] = STATES[state ?? ""] ?? ["quiet", state];
  return word === null ? null : badgeOf(tone, word);
}
