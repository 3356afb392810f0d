/** Finds the lines of one text that match a regex, in scans of a bounded number of steps. */

import type { CompiledRegex } from "./engine.ts";
import { linesOf } from "./lines.ts";
import { scanLine } from "./scan-line.ts";
import type { Range } from "./snippets.ts";
import { type StepPermit, STEPS_PER_ROUND } from "./scheduler.ts";

/**
 * A matching line. `line` and `column`: from 1, in characters (code points). `text`: the whole
 * line.
 */
export type LineMatch = {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly ranges: readonly Range[];
};

/** Limits for one document: lines shown, and characters of the longest line that is examined. */
export type LineLimits = { readonly lines: number; readonly characters: number };

/** LIMIT: ranges that are shown in one line. */
const MAX_RANGES = 100;
/**
 * Share of a scan's steps that are charged for finding one match. The engine usually stops at the
 * match, and reads to the end of the line at worst.
 */
const SHARE_PER_MATCH = 0.1;
/**
 * LIMIT: steps of one part of a scan, after which other work can run. The most complex pattern
 * needs 4,000 for each character.
 */
const STEPS_PER_PART = 40_000;
export type EarlyEnd = { readonly kind: "too-many-steps" } | { readonly kind: "ended" };

/** Counts steps instead of time, so that a search has the same result on any machine. */
export class StepMeter {
  readonly #pace: StepPermit;
  #left: number;

  /** @param most steps: characters scanned, times the pattern's steps per character */
  constructor(permit: StepPermit, most: number) {
    this.#pace = permit;
    this.#left = most;
  }

  /**
   * Waits until the steps may run.
   * @param share part of the steps that is charged
   * @returns null when the steps may run
   */
  async take(steps: number, share = 1): Promise<EarlyEnd | null> {
    this.#left -= steps * share;
    if (this.#left < 0) return { kind: "too-many-steps" };
    return this.wait(steps);
  }

  /**
   * Waits until `steps` may run, and charges none: their number depends on the state of the index.
   */
  async wait(steps: number): Promise<EarlyEnd | null> {
    return (await this.#pace.take(steps)) ? null : { kind: "ended" };
  }
}

/** Returns the first matching lines of a text, at most `limits.lines`. */
export async function matchText(
  text: string,
  regex: CompiledRegex,
  meter: StepMeter,
  limits: LineLimits,
): Promise<LineMatch[] | EarlyEnd> {
  const matches: LineMatch[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    if (matches.length === limits.lines) break;
    // A character has one or two UTF-16 units, so most lines need no count.
    if (line.length > limits.characters && charactersIn(line) > limits.characters) continue;
    const isShort = line.length * regex.stepsPerCharacter <= STEPS_PER_ROUND;
    const found = await (isShort ? rangesIn(line, regex, meter) : rangesInParts(line, regex, meter));
    if ("kind" in found) return found;
    if (found.length > 0) matches.push(lineMatch(index + 1, line, found));
  }
  return matches;
}

/** Finds the ranges of a short line. Each match is charged separately for the rest of the line. */
async function rangesIn(line: string, regex: CompiledRegex, meter: StepMeter): Promise<Range[] | EarlyEnd> {
  const ranges: Range[] = [];
  const stopped = await meter.take(line.length * regex.stepsPerCharacter);
  if (stopped !== null) return stopped;
  const next = regex.finder(line);
  while (next !== null && ranges.length < MAX_RANGES) {
    const left = line.length - (ranges.at(-1)?.[1] ?? 0);
    const ended = await meter.take(left * regex.stepsPerCharacter, SHARE_PER_MATCH);
    if (ended !== null) return ended;
    const range = next();
    if (range === null) break;
    ranges.push(range);
  }
  return ranges;
}

/** Finds the ranges of a long line in parts, because the engine cannot pause during a scan. */
async function rangesInParts(line: string, regex: CompiledRegex, meter: StepMeter): Promise<Range[] | EarlyEnd> {
  const scan = scanLine(regex.program, line, { ranges: MAX_RANGES, steps: STEPS_PER_PART });
  for (;;) {
    const stopped = await meter.take(STEPS_PER_PART);
    if (stopped !== null) return stopped;
    const part = scan.next();
    if (part.done === true) return part.value;
  }
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

/** Counts code points; a lone surrogate counts as one. */
function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
