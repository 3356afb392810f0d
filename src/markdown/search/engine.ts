import { RE2JS } from "re2js";
import type { Program } from "./scan-line.ts";

/**
 * The regex engine: RE2's syntax (no back-references, no look-around), time linear in the text for
 * any pattern. This module alone loads the package; import it when a regex comes (`await import`),
 * because no other command needs it.
 */

/** Returns the next match as a half-open range of UTF-16 units; null: there is none. */
type NextMatch = () => readonly [start: number, end: number] | null;

export type CompiledRegex = {
  readonly pattern: string;
  /**
   * What a character costs at most, in steps: those of the compiled pattern, and some for the
   * character itself.
   */
  readonly stepsPerCharacter: number;
  /** Whether any line of a text can match, never false when one does; null: that cannot be told. */
  readonly mayMatch: ((text: string) => boolean) | null;
  /** Begins to look for the matches of a line; null: it has none. */
  readonly finder: (line: string) => NextMatch | null;
  /** The compiled pattern, for lines that the engine cannot scan in one round. */
  readonly program: Program;
};

type Compilation =
  | { readonly kind: "compiled"; readonly regex: CompiledRegex }
  /** `why`: a clause for people. */
  | { readonly kind: "malformed" | "too-complex"; readonly why: string };

export type CompileRegex = (pattern: string) => Compilation;

/**
 * LIMIT: steps of a compiled pattern. Time is linear in the text but also in these: `(?:a?){1000}`
 * repeated as often as 1,024 characters allow has 170,000 and takes 35 s for one line of 4,096
 * characters, with 2,000 less than half a second. `\pL{1000}` has 1,003.
 */
export const MOST_STEPS = 2_000;
/** What a character costs beside the pattern's steps. */
const STEPS_OF_A_CHARACTER = 8;
/** A step that looks a character up in a table of Unicode takes so many times as long. */
const UNICODE_STEP = 3;
/** LIMIT: with more steps whole texts are not looked at first, only their lines. */
const MOST_STEPS_FOR_TEXTS = 300;
/** Beyond so many times `MOST_STEPS`, an estimate is enough to refuse a pattern. */
const SURELY = 4;

export function compileRegex(pattern: string): Compilation {
  const estimate = estimateSteps(pattern) + estimateFolding(pattern);
  if (estimate > SURELY * MOST_STEPS) return tooComplex(`some ${Math.round(estimate)}`);
  let line: RE2JS;
  try {
    line = RE2JS.compile(pattern);
  } catch (error) {
    // RE2JSSyntaxException and its kin; a bug of the engine in reading a pattern is the pattern's
    // fault to its sender too.
    return { kind: "malformed", why: error instanceof Error ? error.message : String(error) };
  }
  const steps = line.programSize();
  if (steps > MOST_STEPS) return tooComplex(String(steps));
  // Where ^ and $ mean each line, a match in a line is one in the text. \A and \z mean the text,
  // and flags may mean anything.
  const isLinewise = steps <= MOST_STEPS_FOR_TEXTS && !/\\[Az]|\(\?[a-zA-Z]*-|\\Q/.test(pattern);
  const text = isLinewise ? RE2JS.compile(pattern, RE2JS.MULTILINE) : null;
  return {
    kind: "compiled",
    regex: {
      pattern,
      stepsPerCharacter: STEPS_OF_A_CHARACTER + steps * weightOf(pattern),
      mayMatch: text === null ? null : (lines) => text.test(lines),
      finder: (one) => (line.test(one) ? nextOf(line, one) : null),
      program: line.re2().prog,
    },
  };
}

function tooComplex(steps: string): Compilation {
  return { kind: "too-complex", why: `it compiles to ${steps} steps, more than ${MOST_STEPS}` };
}

/** A plain text is found without the pattern's steps. */
function weightOf(pattern: string): number {
  if (!/[\\^$.|?*+()[\]{}]/.test(pattern)) return 0;
  return /\\[pP]/.test(pattern) ? UNICODE_STEP : 1;
}

/**
 * What a pattern is made of: a quoted text, the beginning of a group, a class, a repetition with
 * its counts, or one character more.
 */
const TOKENS =
  /\\Q.*?(?:\\E|$)|\((?:\?(?:P?<\w+>|[a-zA-Z-]*:))?|\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

/**
 * Estimates how many steps a pattern compiles to. To compile `(?:a?){1000}` as often as a pattern
 * has room for takes a fifth of a second, which nothing interrupts.
 */
function estimateSteps(pattern: string): number {
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  for (const [token, least, most] of pattern.matchAll(TOKENS)) {
    if (token.startsWith("(")) {
      outer.push(sum);
      sum = 0;
    } else if (token === ")") {
      last = sum + 2;
      sum = last + (outer.pop() ?? 0);
    } else if (least === undefined) {
      last = token.startsWith("\\Q") ? token.length : 1;
      sum += last;
    } else {
      const more = last * (Math.max(1, Number(least), Number(most ?? 0)) - 1);
      sum += more;
      last += more;
    }
  }
  return sum;
}

/** The end of a range of a class: a character, or its number. */
const RANGE_END = /-(?=\\x\{?([\da-f]+)|(.))/gisu;
/** The last character that has another case; the engine folds none after it. */
const LAST_FOLDED = 0x1e943;
/** Characters that the engine folds in the time of a step. */
const FOLDED_IN_A_STEP = 50;

/**
 * Estimates what it costs, in steps, to compile the ranges of a pattern that ignores case. The
 * engine folds each character of a range by itself: all of them take 10 ms, and a pattern has room
 * for 250 such ranges. Each range counts from the first character on, as its beginning is unknown
 * where an escape is escaped.
 */
function estimateFolding(pattern: string): number {
  if (!/\(\?[a-z]*i/i.test(pattern)) return 0;
  let characters = 0;
  for (const [, number, character] of pattern.matchAll(RANGE_END)) {
    const end = number === undefined ? character!.codePointAt(0)! : Number.parseInt(number, 16);
    characters += Math.min(end, LAST_FOLDED);
  }
  return characters / FOLDED_IN_A_STEP;
}

function nextOf(compiled: RE2JS, line: string): NextMatch {
  const matcher = compiled.matcher(line);
  return () => (matcher.find() ? [matcher.start(), matcher.end()] : null);
}
