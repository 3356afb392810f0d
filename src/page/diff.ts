import { shownWords } from "../common/shown-name.ts";
import { html, type Html } from "./html.ts";

/** Shows the difference of two versions, by lines. */

type Line = { readonly kind: "same" | "removed" | "added"; readonly text: string };
type Range = { readonly line: number; readonly count: number };
type Hunk = { readonly before: Range; readonly after: Range; readonly lines: readonly Line[] };

/** Colour is not the only mark: added and removed lines also have a sign and their own elements. */
export function diffView(hunks: readonly Hunk[]): Html {
  return html`<div class="diff" role="group" aria-label="Changes" tabindex="0">${hunks.map(hunkView)}</div>`;
}

function hunkView({ before, after, lines }: Hunk): Html {
  return html`<p class="place">${placeOf(before, after)}</p>${lines.map(lineView)}`;
}

function placeOf(before: Range, after: Range): string {
  return `line ${Math.max(1, before.line)}${after.line === before.line ? "" : `, now ${Math.max(1, after.line)}`}`;
}

function lineView({ kind, text }: Line): Html {
  const hasEnd = text.endsWith("\n");
  const line = html`${shownLine(hasEnd ? text.slice(0, -1) : text)}${!hasEnd && html`<span class="faint"> (no line feed at the end)</span>`}`;
  if (kind === "added") return html`<ins><span class="sign">+</span>${line}</ins>`;
  if (kind === "removed") return html`<del><span class="sign">-</span>${line}</del>`;
  return html`<div><span class="sign"> </span>${line}</div>`;
}

/** Shows control characters, because a reviewer has to see what would change the look of a line. */
function shownLine(line: string): Html {
  return html`<bdi>${line.split("\t").map(shownWords).join("\t")}</bdi>`;
}
