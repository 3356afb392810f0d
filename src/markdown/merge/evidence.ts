import { firstEditIndex, editsTouching } from "./edits.ts";
import { reserveSteps } from "./budget.ts";
import type { Edit } from "./myers.ts";
import { type LineReader, tokenTextsIn } from "./reading.ts";

/** Steps of the budget that one word of a removal costs. */
const STEPS_PER_WORD = 10;

/**
 * Removed words that are found again do not count as kept if they are at most a third, because a
 * third may occur by chance.
 */
const CHANCE_SHARE = 3;

/** Numbers of lines or words; equal elements have equal numbers. */
export type Ids = readonly number[];
type Script = { readonly ids: Ids; readonly edits: readonly Edit[] };

/**
 * Returns the words of an element: several for a line or a sentence, one for a token. Words are
 * numbered by `reading.tokenTexts`.
 */
export type WordsOf = (id: number) => readonly number[];

/** Treats each token as one word. */
export const ONE_WORD: WordsOf = (id) => [id];

export function wordsOfLines(reading: LineReader): WordsOf {
  return (id) => tokenTextsIn(id, reading);
}

/** The number of occurrences of each word, by the word's number. */
type WordCounts = Map<number, number>;

/**
 * Returns true if another version, with the script `otherScript`, lacks the words that `edit`
 * removed from base, at the place of the edit. A third of the words may be left. Also true if
 * `edit` removed nothing; false if the budget is too small.
 * @param added elements that the edit added in place of the removed ones
 */
export function isGone(
  edit: Edit,
  base: Ids,
  otherScript: Script,
  wordsOf: WordsOf,
  reading: LineReader,
  added: Ids = [],
): boolean {
  if (edit.start === edit.end) return true;
  if (reading.left < 0) return false;
  const otherEdits = editsTouching(otherScript.edits, edit.start, edit.end);
  const size = otherEdits.reduce(
    (sum, { from, to }) => sum + to - from,
    (edit.end - edit.start) * (1 + otherEdits.length),
  );
  if (!reserveSteps(reading, otherScript.edits.length + STEPS_PER_WORD * size)) return false;
  const addedWords = added.flatMap(wordsOf);
  if (!reserveSteps(reading, addedWords.length)) return false;
  const left = wordsLeft(edit, base, { ids: otherScript.ids, edits: otherEdits }, wordsOf, reading, addedWords);
  return left !== undefined && CHANCE_SHARE * left.count <= left.of;
}

/**
 * Counts the removed words that the edits of `otherScript` kept or added again. `of`: the number of
 * removed words, without those in `added`. Undefined if the edits keep a whole line.
 */
function wordsLeft(
  edit: Edit,
  base: Ids,
  otherScript: Script,
  wordsOf: WordsOf,
  { tokenTexts }: LineReader,
  added: readonly number[],
): { readonly count: number; readonly of: number } | undefined {
  const found: WordCounts = new Map();
  for (const { from, to } of otherScript.edits)
    for (const id of otherScript.ids.slice(from, to)) put(found, wordsOf(id));
  const kept = bagOf(added);
  for (const word of added) take(found, word);
  const removed = base.slice(edit.start, edit.end);
  // Punctuation is too frequent to prove anything, so marks count only if no word was removed.
  const countsMarks = !removed.some((id) => wordsOf(id).some((word) => tokenTexts.isWord(word)));
  const covered = coveredBy(otherScript.edits, edit);
  let [count, of] = [0, 0];
  for (let at = 0; at < removed.length; at++) {
    const lineWords = wordsOf(removed[at] as number);
    // A single word may occur at this place by chance, but a whole line does not.
    if (!covered[at] && lineWords.length > 1) return undefined;
    const counted = lineWords.filter((word) => (countsMarks || tokenTexts.isWord(word)) && !take(kept, word));
    of += counted.length;
    count += covered[at] ? counted.filter((word) => take(found, word)).length : counted.length;
  }
  return { count, of };
}

/** Returns, for each base element that an edit replaced, whether other edits replaced it too. */
function coveredBy(edits: readonly Edit[], { start, end }: Edit): boolean[] {
  const covered = new Array<boolean>(end - start).fill(false);
  for (const edit of edits) covered.fill(true, Math.max(0, edit.start - start), Math.max(0, edit.end - start));
  return covered;
}

/**
 * Removes a word from a bag.
 * @returns true if the bag had the word
 */
export function take(bag: WordCounts, word: number): boolean {
  const count = bag.get(word) ?? 0;
  if (count > 0) bag.set(word, count - 1);
  return count > 0;
}

export function bagOf(words: readonly number[]): WordCounts {
  const bag: WordCounts = new Map();
  put(bag, words);
  return bag;
}

function put(bag: WordCounts, words: readonly number[]): void {
  for (const word of words) bag.set(word, (bag.get(word) ?? 0) + 1);
}

/**
 * LIMIT: unchanged elements in a row that may still match another place by chance. More of them
 * identify a place.
 */
const CHANCE_RUN = 4;

/**
 * A text that resulted from edits of base. `ids`: its elements; `old`: those of base; `more`: those
 * of the later text.
 */
type EditedText = { readonly ids: Ids; readonly old: Ids; readonly more: Ids; readonly wordsOf: WordsOf };

/**
 * Returns true if `later`, the edits of a text, keep everything that `earlier` added, and fill no
 * gap that `earlier` left (see `staysClosed`). `isWhole`: returns true if a later edit adds whole
 * lines, which may come between earlier lines.
 * `isReplaced`: returns true if the text that an earlier edit removed is gone, by the edit's index.
 */
export function keepsAdditions(
  later: readonly Edit[],
  earlier: readonly Edit[],
  text: EditedText,
  reading: LineReader,
  isWhole: (edit: Edit) => boolean,
  isReplaced: (edit: number) => boolean,
): boolean {
  let old: ReadonlySet<number> | undefined;
  return earlier.every((edit, index) => {
    const { from, to } = edit;
    const near = editsTouching(later, from, to);
    if (near.length === 0) return true;
    if (from === to) return staysClosed(near, isWhole, () => isReplaced(index)) || isHidden(text, edit, near, reading);
    if (near.some((one) => changesInside(one, edit) && !mayComeBetween(one, edit, isWhole))) return false;
    const sides = changedSides(edit, near);
    if (hasKnownPlace(edit, later, sides)) return true;
    if (sides === 2 && !isReplaced(index)) return false;
    // If base already had all its elements, the addition may have been matched by chance with
    // another place.
    old ??= new Set(text.old);
    return !new Set(text.ids.slice(from, to)).isSubsetOf(old);
  });
}

/**
 * Returns true if later edits add no text in the gap that a removal left. The gap may become wider.
 * Whole lines may fill the gap once the removed text is gone.
 */
function staysClosed(near: readonly Edit[], isWhole: (edit: Edit) => boolean, isReplaced: () => boolean): boolean {
  return near.every(({ from, to }) => from === to) || (near.every(isWhole) && isReplaced());
}

/**
 * Returns true if an edit removed only comments and ids, and later edits added none. The words
 * beside an edit do not depend on comments and ids.
 */
function isHidden(
  { old, more, wordsOf }: EditedText,
  edit: Edit,
  later: readonly Edit[],
  { tokenTexts }: LineReader,
): boolean {
  const isOne = (word: number): boolean => tokenTexts.isHidden(word);
  return (
    old.slice(edit.start, edit.end).every((id) => wordsOf(id).every(isOne)) &&
    !later.some(({ from, to }) => more.slice(from, to).some((id) => wordsOf(id).some(isOne)))
  );
}

/** Returns on how many of its two sides (0 to 2) an edit's addition touches a later edit. */
function changedSides({ from, to }: Edit, later: readonly Edit[]): number {
  return Number(later.some(({ end }) => end === from)) + Number(later.some(({ start }) => start === to));
}

/** Returns true if there are enough unchanged elements beside an addition to identify its place. */
function hasKnownPlace({ from, to }: Edit, later: readonly Edit[], sides: number): boolean {
  return sides === 0 || (sides === 1 && rowLength(later, from, to) > CHANCE_RUN);
}

/** Returns true if a later edit changed or split the addition of an edit. */
function changesInside(later: Edit, { from, to }: Edit): boolean {
  return later.start < to && from < later.end;
}

/**
 * Returns true if a later edit adds whole lines that may come between those of an earlier edit: the
 * earlier edit must have replaced lines. Lines that were only added stay in a row.
 */
function mayComeBetween(later: Edit, edit: Edit, isWhole: (edit: Edit) => boolean): boolean {
  return later.start === later.end && edit.start < edit.end && isWhole(later);
}

/**
 * Returns how many elements in a row no edit changed, around elements [from, to). The row begins
 * where the previous edit ends, and ends where the next edit starts. Infinite if no edit follows.
 */
function rowLength(later: readonly Edit[], from: number, to: number): number {
  const before = later[firstEditIndex(later, ({ end }) => end > from) - 1];
  const after = later[firstEditIndex(later, ({ start }) => start >= to)];
  return (after?.start ?? Number.POSITIVE_INFINITY) - (before?.end ?? 0);
}
