import { type MergeRow, type MergeOrigins, originHunks } from "../mirror/operations/history/origins.ts";
import { html, type Html } from "../page/html.ts";
import { sentenceView } from "../page/parts.ts";

/** Shows the side of each line of a merged version. */

/** LIMIT: lines of a merged version that are shown. */
const MOST = 2_000;

const WHOSE: Readonly<Record<string, string>> = {
  base: "",
  both: "both",
  mixed: "mine and theirs",
  mine: "mine",
  theirs: "theirs",
};

export function originsPart(origins: MergeOrigins): Html {
  if (origins.kind === "gone")
    return html`<h2>Origin of each line</h2><p>The origin is not known: ${origins.gone.join(" and ")} ${origins.gone.length === 1 ? "is" : "are"} no longer in the history.</p>`;
  const rows = originHunks(origins.rows).flatMap(({ after, lines: own }) => [`line ${after.line}`, ...own]);
  return html`<h2>Origin of each line</h2>
<p class="faint">This version was merged: mine was local, theirs was on the service, both was equal on both sides.</p>
<div class="diff" role="group" aria-label="Whose each line is" tabindex="0">${rows.slice(0, MOST).map(rowOf)}</div>`;
}

function rowOf(row: MergeRow | string): Html {
  if (typeof row === "string") return html`<p class="place">${row}</p>`;
  const whose = WHOSE[row.kind === "conflict" ? row.of : row.from] ?? "";
  const line = html`<span class="whose">${whose}</span>${sentenceView(row.line.replace(/\n$/, ""))}`;
  if (row.kind === "added") return html`<ins><span class="sign">+</span>${line}</ins>`;
  if (row.kind === "removed") return html`<del><span class="sign">-</span>${line}</del>`;
  return html`<div><span class="sign"> </span>${line}</div>`;
}
