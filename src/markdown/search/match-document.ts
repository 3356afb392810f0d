import { titlesOf, pathFieldsOf } from "./fields.ts";
import { composed, foldText, foldWords } from "./fold.ts";
import { isWholeWordOnly } from "./keys.ts";
import type { Query } from "./query.ts";
import { isOfWord, type Unit } from "./tokens.ts";

/** How well a document matches a query. */
export type DocumentMatch = {
  /** True if the document has all words of the query, also as parts of other words. */
  readonly hasAllUnits: boolean;
  /** True if the document has the query as it was typed. */
  readonly isLiteral: boolean;
  /**
   * Score; higher is better. At least 1 if the document has all words or the typed query, otherwise
   * 0.
   */
  readonly score: number;
  /**
   * How well each piece of the query matches, from 0 (absent) to 1. Empty if the document has all
   * words.
   */
  readonly pieces: readonly number[];
};

/** Weight of a match in each part of a document. */
const WEIGHT = { name: 10, folders: 3, heading: 4, text: 1 } as const;
/**
 * Weight of a match that is only a part of a word, compared with 1 for a whole word: at the
 * beginning of the word, or later in it.
 */
const PART = { beginning: 0.6, inner: 0.4 } as const;
/**
 * Additions to the score: all words are whole words, some are only parts of words, the query as it
 * was typed, a file name that begins with it, its words side by side.
 */
const BONUS = { whole: 1, parts: 0.4, literal: 0.5, named: 0.5, phrase: 0.25 } as const;
/** LIMIT: occurrences of one word that are examined in one document. */
const MAX_PLACES = 32;

export function matchDocument(query: Query, path: string, text: string): DocumentMatch {
  const document = new FoldedDocument(path, text);
  const { units } = query;
  const isLiteral = document.holdsLiteral(query.literal);
  const fits = units.map((unit) => matchOfUnit(document, unit));
  const hasAllUnits = fits.length > 0 && fits.every(({ fit }) => fit > 0);
  const pieces = hasAllUnits ? [] : query.pieces.map((piece) => matchOfUnit(document, piece).fit);
  if (!hasAllUnits && !isLiteral) return { hasAllUnits, isLiteral, score: 0, pieces };
  const isWhole = hasAllUnits && fits.every((unitMatch) => unitMatch.isWhole);
  const sum = fits.reduce((before, { fit }) => before + fit, 0);
  const score = 1 + sum / Math.max(1, fits.length) + (isWhole ? BONUS.whole : BONUS.parts);
  return { hasAllUnits, isLiteral, score: score + bonusOf(document, query, isLiteral), pieces };
}

function bonusOf({ name, folders, text }: FoldedDocument, { phrase, isSpelled }: Query, isLiteral: boolean): number {
  let bonus = isLiteral && isSpelled ? BONUS.literal : 0;
  if (phrase.length > 0 && beginsWith(name, phrase)) bonus += BONUS.named;
  if (phrase.length > 1 && [name, folders, text].some((field) => contains(field, phrase))) bonus += BONUS.phrase;
  return bonus;
}

class FoldedDocument {
  readonly name: string;
  readonly folders: string;
  readonly text: string;
  /** Factor for all matches in the content, which is smaller for long documents. */
  readonly lengthFactor: number;
  readonly #source: string;
  readonly #literals: readonly string[];
  #headings: string | null = null;

  constructor(path: string, text: string) {
    this.#source = text;
    this.#literals = [foldText(text), foldText(path)];
    const [foldedText, foldedPath] = this.#literals.map(composed);
    ({ name: this.name, folders: this.folders } = pathFieldsOf(foldedPath!));
    this.text = foldedText!;
    this.lengthFactor = 1 / (1.5 + Math.log2(1 + text.length / 1_000) / 2);
  }

  get headings(): string {
    this.#headings ??= foldWords(titlesOf(this.#source));
    return this.#headings;
  }

  holdsLiteral(literal: string): boolean {
    return literal !== "" && this.#literals.some((field) => field.includes(literal));
  }
}

/**
 * Returns how well a document matches one unit of a query: `fit` from 0 (absent) to 1, and whether
 * it occurs as a whole word.
 */
function matchOfUnit(document: FoldedDocument, unit: Unit) {
  const { name, folders, text, lengthFactor } = document;
  const [inName, inFolders, inText] = [placesOf(name, unit), placesOf(folders, unit), placesOf(text, unit)];
  const inHeadings = inText.weight === 0 ? NO_PLACES : placesOf(document.headings, unit);
  const weight =
    WEIGHT.name * Math.min(1, inName.weight) +
    WEIGHT.folders * Math.min(1, inFolders.weight) +
    WEIGHT.heading * Math.min(1, inHeadings.weight) +
    WEIGHT.text * inText.weight;
  return {
    fit: (weight * lengthFactor) / (weight * lengthFactor + 1),
    isWhole: inName.isWhole || inFolders.isWhole || inText.isWhole,
  };
}

type Places = { readonly weight: number; readonly isWhole: boolean };
const NO_PLACES: Places = { weight: 0, isWhole: false };

/**
 * Returns the weight of all occurrences of a word in a string. One whole word has weight 1; each
 * further occurrence adds less than the one before.
 */
function placesOf(text: string, unit: Unit): Places {
  const isWholeOnly = unit.kind === "word" && isWholeWordOnly(unit.text);
  let isWhole = false;
  let sum = 0;
  let offset = text.indexOf(unit.text);
  for (let tries = 0; offset !== -1 && tries < MAX_PLACES; tries++) {
    const place = unit.kind === "run" ? "whole" : placeAt(text, offset, offset + unit.text.length);
    if (place === "whole") isWhole = true;
    if (place === "whole") sum += 1;
    else if (!isWholeOnly) sum += PART[place];
    offset = text.indexOf(unit.text, offset + unit.text.length);
  }
  return sum === 0 ? NO_PLACES : { weight: Math.log2(1 + sum), isWhole };
}

function placeAt(text: string, from: number, to: number): "whole" | keyof typeof PART {
  if (isOfWord(text.charAt(from - 1))) return "inner";
  return isOfWord(text.charAt(to)) ? "beginning" : "whole";
}

/** Returns true if a string has the words of a phrase side by side. */
function contains(text: string, phrase: readonly Unit[]): boolean {
  const first = phrase[0]!.text;
  let offset = text.indexOf(first);
  for (let tries = 0; offset !== -1 && tries < MAX_PLACES; tries++) {
    if (isAt(text, offset, phrase)) return true;
    offset = text.indexOf(first, offset + first.length);
  }
  return false;
}

function beginsWith(name: string, phrase: readonly Unit[]): boolean {
  return isAt(name, afterGap(name, 0), phrase);
}

function isAt(text: string, from: number, phrase: readonly Unit[]): boolean {
  let offset = from;
  for (const { kind, text: unit } of phrase) {
    offset = offset === from ? offset : afterGap(text, offset);
    const end = offset + unit.length;
    if (!text.startsWith(unit, offset) || (kind === "word" && placeAt(text, offset, end) !== "whole")) return false;
    offset = end;
  }
  return true;
}

/** LIMIT: characters between two words of a phrase. */
const MAX_GAP = 16;
const LETTER = /[\p{L}\p{N}\p{M}]/u;

function afterGap(text: string, from: number): number {
  let offset = from;
  while (offset - from < MAX_GAP && offset < text.length && !LETTER.test(text.charAt(offset))) offset++;
  return offset;
}
