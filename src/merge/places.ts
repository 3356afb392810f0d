import { apartIn } from "./apart.ts";
import { ascending } from "./ascending.ts";
import { afford } from "./budget.ts";
import type { Contexts } from "./contexts.ts";
import { isTelling, quotesElsewhere } from "./quotes.ts";
import { contextsIn, type Lines, markedWordsIn, type Reading, readLines, wholeLine, wordsIn } from "./reading.ts";

/** Base, local, remote and merged text. */
type FourTexts = readonly [base: string, local: string, remote: string, merged: string];

/**
 * By a word's number: the line that has it, counted from 1, and the word's place in it, -1 for a
 * line taken as a whole.
 */
type Places = { readonly line: Int32Array; readonly at: Int32Array };

/** In place of a line: the text has the word more than once. */
const AGAIN = -1;

/** What tells the places of words in one text. */
type Text = Lines & { readonly contexts: Contexts };

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
  const read = texts.map((text): Text => {
    const lines = readLines(text, reading);
    return { ...lines, contexts: contextsIn(lines, reading) };
  });
  const apart = apartIn(read, reading.interner.size);
  const wrapped = read.some((one) => one.contexts.outline !== read[0]?.contexts.outline);
  const suspects = movedOrGone(read, apart, wrapped, reading);
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
function movedOrGone(
  texts: readonly Text[],
  apart: Uint8Array,
  wrapped: boolean,
  reading: Reading,
): ReadonlySet<number> | undefined {
  for (const text of texts) readMarks(text, apart, wrapped, reading);
  const [b, l, r] = texts.slice(0, 3).map((text) => placesOf(text, apart, wrapped, reading)) as [
    Places,
    Places,
    Places,
  ];
  // Where a side is to be found in a result, the result is the third text too.
  const m = texts[3]?.ids === texts[2]?.ids ? r : placesOf(texts[3] as Text, apart, wrapped, reading);
  const suspects = new Set<number>();
  const size = reading.words.size;
  for (let word = 0; word < size; word++) {
    const [was, is] = [b.line[word] as number, m.line[word] as number];
    if (was <= 0 || is <= 0) continue;
    const [mine, theirs] = [l.line[word] as number, r.line[word] as number];
    if ((mine === 0) !== (theirs === 0)) suspects.add(word);
    if (mine > 0 && theirs > 0 && !isInItsMarks(word, texts, [b, l, r, m], reading)) return undefined;
  }
  return suspects;
}

/**
 * Whether each trait of a word's place, which all texts have once, is that of the side which
 * changed it.
 */
function isInItsMarks(word: number, texts: readonly Text[], places: readonly Places[], reading: Reading): boolean {
  const traits = texts.map((text, at) => traitsOf(word, text, places[at] as Places, reading));
  const [was, mine, theirs, is] = traits as [Traits, Traits, Traits, Traits];
  return was.every((one, at) => isPicked(one, mine[at] as number, theirs[at] as number, is[at] as number));
}

/**
 * What is open around the line of a word, the marks before the line, and the marks that are open at
 * the word.
 */
type Traits = readonly [around: number, prefix: number, open: number];

function traitsOf(word: number, text: Text, places: Places, reading: Reading): Traits {
  const [line, at] = [(places.line[word] as number) - 1, places.at[word] as number];
  const around = text.contexts.around[line] as number;
  const marked = reading.markedByLine[text.ids[line] as number];
  if (at < 0 || marked === undefined) return [around, reading.words.id(""), reading.words.id("")];
  return [around, marked.prefix, marked.open[at] as number];
}

/**
 * Whether a trait is that of the side which changed it; what both changed may be either, or both.
 */
function isPicked(was: number, mine: number, theirs: number, is: number): boolean {
  if (mine === was) return is === theirs;
  return (theirs !== was && mine !== theirs) || is === mine;
}

/**
 * Numbers what the places of a text's words are told by, so that what is kept by number can be as
 * long as it must be.
 */
function readMarks({ ids }: Text, apart: Uint8Array, wrapped: boolean, reading: Reading): void {
  for (const id of ids) {
    if (apart[id] === 1) markedWordsIn(id, reading);
    else if (wrapped) wholeLine(id, reading);
  }
}

/** Where each word stands in a text, if it has it once. */
function placesOf({ ids, lines }: Text, apart: Uint8Array, wrapped: boolean, reading: Reading): Places {
  const places = { line: new Int32Array(reading.words.size), at: new Int32Array(reading.words.size) };
  for (let line = 0; line < ids.length; line++) {
    const id = ids[line] as number;
    if (apart[id] === 1) {
      const { words } = markedWordsIn(id, reading);
      for (let at = 0; at < words.length; at++) put(places, words[at] as number, line, at);
    } else if (wrapped && lines[line]?.trim() !== "") put(places, wholeLine(id, reading), line, -1);
  }
  return places;
}

function put(places: Places, word: number, line: number, at: number): void {
  places.line[word] = places.line[word] === 0 ? line + 1 : AGAIN;
  places.at[word] = at;
}

/**
 * The lines of the base, which one side took away, of which most words stand in the merged text
 * among the words that they stood among.
 */
function standing(
  suspects: ReadonlySet<number>,
  base: Lines,
  merged: Lines,
  apart: Uint8Array,
  reading: Reading,
): readonly number[] {
  const there = placedOnce(merged, apart, reading);
  const common = [...placedOnce(base, apart, reading).keys()].filter((one) => there.has(one));
  const kept = ascending(common.map((one) => there.get(one) as number));
  const words = new Set(kept.map((at) => common[at] as number).filter((one) => suspects.has(one)));
  if (words.size === 0) return [];
  return base.ids.flatMap((line, at) => {
    if (apart[line] !== 1) return [];
    const said = wordsIn(line, reading);
    return 2 * said.filter((word) => words.has(word)).length > said.length ? [at] : [];
  });
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
  for (const [at, id] of ids.entries()) {
    const line = lines[at] as string;
    const ones = apart[id] === 1 ? wordsIn(id, reading) : isAlike(id, line, reading) ? [] : [wholeLine(id, reading)];
    for (const one of ones) {
      if (places.has(one)) again.add(one);
      places.set(one, place++);
    }
  }
  for (const one of again) places.delete(one);
  return places;
}
