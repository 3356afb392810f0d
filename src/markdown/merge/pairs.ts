import { reserveSteps } from "./budget.ts";
import { bagOf, take } from "./evidence.ts";
import type { Edit } from "./myers.ts";
import { type Lines, type LineReader, wordsIn } from "./reading.ts";

/** Least share of the longer line's words in common for two lines to be versions of one line. */
const SAME_LINE = 0.6;

/** LIMIT: pairs of lines that are compared for one edit, to bound its processor time. */
const MAX_PAIRS = 4_000;

/** Steps that a pair of lines costs, in addition to the words of both lines. */
const STEPS_PER_PAIR = 6;

/** Edits of lines. `changed`: the edits that changed a single line. */
type LineEdits = { readonly edits: readonly Edit[]; readonly changed: ReadonlySet<Edit> };

/**
 * Splits edits of lines that are not blank: a line that keeps most of its words becomes a separate
 * edit. Additions and removals beside that line become other edits.
 */
export function pairLines(edits: readonly Edit[], base: Lines, side: Lines, reading: LineReader): LineEdits {
  const changed = new Set<Edit>();
  const splitEdits = edits.flatMap((edit) => {
    if (edit.start === edit.end || edit.from === edit.to) return [edit];
    const parts: Edit[] = [];
    let { start, from } = edit;
    for (const [line, other] of [...pairsIn(edit, base, side, reading), [edit.end, edit.to] as const]) {
      if (start < line || from < other) parts.push({ start, end: line, from, to: other });
      if (line === edit.end) break;
      const pair = { start: line, end: line + 1, from: other, to: other + 1 };
      changed.add(pair);
      parts.push(pair);
      [start, from] = [line + 1, other + 1];
    }
    return parts;
  });
  return { edits: splitEdits, changed };
}

/**
 * Pairs the lines of an edit that are versions of one line, in order. Returns no pairs if the edit
 * has too many lines, or if the budget is too small.
 */
function pairsIn(edit: Edit, base: Lines, side: Lines, reading: LineReader): Pair[] {
  const [rows, columns] = [edit.end - edit.start, edit.to - edit.from];
  if (rows * columns > MAX_PAIRS || !reserveSteps(reading, STEPS_PER_PAIR * rows * columns)) return [];
  const shares = sharesIn(edit, base, side, reading);
  const best = mostFrom(shares, columns);
  const pairs: Pair[] = [];
  for (let [row, column] = [0, 0]; row < rows && column < columns; ) {
    const [isBelow, isBeside] = [
      best(row, column) === best(row + 1, column),
      best(row, column) === best(row, column + 1),
    ];
    if (!isBelow && !isBeside) pairs.push([edit.start + row, edit.from + column]);
    if (isBelow || !isBeside) row++;
    if (!isBelow) column++;
  }
  return pairs;
}

/** Returns a function that computes the largest sum of shares from a row and a column on. */
function mostFrom(shares: readonly Float64Array[], columns: number): (row: number, column: number) => number {
  const best = Array.from({ length: shares.length + 1 }, () => new Float64Array(columns + 1));
  const bestFrom = (row: number, column: number): number => (best[row] as Float64Array)[column] as number;
  for (let row = shares.length - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const share = (shares[row] as Float64Array)[column] as number;
      const paired = share >= SAME_LINE ? share + bestFrom(row + 1, column + 1) : 0;
      (best[row] as Float64Array)[column] = Math.max(paired, bestFrom(row + 1, column), bestFrom(row, column + 1));
    }
  }
  return bestFrom;
}

type Pair = readonly [line: number, other: number];

/** Computes the share of common words for each old line (row) and new line (column) of an edit. */
function sharesIn({ start, end, from, to }: Edit, base: Lines, side: Lines, reading: LineReader): Float64Array[] {
  const [lines, others] = [base.filled.ids.slice(start, end), side.filled.ids.slice(from, to)];
  return lines.map((line) =>
    Float64Array.from(others, (other) =>
      line === other ? 1 : shareOf(wordsIn(line, reading), wordsIn(other, reading), reading),
    ),
  );
}

/**
 * Returns the share of the longer line's words that both lines have. Returns 0 if the share is
 * certainly below `SAME_LINE`, or if the budget is too small.
 */
function shareOf(some: readonly number[], others: readonly number[], reading: LineReader): number {
  const [least, most] = [Math.min(some.length, others.length), Math.max(some.length, others.length)];
  if (least === 0 || least < SAME_LINE * most || !reserveSteps(reading, least + most)) return 0;
  const left = bagOf(some);
  return others.filter((word) => take(left, word)).length / most;
}
