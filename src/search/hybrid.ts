import { foldText } from "./fold.ts";
import { fuseRankings, type Ranking } from "./fuse.ts";
import { anyOf, literalExpression, phraseExpression, ftsString, unitExpression } from "./match.ts";
import { type Needle, needleOf, type Snippet, snippetsOf } from "./snippets.ts";
import { createWordRank } from "./rank.ts";
import type { Sql } from "./sql.ts";
import { createTerms, type Terms } from "./terms.ts";
import { runTokens, type Unit, unitsOf } from "./tokens.ts";

/** Whose documents are searched. */
export type Searched = {
  /**
   * Whether a document may be found at all. What it refuses leaves no trace: it neither shows nor
   * counts.
   */
  accepts(document: number): boolean;
  /** null for a document that is gone, or cannot be read now. */
  read(document: number): { readonly path: string; readonly text: string } | null;
};

export type HybridHit = { readonly document: number; readonly score: number; readonly snippets: readonly Snippet[] };
export type HybridSearch = (searched: Searched, query: string, limit: number) => HybridHit[];

// LIMIT: of a longer query (a pasted paragraph) the first words count.
const MOST_UNITS = 24;
/** LIMIT: so many texts are read to prove a literal. */
const MOST_PROVEN = 300;
/** Rankings go a little deeper than what is asked for, so that their fusion is right at its end. */
const DEPTH_MARGIN = 50;
/**
 * What a hit of each kind counts: all words; a name that begins so; the phrase; the query as it is
 * spelled; parts of words; typing errors; some words.
 */
const WEIGHT = { all: 1, named: 0.5, phrase: 0.5, literal: 0.6, parts: 0.4, near: 0.4, some: 0.2 } as const;

/**
 * Free text in, documents out, best first. Looser rankings are made only while fewer documents than
 * `limit` were found, and weigh less: what holds the very words always stands before what was
 * guessed.
 * @param sql the tables of `SEARCH_SCHEMA`; its statements are prepared here, once
 */
export function createHybridSearch(sql: Sql): HybridSearch {
  const words = createWordRank(sql);
  const pathGrams = sql.prepare("SELECT rowid AS document FROM search_path_grams WHERE search_path_grams MATCH ?");
  const textGrams = sql.prepare("SELECT rowid AS document FROM search_grams WHERE search_grams MATCH ?");
  const size = sql.prepare("SELECT count(*) AS documents FROM search_words_docsize");
  const terms = createTerms(sql);

  return (searched, query, limit) => {
    const units = unitsOf(query).slice(0, MOST_UNITS);
    const needles: Needle[] = units.map((unit) => needleOf(unit.text, unit.kind === "word" && unit.text.length < 3));
    const accepted = memoized(searched.accepts);
    const taken = (weight: number, documents: Iterable<number>): Ranking => {
      return { weight, documents: take(documents, accepted, limit + DEPTH_MARGIN) };
    };
    const ranking = (weight: number, ...parts: string[]) => taken(weight, words.holding(parts));
    const rankings: Ranking[] = [];
    const found = () => new Set(rankings.flatMap(({ documents }) => documents)).size;

    if (units.length > 0) rankings.push(ranking(WEIGHT.all, ...units.map(unitExpression)));
    if (found() > 0) {
      rankings.push(taken(WEIGHT.named, words.named(`^ ${phraseExpression(units)}`)));
      if (units.length > 1) rankings.push(ranking(WEIGHT.phrase, phraseExpression(units)));
    }
    const literal = foldText(query.trim());
    const spelled = isSpelled(literal, units);
    const lookForLiteral = (weight: number) => {
      const candidates = literalExpression(literal);
      if (candidates === null) return;
      const candidate = candidatesOf([pathGrams.iterate(candidates), textGrams.iterate(candidates)]);
      rankings.push({ weight, documents: proven(candidate, accepted, searched, literal, limit) });
      needles.push({ text: literal, whole: false });
    };
    if (spelled) lookForLiteral(WEIGHT.literal);
    if (found() < limit && units.length > 0) {
      const loose = loosen(terms, units);
      for (const { kind, parts } of loose.ways) {
        if (kind === "both" && found() > 0) continue;
        rankings.push(ranking(kind === "parts" ? WEIGHT.parts : WEIGHT.near, ...parts));
      }
      needles.push(...loose.needles);
      if (found() < limit) {
        const expressions = telling(terms, units, loose, (size.get() as { documents: number }).documents);
        if (expressions.length > 0) rankings.push(ranking(WEIGHT.some, anyOf(expressions)));
        needles.push(...units.flatMap(pairsOf).map((pair) => needleOf(pair, false)));
      }
    }
    if (found() < limit && !spelled) lookForLiteral(WEIGHT.some);
    return show(searched, rankings, needles, limit);
  };
}

function show(
  searched: Searched,
  rankings: readonly Ranking[],
  needles: readonly Needle[],
  limit: number,
): HybridHit[] {
  const hits: HybridHit[] = [];
  for (const { document, score } of fuseRankings(rankings)) {
    if (hits.length === limit) break;
    const read = searched.read(document);
    if (read !== null) hits.push({ document, score, snippets: snippetsOf(read.text, needles) });
  }
  return hits;
}

function memoized(accepts: (document: number) => boolean): (document: number) => boolean {
  const known = new Map<number, boolean>();
  return (document) => {
    const before = known.get(document);
    if (before !== undefined) return before;
    const now = accepts(document);
    known.set(document, now);
    return now;
  };
}

function take(documents: Iterable<number>, accepts: (document: number) => boolean, most: number): number[] {
  const taken: number[] = [];
  for (const document of documents) {
    if (accepts(document)) taken.push(document);
    if (taken.length === most) break;
  }
  return taken;
}

/** The documents of several queries, each once, in their order. */
function* candidatesOf(queries: readonly Iterable<unknown>[]): Iterable<number> {
  const seen = new Set<number>();
  for (const rows of queries) {
    for (const { document } of rows as Iterable<{ document: number }>) {
      if (!seen.has(document)) yield document;
      seen.add(document);
    }
  }
}

/**
 * The trigrams of a literal may stand apart in a text, so each is read; documents that have it in
 * their path come first.
 */
function proven(
  candidates: Iterable<number>,
  accepts: (document: number) => boolean,
  searched: Searched,
  literal: string,
  most: number,
): number[] {
  const inPath: number[] = [];
  const inText: number[] = [];
  for (const document of take(candidates, accepts, MOST_PROVEN)) {
    const read = searched.read(document);
    if (read === null) continue;
    if (foldText(read.path).includes(literal)) inPath.push(document);
    else if (foldText(read.text).includes(literal)) inText.push(document);
    if (inPath.length + inText.length === most) break;
  }
  return [...inPath, ...inText];
}

/** Whether a query says more than its words: `--no-edit`, `std::vec`, `c++`. */
function isSpelled(literal: string, units: readonly Unit[]): boolean {
  return literal !== units.map(({ text }) => foldText(text)).join(" ");
}

/**
 * The ways to loosen a query: each unit or, for it, words that contain it; words near it; either.
 * Only those that add anything.
 */
type Loosened = {
  readonly ways: readonly { readonly kind: "parts" | "near" | "both"; readonly parts: readonly string[] }[];
  /** By unit: itself, or what may stand for it when it is in no document. */
  readonly units: readonly string[];
  readonly needles: readonly Needle[];
};

function loosen(terms: Terms, units: readonly Unit[]): Loosened {
  const wide = units.map((unit) => {
    const isWord = unit.kind === "word";
    return {
      exact: unitExpression(unit),
      parts: isWord ? terms.containing(unit.text).map(({ text }) => text) : [],
      // What is a word already was meant, unless nobody can say.
      near: isWord && terms.documents(unit.text) === 0 ? terms.near(unit.text).map(({ text }) => text) : [],
    };
  });
  const hasParts = wide.some(({ parts }) => parts.length > 0);
  const hasNear = wide.some(({ near }) => near.length > 0);
  const build = (pick: (unit: (typeof wide)[number]) => readonly string[]) =>
    wide.map((unit) => anyOf([unit.exact, ...pick(unit).map(ftsString)]));
  return {
    ways: [
      ...(hasParts ? [{ kind: "parts", parts: build(({ parts }) => parts) } as const] : []),
      ...(hasNear ? [{ kind: "near", parts: build(({ near }) => near) } as const] : []),
      ...(hasParts && hasNear
        ? [{ kind: "both", parts: build(({ parts, near }) => [...parts, ...near]) } as const]
        : []),
    ],
    units: wide.map(({ exact, parts, near }) =>
      anyOf([exact, ...(near.length > 0 ? [...parts, ...near] : []).map(ftsString)]),
    ),
    needles: wide.flatMap(({ near }) => near.map((text) => needleOf(text, text.length < 4))),
  };
}

/**
 * A word that is in more than one of so many documents tells little; of few documents, no word is
 * common.
 */
const COMMON_SHARE = 5;
const COMMON_LEAST = 50;

/**
 * Of several units, those of which one must be there: not the common words, unless there are no
 * others. Of a run, any pair.
 */
function telling(terms: Terms, units: readonly Unit[], loose: Loosened, documents: number): string[] {
  const [only] = units;
  if (units.length === 1 && only!.kind === "word") return [];
  const least = Math.max(documents / COMMON_SHARE, COMMON_LEAST);
  const all = units.map((unit, i) => {
    const holding = unit.kind === "word" ? terms.documents(unit.text) : 1;
    const expression = loose.units[i]!;
    return {
      tells: holding < least && (holding > 0 || expression !== unitExpression(unit)),
      expressions: pairsOf(unit).length > 0 ? pairsOf(unit).map(ftsString) : [expression],
    };
  });
  const rare = all.filter(({ tells }) => tells);
  return (rare.length > 0 ? rare : all).flatMap(({ expressions }) => expressions);
}

function pairsOf(unit: Unit): string[] {
  return unit.kind === "run" ? runTokens(unit.text).filter((token) => [...token].length > 1) : [];
}
