import { count, plural } from "../common/quantities.ts";
import { shownWords } from "../common/shown-words.ts";
import { countLines } from "../markdown/merge/line-diff.ts";
import {
  type RowGroup,
  type LinePiece,
  type SideLine,
  type SideRow,
  compareSideBySide,
} from "../markdown/merge/side-by-side.ts";
import { html, type Html } from "./html.ts";

type ColumnSide = "mine" | "base" | "theirs";

type Difference = RowGroup & { readonly kind: Exclude<RowGroup["kind"], "same"> };

type SidesOptions = {
  readonly caption: string;
  readonly columns: readonly { readonly side: ColumnSide; readonly label: string }[];
  /** Returns the words of a row above a passage that differs. Null to show no such rows. */
  readonly words: ((difference: Difference) => string) | null;
  /**
   * Side with the earlier version. The lines of this side are marked as removed, and lines of the
   * other side as added. Null if no side is earlier.
   */
  readonly earlier?: ColumnSide | null;
};

const CONTEXT_LINES = 3;
/** LIMIT: number of lines that are shown, so that the page stays small. */
const MAX_LINES = 4_000;

/** LIMIT: number of characters of both versions together, so that a page is not delayed. */
const MAX_CHARACTERS = 500_000;

type LabelledText = { readonly text: string; readonly label: string };

/** Shows the differences between two versions, and the numbers of added and removed lines. */
export function renderComparison(before: LabelledText, after: LabelledText): Html {
  if (before.text === after.text) return html`<p>Both versions are equal.</p>`;
  if (before.text.length + after.text.length > MAX_CHARACTERS)
    return html`<p>The versions differ, and are too long to show side by side.</p>`;
  const { added, removed } = countLines(before.text, after.text);
  const passages = compareSideBySide({ base: null, mine: before.text, theirs: after.text });
  const columns = [
    { side: "mine", label: before.label },
    { side: "theirs", label: after.label },
  ] as const;
  const caption = `${before.label} and ${after.label}, line by line`;
  const table = renderSideBySide(passages, { caption, columns, words: describeDifference, earlier: "mine" });
  return html`<p class="faint">${plural(removed, "line")} removed, ${plural(added, "line")} added</p>${table}`;
}

export function renderSideBySide(passages: readonly RowGroup[], options: SidesOptions): Html {
  const parts = splitParts(passages);
  const { columns, caption } = options;
  const leftOutCount = parts.reduce((sum, { rows }) => sum + rows.length, 0) - MAX_LINES;
  return html`<table class="sides of-${columns.length}"><caption class="unseen">${caption}</caption>
<colgroup>${columns.map(() => html`<col class="no"><col>`)}</colgroup>
<thead><tr>${columns.map(({ label }) => html`<th scope="col" colspan="2">${label}</th>`)}</tr></thead>
${cutParts(parts, MAX_LINES).map((part) => renderPart(part, options))}</table>${leftOutCount > 0 && html`<p>… and ${plural(leftOutCount, "more line")}.</p>`}`;
}

/**
 * A passage. `hidden`: number of equal lines before the passage that are not shown. `changeNumber`:
 * position among the passages that differ, from 1; 0 if the lines are equal.
 */
type TablePart = RowGroup & { readonly hidden: number; readonly changeNumber: number };

function splitParts(passages: readonly RowGroup[]): TablePart[] {
  let changeCount = 0;
  return passages.flatMap((passage, index): TablePart[] => {
    const { kind, rows } = passage;
    if (kind !== "same") return [{ ...passage, hidden: 0, changeNumber: ++changeCount }];
    const [head, tail] = [index === 0 ? 0 : CONTEXT_LINES, index === passages.length - 1 ? 0 : CONTEXT_LINES];
    if (rows.length <= head + tail + 1) return [{ ...passage, hidden: 0, changeNumber: 0 }];
    const hiddenCount = rows.length - head - tail;
    return [
      { kind, rows: rows.slice(0, head), hidden: 0, changeNumber: 0 },
      { kind, rows: rows.slice(rows.length - tail), hidden: hiddenCount, changeNumber: 0 },
    ];
  });
}

function cutParts(parts: readonly TablePart[], most: number): TablePart[] {
  let remainingRows = most;
  return parts.flatMap((part) => {
    const rows = part.rows.slice(0, remainingRows);
    remainingRows -= rows.length;
    return rows.length === 0 && part.rows.length > 0 ? [] : [{ ...part, rows }];
  });
}

function renderPart({ kind, rows, hidden, changeNumber }: TablePart, options: SidesOptions): Html {
  const { columns, words } = options;
  const cellCount = columns.length * 2;
  const gapRow =
    hidden > 0 &&
    html`<tbody><tr class="gap"><td colspan="${cellCount}">${plural(hidden, "line")} unchanged</td></tr></tbody>`;
  if (rows.length === 0) return html`${gapRow}`;
  const wordsRow =
    kind !== "same" &&
    words !== null &&
    html`<tr class="says"><th scope="rowgroup" colspan="${cellCount}">${count(changeNumber)}. ${words({ kind, rows })}</th></tr>`;
  return html`${gapRow}<tbody class="${kind === "same" ? "same" : `change ${kind}`}">${wordsRow}${rows.map((row) => renderRow(row, kind, options))}</tbody>`;
}

function describeDifference({ rows }: Difference): string {
  if (rows.every(({ mine }) => mine === null)) return "Added";
  return rows.every(({ theirs }) => theirs === null) ? "Removed" : "Changed";
}

function renderRow(row: SideRow, kind: RowGroup["kind"], { columns, earlier = null }: SidesOptions): Html {
  return html`<tr>${columns.map(({ side, label }) => {
    const line = row[side];
    return renderCells(line, label, isChanged(kind, side) ? chooseMark(line, side, earlier) : "");
  })}</tr>`;
}

function chooseMark(line: SideLine | null, side: ColumnSide, earlier: ColumnSide | null): "gone" | "new" | "" {
  if (earlier === null) return line === null ? "gone" : "new";
  if (line === null) return "";
  return side === earlier ? "gone" : "new";
}

function isChanged(kind: RowGroup["kind"], side: ColumnSide): boolean {
  if (kind === "same" || side === "base") return false;
  return kind === "both" || kind === "alike" || kind === side;
}

function renderCells(line: SideLine | null, label: string, mark: "gone" | "new" | ""): Html {
  if (line === null)
    return html`<td class="no ${mark}"></td><td class="line none ${mark}">${mark !== "" && html`<span class="unseen">${label}: no line</span>`}</td>`;
  const lacksLineFeed = mark !== "" && line.pieces.at(-1)?.text.endsWith("\n") === false;
  const endNote = lacksLineFeed && html`<span class="faint"> (no line feed at the end)</span>`;
  return html`<td class="no ${mark}">${line.number}</td><td class="line ${mark}" dir="auto"><span class="who" aria-hidden="true">${label}</span>${line.pieces.map(renderPiece)}${endNote}</td>`;
}

function renderPiece({ text, differs }: LinePiece): Html | string {
  const textWithoutLineEnd = text.replace(/\n$/, "").replace(/\r$/, "");
  // Control characters are shown as escapes, so that the reader sees every character that differs.
  const shownText = textWithoutLineEnd.split("\t").map(shownWords).join("\t");
  const carriageReturnMark = differs && /\r\n$/.test(text) && html`<span class="end" title="carriage return">␍</span>`;
  if (!differs) return shownText;
  return html`${shownText !== "" && html`<mark>${shownText}</mark>`}${carriageReturnMark}`;
}
