/** Shows one version of a document beside its timeline. */

import { type MergeRow, type MergeOrigins, originHunks } from "../../mirror/operations/history/origins.ts";
import type { VersionView } from "../../mirror/operations/history/read-texts.ts";
import { html, type Html } from "../../page/html.ts";
import { nextOf, sentenceView } from "../../page/parts.ts";
import { differenceOf } from "../../page/side-by-side.ts";
import { documentPart } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import type { PageRequest } from "../page.ts";
import { folderForm, timeOf } from "../parts.ts";

/**
 * @param before the version before this one; null if there is none, or its content is no longer
 * kept
 */
export function versionPart(
  folder: Folder,
  seen: VersionView,
  before: { readonly n: number; readonly text: string } | null,
  request: PageRequest,
): Html {
  const { entry, text, origins } = seen;
  const label = `Version ${entry.n}`;
  return html`<section class="card flush" id="version"><header><h2>${label} · ${timeOf(entry.at, request.now)}</h2>${restorePart(folder, seen, request)}</header>
<div>${noteOf(seen)}${
    before === null
      ? html`<p class="faint">The first known version.</p>`
      : html`<h3>Changes since version ${before.n}</h3>${differenceOf({ text: before.text, label: `Version ${before.n}` }, { text, label })}`
  }
${origins !== null && originsPart(origins)}
<details><summary>The whole text</summary><pre class="text" dir="auto">${text}</pre></details></div></section>`;
}

/** Shows why the version cannot be restored, or what a restore of the version does. */
function noteOf({ entry, localFile, asNew, obstacle }: VersionView): Html {
  if (localFile?.digest === entry.digest)
    return html`<p class="faint">This is the present content of the local file.</p>`;
  if (obstacle !== null)
    return html`<div class="notice asks"><p>It cannot be restored now: ${sentenceView(obstacle.what)}</p>${nextOf(obstacle.next)}</div>`;
  const how = asNew
    ? "A restore uploads the version as a new document."
    : "A restore makes this version an edit; the present version stays in the history.";
  return html`<p class="faint">${how}</p>`;
}

function restorePart(
  folder: Folder,
  { path, entry, localFile, obstacle }: VersionView,
  request: PageRequest,
): Html | null {
  if (localFile?.digest === entry.digest || obstacle !== null) return null;
  const fields = { n: String(entry.n), version: entry.digest, local: localFile?.digest ?? "" };
  const button = html`<button class="main-action">Restore</button>`;
  return folderForm(folder, { path: documentPart("restore", path), fields }, request, button);
}

/** LIMIT: lines of a merged version that are shown. */
const MAX_LINES = 2_000;

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
    return html`<h3>Origin of each line</h3><p>The origin is not known: ${origins.gone.join(" and ")} ${origins.gone.length === 1 ? "is" : "are"} no longer in the history.</p>`;
  const rows = originHunks(origins.rows).flatMap(({ after, lines: hunkLines }) => [`line ${after.line}`, ...hunkLines]);
  return html`<h3>Origin of each line</h3>
<p class="faint">This version was merged: mine was local, theirs was on the service, both was equal on both sides.</p>
<table class="sides whose"><caption class="unseen">Whose each line is</caption><tbody>${rows.slice(0, MAX_LINES).map(lineOf)}</tbody></table>`;
}

const MARKS: Readonly<Record<string, string>> = { added: "new", removed: "gone" };

function lineOf(row: MergeRow | string): Html {
  if (typeof row === "string") return html`<tr class="gap"><td colspan="2">${row}</td></tr>`;
  const whose = WHOSE[row.kind === "conflict" ? row.of : row.from] ?? "";
  const mark = MARKS[row.kind] ?? "";
  return html`<tr><td class="no ${mark}">${whose}</td><td class="line ${mark}">${sentenceView(row.line.replace(/\n$/, ""))}</td></tr>`;
}
