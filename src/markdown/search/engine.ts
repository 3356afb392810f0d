/**
 * Compiles regular expressions with the package `re2js`. The syntax of `re2js` has no
 * back-references and no look-around, so the time of a search is linear in the length of a
 * document. Only a search by regex needs the package, so import this module with `await import`.
 */

import { RE2JS } from "re2js";
import { isAscii } from "./words.ts";
import type { RequiredText } from "./keys.ts";
import type { RegexProgram } from "./scan-line.ts";

/** Function that returns the next match as a range of UTF-16 units; null after the last. */
type NextMatch = () => readonly [start: number, end: number] | null;

export type CompiledRegex = {
  readonly required: RequiredText;
  readonly stepsPerCharacter: number;
  /** Function that returns an iterator over the matches of a line; null without a match. */
  readonly finder: (line: string) => NextMatch | null;
  /** Compiled program, for lines that are too long to be searched without a pause. */
  readonly program: RegexProgram;
};

type CompiledOrRefused =
  | { readonly kind: "compiled"; readonly regex: CompiledRegex }
  /** `why`: reason for the refusal, as a clause for users. */
  | { readonly kind: "malformed" | "too-complex"; readonly why: string };

/**
 * LIMIT: number of steps in a compiled pattern, because the time of a search grows with this
 * number. A pattern of 1,024 characters that repeats `(?:a?){1000}` would have 170,000 steps, and
 * one long line would block the process for seconds.
 */
export const MAX_STEPS = 2_000;
const STEPS_PER_CHARACTER = 8;
/** Factor by which a step takes longer if the package looks up a Unicode table. */
const UNICODE_STEP_WEIGHT = 3;
/**
 * If the estimated number of steps is more than `MAX_STEPS` times this factor, the pattern is
 * refused without being compiled.
 */
const MAX_ESTIMATE_FACTOR = 4;

export function compileRegex(pattern: string): CompiledOrRefused {
  const estimate = estimateSteps(pattern) + estimateFolding(pattern);
  if (estimate > MAX_ESTIMATE_FACTOR * MAX_STEPS) return refuseAsTooComplex(`some ${Math.round(estimate)}`);
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(pattern);
  } catch (error) {
    // Every error counts as an invalid pattern, even an error from a bug in the package's parser.
    return { kind: "malformed", why: error instanceof Error ? error.message : String(error) };
  }
  const steps = regex.programSize();
  if (steps > MAX_STEPS) return refuseAsTooComplex(String(steps));
  return {
    kind: "compiled",
    regex: {
      required: readRequiredText(pattern, regex),
      stepsPerCharacter: STEPS_PER_CHARACTER + steps * chooseStepWeight(pattern),
      finder: (text) => (regex.test(text) ? createNextMatch(regex, text) : null),
      program: regex.re2().prog,
    },
  };
}

const IGNORE_CASE = "(?i)";
const NO_REQUIRED_TEXT: RequiredText = { type: 0, str: "", subs: [] };

/**
 * Returns strings that every match of a pattern contains. Documents without these strings need not
 * be searched.
 */
function readRequiredText(pattern: string, compiled: RE2JS): RequiredText {
  // If a pattern ignores case, the package returns no strings. The search index ignores case
  // anyway, so the strings of the same pattern with case are used. For ASCII, these strings are
  // complete. For other characters, only the package knows which ones are equal without case; `\x`
  // may mean such a character.
  const ignoresCase = pattern.startsWith(IGNORE_CASE) && isAscii(pattern) && !pattern.includes("\\x");
  const exactRegex = ignoresCase ? RE2JS.compile(pattern.slice(IGNORE_CASE.length)) : compiled;
  return (exactRegex.re2().prefilter as RequiredText | null) ?? NO_REQUIRED_TEXT;
}

function refuseAsTooComplex(steps: string): CompiledOrRefused {
  return { kind: "too-complex", why: `it compiles to ${steps} steps, more than ${MAX_STEPS}` };
}

/**
 * Returns the weight of each step of a pattern. The package searches a pattern without operators as
 * a plain string, so the steps of such a pattern cost nothing.
 */
function chooseStepWeight(pattern: string): number {
  if (!/[\\^$.|?*+()[\]{}]/.test(pattern)) return 0;
  return /\\[pP]/.test(pattern) ? UNICODE_STEP_WEIGHT : 1;
}

/**
 * Matches one part of a pattern: quoted characters, the beginning of a group, a character class, a
 * repetition with its numbers, or any other character.
 */
const PATTERN_TOKEN =
  /\\Q.*?(?:\\E|$)|\((?:\?(?:P?<\w+>|[a-zA-Z-]*:))?|\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

/**
 * Estimates the steps of a pattern before it is compiled, because compiling cannot be interrupted.
 * Repeating `(?:a?){1000}` many times would block the process.
 */
function estimateSteps(pattern: string): number {
  const outerSums: number[] = [];
  let stepSum = 0;
  let lastSteps = 0;
  for (const [token, least, most] of pattern.matchAll(PATTERN_TOKEN)) {
    if (token.startsWith("(")) {
      outerSums.push(stepSum);
      stepSum = 0;
    } else if (token === ")") {
      lastSteps = stepSum + 2;
      stepSum = lastSteps + (outerSums.pop() ?? 0);
    } else if (least === undefined) {
      lastSteps = token.startsWith("\\Q") ? token.length : 1;
      stepSum += lastSteps;
    } else {
      const repeatedSteps = lastSteps * (Math.max(1, Number(least), Number(most ?? 0)) - 1);
      stepSum += repeatedSteps;
      lastSteps += repeatedSteps;
    }
  }
  return stepSum;
}

/** Matches the end of a range in a character class, written as a character or as its code point. */
const CLASS_RANGE_END = /-(?=\\x\{?([\da-f]+)|(.))/gisu;
/** Highest code point with an upper and a lower case in the tables of `re2js`. */
const LAST_CHARACTER_WITH_CASE = 0x1e943;
/**
 * Number of characters whose upper and lower cases the package looks up in the time of one step.
 */
const CHARACTERS_PER_STEP = 50;

/**
 * Estimates the steps for compiling the character ranges of a pattern that ignores case. The
 * package looks up the cases of each character in a range, and a pattern may have hundreds of large
 * ranges. The estimate assumes that each range begins at character 0, because a pattern may write
 * the first character of a range in many ways.
 */
function estimateFolding(pattern: string): number {
  if (!/\(\?[a-z]*i/i.test(pattern)) return 0;
  let characters = 0;
  for (const [, number, character] of pattern.matchAll(CLASS_RANGE_END)) {
    const rangeEnd = number === undefined ? character!.codePointAt(0)! : Number.parseInt(number, 16);
    characters += Math.min(rangeEnd, LAST_CHARACTER_WITH_CASE);
  }
  return characters / CHARACTERS_PER_STEP;
}

function createNextMatch(compiled: RE2JS, line: string): NextMatch {
  const matcher = compiled.matcher(line);
  return () => (matcher.find() ? [matcher.start(), matcher.end()] : null);
}
