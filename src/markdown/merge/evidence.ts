import { firstWhere, touching } from "./edits.ts";
import { afford } from "./budget.ts";
import type { Edit } from "./myers.ts";
import { type Reading, tokenTextsIn } from "./reading.ts";

/** What a word of a removal costs in steps. */
const STEPS_A_WORD = 10;

/** Of so many removed words one may stand at the place by chance. */
const LEFT = 3;

/** Numbers for lines or words, equal for equal ones. */
export type Ids = readonly number[];
type Script = { readonly ids: Ids; readonly edits: readonly Edit[] };

/**
 * The words of elements: several for a line or a sentence, one for a token. Elements and words are
 * numbers, those of words by `reading.tokenTexts`.
 */
export type Words = {
  readonly of: (id: number) => readonly number[];
};

/** A token is a word of its own. */
export const OWN_WORD: Words = { of: (id) => [id] };

/** The words of lines. */
export function wordsOfLines(reading: Reading): Words {
  return { of: (id) => tokenTextsIn(id, reading) };
}

/** How often each word occurs, by the word's number. */
type Bag = Map<number, number>;

/**
 * Whether what an edit removed is gone from `more` at that place too, but for a common word here
 * and there. `own`: the elements that the edit put in place of it.
 */
export function isGone(edit: Edit, base: Ids, more: Script, words: Words, reading: Reading, own: Ids = []): boolean {
  if (edit.start === edit.end) return true;
  if (reading.left < 0) return false;
  const there = touching(more.edits, edit.start, edit.end);
  const size = there.reduce((sum, { from, to }) => sum + to - from, (edit.end - edit.start) * (1 + there.length));
  if (!afford(reading, more.edits.length + STEPS_A_WORD * size)) return false;
  const said = own.flatMap(words.of);
  if (!afford(reading, said.length)) return false;
  const left = wordsLeft(edit, base, { ids: more.ids, edits: there }, words, reading, said);
  return left !== undefined && LEFT * left.count <= left.of;
}

/**
 * Counts the removed words that the edits of `there` left or put back, `of` all removed words;
 * undefined where a whole line is left.
 */
function wordsLeft(
  edit: Edit,
  base: Ids,
  there: Script,
  words: Words,
  { tokenTexts }: Reading,
  own: readonly number[],
): { readonly count: number; readonly of: number } | undefined {
  const found: Bag = new Map();
  for (const { from, to } of there.edits)
    for (let at = from; at < to; at++) put(found, words.of(there.ids[at] as number));
  const kept = bagOf(own);
  for (const word of own) take(found, word);
  const removed = base.slice(edit.start, edit.end);
  // Marks are everywhere: they count where nothing else was removed.
  const countsMarks = !removed.some((id) => words.of(id).some((word) => tokenTexts.isWord(word)));
  const covered = coveredBy(there.edits, edit);
  let [count, of] = [0, 0];
  for (let at = 0; at < removed.length; at++) {
    const said = words.of(removed[at] as number);
    // A line that is still there is no common word.
    if (!covered[at] && said.length > 1) return undefined;
    const counted = said.filter((word) => (countsMarks || tokenTexts.isWord(word)) && !take(kept, word));
    of += counted.length;
    count += covered[at] ? counted.filter((word) => take(found, word)).length : counted.length;
  }
  return { count, of };
}

/** For each element of the base that an edit replaced, whether others replaced it too. */
function coveredBy(edits: readonly Edit[], { start, end }: Edit): boolean[] {
  const covered = new Array<boolean>(end - start).fill(false);
  for (const edit of edits) covered.fill(true, Math.max(0, edit.start - start), Math.max(0, edit.end - start));
  return covered;
}

/** Takes a word from a bag. @returns whether it was there */
function take(bag: Bag, word: number): boolean {
  const count = bag.get(word) ?? 0;
  if (count > 0) bag.set(word, count - 1);
  return count > 0;
}

function bagOf(words: readonly number[]): Bag {
  const bag: Bag = new Map();
  put(bag, words);
  return bag;
}

function put(bag: Bag, words: readonly number[]): void {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number;
    bag.set(word, (bag.get(word) ?? 0) + 1);
  }
}

/** As many elements, none of them new, may stand together elsewhere by chance. */
const FEW = 4;

/**
 * A text that edits of its own made of the base: its elements, those of the base, and those of the
 * later text.
 */
type Made = { readonly ids: Ids; readonly old: Ids; readonly more: Ids; readonly words: Words };

/**
 * Whether `later`, the edits of a text, leave all that `earlier` put there. `isWhole` tells which
 * additions are whole lines, which may come between; `isReplaced` tells by an earlier edit's index
 * whether what it removed is gone.
 */
export function leaves(
  later: readonly Edit[],
  earlier: readonly Edit[],
  text: Made,
  reading: Reading,
  isWhole: (edit: Edit) => boolean,
  isReplaced: (edit: number) => boolean,
): boolean {
  let old: ReadonlySet<number> | undefined;
  return earlier.every((edit, at) => {
    const { from, to } = edit;
    const near = touching(later, from, to);
    if (near.length === 0) return true;
    if (from === to) return staysClosed(near, isWhole, () => isReplaced(at)) || isAside(text, edit, near, reading);
    if (near.some((one) => changesInside(one, edit) && !mayComeBetween(one, edit, isWhole))) return false;
    // Known words with changes beside them may have been found elsewhere.
    const sides = changedSides(edit, near);
    if (standsFirm(edit, later, sides)) return true;
    if (sides === 2 && !isReplaced(at)) return false;
    old ??= new Set(text.old);
    return !isWithin(text.ids, from, to, old);
  });
}

/**
 * Whether a seam that is left of a removal stays closed: it may widen, and whole lines may come
 * between where what was removed is gone.
 */
function staysClosed(near: readonly Edit[], isWhole: (edit: Edit) => boolean, isReplaced: () => boolean): boolean {
  return near.every(({ from, to }) => from === to) || (near.every(isWhole) && isReplaced());
}

/**
 * Whether an edit took away nothing but comments and ids, and later ones put none there: the words
 * beside them do without.
 */
function isAside({ old, more, words }: Made, edit: Edit, later: readonly Edit[], { tokenTexts }: Reading): boolean {
  const isOne = (word: number): boolean => tokenTexts.isAside(word);
  return (
    old.slice(edit.start, edit.end).every((id) => words.of(id).every(isOne)) &&
    !later.some(({ from, to }) => more.slice(from, to).some((id) => words.of(id).some(isOne)))
  );
}

/** Whether elements [from, to) are all of some. */
function isWithin(ids: Ids, from: number, to: number, some: ReadonlySet<number>): boolean {
  for (let at = from; at < to; at++) if (!some.has(ids[at] as number)) return false;
  return true;
}

/** On how many of its two sides what an edit put there has a later edit right beside it. */
function changedSides({ from, to }: Edit, later: readonly Edit[]): number {
  return Number(later.some(({ end }) => end === from)) + Number(later.some(({ start }) => start === to));
}

/** Whether enough stands beside what an edit put there to know its place by. */
function standsFirm({ from, to }: Edit, later: readonly Edit[], sides: number): boolean {
  return sides === 0 || (sides === 1 && rowLength(later, from, to) > FEW);
}

/** Whether a later edit changed or parted what an edit put there. */
function changesInside(later: Edit, { from, to }: Edit): boolean {
  return later.start < to && from < later.end;
}

/** Lines may come between those that replaced others; what was only added stands in a row. */
function mayComeBetween(later: Edit, edit: Edit, isWhole: (edit: Edit) => boolean): boolean {
  return later.start === later.end && edit.start < edit.end && isWhole(later);
}

/**
 * How many elements stand in a row from one change to the next around a piece that is touched by
 * one of them.
 */
function rowLength(later: readonly Edit[], from: number, to: number): number {
  const before = later[firstWhere(later, ({ end }) => end > from) - 1];
  const after = later[firstWhere(later, ({ start }) => start >= to)];
  return (after?.start ?? Number.POSITIVE_INFINITY) - (before?.end ?? 0);
}
