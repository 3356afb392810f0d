/**
 * Compiles regexes with RE2's syntax: no back-references, no look-around, time linear in the text.
 * Only this module loads the package. Import it dynamically for a regex (`await import`), because
 * no other command needs it.
 */

import { RE2JS } from "re2js";
import { isAscii } from "./fold.ts";
import type { RequiredText } from "./keys.ts";
import type { Program } from "./scan-line.ts";

/** Returns the next match as a half-open range of UTF-16 units; null when there is none. */
type NextMatch = () => readonly [start: number, end: number] | null;

export type CompiledRegex = {
  readonly required: RequiredText;
  /** Most steps that a character costs: those of the pattern, and some for the character itself. */
  readonly stepsPerCharacter: number;
  /** Returns a function that finds the matches of a line one by one; null if the line has none. */
  readonly finder: (line: string) => NextMatch | null;
  /** The compiled pattern, for lines that the engine cannot scan in one round. */
  readonly program: Program;
};

type Compilation =
  | { readonly kind: "compiled"; readonly regex: CompiledRegex }
  /** `why`: a clause to show to users. */
  | { readonly kind: "malformed" | "too-complex"; readonly why: string };

/**
 * LIMIT: steps of a compiled pattern; time is linear in the text and also in these. `(?:a?){1000}`,
 * repeated within 1,024 characters, would compile to 170,000 steps and block for seconds on one
 * long line.
 */
export const MAX_STEPS = 2_000;
/** Steps that a character costs besides those of the pattern. */
const STEPS_PER_CHARACTER = 8;
/** Factor by which a step is slower if it looks up a Unicode table. */
const UNICODE_STEP = 3;
/** An estimate above this multiple of `MAX_STEPS` is enough to refuse a pattern. */
const REFUSED_MULTIPLE = 4;

export function compileRegex(pattern: string): Compilation {
  const estimate = estimateSteps(pattern) + estimateFolding(pattern);
  if (estimate > REFUSED_MULTIPLE * MAX_STEPS) return tooComplexPattern(`some ${Math.round(estimate)}`);
  let line: RE2JS;
  try {
    line = RE2JS.compile(pattern);
  } catch (error) {
    // Any exception (RE2JSSyntaxException and others) is reported as a malformed pattern, even if
    // the engine's parser has a bug.
    return { kind: "malformed", why: error instanceof Error ? error.message : String(error) };
  }
  const steps = line.programSize();
  if (steps > MAX_STEPS) return tooComplexPattern(String(steps));
  return {
    kind: "compiled",
    regex: {
      required: requiredText(pattern, line),
      stepsPerCharacter: STEPS_PER_CHARACTER + steps * weightOf(pattern),
      finder: (text) => (line.test(text) ? nextOf(line, text) : null),
      program: line.re2().prog,
    },
  };
}

const IGNORE_CASE = "(?i)";
const NOTHING: RequiredText = { type: 0, str: "", subs: [] };

/**
 * Returns text that every match of a regex contains. The engine skips texts without it.
 * @param compiled the compiled pattern
 */
function requiredText(pattern: string, compiled: RE2JS): RequiredText {
  // The engine requires no text if case is ignored, but the index ignores case. Beyond ASCII, which
  // an escape may write, only the engine knows which characters fold together.
  const ignoresCase = pattern.startsWith(IGNORE_CASE) && isAscii(pattern) && !pattern.includes("\\x");
  const exact = ignoresCase ? RE2JS.compile(pattern.slice(IGNORE_CASE.length)) : compiled;
  return (exact.re2().prefilter as RequiredText | null) ?? NOTHING;
}

function tooComplexPattern(steps: string): Compilation {
  return { kind: "too-complex", why: `it compiles to ${steps} steps, more than ${MAX_STEPS}` };
}

/**
 * Returns the factor for the cost of a pattern's steps: 0 for a pattern without operators, which is
 * found without running its steps.
 */
function weightOf(pattern: string): number {
  if (!/[\\^$.|?*+()[\]{}]/.test(pattern)) return 0;
  return /\\[pP]/.test(pattern) ? UNICODE_STEP : 1;
}

/**
 * Matches the parts of a pattern: quoted text, the beginning of a group, a class, a repetition with
 * its counts, or any other character.
 */
const TOKENS =
  /\\Q.*?(?:\\E|$)|\((?:\?(?:P?<\w+>|[a-zA-Z-]*:))?|\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

/**
 * Estimates the number of steps to which a pattern compiles. Compiling many `(?:a?){1000}` would
 * block the process, because nothing can interrupt it.
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

/** Matches the end of a range in a character class: a character, or the number of a character. */
const RANGE_END = /-(?=\\x\{?([\da-f]+)|(.))/gisu;
/** The last character with another case; the engine folds no character after this one. */
const LAST_FOLDED = 0x1e943;
/** Characters that the engine folds in the time of one step. */
const FOLDED_PER_STEP = 50;

/**
 * Estimates the steps to compile the ranges of a pattern that ignores case. The engine folds each
 * character of a range separately, and a pattern may have hundreds of large ranges. The estimate
 * counts each range from character 0: an escape may itself be escaped, so the first character is
 * not certain.
 */
function estimateFolding(pattern: string): number {
  if (!/\(\?[a-z]*i/i.test(pattern)) return 0;
  let characters = 0;
  for (const [, number, character] of pattern.matchAll(RANGE_END)) {
    const end = number === undefined ? character!.codePointAt(0)! : Number.parseInt(number, 16);
    characters += Math.min(end, LAST_FOLDED);
  }
  return characters / FOLDED_PER_STEP;
}

function nextOf(compiled: RE2JS, line: string): NextMatch {
  const matcher = compiled.matcher(line);
  return () => (matcher.find() ? [matcher.start(), matcher.end()] : null);
}
