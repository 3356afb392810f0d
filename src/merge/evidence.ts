import { afford, type Budget } from "./budget.ts";
import { counterparts, type Edit } from "./myers.ts";
import { BREAK, isMark, isWord } from "./tokens.ts";

/** The words that an element stands for: several for a line, one for a token. */
export type Words = (id: number) => readonly string[];

/** What a word of a removal costs in steps. */
const STEPS_A_WORD = 10;

/** Numbers for lines or words, equal for equal ones. */
export type Ids = readonly number[];
type Script = { readonly ids: readonly number[]; readonly edits: readonly Edit[] };

/**
 * Whether what an edit removed is gone from `more` at that place too, but for a common word here
 * and there.
 */
export function isGone(
  edit: Edit,
  base: readonly number[],
  more: Script,
  words: Words,
  budget: Budget,
  own: readonly string[] = [],
): boolean {
  if (edit.start === edit.end) return true;
  if (budget.left < 0) return false;
  const there = more.edits.filter(({ start, end }) => start <= edit.end && edit.start <= end);
  const size = there.reduce((sum, { from, to }) => sum + to - from, (edit.end - edit.start) * (1 + there.length));
  if (!afford(budget, more.edits.length + STEPS_A_WORD * size)) return false;
  const counts = new Map<string, number>();
  for (const { from, to } of there) {
    for (const word of more.ids.slice(from, to).flatMap(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const kept = countOf(own, budget);
  // Words that stand nowhere there need no count: none is left of them.
  for (const word of own) take(counts, word);
  const removed = base.slice(edit.start, edit.end).flatMap(words);
  // Marks are everywhere: they count where nothing else was removed.
  const counted = removed.some(isWord) ? isWord : (): boolean => true;
  const left: string[] = [];
  let all = 0;
  for (let at = edit.start; at < edit.end; at++) {
    const covered = there.some(({ start, end }) => start <= at && at < end);
    const said = words(base[at] as number);
    // A line that is still there is no common word.
    if (!covered && said.length > 1) return false;
    for (const word of said.filter(counted)) {
      if (kept.size > 0 && (kept.get(word) ?? 0) > 0) {
        take(kept, word);
        continue;
      }
      all++;
      if (!covered || (counts.get(word) ?? 0) > 0) left.push(word);
      if (covered) take(counts, word);
    }
  }
  if (left.length === 0 || 3 * left.length > all) return left.length === 0;
  // A word that the base has nowhere else is no common one; to know it, all of the base is read.
  const known = countedOnce(base, words, budget);
  return left.every((word) => known.get(word) !== 1);
}

/** Takes a word from its count where it has one. */
function take(counts: Map<string, number>, word: string): void {
  const count = counts.get(word);
  if (count !== undefined) counts.set(word, count - 1);
}

/**
 * Whether what the earlier text left as it was in the base, and the later one too, is still there
 * when one goes from the one to the other. Where it is not, the later text was matched with what
 * the earlier one added by chance.
 */
export function agree(
  length: number,
  earlier: readonly Edit[],
  later: readonly Edit[],
  direct: readonly Edit[],
): boolean {
  const before = counterparts(length, earlier);
  const after = counterparts(length + shiftOf(earlier), later);
  const across = counterparts(length, direct);
  const known = counterparts(length + shiftOf(earlier) + shiftOf(later), later.map(reverse));
  return before.every((at, place) => {
    const there = across[place] as number;
    return at < 0 || there < 0 || (after[at] as number) >= 0 || (known[there] as number) >= 0;
  });
}

/** How much longer a script makes a sequence. */
function shiftOf(edits: readonly Edit[]): number {
  const last = edits.at(-1);
  return last === undefined ? 0 : last.to - last.end;
}

/** How often each word of a sequence occurs, counted once a merge. */
function countedOnce(ids: Ids, words: Words, budget: Budget): ReadonlyMap<string, number> {
  const known = budget.counted.get(ids) ?? countOf(ids.flatMap(words), budget);
  budget.counted.set(ids, known);
  return known;
}

/** How often each word occurs. */
export function countOf(words: readonly string[], budget: Budget): Map<string, number> {
  afford(budget, words.length);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Whether any of the later edits comes up to what an edit put there. */
export function isTouched({ from, to }: Edit, later: readonly Edit[]): boolean {
  return later.some(({ start, end }) => start <= to && from <= end);
}

/** As many elements, none of them new, may stand together elsewhere by chance. */
const FEW = 4;

/**
 * How many elements stand in a row from one change to the next around a piece that is touched by
 * one of them.
 */
function held(later: readonly Edit[], from: number, to: number): number {
  let [first, last] = [0, Number.POSITIVE_INFINITY];
  for (const { start, end } of later) {
    if (end <= from) first = Math.max(first, end);
    if (start >= to) last = Math.min(last, start);
  }
  return last - first;
}

/**
 * Whether the edits of a text leave all that `earlier` put there; `between` tells whole lines,
 * which may come between, and `isNew` the text's elements that the base does not have.
 */
export function leaves(
  later: readonly Edit[],
  earlier: readonly Edit[],
  between: (edit: Edit) => boolean,
  isNew: (at: number) => boolean,
  isBare: (from: number, to: number) => boolean,
  replaced: (edit: number) => boolean,
): boolean {
  return earlier.every(({ start, end, from, to }, at) => {
    // What only removed leaves a seam that must stay closed.
    if (from === to) return later.every((edit) => from < edit.start || edit.end < from);
    // Lines may have come between those that replaced others; what was only added stands in a row.
    const comesBetween = (edit: Edit): boolean => edit.start === edit.end && start < end && between(edit);
    if (later.some((edit) => edit.start < to && from < edit.end && !comesBetween(edit))) return false;
    // A mark belongs to the word beside it: nothing comes between.
    const parted = later.some((edit) => edit.start === edit.end && (edit.start === from || edit.start === to));
    if (parted && isBare(from, to)) return false;
    // Known words with changes beside them may have been found elsewhere.
    const sides = Number(later.some((edit) => edit.end === from)) + Number(later.some((edit) => edit.start === to));
    if (sides === 0 || (sides === 1 && held(later, from, to) > FEW)) return true;
    if (sides === 2 && !replaced(at)) return false;
    for (let place = from; place < to; place++) if (isNew(place)) return true;
    return false;
  });
}

/** An edit the other way round. */
export function reverse({ start, end, from, to }: Edit): Edit {
  return { start: from, end: to, from: start, to: end };
}

/** Whether an element says nothing by itself. */
export function isMarkOrBreak(text: string): boolean {
  return text === BREAK || isMark(text);
}
