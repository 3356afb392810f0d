import { type DocumentMatch, matchDocument, parseQuery, type TextQuery } from "./match-document.ts";
import {
  intersectSets,
  isWholeWordOnly,
  type KeySet,
  documentsWithLiteral,
  documentsWithTitle,
  documentsWithUnit,
} from "./keys.ts";
import { type SearchString, createSearchString, type Snippet, createSnippets } from "./snippets.ts";
import { type FoundDocument, splitIntoReads, type DocumentSource } from "./source.ts";
import type { StepPermit } from "./scheduler.ts";

export type HybridHit<One extends FoundDocument> = {
  readonly found: One;
  readonly score: number;
  readonly snippets: readonly Snippet[];
};

/** `ended`: the client no longer waits for the result. */
type HybridResult<One extends FoundDocument> =
  | { readonly kind: "found"; readonly hits: readonly HybridHit<One>[] }
  | { readonly kind: "ended" };

/**
 * LIMIT: number of documents that are compared with each part of a query, in addition to the
 * requested number. The newest documents are compared. So a search for a frequent word takes
 * limited time.
 */
const MAX_ADDITIONAL_DOCUMENTS = 100;
/**
 * LIMIT: number of steps of one search, so that a search takes limited time. `waiting`: for
 * documents that are not in the search index yet. `indexed`: for documents in the search index. At
 * the limit, the search returns the best documents that it has found.
 */
const MAX_STEPS = { waiting: 10_000_000, indexed: 20_000_000 } as const;
/**
 * Number of steps for each part of the work. `query`: one query of the search index. `number`: one
 * document number in the result of a query. `document`: reading one document. `character`: one
 * character of a document's content. `snippets`: making the snippets of one document.
 */
const STEP_COSTS = { query: 5_000, number: 5, document: 1_000, character: 2, snippets: 20_000 } as const;
/**
 * Highest score of a document that has only some words of the query. A document with all words has
 * at least the score 1.
 */
const MAX_PARTIAL_SCORE = 0.5;

/**
 * Searches documents for free text; the best matches come first. Documents with all words, or with
 * the query as the user typed it, come before documents with some words. Documents with some words
 * are searched only if the search found fewer than `limit` of the better documents.
 */
export async function searchHybrid<One extends FoundDocument>(
  source: DocumentSource<One>,
  permit: StepPermit,
  text: string,
  limit: number,
): Promise<HybridResult<One>> {
  const search = new HybridSearch(source, permit, parseQuery(text), limit);
  await search.searchExactly();
  if (search.hasTooFew()) await search.searchLoosely();
  return search.result();
}

class HybridSearch<One extends FoundDocument> {
  readonly #source: DocumentSource<One>;
  readonly #permit: StepPermit;
  readonly #query: TextQuery;
  readonly #limit: number;
  /** Matches by the number of the document; null if a document could not be read. */
  readonly #matches = new Map<number, DocumentMatch | null>();
  /**
   * Weight of each piece of the query, for documents that have only some pieces. Rare pieces weigh
   * more than frequent ones. Empty if such documents were not searched.
   */
  #pieceWeights: readonly number[] = [];
  #remainingSteps: number = MAX_STEPS.waiting;
  #isEnded = false;

  constructor(source: DocumentSource<One>, permit: StepPermit, query: TextQuery, limit: number) {
    this.#source = source;
    this.#permit = permit;
    this.#query = query;
    this.#limit = limit;
  }

  hasTooFew(): boolean {
    let fullMatches = 0;
    for (const match of this.#matches.values()) if (match !== null && match.score > 0) fullMatches++;
    return fullMatches < this.#limit;
  }

  /**
   * Searches documents that have all words of the query, or the query as the user typed it. The
   * order is: documents that are not in the search index yet, paths and headings, the typed query,
   * whole contents.
   */
  async searchExactly(): Promise<void> {
    const { units, literal } = this.#query;
    await this.#matchAll(await this.#source.unindexed());
    this.#remainingSteps = MAX_STEPS.indexed;
    const hasAllUnits = (judged: DocumentMatch) => judged.hasAllUnits;
    if (units.length > 0) await this.#matchSet(intersectSets(units.map(documentsWithTitle)), hasAllUnits);
    if (literal !== "") await this.#matchSet(documentsWithLiteral(literal), ({ isLiteral }) => isLiteral);
    if (units.length > 0) await this.#matchSet(intersectSets(units.map(documentsWithUnit)), hasAllUnits);
  }

  /**
   * Searches documents that have some pieces of the query. A piece is a word, or a pair of
   * characters in scripts without spaces.
   */
  async searchLoosely(): Promise<void> {
    const { pieces } = this.#query;
    if (pieces.length < 2) return;
    for (const [i, piece] of pieces.entries())
      await this.#matchSet(documentsWithUnit(piece), (judged) => hasPiece(judged, i));
    const maxCount = this.#limit + MAX_ADDITIONAL_DOCUMENTS;
    const allMatches = [...this.#matches.values()].filter((judged) => judged !== null);
    const documentCounts = pieces.map((_, i) =>
      Math.min(maxCount, allMatches.filter((judged) => hasPiece(judged, i)).length),
    );
    const isInformative = documentCounts.some((count) => count > 0 && count < maxCount);
    this.#pieceWeights = documentCounts.map((count) =>
      isInformative && count === maxCount ? 0 : Math.log(1 + maxCount / Math.max(1, count)),
    );
  }

  /** Reads the best documents again, so that the result shows their current state. */
  async result(): Promise<HybridResult<One>> {
    const scores = this.#best();
    const needles = this.#needles();
    const hits: HybridHit<One>[] = [];
    for (const portion of splitIntoReads([...scores.keys()])) {
      for (const foundDocument of this.#isEnded ? [] : await this.#source.read(portion)) {
        const steps = STEP_COSTS.snippets + foundDocument.text.length * STEP_COSTS.character;
        if (!(await this.#mayContinue(steps))) break;
        hits.push({
          found: foundDocument,
          score: scores.get(foundDocument.document)!,
          snippets: createSnippets(foundDocument.text, needles),
        });
      }
    }
    return this.#isEnded ? { kind: "ended" } : { kind: "found", hits };
  }

  /**
   * Returns the scores of the best documents by their numbers, best first. Among equal scores,
   * newer documents come first.
   */
  #best(): Map<number, number> {
    const scoredDocuments: [document: number, score: number][] = [];
    for (const [document, judged] of this.#matches) {
      const score = judged === null ? 0 : judged.score || this.#scoreOfSome(judged);
      if (score > 0) scoredDocuments.push([document, score]);
    }
    return new Map(scoredDocuments.sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, this.#limit));
  }

  /**
   * Returns the score of a document that has only some pieces. A piece gives half of its weight if
   * the document has it, and up to the other half for how well it matches.
   */
  #scoreOfSome({ pieces }: DocumentMatch): number {
    const totalWeight = this.#pieceWeights.reduce((sum, rarity) => sum + rarity, 0);
    const foundWeight = this.#pieceWeights.reduce(
      (sum, rarity, i) => sum + (pieces[i] ? rarity * (1 + pieces[i]) : 0),
      0,
    );
    return foundWeight === 0 ? 0 : (MAX_PARTIAL_SCORE * foundWeight) / (2 * totalWeight);
  }

  /**
   * Returns the strings to highlight: the words of the query, and the query as the user typed it.
   * Also returns the pieces, if documents with only some of the pieces were searched.
   */
  #needles(): SearchString[] {
    const { units, pieces, literal, isSpelled } = this.#query;
    const shownPieces = this.#pieceWeights.length === 0 ? units : new Set([...units, ...pieces]);
    const needles = [...shownPieces].map(({ kind, text }) =>
      createSearchString(text, kind === "word" && isWholeWordOnly(text)),
    );
    return isSpelled && literal !== "" ? [...needles, { text: literal, whole: false }] : needles;
  }

  /** Examines the newest documents of a set, until `counts` was true for enough of them. */
  async #matchSet(set: KeySet, counts: (judged: DocumentMatch) => boolean): Promise<void> {
    let remainingDocuments = this.#limit + MAX_ADDITIONAL_DOCUMENTS;
    for (let after: number | null = null; await this.#mayContinue(STEP_COSTS.query); ) {
      const { documents, next } = await this.#source.portion(set, "newest", after);
      if (!(await this.#mayContinue(documents.length * STEP_COSTS.number))) return;
      for (const portion of splitIntoReads(documents)) {
        await this.#matchAll(portion);
        remainingDocuments -= portion.filter((document) => {
          const match = this.#matches.get(document) ?? null;
          return match !== null && counts(match);
        }).length;
        if (remainingDocuments <= 0 || this.#remainingSteps < 0) return;
      }
      if (next === null) return;
      after = next;
    }
  }

  async #matchAll(documents: readonly number[]): Promise<void> {
    for (const portion of splitIntoReads(documents.filter((document) => !this.#matches.has(document)))) {
      if (this.#remainingSteps < 0 || !(await this.#mayContinue(portion.length * STEP_COSTS.document))) return;
      for (const document of portion) this.#matches.set(document, null);
      for (const { document, path, text } of await this.#source.read(portion)) {
        const steps = text.length * STEP_COSTS.character;
        this.#remainingSteps -= steps;
        if (this.#remainingSteps < 0 || !(await this.#mayContinue(steps))) return;
        this.#matches.set(document, matchDocument(this.#query, path, text));
      }
    }
  }

  async #mayContinue(steps: number): Promise<boolean> {
    this.#isEnded = this.#isEnded || !(await this.#permit.take(steps));
    return !this.#isEnded;
  }
}

function hasPiece({ hasAllUnits, pieces }: DocumentMatch, piece: number): boolean {
  return hasAllUnits || (pieces[piece] ?? 0) > 0;
}
