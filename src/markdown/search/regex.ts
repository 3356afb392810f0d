import type { CompiledRegex } from "./engine.ts";
import { documentsWithRequired, type KeySet } from "./keys.ts";
import { type DocumentSource, type FoundDocument, splitIntoReads } from "./source.ts";
import { type StepPermit, STEPS_PER_ROUND } from "./scheduler.ts";
import { type CharacterRange, splitIntoLines } from "./snippets.ts";
import { scanLine } from "./scan-line.ts";

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
    const keySet = documentsWithRequired(this.#regex.required);
    const stopReason = keySet.kind === "any" ? null : await this.#searchAll(await this.#source.unindexed());
    return (
      stopReason ?? (await this.#searchSet(keySet, limit)) ?? { kind: "found", hits: await this.#keepReadable(limit) }
    );
  }

  /** Examines the documents of a set, oldest first, until `limit` more documents have matched. */
  async #searchSet(set: KeySet, limit: number): Promise<EarlySearchEnd | null> {
    const maxHits = this.#hits.length + limit;
    for (let after: number | null = null; ; ) {
      const { documents, next } = await this.#source.portion(set, "oldest", after);
      const stopReason =
        (await this.#meter.wait(STEP_COSTS.query + documents.length * STEP_COSTS.number)) ??
        (await this.#searchAll(documents, maxHits));
      if (stopReason !== null || next === null || this.#hits.length >= maxHits) return stopReason;
      after = next;
    }
  }

  async #searchAll(documents: readonly number[], most = Number.POSITIVE_INFINITY): Promise<EarlySearchEnd | null> {
    for (const portion of splitIntoReads(documents.filter((document) => !this.#searchedDocuments.has(document)))) {
      const portionStopReason =
        (await this.#meter.wait(portion.length * STEP_COSTS.document)) ?? (await this.#searchDocuments(portion, most));
      if (portionStopReason !== null || this.#hits.length >= most) return portionStopReason;
    }
    return null;
  }

  async #searchDocuments(documents: readonly number[], most: number): Promise<EarlySearchEnd | null> {
    for (const document of documents) this.#searchedDocuments.add(document);
    for (const foundDocument of await this.#source.read(documents)) {
      if (this.#hits.length >= most) break;
      const documentStopReason = await this.#meter.wait(foundDocument.text.length);
      if (documentStopReason !== null) return documentStopReason;
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
    const readableDocuments = new Set<number>();
    for (const portion of splitIntoReads(hits.map(({ found }) => found.document)))
      for (const { document } of await this.#source.read(portion)) readableDocuments.add(document);
    return hits.filter(({ found }) => readableDocuments.has(found.document));
  }
}

/**
 * Matching line. `line`, `column`: position of the first match; both numbers begin at 1. `text`:
 * the whole line. `ranges`: all matches in the line.
 */
type LineMatch = {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly ranges: readonly CharacterRange[];
};

/**
 * Limits for one document. `lines`: number of matching lines in the result. `characters`: length of
 * a line; longer lines are skipped.
 */
type LineLimits = { readonly lines: number; readonly characters: number };

/** LIMIT: number of matches shown in one line, because a line may match everywhere. */
const MAX_RANGES = 100;
/**
 * Share of a line's steps that one match costs. The regex engine usually stops at the match, long
 * before the end of the line.
 */
const STEP_SHARE_PER_MATCH = 0.1;
/**
 * LIMIT: number of steps without a pause, so that other tasks do not wait for long. The most
 * complex pattern needs 4,000 steps for each character.
 */
const STEPS_PER_PART = 40_000;
type EarlySearchEnd = { readonly kind: "too-many-steps" } | { readonly kind: "ended" };

/**
 * Limits the steps of one search. Steps are counted instead of time, so that a search has the same
 * result on every machine.
 */
class StepMeter {
  readonly #permit: StepPermit;
  #remainingSteps: number;

  /**
   * @param permit permission to run steps; the searches share one thread
   * @param most largest number of steps. The steps of a search are the number of searched
   * characters, times the number of steps of the pattern
   */
  constructor(permit: StepPermit, most: number) {
    this.#permit = permit;
    this.#remainingSteps = most;
  }

  /**
   * @param share part of the steps that counts towards the limit
   * @returns null if the steps may run; otherwise the reason why the search ends
   */
  async take(steps: number, share = 1): Promise<EarlySearchEnd | null> {
    this.#remainingSteps -= steps * share;
    if (this.#remainingSteps < 0) return { kind: "too-many-steps" };
    return this.wait(steps);
  }

  /**
   * Waits until some steps may run. Does not count these steps towards the limit. Their number
   * depends on the state of the search index, and the result of a search must not depend on that
   * state.
   */
  async wait(steps: number): Promise<EarlySearchEnd | null> {
    return (await this.#permit.take(steps)) ? null : { kind: "ended" };
  }
}

async function findMatchingLines(
  text: string,
  regex: CompiledRegex,
  meter: StepMeter,
  limits: LineLimits,
): Promise<LineMatch[] | EarlySearchEnd> {
  const matches: LineMatch[] = [];
  for (const [index, line] of splitIntoLines(text).entries()) {
    if (matches.length === limits.lines) break;
    // The number of UTF-16 units is never smaller than the number of characters, so the characters
    // of a short line need not be counted.
    if (line.length > limits.characters && countCharacters(line) > limits.characters) continue;
    const isShort = line.length * regex.stepsPerCharacter <= STEPS_PER_ROUND;
    const foundRanges = await (isShort ? findRanges(line, regex, meter) : findRangesInParts(line, regex, meter));
    if ("kind" in foundRanges) return foundRanges;
    if (foundRanges.length > 0) matches.push(createLineMatch(index + 1, line, foundRanges));
  }
  return matches;
}

/**
 * Finds the matches in a short line. Each match takes as many steps as the rest of the line may
 * need. Only the share `STEP_SHARE_PER_MATCH` of them counts towards the limit.
 */
async function findRanges(
  line: string,
  regex: CompiledRegex,
  meter: StepMeter,
): Promise<CharacterRange[] | EarlySearchEnd> {
  const ranges: CharacterRange[] = [];
  const lineStopReason = await meter.take(line.length * regex.stepsPerCharacter);
  if (lineStopReason !== null) return lineStopReason;
  const nextMatch = regex.finder(line);
  while (nextMatch !== null && ranges.length < MAX_RANGES) {
    const remainingLength = line.length - (ranges.at(-1)?.[1] ?? 0);
    const stopReason = await meter.take(remainingLength * regex.stepsPerCharacter, STEP_SHARE_PER_MATCH);
    if (stopReason !== null) return stopReason;
    const range = nextMatch();
    if (range === null) break;
    ranges.push(range);
  }
  return ranges;
}

/** Finds the matches in a long line, with pauses, which `re2js` does not allow. */
async function findRangesInParts(
  line: string,
  regex: CompiledRegex,
  meter: StepMeter,
): Promise<CharacterRange[] | EarlySearchEnd> {
  const scan = scanLine(regex.program, line, { ranges: MAX_RANGES, steps: STEPS_PER_PART });
  for (;;) {
    const stopReason = await meter.take(STEPS_PER_PART);
    if (stopReason !== null) return stopReason;
    const part = scan.next();
    if (part.done === true) return part.value;
  }
}

function createLineMatch(line: number, text: string, found: readonly CharacterRange[]): LineMatch {
  const ranges: CharacterRange[] = [];
  let units = 0;
  let characters = 0;
  for (const [start, end] of found) {
    const firstCharacter = characters + countCharacters(text.slice(units, start));
    characters = firstCharacter + countCharacters(text.slice(start, end));
    units = end;
    ranges.push([firstCharacter, characters]);
  }
  return { line, column: ranges[0]![0] + 1, text, ranges };
}

/** Counts code points. Half of a surrogate pair counts as one code point. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
