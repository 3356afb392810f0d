/** Shows two or three versions of a document side by side. */

import { count, plural } from "../common/count.ts";
import { shownWords } from "../common/shown-name.ts";
import { countLines } from "../markdown/merge/line-diff.ts";
import {
  type Passage,
  type LinePiece,
  type SideLine,
  type SideRow,
  sideBySide,
} from "../markdown/merge/side-by-side.ts";
import { html, type Html } from "./html.ts";

type Column = "mine" | "base" | "theirs";

type Difference = Passage & { readonly kind: Exclude<Passage["kind"], "same"> };

type SidesOptions = {
  /** Description of the table for screen readers. */
  readonly caption: string;
  /** Columns of the table, from left to right. */
  readonly columns: readonly { readonly side: Column; readonly label: string }[];
  /** Returns the words of the row above a difference; null for no such rows. */
  readonly words: ((difference: Difference) => string) | null;
  /**
   * Side that is the earlier version. Its lines that differ are marked as removed, and those of the
   * other side as added. Null if no side is earlier.
   */
  readonly earlier?: Column | null;
};

/** Number of unchanged lines that are shown before and after a change. */
const CONTEXT = 3;
/** LIMIT: number of lines that are shown. */
const MAX_LINES = 4_000;

/** LIMIT: number of characters of both versions together. Longer versions are not compared. */
const MAX_CHARACTERS = 500_000;

type Named = { readonly text: string; readonly label: string };

/** Shows the differences between two versions, and the numbers of added and removed lines. */
export function differenceOf(before: Named, after: Named): Html {
  if (before.text === after.text) return html`<p>Both versions are equal.</p>`;
  if (before.text.length + after.text.length > MAX_CHARACTERS)
    return html`<p>The versions differ, and are too long to show side by side.</p>`;
  const { added, removed } = countLines(before.text, after.text);
  const passages = sideBySide({ base: null, mine: before.text, theirs: after.text });
  const columns = [
    { side: "mine", label: before.label },
    { side: "theirs", label: after.label },
  ] as const;
  const caption = `${before.label} and ${after.label}, line by line`;
  const table = sidesOf(passages, { caption, columns, words: wordOf, earlier: "mine" });
  return html`<p class="faint">${plural(removed, "line")} removed, ${plural(added, "line")} added</p>${table}`;
}

export function sidesOf(passages: readonly Passage[], options: SidesOptions): Html {
  const parts = partsOf(passages);
  const { columns, caption } = options;
  const cut = parts.reduce((sum, { rows }) => sum + rows.length, 0) - MAX_LINES;
  return html`<table class="sides of-${columns.length}"><caption class="unseen">${caption}</caption>
<colgroup>${columns.map(() => html`<col class="no"><col>`)}</colgroup>
<thead><tr>${columns.map(({ label }) => html`<th scope="col" colspan="2">${label}</th>`)}</tr></thead>
${cutTo(parts, MAX_LINES).map((part) => partOf(part, options))}</table>${cut > 0 && html`<p>… and ${plural(cut, "more line")}.</p>`}`;
}

/**
 * A passage of the table. `hidden`: number of equal lines that are left out before it.
 * `changeNumber`: number of the change, from 1; 0 for equal lines.
 */
type Part = Passage & { readonly hidden: number; readonly changeNumber: number };

function partsOf(passages: readonly Passage[]): Part[] {
  let changes = 0;
  return passages.flatMap((passage, index): Part[] => {
    const { kind, rows } = passage;
    if (kind !== "same") return [{ ...passage, hidden: 0, changeNumber: ++changes }];
    const [head, tail] = [index === 0 ? 0 : CONTEXT, index === passages.length - 1 ? 0 : CONTEXT];
    if (rows.length <= head + tail + 1) return [{ ...passage, hidden: 0, changeNumber: 0 }];
    const hidden = rows.length - head - tail;
    return [
      { kind, rows: rows.slice(0, head), hidden: 0, changeNumber: 0 },
      { kind, rows: rows.slice(rows.length - tail), hidden, changeNumber: 0 },
    ];
  });
}

function cutTo(parts: readonly Part[], most: number): Part[] {
  let left = most;
  return parts.flatMap((part) => {
    const rows = part.rows.slice(0, left);
    left -= rows.length;
    return rows.length === 0 && part.rows.length > 0 ? [] : [{ ...part, rows }];
  });
}

function partOf({ kind, rows, hidden, changeNumber }: Part, options: SidesOptions): Html {
  const { columns, words } = options;
  const wide = columns.length * 2;
  const gap =
    hidden > 0 &&
    html`<tbody><tr class="gap"><td colspan="${wide}">${plural(hidden, "line")} unchanged</td></tr></tbody>`;
  if (rows.length === 0) return html`${gap}`;
  const says =
    kind !== "same" &&
    words !== null &&
    html`<tr class="says"><th scope="rowgroup" colspan="${wide}">${count(changeNumber)}. ${words({ kind, rows })}</th></tr>`;
  return html`${gap}<tbody class="${kind === "same" ? "same" : `change ${kind}`}">${says}${rows.map((row) => rowOf(row, kind, options))}</tbody>`;
}

/** Returns what happened to the lines of a difference: `Added`, `Removed` or `Changed`. */
function wordOf({ rows }: Difference): string {
  if (rows.every(({ mine }) => mine === null)) return "Added";
  return rows.every(({ theirs }) => theirs === null) ? "Removed" : "Changed";
}

function rowOf(row: SideRow, kind: Passage["kind"], { columns, earlier = null }: SidesOptions): Html {
  return html`<tr>${columns.map(({ side, label }) => {
    const line = row[side];
    return cellsOf(line, label, isChanged(kind, side) ? markOf(line, side, earlier) : "");
  })}</tr>`;
}

function markOf(line: SideLine | null, side: Column, earlier: Column | null): "gone" | "new" | "" {
  if (earlier === null) return line === null ? "gone" : "new";
  if (line === null) return "";
  return side === earlier ? "gone" : "new";
}

/** Returns true if the lines of a side differ from base. */
function isChanged(kind: Passage["kind"], side: Column): boolean {
  if (kind === "same" || side === "base") return false;
  return kind === "both" || kind === "alike" || kind === side;
}

function cellsOf(line: SideLine | null, label: string, mark: "gone" | "new" | ""): Html {
  if (line === null)
    return html`<td class="no ${mark}"></td><td class="line none ${mark}">${mark !== "" && html`<span class="unseen">${label}: no line</span>`}</td>`;
  const isCut = mark !== "" && line.pieces.at(-1)?.text.endsWith("\n") === false;
  const end = isCut && html`<span class="faint"> (no line feed at the end)</span>`;
  return html`<td class="no ${mark}">${line.number}</td><td class="line ${mark}" dir="auto"><span class="who" aria-hidden="true">${label}</span>${line.pieces.map(pieceOf)}${end}</td>`;
}

function pieceOf({ text, differs }: LinePiece): Html | string {
  const bare = text.replace(/\n$/, "").replace(/\r$/, "");
  // Control characters are shown as escapes, because the reader has to see every character that
  // differs.
  const shown = bare.split("\t").map(shownWords).join("\t");
  const feed = differs && /\r\n$/.test(text) && html`<span class="end" title="carriage return">␍</span>`;
  if (!differs) return shown;
  return html`${shown !== "" && html`<mark>${shown}</mark>`}${feed}`;
}
