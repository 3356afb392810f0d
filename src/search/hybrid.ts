import { foldText } from "./fold.ts";
import { loosen, MOST_TELLING, pairsOf, telling } from "./loosen.ts";
import { fuseRankings, type Ranking } from "./fuse.ts";
import { literalExpression, type Part, phraseExpression, phraseOf, unitExpression } from "./match.ts";
import { holdsPhrase } from "./path-phrase.ts";
import { type Needle, needleOf, type Snippet, snippetsOf } from "./snippets.ts";
import { type Wanted, WordRank } from "./rank.ts";
import type { Sql, SqlStatement } from "./sql.ts";
import { Terms } from "./terms.ts";
import { type Unit, unitsOf } from "./tokens.ts";
import { Words } from "./word-queries.ts";

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
type HybridSearch = (searched: Searched, query: string, limit: number) => HybridHit[];

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
  const words = new Words(sql);
  const index: Index = {
    ranks: new WordRank(words),
    terms: new Terms(sql, words),
    grams: [
      sql.prepare("SELECT rowid AS document FROM search_path_grams WHERE search_path_grams MATCH ?"),
      sql.prepare("SELECT rowid AS document FROM search_grams WHERE search_grams MATCH ?"),
    ],
    size: sql.prepare(`SELECT count(*) AS documents FROM (SELECT 1 FROM search_words_docsize LIMIT ${MOST_TELLING})`),
  };
  return (searched, query, limit) => {
    words.forget();
    const rankings = new Rankings(index, searched, query, limit);
    rankings.exact();
    if (rankings.isSpelled) rankings.literal(WEIGHT.literal);
    if (rankings.isShort()) rankings.loose();
    if (rankings.isShort() && !rankings.isSpelled) rankings.literal(WEIGHT.some);
    return rankings.hits();
  };
}

type Index = {
  readonly ranks: WordRank;
  readonly terms: Terms;
  /** Documents by the trigrams of their path, and of their text. */
  readonly grams: readonly SqlStatement[];
  /** How many documents there are, at most `MOST_TELLING`. */
  readonly size: SqlStatement;
};

/** What one query finds, ranking by ranking. */
class Rankings {
  readonly #index: Index;
  readonly #searched: Searched;
  readonly #limit: number;
  readonly #units: readonly Unit[];
  readonly #literal: string;
  readonly #wanted: Wanted;
  readonly #rankings: Ranking[] = [];
  readonly #needles: Needle[];
  /** Whether the query says more than its words: `--no-edit`, `std::vec`, `c++`. */
  readonly isSpelled: boolean;

  constructor(index: Index, searched: Searched, query: string, limit: number) {
    this.#index = index;
    this.#searched = searched;
    this.#limit = limit;
    this.#units = unitsOf(query).slice(0, MOST_UNITS);
    this.#literal = foldText(query.trim());
    this.#wanted = { accepts: memoized(searched.accepts), depth: limit + DEPTH_MARGIN };
    this.#needles = this.#units.map((unit) => needleOf(unit.text, unit.kind === "word" && unit.text.length < 3));
    this.isSpelled = this.#literal !== this.#units.map(({ text }) => foldText(text)).join(" ");
  }

  /** Whether fewer documents than are asked for were found till now. */
  isShort(): boolean {
    return this.#found() < this.#limit;
  }

  /** All units; then, where they are anywhere, those in a name's beginning and as a phrase. */
  exact(): void {
    const units = this.#units;
    if (units.length === 0) return;
    const isWhole = this.#rank(
      WEIGHT.all,
      units.map((unit) => [unitExpression(unit)]),
    );
    const found = this.#rankings.at(-1)!.documents;
    if (found.length === 0) return;
    const phrase = phraseExpression(units);
    if (isWhole) {
      this.#take(WEIGHT.named, this.#index.ranks.named(`^ ${phrase}`, this.#wanted));
      if (units.length > 1) this.#rank(WEIGHT.phrase, [[phrase]]);
    } else this.#phrased(found, phrase);
  }

  /** Of some documents, those whose name begins with the query, and those with it as a phrase. */
  #phrased(documents: readonly number[], phrase: string): void {
    const units = this.#units;
    const inPath = new Map(
      documents.map((document) => [document, holdsPhrase(this.#searched.read(document)?.path ?? "", phraseOf(units))]),
    );
    this.#take(
      WEIGHT.named,
      documents.filter((document) => inPath.get(document) === "first"),
    );
    if (units.length === 1) return;
    const inText = new Set(this.#index.ranks.among(documents, phrase));
    this.#take(
      WEIGHT.phrase,
      documents.filter((document) => inText.has(document) || inPath.get(document) !== "not"),
    );
  }

  /** The query as it is spelled. */
  literal(weight: number): void {
    const expression = literalExpression(this.#literal);
    if (expression === null) return;
    const candidates = candidatesOf(this.#index.grams.map((grams) => grams.iterate(expression)));
    this.#rankings.push({ weight, documents: this.#proven(candidates) });
    this.#needles.push({ text: this.#literal, whole: false });
  }

  /** Parts of words and words near them; then, where that is not enough, some of the words. */
  loose(): void {
    if (this.#units.length === 0) return;
    const { terms, size } = this.#index;
    const loose = loosen(terms, this.#units);
    for (const { kind, parts } of loose.ways) {
      if (kind === "both" && this.#found() > 0) continue;
      this.#rank(kind === "parts" ? WEIGHT.parts : WEIGHT.near, parts);
    }
    this.#needles.push(...loose.needles);
    if (!this.isShort()) return;
    const some = telling(terms, this.#units, loose, (size.get() as { documents: number }).documents);
    if (some.length > 0) this.#rank(WEIGHT.some, [some]);
    this.#needles.push(...this.#units.flatMap(pairsOf).map((pair) => needleOf(pair, false)));
  }

  /** The best documents of all rankings together. */
  hits(): HybridHit[] {
    const hits: HybridHit[] = [];
    for (const { document, score } of fuseRankings(this.#rankings)) {
      if (hits.length === this.#limit) break;
      const read = this.#searched.read(document);
      if (read !== null) hits.push({ document, score, snippets: snippetsOf(read.text, this.#needles) });
    }
    return hits;
  }

  #found(): number {
    return new Set(this.#rankings.flatMap(({ documents }) => documents)).size;
  }

  /**
   * The documents that hold every part.
   * @returns whether all were looked at, not the newest alone
   */
  #rank(weight: number, parts: readonly Part[]): boolean {
    const { documents, isWhole } = this.#index.ranks.holding(parts, this.#wanted);
    this.#take(weight, documents);
    return isWhole;
  }

  #take(weight: number, documents: Iterable<number>): void {
    this.#rankings.push({ weight, documents: take(documents, this.#wanted.accepts, this.#wanted.depth) });
  }

  /**
   * The trigrams of a literal may stand apart in a text, so each is read; documents that have it in
   * their path come first.
   */
  #proven(candidates: Iterable<number>): number[] {
    const inPath: number[] = [];
    const inText: number[] = [];
    for (const document of take(candidates, this.#wanted.accepts, MOST_PROVEN)) {
      const read = this.#searched.read(document);
      if (read === null) continue;
      if (foldText(read.path).includes(this.#literal)) inPath.push(document);
      else if (foldText(read.text).includes(this.#literal)) inText.push(document);
      if (inPath.length + inText.length === this.#limit) break;
    }
    return [...inPath, ...inText];
  }
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
