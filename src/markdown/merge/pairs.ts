import { reserveSteps } from "./budget.ts";
import { countWords, takeWord } from "./evidence.ts";
import type { Edit } from "./myers.ts";
import { type VersionLines, type MergeReading, readWordIds } from "./reading.ts";

/**
 * Two lines count as versions of one line only if they have at least this share of the words of the
 * longer line in common.
 */
const MIN_SAME_LINE_SHARE = 0.6;

/**
 * LIMIT: number of pairs of lines that are compared for one edit, so that a long edit does not use
 * up the budget.
 */
const MAX_PAIRS = 4_000;

const STEPS_PER_PAIR = 6;

/** `changed`: edits that changed one line but kept most of its words. */
type SplitLineEdits = { readonly edits: readonly Edit[]; readonly changed: ReadonlySet<Edit> };

/**
 * Splits edits by lines. Each line that kept most of its words gets an edit of its own. The lines
 * that were added or removed beside it become other edits.
 */
export function splitIntoLineEdits(
  edits: readonly Edit[],
  base: VersionLines,
  side: VersionLines,
  reading: MergeReading,
): SplitLineEdits {
  const changedLines = new Set<Edit>();
  const splitEdits = edits.flatMap((edit) => {
    if (edit.start === edit.end || edit.from === edit.to) return [edit];
    const parts: Edit[] = [];
    let { start, from } = edit;
    for (const [line, other] of [...findLinePairs(edit, base, side, reading), [edit.end, edit.to] as const]) {
      if (start < line || from < other) parts.push({ start, end: line, from, to: other });
      if (line === edit.end) break;
      const pair = { start: line, end: line + 1, from: other, to: other + 1 };
      changedLines.add(pair);
      parts.push(pair);
      [start, from] = [line + 1, other + 1];
    }
    return parts;
  });
  return { edits: splitEdits, changed: changedLines };
}

/**
 * Returns pairs of an old line and a new line that are versions of one line, in the order of the
 * document. Returns no pairs if the edit has too many lines, or if the budget is too small.
 */
function findLinePairs(edit: Edit, base: VersionLines, side: VersionLines, reading: MergeReading): LinePair[] {
  const [rows, columns] = [edit.end - edit.start, edit.to - edit.from];
  if (rows * columns > MAX_PAIRS || !reserveSteps(reading, STEPS_PER_PAIR * rows * columns)) return [];
  const shares = computeShares(edit, base, side, reading);
  const bestSum = createBestSumLookup(shares, columns);
  const pairs: LinePair[] = [];
  for (let [row, column] = [0, 0]; row < rows && column < columns; ) {
    const [isBelow, isBeside] = [
      bestSum(row, column) === bestSum(row + 1, column),
      bestSum(row, column) === bestSum(row, column + 1),
    ];
    if (!isBelow && !isBeside) pairs.push([edit.start + row, edit.from + column]);
    if (isBelow || !isBeside) row++;
    if (!isBelow) column++;
  }
  return pairs;
}

/**
 * Returns a function that takes an index in the rows and one in the columns of `shares`. The
 * function returns the largest sum of shares for pairs of lines from these indexes on.
 */
function createBestSumLookup(
  shares: readonly Float64Array[],
  columns: number,
): (row: number, column: number) => number {
  const bestSums = Array.from({ length: shares.length + 1 }, () => new Float64Array(columns + 1));
  const bestFrom = (row: number, column: number): number => (bestSums[row] as Float64Array)[column] as number;
  for (let row = shares.length - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const share = (shares[row] as Float64Array)[column] as number;
      const paired = share >= MIN_SAME_LINE_SHARE ? share + bestFrom(row + 1, column + 1) : 0;
      (bestSums[row] as Float64Array)[column] = Math.max(paired, bestFrom(row + 1, column), bestFrom(row, column + 1));
    }
  }
  return bestFrom;
}

type LinePair = readonly [line: number, other: number];

function computeShares(
  { start, end, from, to }: Edit,
  base: VersionLines,
  side: VersionLines,
  reading: MergeReading,
): Float64Array[] {
  const [lines, others] = [base.filled.ids.slice(start, end), side.filled.ids.slice(from, to)];
  return lines.map((line) =>
    Float64Array.from(others, (other) =>
      line === other ? 1 : computeShare(readWordIds(line, reading), readWordIds(other, reading), reading),
    ),
  );
}

/**
 * Returns the share of words that two lines have in common. Returns 0 if this share cannot reach
 * `MIN_SAME_LINE_SHARE`, or if the budget is too small.
 */
function computeShare(some: readonly number[], others: readonly number[], reading: MergeReading): number {
  const [least, most] = [Math.min(some.length, others.length), Math.max(some.length, others.length)];
  if (least === 0 || least < MIN_SAME_LINE_SHARE * most || !reserveSteps(reading, least + most)) return 0;
  const left = countWords(some);
  return others.filter((word) => takeWord(left, word)).length / most;
}
