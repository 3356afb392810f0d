import { type DocumentMatch, matchDocument } from "./match-document.ts";
import {
  intersectionOf,
  isWholeWordOnly,
  type KeySet,
  documentsWithLiteral,
  documentsWithTitle,
  documentsWithUnit,
} from "./keys.ts";
import { type Query, readQuery } from "./query.ts";
import { type Needle, needleOf, type Snippet, snippetsOf } from "./snippets.ts";
import { type FoundDocument, splitIntoReads, type DocumentSource } from "./source.ts";
import type { StepPermit } from "./scheduler.ts";

export type HybridHit<One extends FoundDocument> = {
  readonly found: One;
  readonly score: number;
  readonly snippets: readonly Snippet[];
};

/** `ended`: the client no longer waits for the answer. */
type HybridResult<One extends FoundDocument> =
  | { readonly kind: "found"; readonly hits: readonly HybridHit<One>[] }
  | { readonly kind: "ended" };

/** LIMIT: documents beyond those requested that are ranked, the newest of each set. */
const MORE_RANKED = 100;
/**
 * LIMIT: steps for documents that are not indexed yet, and for indexed ones. After that, the search
 * returns the best documents found so far.
 */
const MAX_STEPS = { waiting: 10_000_000, indexed: 20_000_000 } as const;
/**
 * Cost in steps (`MAX_STEPS`): of a query of the index; of each document number that it returns;
 * of reading a document; of each character of the document; of making its snippets.
 */
const STEPS = { query: 5_000, number: 5, document: 1_000, character: 2, snippets: 20_000 } as const;
/**
 * Highest score of a document with only some pieces of the query; with all units, it is at least 1.
 */
const MAX_PARTIAL_SCORE = 0.5;

/**
 * Searches documents by free text, best first. Documents with all words, or with the query as
 * typed, precede documents with some words. Documents with some words are searched only if fewer
 * than `limit` documents were found.
 */
export async function searchHybrid<One extends FoundDocument>(
  source: DocumentSource<One>,
  permit: StepPermit,
  text: string,
  limit: number,
): Promise<HybridResult<One>> {
  const search = new HybridSearch(source, permit, readQuery(text), limit);
  await search.searchExactly();
  if (search.hasTooFew()) await search.searchLoosely();
  return search.result();
}

class HybridSearch<One extends FoundDocument> {
  readonly #source: DocumentSource<One>;
  readonly #pace: StepPermit;
  readonly #query: Query;
  readonly #limit: number;
  /** Match results by document number; null if the document could not be read. */
  readonly #judged = new Map<number, DocumentMatch | null>();
  /**
   * Weight of each piece of the query, for documents that have only some pieces; empty if the loose
   * search was not needed.
   */
  #rarity: readonly number[] = [];
  #left: number = MAX_STEPS.waiting;
  #isEnded = false;

  constructor(source: DocumentSource<One>, permit: StepPermit, query: Query, limit: number) {
    this.#source = source;
    this.#pace = permit;
    this.#query = query;
    this.#limit = limit;
  }

  /**
   * Returns true if fewer documents than the limit contain all words of the query, or the query as
   * typed.
   */
  hasTooFew(): boolean {
    let full = 0;
    for (const judged of this.#judged.values()) if (judged !== null && judged.score > 0) full++;
    return full < this.#limit;
  }

  /**
   * Searches documents of any age that have all units of the query: those not indexed yet, then
   * paths and headings, then the query as typed, then whole texts.
   */
  async searchExactly(): Promise<void> {
    const { units, literal } = this.#query;
    await this.#judgeAll(await this.#source.unindexed());
    this.#left = MAX_STEPS.indexed;
    const hasAllUnits = (judged: DocumentMatch) => judged.hasAllUnits;
    if (units.length > 0) await this.#walk(intersectionOf(units.map(documentsWithTitle)), hasAllUnits);
    if (literal !== "") await this.#walk(documentsWithLiteral(literal), ({ isLiteral }) => isLiteral);
    if (units.length > 0) await this.#walk(intersectionOf(units.map(documentsWithUnit)), hasAllUnits);
  }

  /**
   * Searches single words, and pairs of characters in scripts without spaces; rare ones weigh more.
   */
  async searchLoosely(): Promise<void> {
    const { pieces } = this.#query;
    if (pieces.length < 2) return;
    for (const [i, piece] of pieces.entries()) await this.#walk(documentsWithUnit(piece), (judged) => holds(judged, i));
    const most = this.#limit + MORE_RANKED;
    const all = [...this.#judged.values()].filter((judged) => judged !== null);
    const counts = pieces.map((_, i) => Math.min(most, all.filter((judged) => holds(judged, i)).length));
    const isInformative = counts.some((count) => count > 0 && count < most);
    this.#rarity = counts.map((count) =>
      isInformative && count === most ? 0 : Math.log(1 + most / Math.max(1, count)),
    );
  }

  /** Reads the best documents again, so that the result shows their current state. */
  async result(): Promise<HybridResult<One>> {
    const best = this.#best();
    const needles = this.#needles();
    const hits: HybridHit<One>[] = [];
    for (const portion of splitIntoReads([...best.keys()])) {
      for (const found of this.#isEnded ? [] : await this.#source.read(portion)) {
        const steps = STEPS.snippets + found.text.length * STEPS.character;
        if (!(await this.#mayContinue(steps))) break;
        hits.push({ found, score: best.get(found.document)!, snippets: snippetsOf(found.text, needles) });
      }
    }
    return this.#isEnded ? { kind: "ended" } : { kind: "found", hits };
  }

  /**
   * Returns the best documents with their scores, best first; among equal scores, the newest first.
   */
  #best(): Map<number, number> {
    const scored: [document: number, score: number][] = [];
    for (const [document, judged] of this.#judged) {
      const score = judged === null ? 0 : judged.score || this.#scoreOfSome(judged);
      if (score > 0) scored.push([document, score]);
    }
    return new Map(scored.sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, this.#limit));
  }

  /**
   * Returns the score of a document that has only some pieces of the query. Containing a piece at
   * all counts as much as a perfect fit of the piece.
   */
  #scoreOfSome({ pieces }: DocumentMatch): number {
    const all = this.#rarity.reduce((sum, rarity) => sum + rarity, 0);
    const found = this.#rarity.reduce((sum, rarity, i) => sum + (pieces[i] ? rarity * (1 + pieces[i]) : 0), 0);
    return found === 0 ? 0 : (MAX_PARTIAL_SCORE * found) / (2 * all);
  }

  /** Returns the texts to highlight: units, the query as typed, and pieces after a loose search. */
  #needles(): Needle[] {
    const { units, pieces, literal, isSpelled } = this.#query;
    const shown = this.#rarity.length === 0 ? units : new Set([...units, ...pieces]);
    const needles = [...shown].map(({ kind, text }) => needleOf(text, kind === "word" && isWholeWordOnly(text)));
    return isSpelled && literal !== "" ? [...needles, { text: literal, whole: false }] : needles;
  }

  /** Matches the newest documents of a set, until enough of them satisfy `counts`. */
  async #walk(set: KeySet, counts: (judged: DocumentMatch) => boolean): Promise<void> {
    let left = this.#limit + MORE_RANKED;
    for (let after: number | null = null; await this.#mayContinue(STEPS.query); ) {
      const { documents, next } = await this.#source.portion(set, "newest", after);
      if (!(await this.#mayContinue(documents.length * STEPS.number))) return;
      for (const portion of splitIntoReads(documents)) {
        await this.#judgeAll(portion);
        left -= portion.filter((document) => {
          const judged = this.#judged.get(document) ?? null;
          return judged !== null && counts(judged);
        }).length;
        if (left <= 0 || this.#left < 0) return;
      }
      if (next === null) return;
      after = next;
    }
  }

  async #judgeAll(documents: readonly number[]): Promise<void> {
    for (const portion of splitIntoReads(documents.filter((document) => !this.#judged.has(document)))) {
      if (this.#left < 0 || !(await this.#mayContinue(portion.length * STEPS.document))) return;
      for (const document of portion) this.#judged.set(document, null);
      for (const { document, path, text } of await this.#source.read(portion)) {
        const steps = text.length * STEPS.character;
        this.#left -= steps;
        if (this.#left < 0 || !(await this.#mayContinue(steps))) return;
        this.#judged.set(document, matchDocument(this.#query, path, text));
      }
    }
  }

  async #mayContinue(steps: number): Promise<boolean> {
    this.#isEnded = this.#isEnded || !(await this.#pace.take(steps));
    return !this.#isEnded;
  }
}

function holds({ hasAllUnits, pieces }: DocumentMatch, piece: number): boolean {
  return hasAllUnits || (pieces[piece] ?? 0) > 0;
}
