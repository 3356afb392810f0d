import {
  composeText,
  foldText,
  foldWords,
  isWordCharacter,
  type QueryUnit,
  splitIntoPairs,
  splitIntoUnits,
} from "./words.ts";
import { isWholeWordOnly, readPathFields, readTitles } from "./keys.ts";

/**
 * Query of free text, split into units: words and runs. A *run* is a sequence of characters of a
 * script without spaces.
 */
export type TextQuery = {
  readonly phrase: readonly QueryUnit[];
  readonly units: readonly QueryUnit[];
  /**
   * Words, and pairs of adjacent characters of the runs. A document that has only some pieces is a
   * weak match.
   */
  readonly pieces: readonly QueryUnit[];
  /** Query as the user typed it, folded by `foldText`; empty if the query is too short. */
  readonly literal: string;
  /** True if the query contains more than words and spaces, such as `--no-edit` or `c++`. */
  readonly isSpelled: boolean;
};

/**
 * LIMIT: number of words and pairs of characters that are searched, so that a long query takes
 * limited time. The rest of the query is ignored.
 */
const MAX_PIECES = 24;
/**
 * LIMIT: number of characters of the typed query. A shorter query is not searched as typed, because
 * it occurs nearly everywhere. A longer query is cut, so that the search takes limited time.
 */
const LITERAL_LENGTH = { min: 3, max: 64 } as const;

export function parseQuery(text: string): TextQuery {
  const allUnits = splitIntoUnits(text);
  const phrase = limitUnits(allUnits);
  const units = removeDuplicates(phrase);
  const pieces = removeDuplicates(units.flatMap(splitIntoPieces));
  const typedCharacters = [...foldText(text.trim())].slice(0, LITERAL_LENGTH.max);
  const literal = typedCharacters.length < LITERAL_LENGTH.min ? "" : typedCharacters.join("");
  const words = allUnits.map((unit) => foldText(unit.text)).join(" ");
  const isSpelled = !words.startsWith(literal);
  return { phrase, units, pieces, literal, isSpelled };
}

/** Returns the first units of a query, up to the limit. Cuts a run that exceeds the limit. */
function limitUnits(units: readonly QueryUnit[]): QueryUnit[] {
  const limitedUnits: QueryUnit[] = [];
  let remainingPieces = MAX_PIECES;
  for (const unit of units) {
    if (remainingPieces === 0) break;
    const characters = unit.kind === "word" ? [] : [...unit.text];
    const cost = Math.max(1, characters.length - 1);
    limitedUnits.push(
      cost <= remainingPieces ? unit : { kind: "run", text: characters.slice(0, remainingPieces + 1).join("") },
    );
    remainingPieces -= Math.min(cost, remainingPieces);
  }
  return limitedUnits;
}

function splitIntoPieces(unit: QueryUnit): QueryUnit[] {
  return unit.kind === "word" ? [unit] : splitIntoPairs(unit.text).map((text) => ({ kind: "run", text }));
}

function removeDuplicates(units: readonly QueryUnit[]): QueryUnit[] {
  return [...new Map(units.map((unit) => [unit.text, unit])).values()];
}

export type DocumentMatch = {
  /** True if the document has all words of the query, also as parts of other words. */
  readonly hasAllUnits: boolean;
  /** True if the document contains the query as the user typed it. */
  readonly isLiteral: boolean;
  /**
   * Score of the document; a better match has a higher score. At least 1 if the document has all
   * words or the typed query; otherwise 0.
   */
  readonly score: number;
  /**
   * Quality of the match of each piece of the query, from 0 (absent) to 1. Empty if the document
   * has all words of the query.
   */
  readonly pieces: readonly number[];
};

const FIELD_WEIGHTS = { name: 10, folders: 3, heading: 4, text: 1 } as const;
/**
 * Weight of a match that is only a part of a word: at the beginning of the word, or later in the
 * word. A whole word has weight 1.
 */
const PART_WEIGHTS = { beginning: 0.6, inner: 0.4 } as const;
/**
 * Additions to the score:
 * - `whole`: all words are whole words
 * - `parts`: some words are only parts of words
 * - `literal`: the query as the user typed it
 * - `named`: a file name that begins with the typed query
 * - `phrase`: the words of the query side by side
 */
const BONUSES = { whole: 1, parts: 0.4, literal: 0.5, named: 0.5, phrase: 0.25 } as const;
/**
 * LIMIT: number of occurrences of one word that are examined in one document, so that a long
 * document takes limited time. Each further occurrence adds less to the score than the one before.
 */
const MAX_OCCURRENCES = 32;

export function matchDocument(query: TextQuery, path: string, text: string): DocumentMatch {
  const document = new FoldedDocument(path, text);
  const { units } = query;
  const isLiteral = document.holdsLiteral(query.literal);
  const unitMatches = units.map((unit) => matchUnit(document, unit));
  const hasAllUnits = unitMatches.length > 0 && unitMatches.every(({ fit }) => fit > 0);
  const pieces = hasAllUnits ? [] : query.pieces.map((piece) => matchUnit(document, piece).fit);
  if (!hasAllUnits && !isLiteral) return { hasAllUnits, isLiteral, score: 0, pieces };
  const isWhole = hasAllUnits && unitMatches.every((unitMatch) => unitMatch.isWhole);
  const sum = unitMatches.reduce((before, { fit }) => before + fit, 0);
  const score = 1 + sum / Math.max(1, unitMatches.length) + (isWhole ? BONUSES.whole : BONUSES.parts);
  return { hasAllUnits, isLiteral, score: score + computeBonus(document, query, isLiteral), pieces };
}

function computeBonus(
  { name, folders, text }: FoldedDocument,
  { phrase, isSpelled }: TextQuery,
  isLiteral: boolean,
): number {
  let bonus = isLiteral && isSpelled ? BONUSES.literal : 0;
  if (phrase.length > 0 && beginsWithPhrase(name, phrase)) bonus += BONUSES.named;
  if (phrase.length > 1 && [name, folders, text].some((field) => containsPhrase(field, phrase)))
    bonus += BONUSES.phrase;
  return bonus;
}

class FoldedDocument {
  readonly name: string;
  readonly folders: string;
  readonly text: string;
  readonly lengthFactor: number;
  readonly #source: string;
  readonly #literals: readonly string[];
  #headings: string | null = null;

  constructor(path: string, text: string) {
    this.#source = text;
    this.#literals = [foldText(text), foldText(path)];
    const [foldedText, foldedPath] = this.#literals.map(composeText);
    ({ name: this.name, folders: this.folders } = readPathFields(foldedPath!));
    this.text = foldedText!;
    this.lengthFactor = 1 / (1.5 + Math.log2(1 + text.length / 1_000) / 2);
  }

  get headings(): string {
    this.#headings ??= foldWords(readTitles(this.#source));
    return this.#headings;
  }

  holdsLiteral(literal: string): boolean {
    return literal !== "" && this.#literals.some((field) => field.includes(literal));
  }
}

/** `fit`: quality of the match, from 0 (absent) to 1. */
function matchUnit(document: FoldedDocument, unit: QueryUnit) {
  const { name, folders, text, lengthFactor } = document;
  const [inName, inFolders, inText] = [weighMatches(name, unit), weighMatches(folders, unit), weighMatches(text, unit)];
  const inHeadings = inText.weight === 0 ? NO_MATCHES : weighMatches(document.headings, unit);
  const weight =
    FIELD_WEIGHTS.name * Math.min(1, inName.weight) +
    FIELD_WEIGHTS.folders * Math.min(1, inFolders.weight) +
    FIELD_WEIGHTS.heading * Math.min(1, inHeadings.weight) +
    FIELD_WEIGHTS.text * inText.weight;
  return {
    fit: (weight * lengthFactor) / (weight * lengthFactor + 1),
    isWhole: inName.isWhole || inFolders.isWhole || inText.isWhole,
  };
}

type UnitMatches = { readonly weight: number; readonly isWhole: boolean };
const NO_MATCHES: UnitMatches = { weight: 0, isWhole: false };

/**
 * Returns the weight of a unit's matches. One whole word has weight 1; each further occurrence adds
 * less than the one before.
 */
function weighMatches(text: string, unit: QueryUnit): UnitMatches {
  const isWholeOnly = unit.kind === "word" && isWholeWordOnly(unit.text);
  let isWhole = false;
  let weightSum = 0;
  let offset = text.indexOf(unit.text);
  for (let tries = 0; offset !== -1 && tries < MAX_OCCURRENCES; tries++) {
    const matchKind = unit.kind === "run" ? "whole" : classifyMatch(text, offset, offset + unit.text.length);
    if (matchKind === "whole") isWhole = true;
    if (matchKind === "whole") weightSum += 1;
    else if (!isWholeOnly) weightSum += PART_WEIGHTS[matchKind];
    offset = text.indexOf(unit.text, offset + unit.text.length);
  }
  return weightSum === 0 ? NO_MATCHES : { weight: Math.log2(1 + weightSum), isWhole };
}

function classifyMatch(text: string, from: number, to: number): "whole" | keyof typeof PART_WEIGHTS {
  if (isWordCharacter(text.charAt(from - 1))) return "inner";
  return isWordCharacter(text.charAt(to)) ? "beginning" : "whole";
}

function containsPhrase(text: string, phrase: readonly QueryUnit[]): boolean {
  const firstWord = phrase[0]!.text;
  let offset = text.indexOf(firstWord);
  for (let tries = 0; offset !== -1 && tries < MAX_OCCURRENCES; tries++) {
    if (isPhraseAt(text, offset, phrase)) return true;
    offset = text.indexOf(firstWord, offset + firstWord.length);
  }
  return false;
}

function beginsWithPhrase(name: string, phrase: readonly QueryUnit[]): boolean {
  return isPhraseAt(name, skipGap(name, 0), phrase);
}

function isPhraseAt(text: string, from: number, phrase: readonly QueryUnit[]): boolean {
  let offset = from;
  for (const { kind, text: unit } of phrase) {
    offset = offset === from ? offset : skipGap(text, offset);
    const unitEnd = offset + unit.length;
    if (!text.startsWith(unit, offset) || (kind === "word" && classifyMatch(text, offset, unitEnd) !== "whole"))
      return false;
    offset = unitEnd;
  }
  return true;
}

/**
 * LIMIT: number of characters between two words of a phrase, because words that are further apart
 * are no phrase.
 */
const MAX_GAP = 16;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;

function skipGap(text: string, from: number): number {
  let offset = from;
  while (offset - from < MAX_GAP && offset < text.length && !WORD_CHARACTER.test(text.charAt(offset))) offset++;
  return offset;
}
