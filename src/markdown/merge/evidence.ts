import { findTouchingEdits, findFirstEditIndex } from "./edits.ts";
import { reserveSteps } from "./budget.ts";
import { diff, type Edit, isRemoval } from "./diff.ts";
import { type MergeReading, readTokenIds } from "./reading.ts";

const STEPS_PER_WORD = 10;

/**
 * Divisor for the number of words that an edit removed. If another version contains no more of
 * these words than the quotient, the removed words count as gone. A few words may occur by chance.
 */
const CHANCE_DIVISOR = 3;

/** Numbers of lines, sentences or words. Equal elements have equal numbers. */
export type ElementIds = readonly number[];
type EditedVersion = { readonly ids: ElementIds; readonly edits: readonly Edit[] };

/**
 * Function that returns the words of an element, as numbers of `reading.tokenTexts`. A line or a
 * sentence has several words; a token is one word.
 */
export type WordReader = (id: number) => readonly number[];

export const readAsOneWord: WordReader = (id) => [id];

export function createLineWordReader(reading: MergeReading): WordReader {
  return (id) => readTokenIds(id, reading);
}

/** Number of occurrences of each word, by the number of the word. */
type WordCounts = Map<number, number>;

/**
 * Returns true if the words that an edit removed are missing from another version, at the position
 * of the edit. Up to a third of the removed words may remain by chance. Also returns true if the
 * edit removed nothing. Returns false if the step budget is too small.
 * @param added elements that the edit added in place of the removed ones
 */
export function areRemovedWordsGone(
  edit: Edit,
  base: ElementIds,
  otherScript: EditedVersion,
  wordsOf: WordReader,
  reading: MergeReading,
  added: ElementIds = [],
): boolean {
  if (edit.start === edit.end) return true;
  if (reading.left < 0) return false;
  const otherEdits = findTouchingEdits(otherScript.edits, edit.start, edit.end);
  const size = otherEdits.reduce(
    (sum, { from, to }) => sum + to - from,
    (edit.end - edit.start) * (1 + otherEdits.length),
  );
  if (!reserveSteps(reading, otherScript.edits.length + STEPS_PER_WORD * size)) return false;
  const addedWords = added.flatMap(wordsOf);
  if (!reserveSteps(reading, addedWords.length)) return false;
  const wordsLeft = countWordsLeft(
    edit,
    base,
    { ids: otherScript.ids, edits: otherEdits },
    wordsOf,
    reading,
    addedWords,
  );
  return wordsLeft !== undefined && CHANCE_DIVISOR * wordsLeft.count <= wordsLeft.of;
}

/**
 * Counts the words that an edit removed. `count`: removed words that the other version still has,
 * or has added again. `of`: all removed words that `added` lacks. Returns undefined if the other
 * version still has a removed line of several words.
 */
function countWordsLeft(
  edit: Edit,
  base: ElementIds,
  otherScript: EditedVersion,
  wordsOf: WordReader,
  { tokenTexts }: MergeReading,
  added: readonly number[],
): { readonly count: number; readonly of: number } | undefined {
  const addedAgain: WordCounts = new Map();
  for (const { from, to } of otherScript.edits)
    for (const id of otherScript.ids.slice(from, to)) addWords(addedAgain, wordsOf(id));
  const keptWords = countWords(added);
  for (const word of added) takeWord(addedAgain, word);
  const removedElements = base.slice(edit.start, edit.end);
  // Punctuation is too frequent to prove anything, and counts only if the edit removed no words.
  const countsMarks = !removedElements.some((id) => wordsOf(id).some((word) => tokenTexts.isWord(word)));
  const isCovered = findSharedRemovals(otherScript.edits, edit);
  let [count, of] = [0, 0];
  for (let elementIndex = 0; elementIndex < removedElements.length; elementIndex++) {
    const lineWords = wordsOf(removedElements[elementIndex] as number);
    // The other version may contain a single word by chance, but not a line of several words.
    if (!isCovered[elementIndex] && lineWords.length > 1) return undefined;
    const countedWords = lineWords.filter(
      (word) => (countsMarks || tokenTexts.isWord(word)) && !takeWord(keptWords, word),
    );
    of += countedWords.length;
    count += isCovered[elementIndex]
      ? countedWords.filter((word) => takeWord(addedAgain, word)).length
      : countedWords.length;
  }
  return { count, of };
}

function findSharedRemovals(edits: readonly Edit[], { start, end }: Edit): boolean[] {
  const isCovered = new Array<boolean>(end - start).fill(false);
  for (const edit of edits) isCovered.fill(true, Math.max(0, edit.start - start), Math.max(0, edit.end - start));
  return isCovered;
}

export function takeWord(wordCounts: WordCounts, word: number): boolean {
  const count = wordCounts.get(word) ?? 0;
  if (count > 0) wordCounts.set(word, count - 1);
  return count > 0;
}

export function countWords(words: readonly number[]): WordCounts {
  const wordCounts: WordCounts = new Map();
  addWords(wordCounts, words);
  return wordCounts;
}

function addWords(wordCounts: WordCounts, words: readonly number[]): void {
  for (const word of words) wordCounts.set(word, (wordCounts.get(word) ?? 0) + 1);
}

/**
 * LIMIT: number of equal elements in a row that may still be equal by chance. Only a longer
 * sequence identifies a position in the document.
 */
const MAX_CHANCE_RUN = 4;

/**
 * Second of three successive versions. `ids`: elements of this version. `old`: elements of the
 * version before. `more`: elements of the version after.
 */
type MiddleVersion = {
  readonly ids: ElementIds;
  readonly old: ElementIds;
  readonly more: ElementIds;
  readonly wordsOf: WordReader;
};

/**
 * Returns true if the later edits of a version keep the additions of the earlier edits, and put
 * nothing in place of the removals.
 * @param isWhole returns true if a later edit adds whole lines, which may come between earlier
 * lines
 * @param isReplaced returns true if the words that an earlier edit removed are missing from the
 * last version; the argument is the index of the edit
 */
export function keepsAdditions(
  later: readonly Edit[],
  earlier: readonly Edit[],
  text: MiddleVersion,
  reading: MergeReading,
  isWhole: (edit: Edit) => boolean,
  isReplaced: (edit: number) => boolean,
): boolean {
  let oldElements: ReadonlySet<number> | undefined;
  return earlier.every((edit, index) => {
    const { from, to } = edit;
    const touchingEdits = findTouchingEdits(later, from, to);
    if (touchingEdits.length === 0) return true;
    if (from === to)
      return (
        keepsRemoval(touchingEdits, isWhole, () => isReplaced(index)) ||
        changesOnlyHiddenText(text, edit, touchingEdits, reading)
      );
    if (touchingEdits.some((one) => changesInside(one, edit) && !mayComeBetween(one, edit, isWhole))) return false;
    const touchedEnds = countTouchedEnds(edit, touchingEdits);
    if (hasKnownPlace(edit, later, touchedEnds)) return true;
    if (touchedEnds === 2 && !isReplaced(index)) return false;
    // If the version before already had all elements of an addition, the diff may have found the
    // addition at a wrong position.
    oldElements ??= new Set(text.old);
    return !new Set(text.ids.slice(from, to)).isSubsetOf(oldElements);
  });
}

/**
 * Returns true if the later edits only remove more elements beside an earlier removal. If the
 * removed words are missing from the last version, the later edits may also add whole lines.
 */
function keepsRemoval(near: readonly Edit[], isWhole: (edit: Edit) => boolean, isReplaced: () => boolean): boolean {
  return near.every(({ from, to }) => from === to) || (near.every(isWhole) && isReplaced());
}

/**
 * Returns true if an edit removed only comments and heading ids, and the later edits added no
 * comments or heading ids. The removal then does not change the meaning of the words beside it.
 */
function changesOnlyHiddenText(
  { old, more, wordsOf }: MiddleVersion,
  edit: Edit,
  later: readonly Edit[],
  { tokenTexts }: MergeReading,
): boolean {
  const isHidden = (word: number): boolean => tokenTexts.isHidden(word);
  return (
    old.slice(edit.start, edit.end).every((id) => wordsOf(id).every(isHidden)) &&
    !later.some(({ from, to }) => more.slice(from, to).some((id) => wordsOf(id).some(isHidden)))
  );
}

function countTouchedEnds({ from, to }: Edit, later: readonly Edit[]): number {
  return Number(later.some(({ end }) => end === from)) + Number(later.some(({ start }) => start === to));
}

function hasKnownPlace({ from, to }: Edit, later: readonly Edit[], sides: number): boolean {
  return sides === 0 || (sides === 1 && measureUnchangedRow(later, from, to) > MAX_CHANCE_RUN);
}

function changesInside(later: Edit, { from, to }: Edit): boolean {
  return later.start < to && from < later.end;
}

/**
 * Returns true if a later edit may add whole lines between the lines of an earlier edit. The
 * earlier edit must have replaced other lines. Lines that the earlier edit only added must stay
 * together.
 */
function mayComeBetween(later: Edit, edit: Edit, isWhole: (edit: Edit) => boolean): boolean {
  return later.start === later.end && edit.start < edit.end && isWhole(later);
}

/**
 * Returns the number of unchanged elements around [from, to), between the previous edit and the
 * next one; infinity if no edit follows.
 */
function measureUnchangedRow(later: readonly Edit[], from: number, to: number): number {
  const previousEdit = later[findFirstEditIndex(later, ({ end }) => end > from) - 1];
  const nextEdit = later[findFirstEditIndex(later, ({ start }) => start >= to)];
  return (nextEdit?.start ?? Number.POSITIVE_INFINITY) - (previousEdit?.end ?? 0);
}

/**
 * One side. `ids`: all elements of the side. `from`, `to`: in this side, the range of the part that
 * both sides changed.
 */
type PartSide = {
  readonly ids: ElementIds;
  readonly edits: readonly Edit[];
  readonly from: number;
  readonly to: number;
};

/**
 * Returns true if one side (`more`) contains all changes of the other side (`less`), and otherwise
 * changed only what `less` left unchanged. `more` is then the merge of both sides. Without this
 * check, merging a result again with one of its sides could change the result.
 * @param isLines true if the elements are lines, so that other lines may come between them
 */
export function includesAllChanges(
  base: ElementIds,
  more: PartSide,
  less: PartSide,
  wordsOf: WordReader,
  reading: MergeReading,
  isLines = false,
): boolean {
  const text = less.ids.slice(less.from, less.to);
  const moreIds = more.ids.slice(more.from, more.to);
  const laterEdits = diff(text, moreIds, reading);
  if (reading.left < 0) return false;
  const isReplaced = less.edits.every((edit) => {
    const addedIds = isRemoval(edit) ? [] : less.ids.slice(edit.from, edit.to);
    return areRemovedWordsGone(edit, base, more, wordsOf, reading, addedIds);
  });
  if (!isReplaced) return false;
  const [first, last] = [less.edits[0], less.edits.at(-1)] as [Edit, Edit];
  const start = first.start - (first.from - less.from);
  const end = last.end + (less.to - last.to);
  const earlierEdits = shiftEdits(less, start);
  return keepsAdditions(
    laterEdits,
    earlierEdits,
    { ids: text, old: base.slice(start, end), more: moreIds, wordsOf },
    reading,
    () => isLines,
    (index) => areRemovedWordsGone(less.edits[index] as Edit, base, more, wordsOf, reading),
  );
}

/**
 * Returns the edits of a side, with indexes counted from the beginning of the part: from `start` in
 * base, from `from` in the side.
 */
function shiftEdits({ edits, from }: PartSide, start: number): Edit[] {
  return edits.map((edit) => ({
    start: edit.start - start,
    end: edit.end - start,
    from: edit.from - from,
    to: edit.to - from,
  }));
}
