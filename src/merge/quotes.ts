import { counterparts, reverse } from "./edits.ts";
import { afford } from "./budget.ts";
import type { Edit } from "./myers.ts";
import { diffLines, type Lines, type Reading, readLines, wordsIn } from "./reading.ts";

/** As many characters of a text cost a step. */
const LETTERS_A_STEP = 4;

/** How many words of new lines there are to each of others, at least, in new text. */
const MOSTLY = 2;

/**
 * Words of a line that tells places apart, at least: shorter ones, as the heads of small tables,
 * stand anywhere.
 */
const TELLING = 3;

/**
 * Tells of a line of the base, by its index, whether `side` removed it and `more` has its like in a
 * piece of new text alone, which stands elsewhere in the side: such a piece quotes the line, it
 * does not bring it back. New text is lines added in a row, most of them in words not of the base;
 * elsewhere means past a line that tells places apart and that both texts have once.
 */
export function quotesElsewhere(
  base: string,
  side: string,
  more: string,
  reading: Reading,
): ((line: number) => boolean) | undefined {
  if (!afford(reading, (base.length + side.length + more.length) / LETTERS_A_STEP)) return undefined;
  const [b, s, m] = [base, side, more].map((text) => readLines(text, reading)) as [Lines, Lines, Lines];
  const earlier = diffLines(base, side, reading);
  const later = diffLines(side, more, reading);
  const known = new Set(b.ids);
  const pieces = later.filter((edit) => edit.start === edit.end && isNewText(edit, m, known, reading));
  if (pieces.length === 0) return undefined;
  const landmarks = landmarksOf(s, m, later, reading);
  return (line) => {
    const edit = earlier.find(({ start, end }) => start <= line && line < end);
    if (edit === undefined) return false;
    const id = b.ids[line] as number;
    const quoting = pieces.filter(({ from, to }) => m.ids.slice(from, to).includes(id));
    return (
      quoting.length > 0 &&
      countOf(m.ids, id) === countOf(s.ids, id) + quoting.reduce((sum, piece) => sum + countIn(m.ids, id, piece), 0) &&
      quoting.every((piece) => landmarks.some((at) => isBetween(at, edit, piece)))
    );
  };
}

/**
 * Whether the script from the base to `more` keeps lines that `side` removed, and all of those with
 * words are quotations, or what `side` put elsewhere itself.
 */
export function pairsOthers(base: string, side: string, more: string, reading: Reading): boolean {
  const { ids } = readLines(base, reading);
  const gone = counterparts(ids.length, diffLines(base, side, reading));
  const kept = counterparts(ids.length, diffLines(base, more, reading));
  const paired: number[] = [];
  for (let at = 0; at < ids.length; at++) {
    if ((gone[at] as number) >= 0 || (kept[at] as number) < 0) continue;
    if (wordsIn(ids[at] as number, reading).length > 0) paired.push(at);
  }
  if (paired.length === 0) return false;
  const isOwn = putBySide(base, side, more, reading);
  const others = paired.filter((line) => !isOwn(kept[line] as number));
  const isQuoted = others.length === 0 ? undefined : quotesElsewhere(base, side, more, reading);
  return others.every((line) => isQuoted?.(line) === true);
}

/** Tells of a line of `more`, by its index, whether it is one that `side` put there. */
function putBySide(base: string, side: string, more: string, reading: Reading): (line: number) => boolean {
  const [s, m] = [readLines(side, reading), readLines(more, reading)];
  const before = counterparts(s.ids.length, diffLines(base, side, reading).map(reverse));
  const known = counterparts(m.ids.length, diffLines(side, more, reading).map(reverse));
  return (line) => {
    const there = known[line] as number;
    return there >= 0 && (before[there] as number) < 0;
  };
}

/** Whether lines added in a row say mostly what the base does not have. */
function isNewText({ from, to }: Edit, { ids }: Lines, known: ReadonlySet<number>, reading: Reading): boolean {
  let balance = 0;
  for (let at = from; at < to; at++) {
    const words = wordsIn(ids[at] as number, reading).length;
    balance += known.has(ids[at] as number) ? -MOSTLY * words : words;
  }
  return balance > 0;
}

/**
 * The lines of a side, of some words, that it has once and the later text has once, at the same
 * place.
 */
function landmarksOf(side: Lines, more: Lines, later: readonly Edit[], reading: Reading): number[] {
  const [here, there] = [countsOf(side.ids), countsOf(more.ids)];
  const kept = counterparts(side.ids.length, later);
  return side.ids.flatMap((id, at) => {
    const isOne = here.get(id) === 1 && there.get(id) === 1 && (kept[at] as number) >= 0;
    return isOne && isTelling(id, reading) ? [at] : [];
  });
}

/** Whether a line, by its number, has enough words to tell a place by. */
export function isTelling(line: number, reading: Reading): boolean {
  return wordsIn(line, reading).length >= TELLING;
}

/**
 * Whether a line of the side lies between what one script put there and where the other one adds.
 */
function isBetween(at: number, earlier: Edit, later: Edit): boolean {
  return later.start <= earlier.from ? later.start <= at && at < earlier.from : earlier.to <= at && at < later.start;
}

function countsOf(ids: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (let at = 0; at < ids.length; at++) counts.set(ids[at] as number, (counts.get(ids[at] as number) ?? 0) + 1);
  return counts;
}

function countOf(ids: readonly number[], id: number): number {
  return ids.reduce((sum, one) => sum + Number(one === id), 0);
}

function countIn(ids: readonly number[], id: number, { from, to }: Edit): number {
  return countOf(ids.slice(from, to), id);
}
