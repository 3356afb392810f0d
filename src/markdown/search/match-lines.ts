import type { CompiledRegex } from "./engine.ts";
import { splitIntoLines } from "./lines.ts";
import { scanLine } from "./scan-line.ts";
import type { CharacterRange } from "./snippets.ts";
import { type StepPermit, STEPS_PER_ROUND } from "./scheduler.ts";

/**
 * Matching line. `line`, `column`: position of the first match, in characters from 1. `text`: the
 * whole line. `ranges`: all matches in the line.
 */
export type LineMatch = {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly ranges: readonly CharacterRange[];
};

/**
 * Limits for one document. `lines`: number of matching lines in the result. `characters`: length of
 * a line; longer lines are skipped.
 */
export type LineLimits = { readonly lines: number; readonly characters: number };

/**
 * LIMIT: number of matches that are shown in one line, because a line may match at every character.
 */
const MAX_RANGES = 100;
/**
 * Finding one match costs this share of the steps for a whole line. The search usually stops at the
 * match, long before the end of the line.
 */
const STEP_SHARE_PER_MATCH = 0.1;
/**
 * LIMIT: number of steps without a pause, so that other tasks do not wait for long. The most
 * complex pattern needs 4,000 steps for each character.
 */
const STEPS_PER_PART = 40_000;
export type EarlySearchEnd = { readonly kind: "too-many-steps" } | { readonly kind: "ended" };

/**
 * Limits the steps of one search. Steps are counted instead of time, so that a search has the same
 * result on every machine.
 */
export class StepMeter {
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
   * @returns null if the steps may run; otherwise why the search ends
   */
  async take(steps: number, share = 1): Promise<EarlySearchEnd | null> {
    this.#remainingSteps -= steps * share;
    if (this.#remainingSteps < 0) return { kind: "too-many-steps" };
    return this.wait(steps);
  }

  /**
   * Waits until some steps may run. Does not count these steps towards the limit: their number
   * depends on the state of the index, but the result of a search must not depend on it.
   */
  async wait(steps: number): Promise<EarlySearchEnd | null> {
    return (await this.#permit.take(steps)) ? null : { kind: "ended" };
  }
}

export async function findMatchingLines(
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
 * Finds the matches in a short line without a pause. Each match costs steps for the rest of the
 * line.
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
    const left = line.length - (ranges.at(-1)?.[1] ?? 0);
    const stopReason = await meter.take(left * regex.stepsPerCharacter, STEP_SHARE_PER_MATCH);
    if (stopReason !== null) return stopReason;
    const range = nextMatch();
    if (range === null) break;
    ranges.push(range);
  }
  return ranges;
}

/**
 * Finds the matches in a long line, with pauses. The package `re2js` cannot pause within a line.
 */
async function findRangesInParts(
  line: string,
  regex: CompiledRegex,
  meter: StepMeter,
): Promise<CharacterRange[] | EarlySearchEnd> {
  const scan = scanLine(regex.program, line, { ranges: MAX_RANGES, steps: STEPS_PER_PART });
  for (;;) {
    const stopped = await meter.take(STEPS_PER_PART);
    if (stopped !== null) return stopped;
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

/** Counts code points. Half of a surrogate pair counts as one. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
