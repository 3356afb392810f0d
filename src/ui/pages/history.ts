import { type HistoryEntry, partsClause } from "../../mirror/operations/history/history.ts";
import { type MergeRow, type MergeOrigins, originHunks } from "../../mirror/operations/history/origins.ts";
import {
  type NamedText,
  readText,
  readVersion,
  type TextName,
  type VersionSeen,
} from "../../mirror/operations/history/read-texts.ts";
import {
  type RecentDocument,
  readRecent,
  readTimeline,
  type Timeline,
  type TimelineStep,
} from "../../mirror/operations/history/timeline.ts";
import { bytes } from "../../mirror/operations/results/when.ts";
import { publicKind } from "../../mirror/operations/results/actions.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import { ok, trouble } from "../../common/trouble.ts";
import { plural } from "../../common/count.ts";
import { nameOf } from "../../contract/path.ts";
import { html, type Html } from "../../page/html.ts";
import { badgeOf, nameView, nextOf, sentenceView } from "../../page/parts.ts";
import { differenceOf } from "../../page/side-by-side.ts";
import { documentAddress, documentPart, mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest } from "../page.ts";
import { crumbsOf, folderForm, numberIn, pagerOf, partOf, requestedPath, timeOf } from "../parts.ts";

/** Shows the history of a document, one of its versions, and the difference of two. */

/** LIMIT: steps, or documents, on one page. */
const SIZE = 100;

/** Shows the timeline of one document; without a path, the latest changes of the folder. */
export const HISTORY = folderPage({
  path: "/m/:name/history/*",
  section: "history/",
  show(ui, { name: mirror, root }, asked) {
    const path = requestedPath(asked) || (asked.query.get("of") ?? "").trim();
    if (path !== "") {
      const read = withLocal(root, ui, (local) => readTimeline(local, path));
      return read.kind === "trouble" ? read : ok(timelineContent(mirror, read.value, asked));
    }
    const recent = withLocal(root, ui, ({ state }) => ok(readRecent(state)));
    if (recent.kind === "trouble") return recent;
    const part = partOf(recent.value, asked, SIZE);
    return ok({
      title: `History · ${mirror} · mdmirror`,
      main: html`<h1>What changed last in ${nameView(mirror)}</h1>
<form action="${mirrorAddress(mirror, "history/")}" class="row"><label for="of">History of a document, also of a deleted one</label>
<input id="of" name="of" dir="auto" placeholder="folder/name.md"><button>Show</button></form>
${part.total === 0 ? html`<p>No changes yet.</p>` : html`<ul class="rows">${part.items.map((one) => recentRow(mirror, one, asked.now))}</ul>`}
${pagerOf(part, "documents", (page) => mirrorAddress(mirror, "history/", { page }))}`,
    });
  },
});

function recentRow(mirror: string, { path, at, kind, detail, isGone }: RecentDocument, now: number): Html {
  return html`<li id="${`h-${path}`}"><span><a href="${documentAddress(mirror, "history", path)}">${nameView(path)}</a>${
    isGone && html` ${badgeOf("quiet", "gone")}`
  }<br><span class="faint">${publicKind(kind)}: ${sentenceView(detail)}</span></span>${timeOf(at, now)}</li>`;
}

function timelineContent(mirror: string, timeline: Timeline, asked: PageRequest) {
  const { path, isGone, texts, steps } = timeline;
  const entries = steps.flatMap((step) => (step.kind === "text" ? [step.entry] : [])).toReversed();
  const part = partOf(steps, asked, SIZE);
  const items = part.items.map((step) => stepItem(mirror, timeline, entries, step, asked.now));
  return {
    title: `History of ${nameOf(path)} · ${mirror} · mdmirror`,
    main: html`${crumbsOf(mirror, path)}
<h1>History of ${nameView(nameOf(path))}</h1>
<p>${isGone ? badgeOf("quiet", "gone") : html`<a href="${documentAddress(mirror, "docs", path)}">The document</a>`} <span class="faint">${plural(texts, "text")}, as far as mdmirror saw them</span></p>
${compareForm(mirror, timeline, entries)}
<ol class="timeline" reversed>${items}</ol>
${pagerOf(part, "steps", (page) => documentAddress(mirror, "history", path, { page }))}`,
  };
}

/** Returns a form that compares two versions, or a version with the file. */
function compareForm(
  mirror: string,
  { path, localDigest: here, now }: Timeline,
  entries: readonly HistoryEntry[],
): Html | null {
  const kept = entries
    .filter(({ size }) => size !== null)
    .map(({ n }) => n)
    .toReversed()
    .slice(0, SIZE);
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

function stepItem(
  mirror: string,
  timeline: Timeline,
  entries: readonly HistoryEntry[],
  step: TimelineStep,
  now: number,
): Html {
  switch (step.kind) {
    case "text":
      return textItem(mirror, timeline, entries, step.entry, now);
    case "moved":
      return html`<li class="step"><p>${badgeOf("quiet", "renamed")} ${timeOf(step.at, now)}</p>
<p>${step.side === "local" ? "local" : "on the service"}: ${nameView(step.from)} → ${nameView(step.to)}</p></li>`;
    case "gone":
      return html`<li class="step"><p>${badgeOf("bad", "deleted")} ${timeOf(step.at, now)}</p><p>${sentenceView(step.detail)}</p></li>`;
  }
}

function textItem(
  mirror: string,
  timeline: Timeline,
  entries: readonly HistoryEntry[],
  entry: HistoryEntry,
  now: number,
): Html {
  const { n, at, from, size, what, other, merge } = entry;
  const label = html`@${n}`;
  const address = documentAddress(mirror, "version", timeline.path, { n });
  const made = merge === null ? null : partsClause(merge, entries.slice(0, n));
  return html`<li class="step" id="${`v-${n}`}"><p><b>${size === null ? label : html`<a href="${address}">${label}</a>`}</b>
${badgeOf(from === "service" ? "good" : "quiet", from === "service" ? "was live" : "only local")}${
  made !== null && html` ${badgeOf("asks", "merged")}`
}${timeline.now === n && html` ${badgeOf("good", "the local file")}`} ${timeOf(at, now)}</p>
<p>${sentenceView(what)}${made !== null && html`, merged from ${sentenceView(made)}`}${other !== null && ", of another document that was at this path"}
<span class="faint">${bytes(size, "no longer in the history")}</span></p></li>`;
}

/** Shows one version of a document: the effect of restoring it, and its content. */
export const VERSION = folderPage({
  path: "/m/:name/version/*",
  section: "history/",
  show(ui, folder, asked) {
    const path = requestedPath(asked);
    const n = numberIn(asked.query.get("n"));
    if (n === null) return trouble("usage", "that is not the number of a version", "go back to its history");
    const read = withLocal(folder.root, ui, (local) => readVersion(local, path, n));
    if (read.kind === "trouble") return read;
    const { entry, text, origins } = read.value;
    const name = nameOf(read.value.path);
    return ok({
      title: `@${entry.n} of ${name} · ${folder.name} · mdmirror`,
      main: html`${crumbsOf(folder.name, read.value.path, true)}
<h1>Version ${entry.n} of ${nameView(name)}</h1>
<p>${timeOf(entry.at, asked.now)}: ${sentenceView(entry.what)} <span class="faint">${bytes(entry.size)}</span></p>
<p><a href="${documentAddress(folder.name, "history", read.value.path)}">Its history</a></p>
${restorePart(folder, read.value, asked)}
${changePart(read.value)}
${origins !== null && originsPart(origins)}
<h2>Text</h2>
<pre class="text" dir="auto">${text}</pre>`,
    });
  },
});

/**
 * Returns the effect of a restore; null if no local file can be read, or if the file already has
 * this content.
 */
function changePart({ entry, localFile: here, text }: VersionSeen): Html | null {
  if (here === null || here.text === null || here.digest === entry.digest) return null;
  const before = { text: here.text, label: "The file now" };
  return html`<h2>From the local file to this version</h2>${differenceOf(before, { text, label: `@${entry.n}` })}`;
}

function restorePart(
  folder: Folder,
  { path, entry, localFile: here, asNew, obstacle }: VersionSeen,
  asked: PageRequest,
): Html {
  if (here?.digest === entry.digest)
    return html`<p class="notice good">This is the present content of the local file.</p>`;
  if (obstacle !== null)
    return html`<div class="notice asks"><p>It cannot be restored now: ${sentenceView(obstacle.what)}</p>${nextOf(obstacle.next)}</div>`;
  const fields = { n: String(entry.n), version: entry.digest, local: here?.digest ?? "" };
  const button = html`<button class="main-action">Restore this version</button>`;
  const form = folderForm(folder, { path: documentPart("restore", path), fields }, asked, button);
  const how = asNew
    ? "mdmirror uploads the version as a new document."
    : "The restored version becomes an edit; the present version stays in the history.";
  return html`<div class="row">${form}<span class="faint">${how}</span></div>`;
}

/** LIMIT: lines of a merged version that are shown. */
const MOST_LINES = 2_000;

const WHOSE: Readonly<Record<string, string>> = {
  base: "",
  both: "both",
  mixed: "mine and theirs",
  mine: "mine",
  theirs: "theirs",
};

/** Shows the side of each line of a merged version. */
function originsPart(origins: MergeOrigins): Html {
  if (origins.kind === "gone")
    return html`<h2>Origin of each line</h2><p>The origin is not known: ${origins.gone.join(" and ")} ${origins.gone.length === 1 ? "is" : "are"} no longer in the history.</p>`;
  const rows = originHunks(origins.rows).flatMap(({ after, lines: own }) => [`line ${after.line}`, ...own]);
  return html`<h2>Origin of each line</h2>
<p class="faint">This version was merged: mine was local, theirs was on the service, both was equal on both sides.</p>
<div class="diff" role="group" aria-label="Whose each line is" tabindex="0">${rows.slice(0, MOST_LINES).map(lineOf)}</div>`;
}

function lineOf(row: MergeRow | string): Html {
  if (typeof row === "string") return html`<p class="place">${row}</p>`;
  const whose = WHOSE[row.kind === "conflict" ? row.of : row.from] ?? "";
  const line = html`<span class="whose">${whose}</span>${sentenceView(row.line.replace(/\n$/, ""))}`;
  if (row.kind === "added") return html`<ins><span class="sign">+</span>${line}</ins>`;
  if (row.kind === "removed") return html`<del><span class="sign">-</span>${line}</del>`;
  return html`<div><span class="sign"> </span>${line}</div>`;
}

/** Compares two versions of a document. */
export const DIFF = folderPage({
  path: "/m/:name/diff/*",
  section: "history/",
  show(ui, { name: mirror, root }, asked) {
    const asPath = requestedPath(asked);
    const [from, to] = [requestedText(asked.query.get("from")), requestedText(asked.query.get("to"))];
    if (from === null || to === null)
      return trouble("usage", "two versions are missing in the address", "go back to its history");
    const read = withLocal(root, ui, (local) => {
      const before = readText(local, asPath, from);
      if (before.kind === "trouble") return before;
      const after = readText(local, asPath, to);
      return after.kind === "trouble" ? after : ok({ before: before.value, after: after.value });
    });
    if (read.kind === "trouble") return read;
    const { before, after } = read.value;
    const { path } = after;
    const nameText = (text: NamedText) => textName(mirror, path, text, asked.now);
    return ok({
      title: `Changes of ${nameOf(path)} · ${mirror} · mdmirror`,
      main: html`${crumbsOf(mirror, path, true)}
<h1>Changes of ${nameView(nameOf(path))}</h1>
<dl class="facts"><dt>From</dt><dd>${nameText(before)}</dd><dt>To</dt><dd>${nameText(after)}</dd></dl>
<p><a href="${documentAddress(mirror, "history", path)}">Its history</a></p>
${differenceOf(labelled(before), labelled(after))}`,
    });
  },
});

function labelled({ text, name }: NamedText): { readonly text: string; readonly label: string } {
  return { text, label: name === "here" ? "The file now" : `@${name}` };
}

function requestedText(text: string | null): TextName | null {
  return text === "here" ? text : numberIn(text);
}

function textName(mirror: string, path: string, { name, at }: NamedText, now: number): Html {
  if (name === "here") return html`<a href="${documentAddress(mirror, "docs", path)}">the file now</a>`;
  return html`<a href="${documentAddress(mirror, "version", path, { n: name })}">@${name}</a> ${timeOf(at ?? 0, now)}`;
}
