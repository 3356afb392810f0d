import { type FoldedLine, foldLine, foldText, isWordCharacter } from "./words.ts";

/**
 * Returns the lines of a document without their ends (`\n`, `\r\n`, `\r`). After a line end at the
 * end of the document, no further line begins.
 */
export function splitIntoLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Range of characters (code points) of a line, from `start` up to `end`. */
export type CharacterRange = readonly [start: number, end: number];

/** Line, or part of a long line, with its matches. `line`: number of the line, from 1. */
export type Snippet = { readonly line: number; readonly text: string; readonly ranges: readonly CharacterRange[] };

// LIMIT: number of lines shown for one document, and number of characters shown of one line, so
// that a list of results stays short.
const MAX_SNIPPETS = 3;
const MAX_SHOWN_CHARACTERS = 240;
/**
 * LIMIT: number of UTF-16 units at the beginning of a line that are searched, so that a long line
 * takes limited time.
 */
const MAX_SEARCHED_UNITS = 2_048;
const CHARACTERS_BEFORE = 60;
const ELLIPSIS = "…";

/** String to find, folded by `foldText`. `whole`: true to find whole words only. */
export type SearchString = { readonly text: string; readonly whole: boolean };

export function createSearchString(text: string, whole: boolean): SearchString {
  return { text: foldText(text), whole };
}

type WeighedLine = { readonly index: number; readonly weight: number };

/**
 * Returns up to three lines of a document that best show why a search found it, in the order of the
 * document. If only the path matches, returns the first line that is not blank, without matches.
 */
export function createSnippets(text: string, needles: readonly SearchString[]): Snippet[] {
  const lines = splitIntoLines(text);
  const bestLines = findBestLines(lines, needles);
  if (bestLines.length > 0) return bestLines.map(({ index }) => createSnippet(index + 1, lines[index]!, needles));
  const firstLine = lines.findIndex((line) => line.trim() !== "");
  return firstLine === -1 ? [] : [createSnippet(firstLine + 1, lines[firstLine]!, [])];
}

/**
 * Returns the lines that contain the most of the searched strings. Stops after enough lines that
 * contain all searched strings.
 */
function findBestLines(lines: readonly string[], needles: readonly SearchString[]): WeighedLine[] {
  const maxWeight = needles.reduce((sum, needle) => sum + weighString(needle), 0);
  const weighedLines: WeighedLine[] = [];
  let completeLines = 0;
  for (let index = 0; index < lines.length && completeLines < MAX_SNIPPETS; index++) {
    const foldedLine = foldText(cutSearchedPart(lines[index]!));
    let weight = 0;
    for (const needle of needles) if (!findOccurrences(foldedLine, needle).next().done) weight += weighString(needle);
    if (weight > 0) weighedLines.push({ index, weight });
    if (weight === maxWeight) completeLines++;
  }
  return weighedLines
    .sort((a, b) => b.weight - a.weight || a.index - b.index)
    .slice(0, MAX_SNIPPETS)
    .sort((a, b) => a.index - b.index);
}

/**
 * Returns the weight of a string. A long string weighs more, because it says more about a line than
 * a pair of characters.
 */
function weighString({ text }: SearchString): number {
  return 1 + text.length / 100;
}

function cutSearchedPart(line: string): string {
  return line.length <= MAX_SEARCHED_UNITS ? line : line.slice(0, MAX_SEARCHED_UNITS);
}

function* findOccurrences(folded: string, { text, whole }: SearchString): Generator<CharacterRange, void> {
  if (text === "") return;
  for (let offset = folded.indexOf(text); offset !== -1; offset = folded.indexOf(text, offset + text.length)) {
    const matchEnd = offset + text.length;
    if (!whole || !(isWordCharacter(folded.charAt(offset - 1)) || isWordCharacter(folded.charAt(matchEnd))))
      yield [offset, matchEnd];
  }
}

function createSnippet(line: number, text: string, needles: readonly SearchString[]): Snippet {
  const foldedLine = foldLine(cutSearchedPart(text));
  const part = text.slice(0, MAX_SEARCHED_UNITS + 2 * MAX_SHOWN_CHARACTERS);
  const characters = [...part];
  const isWhole = part.length === text.length && characters.length <= MAX_SHOWN_CHARACTERS;
  const firstMatch = findFirstMatch(foldedLine, needles);
  const from = isWhole
    ? 0
    : Math.min(Math.max(0, firstMatch - CHARACTERS_BEFORE), characters.length - MAX_SHOWN_CHARACTERS);
  const to = isWhole ? characters.length : from + MAX_SHOWN_CHARACTERS;
  const [before, after] = [
    from > 0 ? ELLIPSIS : "",
    isWhole || (to === characters.length && part === text) ? "" : ELLIPSIS,
  ];
  const shift = before.length - from;
  const ranges = needles.flatMap((needle) => findRanges(foldedLine, needle, from, to));
  const shownRanges = joinRanges(ranges).map(([start, end]): CharacterRange => [start + shift, end + shift]);
  return { line, text: before + characters.slice(from, to).join("") + after, ranges: shownRanges };
}

function findFirstMatch(line: FoldedLine, needles: readonly SearchString[]): number {
  let firstRange: CharacterRange | null = null;
  for (const needle of needles) {
    const range = findOccurrences(line.folded, needle).next().value;
    if (range !== undefined && (firstRange === null || range[0] < firstRange[0])) firstRange = range;
  }
  return firstRange === null ? 0 : line.toCharacters(...firstRange)[0];
}

function findRanges(line: FoldedLine, needle: SearchString, from: number, to: number): CharacterRange[] {
  const ranges: CharacterRange[] = [];
  for (const range of findOccurrences(line.folded, needle)) {
    const [start, end] = line.toCharacters(...range);
    if (start >= to) break;
    if (end > from) ranges.push([Math.max(start, from), Math.min(end, to)]);
  }
  return ranges;
}

function joinRanges(ranges: readonly CharacterRange[]): CharacterRange[] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const lastRange = result.at(-1);
    if (lastRange !== undefined && start <= lastRange[1]) lastRange[1] = Math.max(lastRange[1], end);
    else result.push([start, end]);
  }
  return result;
}

/** Splits a line into matches and the parts between them. Leaves out empty parts. */
export function splitIntoFoundPieces({ text, ranges }: Pick<Snippet, "text" | "ranges">): readonly FoundPiece[] {
  const characters = [...text];
  const pieces: FoundPiece[] = [];
  let index = 0;
  for (const [start, end] of ranges) {
    pieces.push(createPiece(characters.slice(index, start), false), createPiece(characters.slice(start, end), true));
    index = end;
  }
  return [...pieces, createPiece(characters.slice(index), false)].filter((piece) => piece.text !== "");
}

type FoundPiece = { readonly text: string; readonly isMatch: boolean };

/** Control characters other than tabs are replaced, because they could control a terminal. */
function createPiece(characters: readonly string[], isMatch: boolean): FoundPiece {
  const text = characters.join("").replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, "\ufffd");
  return { text, isMatch };
}
