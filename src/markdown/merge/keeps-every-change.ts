import { reserveSteps } from "./budget.ts";
import { mayHaveBlocks } from "./contexts.ts";
import { findCounterparts, isChangedByBoth, reverseEdit } from "./edits.ts";
import {
  type ElementIds,
  areRemovedWordsGone,
  keepsAdditions,
  readAsOneWord,
  createLineWordReader,
} from "./evidence.ts";
import { splitIntoLineEdits, splitIntoLineParts } from "./hunk.ts";
import { diff, type Edit, isRemoval } from "./diff.ts";
import {
  diffFilledLines,
  readGapBefore,
  type VersionLines,
  readRangeLines,
  chooseLongerGap,
  type MergeReading,
  readLines,
  tokenise,
  readWordIds,
} from "./reading.ts";
import { endsLine, endsLineBefore, type Token } from "./tokens.ts";

type SuccessiveVersions = readonly [base: VersionLines, less: VersionLines, more: VersionLines];

/**
 * Returns true if `more` contains every change of words and white space that `less` made to `base`.
 * `more` is then the merge of `less` and `more`. Without this rule, merging a result again with one
 * of its sides could add the same lines twice, at two similar positions.
 */
export function keepsEveryChange(base: string, less: string, more: string, reading: MergeReading): boolean {
  const texts = [readLines(base, reading), readLines(less, reading), readLines(more, reading)] as const;
  if (reading.left < 0) return false;
  const [b, l, m] = [texts[0].filled.ids, texts[1].filled.ids, texts[2].filled.ids];
  const earlierEdits = diffFilledLines(base, less, reading);
  const laterEdits = diffFilledLines(less, more, reading);
  if (restoresRemovedLine(base, less, more, reading)) return false;
  if (
    !keepsEarlierEdits(texts, earlierEdits, laterEdits, reading) ||
    reading.left < 0 ||
    !keepsGaps(texts, earlierEdits, laterEdits)
  )
    return false;
  const directEdits = diffFilledLines(base, more, reading);
  if (!doDiffsAgree(b.length, earlierEdits, laterEdits, directEdits)) return false;
  const wordsOf = createLineWordReader(reading);
  const splitEdits = splitIntoLineEdits(earlierEdits, texts[0], texts[1], reading).edits;
  return splitEdits.every((edit) => {
    const addedIds = isRemoval(edit) ? [] : l.slice(edit.from, edit.to);
    return areRemovedWordsGone(edit, b, { ids: m, edits: directEdits }, wordsOf, reading, addedIds);
  });
}

/**
 * Returns true if a later version contains a line again that a side removed. The line counts if it
 * replaces other lines, or is added together with removed lines only. If other lines are added with
 * it, the line may be a quotation. Lines without words do not count. Lines that may open or close a
 * Markdown block do not count either.
 */
export function restoresRemovedLine(base: string, side: string, more: string, reading: MergeReading): boolean {
  const idsOf = (text: string): ElementIds => readLines(text, reading).filled.ids;
  const removedLines = new Set(idsOf(base)).difference(new Set(idsOf(side)));
  const newIds = idsOf(more);
  const isCounted = (id: number): boolean =>
    readWordIds(id, reading).length > 0 && !mayHaveBlocks(reading.interner.text(id));
  const isRemovedLine = (id: number): boolean => removedLines.has(id) && isCounted(id);
  return diffFilledLines(side, more, reading).some(({ start, end, from, to }) => {
    const addedIds = newIds.slice(from, to);
    return start < end ? addedIds.some(isRemovedLine) : addedIds.every(isRemovedLine);
  });
}

/** Number of words in a passage. Two documents hardly ever share a passage by chance. */
const WORDS_PER_PASSAGE = 6;

/** Returns true if a later version contains a passage again that a side removed. */
export function restoresRemovedPassage(base: string, side: string, more: string, reading: MergeReading): boolean {
  const removedPassages = readPassages(base, reading).difference(readPassages(side, reading));
  return removedPassages.size > 0 && !removedPassages.isDisjointFrom(readPassages(more, reading));
}

function readPassages(text: string, reading: MergeReading): ReadonlySet<string> {
  const words = readLines(text, reading).filled.ids.flatMap((line) => readWordIds(line, reading));
  const passages = new Set<string>();
  if (!reserveSteps(reading, WORDS_PER_PASSAGE * words.length)) return passages;
  for (let passageEnd = WORDS_PER_PASSAGE; passageEnd <= words.length; passageEnd++)
    passages.add(words.slice(passageEnd - WORDS_PER_PASSAGE, passageEnd).join(" "));
  return passages;
}

/**
 * Returns true if the third version keeps the blank lines that the second version changed. More
 * blank lines are allowed. Compares blank lines only between two lines that are neighbours in all
 * three versions.
 */
function keepsGaps([b, l, m]: SuccessiveVersions, earlier: readonly Edit[], later: readonly Edit[]): boolean {
  const indexesInBase = findCounterparts(l.filled.ids.length, earlier.map(reverseEdit));
  const indexesInMore = findCounterparts(l.filled.ids.length, later);
  return l.filled.ids.every((_, index) => {
    const [was, is] = [indexesInBase[index] as number, indexesInMore[index] as number];
    const isPair = (places: Int32Array, place: number): boolean =>
      place >= 0 && (index === 0 ? place === 0 : place === (places[index - 1] as number) + 1);
    if (!isPair(indexesInBase, was) || !isPair(indexesInMore, is)) return true;
    const gap = readGapBefore(l, index);
    return gap === readGapBefore(b, was) || chooseLongerGap(gap, readGapBefore(m, is)) === readGapBefore(m, is);
  });
}

/**
 * LIMIT: number of lines in three versions that are compared by words at one position. Without this
 * limit, a long change would use all steps of the budget. With more lines, `keepsEarlierEdits`
 * returns false.
 */
const MAX_COMPARED_LINES = 3_000;

/**
 * Returns true if the later edits are at other positions than the earlier edits, or keep the words
 * of the earlier edits.
 */
function keepsEarlierEdits(
  [base, less, more]: SuccessiveVersions,
  earlier: readonly Edit[],
  later: readonly Edit[],
  reading: MergeReading,
): boolean {
  const texts = { base: less, local: base, remote: more };
  const edits = { local: earlier.map(reverseEdit), remote: later, changed: new Set<Edit>() };
  return splitIntoLineParts({ texts, edits, reading }).every((part) => {
    if (!isChangedByBoth(part)) return true;
    const versionLines = [
      readRangeLines(base, part.local),
      readRangeLines(less, part.base),
      readRangeLines(more, part.remote),
    ];
    if (versionLines.reduce((sum, lines) => sum + lines.length, 0) > MAX_COMPARED_LINES) return false;
    const [was, is, then] = versionLines.map((lines) => tokenise(lines, reading)) as [Token[], Token[], Token[]];
    return keepsTokenChanges(was, is, then, reading);
  });
}

function keepsTokenChanges(
  base: readonly Token[],
  less: readonly Token[],
  more: readonly Token[],
  reading: MergeReading,
): boolean {
  const [b, l, m] = [base, less, more].map((tokens) => tokens.map(({ id }) => id)) as [number[], number[], number[]];
  const earlierEdits = diff(b, l, reading, endsLineBefore);
  const laterEdits = diff(l, m, reading, endsLineBefore);
  const directEdits = diff(b, m, reading, endsLineBefore);
  return (
    doDiffsAgree(b.length, earlierEdits, laterEdits, directEdits) &&
    keepsAdditions(
      laterEdits,
      earlierEdits,
      { ids: l, old: b, more: m, wordsOf: readAsOneWord },
      reading,
      (edit) => isWholeLines(edit, l, m),
      (index) =>
        areRemovedWordsGone(earlierEdits[index] as Edit, b, { ids: m, edits: directEdits }, readAsOneWord, reading),
    ) &&
    keepsSpace([base, less, more], earlierEdits, laterEdits)
  );
}

function isWholeLines({ start, to }: Edit, less: ElementIds, more: ElementIds): boolean {
  return (start === 0 || endsLine(less[start - 1] as number)) && to > 0 && endsLine(more[to - 1] as number);
}

/**
 * Returns true if the third version keeps each change of white space that the second version made.
 * Tokens that the third version rewrote do not count if the second version changed words as well.
 */
function keepsSpace(
  [base, less, more]: readonly [readonly Token[], readonly Token[], readonly Token[]],
  earlier: readonly Edit[],
  later: readonly Edit[],
): boolean {
  const indexesInBase = findCounterparts(less.length, earlier.map(reverseEdit));
  const indexesInMore = findCounterparts(less.length, later);
  return less.every((token, index) => {
    if (earlier.length > 0 && (indexesInMore[index] as number) < 0) return true;
    const space = more[indexesInMore[index] as number]?.space;
    return space === token.space || (base[indexesInBase[index] as number]?.space ?? token.space) === token.space;
  });
}

/**
 * Returns false if the later edits remove an element and add it again, although all three versions
 * contain the element. The diffs then disagree: one diff found the element at a wrong position.
 */
function doDiffsAgree(
  length: number,
  earlier: readonly Edit[],
  later: readonly Edit[],
  direct: readonly Edit[],
): boolean {
  const indexesInLess = findCounterparts(length, earlier);
  const indexesInMore = findCounterparts(length + countAddedElements(earlier), later);
  const directIndexes = findCounterparts(length, direct);
  const indexesBack = findCounterparts(
    length + countAddedElements(earlier) + countAddedElements(later),
    later.map(reverseEdit),
  );
  return indexesInLess.every((at, place) => {
    const counterpart = directIndexes[place] as number;
    return at < 0 || counterpart < 0 || (indexesInMore[at] as number) >= 0 || (indexesBack[counterpart] as number) >= 0;
  });
}

function countAddedElements(edits: readonly Edit[]): number {
  const lastEdit = edits.at(-1);
  return lastEdit === undefined ? 0 : lastEdit.to - lastEdit.end;
}
