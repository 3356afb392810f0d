import type { CompiledRegex } from "./engine.ts";
import type { Searched } from "./hybrid.ts";
import { linesOf } from "./lines.ts";
import { requiredExpression } from "./literals.ts";
import type { Range } from "./snippets.ts";
import type { Sql } from "./sql.ts";

/**
 * One line that matches. `line` and `column` count from 1, in characters (code points); `text` is
 * the whole line.
 */
export type LineMatch = {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly ranges: readonly Range[];
};

type RegexHit = { readonly document: number; readonly matches: readonly LineMatch[] };

/** `too-many-steps`: what was found till then would pass for all there is, so it is not given. */
type RegexResult = { readonly kind: "found"; readonly hits: readonly RegexHit[] } | { readonly kind: "too-many-steps" };

/** What is shown of one document, and the longest line that is looked at, in characters. */
type LineLimits = { readonly lines: number; readonly characters: number };

/** Counts steps, not time: the same search ends in the same way on any machine, however busy. */
type Meter = { left: number };

/**
 * A search under way, which can rest between two documents, during which anything may change: who
 * lets it rest looks again at what it found.
 */
type RegexWalk = {
  /** @param most steps until a rest. @returns null: there is more to be searched */
  step(most: number): RegexResult | null;
};

type RegexSearch = (
  searched: Searched,
  regex: CompiledRegex,
  limit: number,
  /**
   * The characters that are looked at, times the steps of the pattern for each, may come to so
   * much.
   */
  mostSteps: number,
) => RegexWalk;

/** LIMIT: so many ranges are shown of one line. */
const MOST_RANGES = 100;
/** Documents whose numbers are read at a time: nothing stays open while a search rests. */
const PORTION = 500;

type Numbered = readonly { readonly document: number }[];

/**
 * Documents with a matching line, in the order of their numbers.
 * @param sql the tables of `SEARCH_SCHEMA`; its statements are prepared here, once
 */
export function createRegexSearch(sql: Sql, limits: LineLimits): RegexSearch {
  const every = sql.prepare("SELECT id AS document FROM search_words_docsize WHERE id > ? ORDER BY id LIMIT ?");
  const narrowed = sql.prepare(
    "SELECT rowid AS document FROM search_grams WHERE search_grams MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?",
  );
  return (searched, regex, limit, mostSteps) => {
    const meter: Meter = { left: mostSteps };
    const expression = requiredExpression(regex.pattern);
    const after = (document: number) =>
      (expression === null ? every.all(document, PORTION) : narrowed.all(expression, document, PORTION)) as Numbered;
    const walk = documentsOf(after);
    const hits: RegexHit[] = [];
    const next = (): RegexResult | null => {
      const { done, value: document } = walk.next();
      if (done === true) return { kind: "found", hits };
      const matches = matchDocument(searched, document, regex, meter, limits);
      if (matches === null) return { kind: "too-many-steps" };
      if (matches.length > 0) hits.push({ document, matches });
      return hits.length === limit ? { kind: "found", hits } : null;
    };
    return { step: (most) => stepUntil(meter, meter.left - most, next) };
  };
}

function stepUntil(meter: Meter, rest: number, next: () => RegexResult | null): RegexResult | null {
  let result: RegexResult | null = null;
  while (result === null && meter.left >= rest) result = next();
  return result;
}

function* documentsOf(after: (document: number) => Numbered): Generator<number, undefined> {
  // Numbers of documents are row numbers, which begin at 1.
  for (let last = 0; ; ) {
    const portion = after(last);
    for (const { document } of portion) yield document;
    if (portion.length < PORTION) return undefined;
    last = portion.at(-1)!.document;
  }
}

/** @returns the first matching lines of a document that is searched; null when the steps ran out */
function matchDocument(
  searched: Searched,
  document: number,
  regex: CompiledRegex,
  meter: Meter,
  limits: LineLimits,
): LineMatch[] | null {
  if (meter.left < 0) return null;
  const text = searched.accepts(document) ? searched.read(document)?.text : undefined;
  if (text === undefined) return [];
  meter.left -= text.length * regex.stepsPerCharacter;
  return regex.mayMatch(text) ? matchLines(text, regex, meter, limits) : [];
}

/**
 * @returns the first matching lines of a text, at most `limits.lines`; null when the steps ran out
 */
export function matchLines(text: string, regex: CompiledRegex, meter: Meter, limits: LineLimits): LineMatch[] | null {
  const matches: LineMatch[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    if (matches.length === limits.lines) break;
    // A short line needs no count.
    if (line.length > limits.characters && charactersIn(line) > limits.characters) continue;
    meter.left -= line.length * regex.stepsPerCharacter;
    const found = regex.findAll(line, MOST_RANGES);
    if (found.length > 0) matches.push(lineMatch(index + 1, line, found));
    if (meter.left < 0) return null;
  }
  return matches;
}

function lineMatch(line: number, text: string, found: readonly Range[]): LineMatch {
  const ranges: Range[] = [];
  let units = 0;
  let characters = 0;
  for (const [start, end] of found) {
    const first = characters + charactersIn(text.slice(units, start));
    characters = first + charactersIn(text.slice(start, end));
    units = end;
    ranges.push([first, characters]);
  }
  return { line, column: ranges[0]![0] + 1, text, ranges };
}

/** Code points; a lone surrogate is one. */
function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
