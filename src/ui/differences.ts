import { type MergeRow, type MergeOrigins, originHunks } from "../mirror/operations/history/origins.ts";
import { countLines } from "../markdown/merge/line-diff.ts";
import { sideBySide } from "../markdown/merge/side-by-side.ts";
import { plural } from "../common/count.ts";
import { html, type Html } from "../page/html.ts";
import { sentenceView } from "../page/parts.ts";
import { sidesOf } from "../page/side-by-side.ts";

/** Shows how two versions of a document differ, and the side of each line of a merged version. */

/** LIMIT: characters of both versions that a page compares. */
const MOST = 500_000;
/** LIMIT: lines of a merged version that are shown. */
const MOST_LINES = 2_000;

type Named = { readonly text: string; readonly label: string };

export function differenceOf(before: Named, after: Named): Html {
  if (before.text === after.text) return html`<p>Both versions are equal.</p>`;
  if (before.text.length + after.text.length > MOST)
    return html`<p>The versions differ, and are too long to show side by side.</p>`;
  const { added, removed } = countLines(before.text, after.text);
  const passages = sideBySide({ base: null, mine: before.text, theirs: after.text });
  const columns = [
    { side: "mine", label: before.label },
    { side: "theirs", label: after.label },
  ] as const;
  const caption = `${before.label} and ${after.label}, line by line`;
  const words = { mine: "Changed", theirs: "Changed", alike: "Changed", both: "Changed" };
  const table = sidesOf(passages, { caption, columns, words, whole: false, earlier: "mine" });
  return html`<p class="faint">${plural(removed, "line")} removed, ${plural(added, "line")} added</p>${table}`;
}

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
<div class="diff" role="group" aria-label="Whose each line is" tabindex="0">${rows.slice(0, MOST_LINES).map(rowOf)}</div>`;
}

function rowOf(row: MergeRow | string): Html {
  if (typeof row === "string") return html`<p class="place">${row}</p>`;
  const whose = WHOSE[row.kind === "conflict" ? row.of : row.from] ?? "";
  const line = html`<span class="whose">${whose}</span>${sentenceView(row.line.replace(/\n$/, ""))}`;
  if (row.kind === "added") return html`<ins><span class="sign">+</span>${line}</ins>`;
  if (row.kind === "removed") return html`<del><span class="sign">-</span>${line}</del>`;
  return html`<div><span class="sign"> </span>${line}</div>`;
}
