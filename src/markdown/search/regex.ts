import type { CompiledRegex } from "./engine.ts";
import { type KeySet, documentsWithRequired } from "./keys.ts";
import { type LineLimits, type LineMatch, findMatchingLines, StepMeter, type EarlySearchEnd } from "./match-lines.ts";
import { type FoundDocument, splitIntoReads, type DocumentSource } from "./source.ts";
import type { StepPermit } from "./scheduler.ts";

type RegexHit<One extends FoundDocument> = { readonly found: One; readonly matches: readonly LineMatch[] };

/**
 * `too-many-steps`: the search exceeded the limit of steps; its incomplete result is not returned.
 * `ended`: the client no longer waits for the result.
 */
type RegexResult<One extends FoundDocument> =
  | { readonly kind: "found"; readonly hits: readonly RegexHit<One>[] }
  | { readonly kind: "too-many-steps" }
  | { readonly kind: "ended" };

const STEP_COSTS = { query: 5_000, number: 5, document: 1_000 } as const;

/** Searches documents for a regex. Sorts the matching documents by number. */
export async function searchRegex<One extends FoundDocument>(
  source: DocumentSource<One>,
  permit: StepPermit,
  regex: CompiledRegex,
  { limit, steps, lines }: { readonly limit: number; readonly steps: number; readonly lines: LineLimits },
): Promise<RegexResult<One>> {
  const search = new RegexSearch(source, new StepMeter(permit, steps), regex, lines);
  return search.find(limit);
}

class RegexSearch<One extends FoundDocument> {
  readonly #source: DocumentSource<One>;
  readonly #meter: StepMeter;
  readonly #regex: CompiledRegex;
  readonly #limits: LineLimits;
  readonly #searchedDocuments = new Set<number>();
  readonly #hits: RegexHit<One>[] = [];

  constructor(source: DocumentSource<One>, meter: StepMeter, regex: CompiledRegex, limits: LineLimits) {
    this.#source = source;
    this.#meter = meter;
    this.#regex = regex;
    this.#limits = limits;
  }

  async find(limit: number): Promise<RegexResult<One>> {
    const set = documentsWithRequired(this.#regex.required);
    const stopped = set.kind === "any" ? null : await this.#searchAll(await this.#source.unindexed());
    return stopped ?? (await this.#searchSet(set, limit)) ?? { kind: "found", hits: await this.#keepReadable(limit) };
  }

  /**
   * Examines the documents of a set, the oldest first, until `limit` further documents have
   * matched.
   */
  async #searchSet(set: KeySet, limit: number): Promise<EarlySearchEnd | null> {
    const maxHits = this.#hits.length + limit;
    for (let after: number | null = null; ; ) {
      const { documents, next } = await this.#source.portion(set, "oldest", after);
      const stopped =
        (await this.#meter.wait(STEP_COSTS.query + documents.length * STEP_COSTS.number)) ??
        (await this.#searchAll(documents, maxHits));
      if (stopped !== null || next === null || this.#hits.length >= maxHits) return stopped;
      after = next;
    }
  }

  async #searchAll(documents: readonly number[], most = Number.POSITIVE_INFINITY): Promise<EarlySearchEnd | null> {
    for (const portion of splitIntoReads(documents.filter((document) => !this.#searchedDocuments.has(document)))) {
      const stopped =
        (await this.#meter.wait(portion.length * STEP_COSTS.document)) ?? (await this.#searchDocuments(portion, most));
      if (stopped !== null || this.#hits.length >= most) return stopped;
    }
    return null;
  }

  async #searchDocuments(documents: readonly number[], most: number): Promise<EarlySearchEnd | null> {
    for (const document of documents) this.#searchedDocuments.add(document);
    for (const foundDocument of await this.#source.read(documents)) {
      if (this.#hits.length >= most) break;
      const stopped = await this.#meter.wait(foundDocument.text.length);
      if (stopped !== null) return stopped;
      const matches = await findMatchingLines(foundDocument.text, this.#regex, this.#meter, this.#limits);
      if ("kind" in matches) return matches;
      if (matches.length > 0) this.#hits.push({ found: foundDocument, matches });
    }
    return null;
  }

  /**
   * Returns the first `limit` hits whose documents can still be read. During the search, a document
   * may have been deleted, or the key may have lost its access.
   */
  async #keepReadable(limit: number): Promise<RegexHit<One>[]> {
    const hits = this.#hits.sort((a, b) => a.found.document - b.found.document).slice(0, limit);
    const present = new Set<number>();
    for (const portion of splitIntoReads(hits.map(({ found }) => found.document)))
      for (const { document } of await this.#source.read(portion)) present.add(document);
    return hits.filter(({ found }) => present.has(found.document));
  }
}
