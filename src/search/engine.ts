import { RE2JS } from "re2js";
import { type ReplaceLine, readTemplate, type Template } from "./replace.ts";

/**
 * The regex engine: RE2's syntax (no back-references, no look-around), time linear in the text for
 * any pattern. This module alone loads the package; import it when a regex comes (`await import`),
 * because no other command needs it.
 */

/** @returns half-open ranges of UTF-16 units; an empty match is a range of no length. */
type FindAll = (line: string, most: number) => [start: number, end: number][];

export type CompiledRegex = {
  readonly pattern: string;
  /**
   * What a character costs at most, in steps: those of the compiled pattern, and some for the
   * character itself.
   */
  readonly stepsPerCharacter: number;
  /** Whether any line of a text can hold a match. Never false when one does. */
  readonly mayMatch: (text: string) => boolean;
  readonly findAll: FindAll;
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
/** Measured on notes: a character costs 15 to 500 ns with few steps, a step of many 10 to 60 ns. */
const STEPS_OF_A_CHARACTER = 8;
/** LIMIT: with more steps whole texts are not looked at first, only their lines. */
const MOST_STEPS_FOR_TEXTS = 300;

export function compileRegex(pattern: string): Compilation {
  let line: RE2JS;
  try {
    line = RE2JS.compile(pattern);
  } catch (error) {
    // RE2JSSyntaxException and its kin; a bug of the engine in reading a pattern is the pattern's
    // fault to its sender too.
    return { kind: "malformed", why: error instanceof Error ? error.message : String(error) };
  }
  const steps = line.programSize();
  if (steps > MOST_STEPS) return { kind: "too-complex", why: `it compiles to ${steps} steps, more than ${MOST_STEPS}` };
  // Where ^ and $ mean each line, a match in a line is one in the text. \A and \z mean the text,
  // and flags may mean anything.
  const isLinewise = steps <= MOST_STEPS_FOR_TEXTS && !/\\[Az]|\(\?[a-zA-Z]*-|\\Q/.test(pattern);
  const text = isLinewise ? RE2JS.compile(pattern, RE2JS.MULTILINE) : null;
  return {
    kind: "compiled",
    regex: {
      pattern,
      stepsPerCharacter: steps + STEPS_OF_A_CHARACTER,
      mayMatch: mayMatchWith(text),
      findAll: findAllWith(line),
    },
  };
}

/** @param compiled for whole texts; null: none could be, and any may match */
function mayMatchWith(compiled: RE2JS | null): CompiledRegex["mayMatch"] {
  return (text) => compiled === null || compiled.test(lineFeeds(text));
}

function lineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

function findAllWith(compiled: RE2JS): FindAll {
  return (line, most) => {
    const ranges: [number, number][] = [];
    if (!compiled.test(line)) return ranges;
    const matcher = compiled.matcher(line);
    while (ranges.length < most && matcher.find()) ranges.push([matcher.start(), matcher.end()]);
    return ranges;
  };
}

type ReplacerCompilation =
  | { readonly kind: "compiled"; readonly replaceLine: ReplaceLine }
  | { readonly kind: "malformed" | "too-complex" | "no-group"; readonly why: string };

/** @param replacement as `readTemplate` takes it */
export function compileReplacer(pattern: string, replacement: string): ReplacerCompilation {
  const compiled = compileRegex(pattern);
  if (compiled.kind !== "compiled") return compiled;
  const line = RE2JS.compile(pattern);
  const read = readTemplate(replacement, { count: line.groupCount(), named: line.namedGroups() });
  if (read.kind === "no-group") return { kind: "no-group", why: `the pattern has no group ${read.name}` };
  return { kind: "compiled", replaceLine: replacerWith(line, read.template) };
}

function replacerWith(compiled: RE2JS, template: Template): ReplaceLine {
  return (line) => {
    if (!compiled.test(line)) return null;
    const matcher = compiled.matcher(line);
    const parts: string[] = [];
    let at = 0;
    let hits = 0;
    while (matcher.find()) {
      parts.push(line.slice(at, matcher.start()));
      for (const part of template) parts.push(typeof part === "string" ? part : (matcher.group(part) ?? ""));
      at = matcher.end();
      hits++;
    }
    parts.push(line.slice(at));
    return { text: parts.join(""), hits };
  };
}
