import { includesCode } from "../outline/outline.ts";
import {
  doOverlap,
  type ElementRange,
  isChangedByBoth,
  isReplacement,
  isUnchanged,
  type MergePart,
  type MergeSide,
  type SideEdits,
  splitIntoParts,
  type VersionRanges,
} from "./edits.ts";
import { countWords, createLineWordReader, includesAllChanges, takeWord } from "./evidence.ts";
import { mergeRunningText } from "./flow.ts";
import { mergeInsertions } from "./insertions.ts";
import type { Edit } from "./diff.ts";
import {
  findFirstLineIndex,
  mergeGaps,
  type MergeReading,
  readFences,
  readGapBefore,
  readRangeLines,
  readWordIds,
  type ThreeVersionLines,
  tokenise,
  type VersionLines,
} from "./reading.ts";
import { areSequencesEqual } from "./split.ts";
import { keepsLineMarks, writeTokens } from "./tokens.ts";
import { reserveSteps } from "./budget.ts";

/**
 * Lines of each version in a conflict. `baseLine`, `localLine`, `remoteLine`: index of the first of
 * these lines in the version, from 0.
 */
export type ConflictHunk = {
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  readonly baseLine: number;
  readonly localLine: number;
  readonly remoteLine: number;
};

/**
 * Merged lines of a part. `after`: blank lines after the part. If undefined, the blank lines of the
 * three versions are merged.
 */
type MergedPart = { readonly text: string; readonly after?: string | undefined };

/** Three versions, and the edits of each side. Edits refer to lines that are not blank. */
export type MergeInput = {
  readonly texts: ThreeVersionLines;
  readonly edits: LineEdits;
  readonly reading: MergeReading;
};

/** `changed`: edits that changed one line but kept most of its words. */
type LineEdits = SideEdits & { readonly changed: ReadonlySet<Edit> };

type MergeConflicts = { readonly conflicts: readonly ConflictHunk[] };

/**
 * Merges lines. If lines conflict, merges smaller and smaller parts of these lines. Returns the
 * merged document or all conflicts. A blank line counts as white space before the next line.
 */
export function mergeHunks(input: MergeInput): { readonly text: string } | MergeConflicts {
  const { texts } = input;
  const allLines = coverAllLines(texts);
  const mergedPart = mergeRanges(allLines, input);
  if ("conflicts" in mergedPart) return mergedPart;
  return {
    text:
      mergedPart.text +
      (mergedPart.after ?? mergeGapAt(texts, allLines.base.to, allLines.local.to, allLines.remote.to)),
  };
}

function coverAllLines({ base, local, remote }: ThreeVersionLines): VersionRanges {
  const rangeOfAll = ({ filled }: VersionLines): ElementRange => ({ from: 0, to: filled.indexes.length });
  return { base: rangeOfAll(base), local: rangeOfAll(local), remote: rangeOfAll(remote) };
}

/**
 * @param ranges range of non-blank lines in each version, which the merge covers
 * @param input the three versions, and the edits of each side
 */
function mergeRanges(ranges: VersionRanges, input: MergeInput): MergedPart | MergeConflicts {
  const conflicts: ConflictHunk[] = [];
  let text = "";
  let gapAfter: string | undefined;
  for (const part of splitIntoLineParts(input, ranges)) {
    const mergedPart = isUnchanged(part)
      ? writeUnchangedLines(part, input.texts, gapAfter)
      : mergeChangedPart(part, input);
    if ("conflicts" in mergedPart) conflicts.push(...mergedPart.conflicts);
    else ({ text, after: gapAfter } = { text: text + mergedPart.text, after: mergedPart.after });
  }
  return conflicts.length > 0 ? { conflicts } : { text, after: gapAfter };
}

/**
 * @param lead blank lines before the part, if the merge of the previous part chose them; otherwise
 * undefined
 */
function writeUnchangedLines(
  { base, local, remote }: VersionRanges,
  texts: ThreeVersionLines,
  lead: string | undefined,
): MergedPart {
  let text = "";
  for (let index = 0; index < base.to - base.from; index++) {
    const chosenGap = index === 0 ? lead : undefined;
    text += chosenGap ?? mergeGapAt(texts, base.from + index, local.from + index, remote.from + index);
    text += texts.base.lines[texts.base.filled.indexes[base.from + index] as number];
  }
  return { text };
}

export function splitIntoLineParts(input: MergeInput, ranges: VersionRanges = coverAllLines(input.texts)): MergePart[] {
  return splitIntoParts(ranges, input.edits, (earlier, side, later) =>
    areLineEditsRelated(earlier, side, later, input),
  );
}

/** Splits the edits of a part. Each line that kept most of its words gets a separate edit. */
function splitPartEdits({ edits: { local, remote } }: MergePart, { texts, reading }: MergeInput): LineEdits {
  const mine = splitIntoLineEdits(local, texts.base, texts.local, reading);
  const theirs = splitIntoLineEdits(remote, texts.base, texts.remote, reading);
  return { local: mine.edits, remote: theirs.edits, changed: mine.changed.union(theirs.changed) };
}

/**
 * Returns true if both sides changed no line of base in different ways. A merge by whole lines may
 * then be enough.
 */
export function areSidesApart(input: MergeInput): boolean {
  const isWithoutConflict = (part: MergePart): boolean =>
    !isChangedByBoth(part) || isEmptyRange(part.base) || isSameOnBothSides(part, input.texts);
  return splitIntoLineParts(input).every(
    (part) =>
      isWithoutConflict(part) ||
      splitIntoLineParts({ ...input, edits: splitPartEdits(part, input) }, part).every(isWithoutConflict),
  );
}

/**
 * Returns true if two edits of different sides must be merged together. For example, one side adds
 * or removes lines beside a line that the other side rewrote. Words may then have moved between
 * these lines. The edits are independent if a blank line is between them, or if the rewritten line
 * kept most of its words.
 */
function areLineEditsRelated(earlier: Edit, side: MergeSide, later: Edit, { edits, texts }: MergeInput): boolean {
  if (doOverlap(earlier, later)) return true;
  if (later.start > earlier.end || edits.changed.has(earlier) || edits.changed.has(later)) return false;
  if (isReplacement(earlier) && isReplacement(later)) return false;
  // Two removals add nothing, so no words can get to a wrong position.
  if (onlyRemoves(earlier) && onlyRemoves(later)) return false;
  if (addsLines(earlier) && addsLines(later)) return true;
  if (earlier.start === earlier.end) return readGapBefore(texts[side], earlier.to) === "";
  if (later.start < later.end) return readGapBefore(texts.base, later.start) === "";
  return readGapBefore(texts[side === "local" ? "remote" : "local"], later.from) === "";
}

function addsLines({ start, end, from, to }: Edit): boolean {
  return to - from > end - start;
}

function onlyRemoves({ start, end, from, to }: Edit): boolean {
  return start < end && from === to;
}

function isSameOnBothSides({ local, remote }: VersionRanges, texts: ThreeVersionLines): boolean {
  const localIds = texts.local.filled.ids.slice(local.from, local.to);
  return areSequencesEqual(localIds, texts.remote.filled.ids.slice(remote.from, remote.to));
}

function mergeChangedPart(part: MergePart, input: MergeInput): MergedPart | MergeConflicts {
  const { texts, reading } = input;
  const { local, remote } = part.edits;
  if (remote.length === 0) return writeSide(part, "local", texts);
  if (local.length === 0) return writeSide(part, "remote", texts);
  const words = createLineWordReader(reading);
  const baseIds = texts.base.filled.ids;
  const mine = { ids: texts.local.filled.ids, edits: local, ...part.local };
  const theirs = { ids: texts.remote.filled.ids, edits: remote, ...part.remote };
  if (includesAllChanges(baseIds, theirs, mine, words, reading, true)) return writeSide(part, "remote", texts);
  if (includesAllChanges(baseIds, mine, theirs, words, reading, true)) return writeSide(part, "local", texts);
  return mergeConflictingPart(part, input);
}

function writeSide(part: VersionRanges, side: MergeSide, texts: ThreeVersionLines): MergedPart {
  const { from, to } = part[side];
  if (from === to) return { text: "" };
  const leadingGap = isEmptyRange(part.base) ? readGapBefore(texts[side], from) : mergeLeadingGap(part, texts);
  return { text: leadingGap + readRangeLines(texts[side], part[side]).join("") };
}

function isEmptyRange({ from, to }: ElementRange): boolean {
  return from === to;
}

function mergeLeadingGap({ base, local, remote }: VersionRanges, texts: ThreeVersionLines): string {
  return mergeGapAt(texts, base.from, local.from, remote.from);
}

/**
 * Merges the blank lines before a line. `base`, `local` and `remote` are the index of this line in
 * each version.
 */
function mergeGapAt(texts: ThreeVersionLines, base: number, local: number, remote: number): string {
  return mergeGaps(
    readGapBefore(texts.base, base),
    readGapBefore(texts.local, local),
    readGapBefore(texts.remote, remote),
  );
}

function createConflict(part: VersionRanges, texts: ThreeVersionLines): ConflictHunk {
  return {
    base: readRangeLines(texts.base, part.base).join(""),
    local: readRangeLines(texts.local, part.local).join(""),
    remote: readRangeLines(texts.remote, part.remote).join(""),
    baseLine: findFirstLineIndex(texts.base, part.base),
    localLine: findFirstLineIndex(texts.local, part.local),
    remoteLine: findFirstLineIndex(texts.remote, part.remote),
  };
}

function mergeConflictingPart(part: MergePart, input: MergeInput): MergedPart | MergeConflicts {
  const { texts, reading } = input;
  const conflict = { conflicts: [createConflict(part, texts)] };
  if (isEmptyRange(part.base))
    return mergeInsertions(part, texts, reading, chooseFirstSide(part.base.from, input)) ?? conflict;
  if (isEmptyRange(part.local) || isEmptyRange(part.remote)) return conflict;
  const edits = splitPartEdits(part, input);
  const isFiner = edits.local.length + edits.remote.length > part.edits.local.length + part.edits.remote.length;
  const finerMerge = isFiner ? mergeRanges(part, { ...input, edits }) : conflict;
  if ("text" in finerMerge) return finerMerge;
  const words = mergeWords(part, texts, reading);
  return words === undefined ? finerMerge : { text: mergeLeadingGap(part, texts) + words };
}

/**
 * Decides whose lines come first if both sides added lines before `line`. If only one side changed
 * the line below or above, the addition of that side stays beside the changed line. Otherwise the
 * lines of remote come first.
 */
function chooseFirstSide(line: number, { edits }: MergeInput): MergeSide {
  const changingSides = (i: number): readonly MergeSide[] =>
    (["local", "remote"] as const).filter((side) => edits[side].some(({ start, end }) => start <= i && i < end));
  const [below, above] = [changingSides(line), changingSides(line - 1)];
  if (below.length === 1) return below[0] === "local" ? "remote" : "local";
  return above.length === 1 ? (above[0] as MergeSide) : "remote";
}

function mergeWords(part: VersionRanges, texts: ThreeVersionLines, reading: MergeReading): string | undefined {
  const sides = ["base", "local", "remote"] as const;
  const isCode = sides.some((side) => hasCodeIn(texts[side], part[side]));
  const [base, local, remote] = sides.map((side) =>
    tokenise(readRangeLines(texts[side], part[side]), reading, isCode),
  ) as [TokenList, TokenList, TokenList];
  const mergedTokens = mergeRunningText({ base, local, remote }, reading);
  return mergedTokens === undefined || !keepsLineMarks(mergedTokens) ? undefined : writeTokens(mergedTokens);
}

type TokenList = ReturnType<typeof tokenise>;

function hasCodeIn(text: VersionLines, range: ElementRange): boolean {
  const firstLine = findFirstLineIndex(text, range);
  return includesCode(readFences(text), firstLine, firstLine + readRangeLines(text, range).length);
}

/**
 * Share of words, relative to the longer line. Two lines with at least this share of common words
 * count as two versions of one line.
 */
const MIN_SAME_LINE_SHARE = 0.6;

/**
 * LIMIT: number of pairs of lines that are compared for one edit, so that a long edit does not use
 * all steps of the budget.
 */
const MAX_PAIRS = 4_000;

const STEPS_PER_PAIR = 6;

/** `changed`: edits that changed one line but kept most of its words. */
type SplitLineEdits = { readonly edits: readonly Edit[]; readonly changed: ReadonlySet<Edit> };

/**
 * Splits edits by lines. Each line that kept most of its words gets a separate edit. The lines that
 * were added or removed beside such a line become other edits.
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
 * document. Returns no pairs if the edit has too many lines, or if the step budget is too small.
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
  const bestSumFrom = (row: number, column: number): number => (bestSums[row] as Float64Array)[column] as number;
  for (let row = shares.length - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const share = (shares[row] as Float64Array)[column] as number;
      const pairedSum = share >= MIN_SAME_LINE_SHARE ? share + bestSumFrom(row + 1, column + 1) : 0;
      (bestSums[row] as Float64Array)[column] = Math.max(
        pairedSum,
        bestSumFrom(row + 1, column),
        bestSumFrom(row, column + 1),
      );
    }
  }
  return bestSumFrom;
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
 * `MIN_SAME_LINE_SHARE`, or if the step budget is too small.
 */
function computeShare(some: readonly number[], others: readonly number[], reading: MergeReading): number {
  const [least, most] = [Math.min(some.length, others.length), Math.max(some.length, others.length)];
  if (least === 0 || least < MIN_SAME_LINE_SHARE * most || !reserveSteps(reading, least + most)) return 0;
  const remainingWords = countWords(some);
  return others.filter((word) => takeWord(remainingWords, word)).length / most;
}
