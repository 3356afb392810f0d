import { apartIn } from "./apart.ts";
import { ascending } from "./ascending.ts";
import { afford } from "./budget.ts";
import type { Contexts } from "./contexts.ts";
import { NO_MARKS } from "./marks.ts";
import { isTelling, quotesElsewhere } from "./quotes.ts";
import { contextsIn, type Lines, markedWordsIn, type Reading, readLines, wholeLine, wordsIn } from "./reading.ts";

/** Base, local, remote and merged text. */
type FourTexts = readonly [base: string, local: string, remote: string, merged: string];

/**
 * By a word's number: the line that has it, counted from 1, 0 where none has; and the word's place
 * in the line.
 */
type Places = { readonly line: Int32Array; readonly at: Int32Array };

/** In place of a line: the text has the word more than once. */
const AGAIN = -1;

/**
 * What tells the places of words in one text: the lines that do so, and of which of all lines the
 * words do, since not all texts have them alike.
 */
type Text = Lines & {
  readonly contexts: Contexts;
  readonly apart: Uint8Array;
  readonly telling: readonly number[];
};

/** As many characters of the texts cost a step. */
const LETTERS_A_STEP = 4;

/**
 * Whether each word that is the only one of its kind is in the marks that a side gave it, and, with
 * `removals`, what a side took away as a line is gone or only quoted elsewhere. It goes by words
 * alone, not by which lines were paired, so it sees a change that was lost because blank lines or
 * fences look alike.
 */
export function keepsPlaces(texts: FourTexts, removals: boolean, reading: Reading): boolean {
  if (!afford(reading, texts.reduce((sum, text) => sum + text.length, 0) / LETTERS_A_STEP)) return false;
  const found = texts.map((text) => readLines(text, reading));
  const contexts = found.map((lines) => contextsIn(lines, reading));
  const apart = apartIn(found, reading.interner.size);
  const isWrapped = contexts.some(({ outline }) => outline !== contexts[0]?.outline);
  const read: Text[] = [];
  for (let at = 0; at < found.length; at++) {
    const lines = found[at] as Lines;
    const isKnown = at > 0 && lines === found[at - 1];
    const telling = isKnown ? (read[at - 1] as Text).telling : tellingLines(lines, apart, isWrapped, reading);
    read.push({ ...lines, contexts: contexts[at] as Contexts, apart, telling });
  }
  const suspects = movedOrGone(read, reading);
  if (suspects === undefined) return false;
  // What was made of both sides is counted elsewhere, word by word.
  if (!removals || suspects.size === 0) return true;
  const back = standing(suspects, read[0] as Text, read[3] as Text, apart, reading);
  if (back.length === 0) return true;
  const quoted = [texts[1], texts[2]].flatMap((side) => quotesElsewhere(texts[0], side, texts[3], reading) ?? []);
  return back.every((line) => quoted.some((isQuoted) => isQuoted(line)));
}

/**
 * Words of the base that one side took away and the merged text has; undefined where a word is not
 * in the marks that a side gave it.
 */
function movedOrGone(texts: readonly Text[], reading: Reading): ReadonlySet<number> | undefined {
  const size = reading.words.size;
  const all = texts.slice(0, 3).map((text) => placesOf(text, size, reading));
  // Where a side is to be found in a result, the result is the third text too.
  const isSide = texts[3]?.ids === texts[2]?.ids;
  all.push(isSide ? (all[2] as Places) : placesOf(texts[3] as Text, size, reading));
  const [b, l, r, m] = all as [Places, Places, Places, Places];
  const suspects = new Set<number>();
  const words = inBoth(texts[0] as Text, b, m, reading);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number;
    const mine = l.line[word] as number;
    const theirs = r.line[word] as number;
    if ((mine === 0) !== (theirs === 0)) suspects.add(word);
    else if (mine > 0 && theirs > 0 && !isInItsMarks(word, texts, all, reading)) return undefined;
  }
  return suspects;
}

/** The words of the base that it has once and the merged text has once. */
function inBoth({ ids, apart, telling }: Text, base: Places, merged: Places, reading: Reading): number[] {
  const words: number[] = [];
  for (let next = 0; next < telling.length; next++) {
    const said = toldBy(ids[telling[next] as number] as number, apart, reading);
    for (let at = 0; at < said.length; at++) {
      const word = said[at] as number;
      if ((base.line[word] as number) > 0 && (merged.line[word] as number) > 0) words.push(word);
    }
  }
  return words;
}

/**
 * Whether each trait of a word's place, which all texts have once, is that of the side which
 * changed it.
 */
function isInItsMarks(word: number, texts: readonly Text[], places: readonly Places[], reading: Reading): boolean {
  const isOneLine = (one: number, other: number): boolean =>
    isSameLine(word, texts[one] as Text, places[one] as Places, texts[other] as Text, places[other] as Places);
  // What one side left as it was is as the other one has it.
  if ((isOneLine(0, 1) && isOneLine(2, 3)) || (isOneLine(0, 2) && isOneLine(1, 3))) return true;
  const traits = texts.map((text, at) => traitsOf(word, text, places[at] as Places, reading));
  const [was, mine, theirs, is] = traits as [Traits, Traits, Traits, Traits];
  return (
    isPicked(was.around, mine.around, theirs.around, is.around) &&
    isPicked(was.prefix, mine.prefix, theirs.prefix, is.prefix) &&
    isPicked(was.open, mine.open, theirs.open, is.open)
  );
}

/** Whether a word stands in equal lines, which stand in the same, in two texts. */
function isSameLine(word: number, one: Text, places: Places, other: Text, others: Places): boolean {
  const here = (places.line[word] as number) - 1;
  const there = (others.line[word] as number) - 1;
  return one.ids[here] === other.ids[there] && one.contexts.around[here] === other.contexts.around[there];
}

/**
 * What is open around the line of a word, the marks before the line, and the marks that are open at
 * the word.
 */
type Traits = { readonly around: number; readonly prefix: number; readonly open: number };

function traitsOf(word: number, { ids, contexts, apart }: Text, { line, at }: Places, reading: Reading): Traits {
  const there = (line[word] as number) - 1;
  const around = contexts.around[there] as number;
  const id = ids[there] as number;
  if (apart[id] !== 1) return { around, prefix: NO_MARKS, open: NO_MARKS };
  const { prefix, open } = markedWordsIn(id, reading);
  return { around, prefix, open: open[at[word] as number] as number };
}

/**
 * Whether a trait is that of the side which changed it; what both changed may be either, or both.
 */
function isPicked(was: number, mine: number, theirs: number, is: number): boolean {
  if (mine === was) return is === theirs;
  return (theirs !== was && mine !== theirs) || is === mine;
}

/**
 * The lines that words' places are told by, with what tells of them read: those that not all texts
 * have alike, and, where `isWrapped`, as a whole, all others. Blank lines tell of none.
 */
function tellingLines({ ids, lines }: Lines, apart: Uint8Array, isWrapped: boolean, reading: Reading): number[] {
  const telling: number[] = [];
  for (let line = 0; line < ids.length; line++) {
    const id = ids[line] as number;
    if (lines[line] === "\n" || (apart[id] !== 1 && !isWrapped)) continue;
    if (apart[id] !== 1 && lines[line]?.trim() === "") continue;
    toldBy(id, apart, reading);
    telling.push(line);
  }
  return telling;
}

/** What a line's place is told by, by the line's number: its words, or the line as a whole. */
function toldBy(id: number, apart: Uint8Array, reading: Reading): readonly number[] {
  return apart[id] === 1 ? markedWordsIn(id, reading).words : wholeLine(id, reading);
}

/** Where each word stands in a text, if it has it once; `size`: how many words there are. */
function placesOf({ ids, apart, telling }: Text, size: number, reading: Reading): Places {
  const places = { line: new Int32Array(size), at: new Int32Array(size) };
  for (let next = 0; next < telling.length; next++) {
    const line = telling[next] as number;
    const said = toldBy(ids[line] as number, apart, reading);
    for (let at = 0; at < said.length; at++) {
      const word = said[at] as number;
      places.line[word] = places.line[word] === 0 ? line + 1 : AGAIN;
      places.at[word] = at;
    }
  }
  return places;
}

/**
 * The lines of the base, which one side took away, of which half the words stand in the merged text
 * among the words that they stood among.
 */
function standing(
  suspects: ReadonlySet<number>,
  base: Lines,
  merged: Lines,
  apart: Uint8Array,
  reading: Reading,
): readonly number[] {
  const isHalf = (line: number, words: ReadonlySet<number>): boolean => {
    const said = wordsIn(line, reading);
    const count = said.filter((word) => words.has(word)).length;
    return count > 0 && 2 * count >= said.length;
  };
  // The cheap test, before all words of both texts are read.
  if (!base.ids.some((line) => apart[line] === 1 && isHalf(line, suspects))) return [];
  const there = placedOnce(merged, apart, reading);
  const common = [...placedOnce(base, apart, reading).keys()].filter((one) => there.has(one));
  const kept = ascending(common.map((one) => there.get(one) as number));
  const words = new Set(kept.map((at) => common[at] as number).filter((one) => suspects.has(one)));
  if (words.size === 0) return [];
  return base.ids.flatMap((line, at) => (apart[line] === 1 && isHalf(line, words) ? [at] : []));
}

/**
 * Whether a line tells no place: it has no words, or is a small table's head, which any other table
 * may have.
 */
function isAlike(id: number, line: string, reading: Reading): boolean {
  return wordsIn(id, reading).length === 0 || (line.trimStart().startsWith("|") && !isTelling(id, reading));
}

/**
 * Where each line that all texts have, and each word of the others, stands in a text, if it occurs
 * once.
 */
function placedOnce({ ids, lines }: Lines, apart: Uint8Array, reading: Reading): Map<number, number> {
  const [places, again] = [new Map<number, number>(), new Set<number>()];
  let place = 0;
  const note = (one: number): void => {
    if (places.has(one)) again.add(one);
    places.set(one, place++);
  };
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at] as number;
    if (apart[id] === 1) wordsIn(id, reading).forEach(note);
    else if (!isAlike(id, lines[at] as string, reading)) note(wholeLine(id, reading)[0] as number);
  }
  for (const one of again) places.delete(one);
  return places;
}
