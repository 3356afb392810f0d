import { type MergeRow, originHunks } from "../mirror/operations/history/origins.ts";
import type { WordOrigin } from "../markdown/merge/origin.ts";
import type { Io } from "./command.ts";
import { cellsOf, type Paint, paintFor, shown } from "./text.ts";

/**
 * Shows a merge as lines. Marks in three columns show the side of each line, even without colours.
 */

const LEGEND =
  "M mine, T theirs, B both sides alike, M T words from both sides, listed below; + added, - removed, ! do not merge";

type Brush = keyof Paint;
type OriginStyle = { readonly marks: string; readonly brush: Brush | null };

const STYLE_BY_ORIGIN: Readonly<Record<string, OriginStyle>> = {
  base: { marks: "     ", brush: null },
  both: { marks: "    B", brush: "strong" },
  mixed: { marks: "M T  ", brush: "asks" },
  mine: { marks: "M    ", brush: "added" },
  theirs: { marks: "  T  ", brush: "place" },
};
const SIGNS = { kept: " ", added: "+", removed: "-", conflict: "!" } as const;

/**
 * Returns the changed lines with three lines around each change; an empty list if nothing changed.
 */
export function originLines(io: Io, rows: readonly MergeRow[]): string[] {
  const paint = paintFor(io);
  const hunks = originHunks(rows);
  const lines = hunks.flatMap(({ before, after, lines: own }) => [
    paint.dim(`@@ -${before.line},${before.count} +${after.line},${after.count} @@`),
    ...rowLines(io, own),
  ]);
  return lines.length === 0 ? [] : [paint.dim(LEGEND), ...lines];
}

/** Returns all rows, not only those near a change. */
export function rowLines(io: Io, rows: readonly MergeRow[]): string[] {
  const paint = paintFor(io);
  return rows.flatMap((row) => {
    const { marks, brush } = STYLE_BY_ORIGIN[row.kind === "conflict" ? row.of : row.from] as OriginStyle;
    const line = row.line.endsWith("\n") ? row.line.slice(0, -1) : row.line;
    const written = `${marks} |${SIGNS[row.kind]}${shown(io, line)}`;
    const painted = row.kind === "removed" ? paint.removed(written) : brush === null ? written : paint[brush](written);
    const below = row.kind === "conflict" ? "" : wordMarks(row.words);
    return [
      painted,
      ...(below === "" ? [] : [`      |?${below}`]),
      ...(line.length === row.line.length ? ["      |\\ No newline at end of file"] : []),
    ];
  });
}

const LETTERS: Readonly<Record<WordOrigin["from"], string>> = {
  base: " ",
  mine: "M",
  theirs: "T",
  both: "B",
  none: "?",
};

/**
 * Returns a line of marks: a letter below each character that is not from base, `?` if no version
 * has that character. Tabs are kept, for alignment.
 */
function wordMarks(words: readonly WordOrigin[]): string {
  return words
    .map(({ from, text }) => {
      const parts = text.replace(/\r?\n$/, "").split("\t");
      return parts.map((part) => LETTERS[from].repeat(cellsOf(part))).join("\t");
    })
    .join("")
    .trimEnd();
}
