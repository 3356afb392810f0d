import type { HistoryEntry } from "../../mirror/operations/history/history.ts";
import {
  type RecentDocument,
  readRecent,
  readTimeline,
  type Timeline,
  type TimelineStep,
} from "../../mirror/operations/history/timeline.ts";
import { ok } from "../../common/trouble.ts";
import { partsClause } from "../../mirror/operations/results/merge-parts.ts";
import { bytes } from "../../mirror/operations/results/when.ts";
import { publicKind } from "../../mirror/operations/results/actions.ts";
import { plural } from "../../common/count.ts";
import { nameOf as lastName } from "../../contract/path.ts";
import { html, type Html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { badgeOf, nameView, sentenceView } from "../../page/parts.ts";
import { documentAddress, mirrorAddress } from "../addresses.ts";
import type { PageRequest } from "../page.ts";
import { type Part, pagerOf, partOf } from "../paging.ts";
import { crumbsOf, requestedPath } from "../path-parts.ts";
import { defineMirrorPage } from "../seen-mirror.ts";
import { timeOf } from "../time-parts.ts";

/**
 * Shows the history of one document as a timeline; without a path, the latest changes of the
 * folder.
 */

/** LIMIT: steps, or documents, on one page. */
const SIZE = 100;

type Model =
  | { readonly kind: "recent"; readonly mirror: string; readonly part: Part<RecentDocument> }
  | {
      readonly kind: "document";
      readonly mirror: string;
      readonly timeline: Omit<Timeline, "steps">;
      readonly part: Part<ShownStep>;
      /** Numbers of the versions whose content is kept, newest first. */
      readonly kept: readonly number[];
    };

/**
 * A step of the timeline. `made`: words for the versions that were merged into this one; null if it
 * is no merge.
 */
type ShownStep = TimelineStep & { readonly made: string | null };

export const HISTORY = defineMirrorPage<Model>({
  path: "/m/:name/history/*",
  isLive: true,
  look(ui, { name: mirror, root }, asked) {
    const path = requestedPath(asked.params) || (asked.query.get("of") ?? "").trim();
    if (path === "") {
      const recent = ui.reads.read(root, { key: "recent", file: null }, ({ state }) => ok(readRecent(state)));
      return recent.kind === "trouble"
        ? recent
        : ok({ kind: "recent", mirror, part: partOf(recent.value, asked, SIZE) });
    }
    const read = ui.reads.read(root, { key: `timeline ${path}`, file: path }, (local) => readTimeline(local, path));
    return read.kind === "trouble" ? read : ok(documentModel(mirror, read.value, asked));
  },
  show: (model, { now }) => (model.kind === "recent" ? showRecent(model, now) : showTimeline(model, now)),
});

function documentModel(mirror: string, { steps, ...timeline }: Timeline, asked: PageRequest): Model {
  const entries = steps.flatMap((step) => (step.kind === "text" ? [step.entry] : [])).toReversed();
  const kept = entries.filter(({ size }) => size !== null).map(({ n }) => n);
  const { items, ...part } = partOf(steps, asked, SIZE);
  const shown = items.map((step) => ({ ...step, made: madeOf(step, entries) }));
  return {
    kind: "document",
    mirror,
    timeline,
    part: { ...part, items: shown },
    kept: kept.toReversed().slice(0, SIZE),
  };
}

function madeOf(step: TimelineStep, entries: readonly HistoryEntry[]): string | null {
  if (step.kind !== "text" || step.entry.merge === null) return null;
  return partsClause(step.entry.merge, entries.slice(0, step.entry.n));
}

function showRecent({ mirror, part }: Extract<Model, { kind: "recent" }>, now: number): Content {
  return {
    title: `History · ${mirror} · mdmirror`,
    main: html`<h1>What changed last in ${nameView(mirror)}</h1>
<form action="${mirrorAddress(mirror, "history/")}" class="row"><label for="of">History of a document, also of a deleted one</label>
<input id="of" name="of" dir="auto" placeholder="folder/name.md"><button>Show</button></form>
${part.total === 0 ? html`<p>No changes yet.</p>` : html`<ul class="rows">${part.items.map((one) => recentRow(mirror, one, now))}</ul>`}
${pagerOf(part, "documents", (page) => mirrorAddress(mirror, "history/", { page }))}`,
  };
}

function recentRow(mirror: string, { path, at, kind, detail, isGone }: RecentDocument, now: number): Html {
  return html`<li id="${`h-${path}`}"><span><a href="${documentAddress(mirror, "history", path)}">${nameView(path)}</a>${
    isGone && html` ${badgeOf("quiet", "gone")}`
  }<br><span class="faint">${publicKind(kind)}: ${sentenceView(detail)}</span></span>${timeOf(at, now)}</li>`;
}

function showTimeline(model: Extract<Model, { kind: "document" }>, now: number): Content {
  const { mirror, timeline, part, kept } = model;
  const { path, isGone, texts } = timeline;
  const page = documentAddress(mirror, "docs", path);
  return {
    title: `History of ${lastName(path)} · ${mirror} · mdmirror`,
    main: html`${crumbsOf(mirror, path)}
<h1>History of ${nameView(lastName(path))}</h1>
<p>${isGone ? badgeOf("quiet", "gone") : html`<a href="${page}">The document</a>`} <span class="faint">${plural(texts, "text")}, as far as mdmirror saw them</span></p>
${compareForm(mirror, timeline, kept)}
<ol class="timeline" reversed>${part.items.map((step) => stepItem(model, step, now))}</ol>
${pagerOf(part, "steps", (to) => documentAddress(mirror, "history", path, { page: to }))}`,
  };
}

/** Returns a form that compares two versions, or a version with the file. */
function compareForm(
  mirror: string,
  { path, here, now }: Omit<Timeline, "steps">,
  kept: readonly number[],
): Html | null {
  if (kept.length + (here === null ? 0 : 1) < 2) return null;
  const options = (chosen: string) => [
    here !== null && html`<option value="here"${chosen === "here" && html` selected`}>the file now</option>`,
    ...kept.map((n) => html`<option value="${n}"${chosen === String(n) && html` selected`}>@${n}</option>`),
  ];
  const newest = here === null ? String(kept[0]) : "here";
  const before = String(kept.find((n) => n !== now && String(n) !== newest) ?? kept[0]);
  return html`<form action="${documentAddress(mirror, "diff", path)}" class="row">
<label for="from">Compare</label><select id="from" name="from">${options(before)}</select>
<label for="to">with</label><select id="to" name="to">${options(newest)}</select><button>Show</button></form>`;
}

function stepItem(model: Extract<Model, { kind: "document" }>, step: ShownStep, now: number): Html {
  switch (step.kind) {
    case "text":
      return textItem(model, step.entry, step.made, now);
    case "moved":
      return html`<li class="step"><p>${badgeOf("quiet", "renamed")} ${timeOf(step.at, now)}</p>
<p>${step.side === "local" ? "local" : "on the service"}: ${nameView(step.from)} → ${nameView(step.to)}</p></li>`;
    case "gone":
      return html`<li class="step"><p>${badgeOf("bad", "deleted")} ${timeOf(step.at, now)}</p><p>${sentenceView(step.detail)}</p></li>`;
  }
}

function textItem(
  { mirror, timeline }: Extract<Model, { kind: "document" }>,
  entry: HistoryEntry,
  made: string | null,
  now: number,
): Html {
  const { n, at, from, size, what, other } = entry;
  const label = html`@${n}`;
  const address = documentAddress(mirror, "version", timeline.path, { n });
  return html`<li class="step" id="${`v-${n}`}"><p><b>${size === null ? label : html`<a href="${address}">${label}</a>`}</b>
${badgeOf(from === "service" ? "good" : "quiet", from === "service" ? "was live" : "only local")}${
  made !== null && html` ${badgeOf("asks", "merged")}`
}${timeline.now === n && html` ${badgeOf("good", "the local file")}`} ${timeOf(at, now)}</p>
<p>${sentenceView(what)}${made !== null && html`, merged from ${sentenceView(made)}`}${other !== null && ", of another document that was at this path"}
<span class="faint">${bytes(size, "no longer in the history")}</span></p></li>`;
}
