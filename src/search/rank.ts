import { allOf, anyOf, type Part } from "./match.ts";
import { MOST_RANKED, type Row, type WordQueries, type Words } from "./word-queries.ts";

type Scored = { readonly document: number; score: number };

/**
 * LIMIT: of the documents that hold a part in their path, the best so many are judged by their
 * texts too; and so many are asked one by one for a common part.
 */
const MOST_JUDGED = 200;

/** LIMIT: where all parts are common, so many times what is asked for is looked at. */
const NEWEST_FOR_EACH = 4;

/** Documents with a part in their path: which parts (a bit each), and their score by the path. */
type ByPath = ReadonlyMap<number, { parts: number; score: number }>;

/** A part of a query, and in how many paths it is, as `WordQueries.some` tells. */
type Counted = { readonly part: Part; readonly expression: string; readonly inPaths: number };
/** Parts of a query by how many documents hold them. */
type Sorted = { readonly rare: readonly string[]; readonly common: readonly Counted[] };

/** What may be found, and how much of it is asked for; the caller asks again whether it may be. */
export type Wanted = { accepts(document: number): boolean; readonly depth: number };

/** What holds every part, best first; whether it is all that does, or the newest. */
type Held = { readonly documents: Iterable<number>; readonly isWhole: boolean };

/**
 * Documents by the words that they hold, in their text or in their path. The two are indexed apart,
 * so that a rename leaves the texts alone; here they are one again: each part of a query may be in
 * either.
 *
 * What a search costs does not grow with what is common. Parts in at most `MOST_RANKED` documents
 * rank exactly; a common part beside them is a condition that counts for nothing in the rank; where
 * all are common, some hundreds of the newest documents are found, headings first.
 */
export class WordRank {
  readonly #texts: WordQueries;
  readonly #paths: WordQueries;

  constructor({ texts, paths }: Words) {
    this.#texts = texts;
    this.#paths = paths;
  }

  /** Documents that hold every part. */
  holding(parts: readonly Part[], wanted: Wanted): Held {
    const sorted = this.#sorted(parts);
    if (sorted === null) return { documents: [], isWhole: true };
    const { rare, common } = sorted;
    if (common.length === 0) return { documents: this.#ranked(rare), isWhole: true };
    if (rare.length > 0) return { documents: this.#narrowed(rare, common), isWhole: true };
    return { documents: this.#newest(common, wanted), isWhole: false };
  }

  /** Of some documents, those whose text holds an expression. */
  among(documents: readonly number[], expression: string): number[] {
    const holding = this.#texts.among(documents, [[expression]]);
    return documents.filter((document) => holding.has(document));
  }

  /** Documents whose file name matches, best first; of very many the newest first. */
  named(expression: string, wanted: Wanted): Iterable<number> {
    const named = `name : ${expression}`;
    if (this.#paths.some([named]) > MOST_RANKED) return newestOf(this.#paths, named, wanted);
    return documentsOf(this.#paths.ranked(named));
  }

  /** @returns null where a part is in no document */
  #sorted(parts: readonly Part[]): Sorted | null {
    const rare: string[] = [];
    const common = new Map<string, Counted>();
    for (const part of parts) {
      const [inTexts, inPaths] = [this.#texts.some(part), this.#paths.some(part)];
      if (inTexts === 0 && inPaths === 0) return null;
      const expression = anyOf(part);
      if (inTexts <= MOST_RANKED && inPaths <= MOST_RANKED) rare.push(expression);
      else common.set(expression, { part, expression, inPaths });
    }
    return { rare, common: [...common.values()] };
  }

  *#ranked(parts: readonly string[]): Generator<number, void> {
    const byPath = this.#byPath(parts);
    const withPath = this.#complete(parts, byPath);
    let next = 0;
    for (const { document, score } of this.#texts.ranked(allOf(parts))) {
      if (byPath.has(document)) continue;
      for (; next < withPath.length && withPath[next]!.score <= score; next++) yield withPath[next]!.document;
      yield document;
    }
    for (; next < withPath.length; next++) yield withPath[next]!.document;
  }

  /** In the order of the rare parts. What has a part in its path alone is asked by itself. */
  #narrowed(rare: readonly string[], common: readonly Counted[]): number[] {
    const others = common.map(({ expression }) => expression);
    const inTexts = this.#texts.documents(allOf([...rare, ...others]));
    let left = MOST_JUDGED;
    return [...this.#ranked(rare)].filter(
      (document) => inTexts.has(document) || (left-- > 0 && this.#holdsEach(document, others)),
    );
  }

  #holdsEach(document: number, parts: readonly string[]): boolean {
    return parts.every((part) => this.#texts.has(part, document) || this.#paths.has(part, document));
  }

  /** All parts are common: with all in the path or in the headings first, then the newest. */
  #newest(common: readonly Counted[], wanted: Wanted): number[] {
    const all = allOf(common.map(({ expression }) => expression));
    const inTexts = newestOf(this.#texts, all, wanted);
    const inPaths = newestOf(this.#paths, all, wanted);
    const parts = common.map(({ part }) => part);
    const told = new Set([...inPaths, ...this.#texts.among(inTexts, parts, "headings")]);
    const others = common.length === 1 ? [] : this.#mixed(common, wanted);
    const found = [...new Set([...inTexts, ...inPaths, ...others])].sort(byNumberDown);
    return [...found.filter((document) => told.has(document)), ...found.filter((document) => !told.has(document))];
  }

  /** Those with some parts in the path and the others in the text. */
  #mixed(counted: readonly Counted[], wanted: Wanted): number[] {
    const parts = counted.map(({ expression }) => expression);
    const often = counted.filter(({ inPaths }) => inPaths > MOST_RANKED).map(({ expression }) => expression);
    const others = parts.filter((part) => !often.includes(part));
    const found: number[] = [];
    if (often.length > 0 && others.length > 0) {
      const inTexts = newestOf(this.#texts, allOf(others), wanted);
      const [last, first] = [inTexts.at(-1) ?? 0, inTexts[0] ?? 0];
      const inPaths = this.#paths.between(allOf(often), last, first);
      found.push(...inTexts.filter((document) => inPaths.has(document)));
    }
    let left = MOST_JUDGED;
    for (const { expression, inPaths } of counted) {
      if (inPaths === 0 || inPaths > MOST_RANKED) continue;
      const rest = parts.filter((other) => other !== expression);
      // Read to its end: SQLite's one connection answers one question at a time.
      const withPart = [...this.#paths.ranked(expression)]
        .map(({ document }) => document)
        .filter((document) => wanted.accepts(document));
      found.push(...withPart.filter((document) => left-- > 0 && this.#holdsEach(document, rest)));
    }
    return found;
  }

  #byPath(parts: readonly string[]): ByPath {
    const found = new Map<number, { parts: number; score: number }>();
    for (const [i, part] of parts.entries()) {
      for (const { document, score } of this.#paths.ranked(part)) {
        const before = found.get(document);
        if (before === undefined) found.set(document, { parts: 1 << i, score });
        else {
          before.parts |= 1 << i;
          before.score += score;
        }
      }
    }
    return found;
  }

  /**
   * Of those, the ones whose text holds the other parts; a text's score is that of all parts in it.
   */
  #complete(parts: readonly string[], byPath: ByPath): Scored[] {
    const groups = Map.groupBy(byPath, ([, { parts: bits }]) => bits);
    const scored: Scored[] = [];
    for (const [bits, group] of groups) {
      const others = parts.filter((_, i) => (bits & (1 << i)) === 0);
      const holding = others.length === 0 ? null : this.#texts.documents(allOf(others));
      for (const [document, { score }] of group)
        if (holding === null || holding.has(document)) scored.push({ document, score });
    }
    if (scored.length === 0) return scored;
    scored.sort(byScore);
    const judged = new Map(scored.slice(0, MOST_JUDGED).map((each) => [each.document, each]));
    for (const { document, score } of this.#texts.scores(anyOf(parts), judged.keys())) {
      judged.get(document)!.score += score;
    }
    return scored.sort(byScore);
  }
}

function newestOf(words: WordQueries, expression: string, { accepts, depth }: Wanted): number[] {
  return words.newest(expression, accepts, Math.min(depth * NEWEST_FOR_EACH, MOST_RANKED));
}

function* documentsOf(rows: Iterable<Row>): Generator<number, void> {
  for (const { document } of rows) yield document;
}

/**
 * FTS5's score is the lower the better. Equal scores by number, so that the order is always the
 * same.
 */
function byScore(a: Scored, b: Scored): number {
  return a.score - b.score || a.document - b.document;
}

function byNumberDown(a: number, b: number): number {
  return b - a;
}
