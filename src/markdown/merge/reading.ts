import { openFences } from "../outline/fences.ts";
import { type Budget, newBudget, spend } from "./budget.ts";
import { type Contexts, contextsOf, Nests } from "./contexts.ts";
import { cutLine } from "./cut.ts";
import { diff, type Edit } from "./myers.ts";
import { Interner, splitLines } from "./split.ts";
import { joinTokens, type Token, TokenTexts } from "./tokens.ts";
import { wordsOf } from "./words.ts";

/**
 * A text's lines with a number for each; `filled`: those that are not blank; `scripts`: its edit
 * scripts to other texts.
 */
export type Lines = {
  readonly lines: readonly string[];
  readonly ids: readonly number[];
  readonly filled: Filled;
  readonly scripts: Map<string, Edit[]>;
  contexts?: Contexts;
  fences?: readonly string[];
};

/**
 * The lines of a text that are not blank: their numbers, and their places among all lines. Blank
 * lines look alike and pair the wrong paragraphs, so they are white space of the line after them.
 * `keys`: numbers that tell lines apart which look alike, as fences, by what they belong to.
 */
export type Filled = {
  readonly ids: readonly number[];
  readonly at: readonly number[];
  readonly keys: readonly number[];
};

/** What one merge may still do, and what it has read so far, so that nothing is read twice. */
export type Reading = Budget & {
  /** Gives each line its number. */
  readonly interner: Interner;
  /** Gives words and marks their numbers. */
  readonly words: Interner;
  readonly texts: Map<string, Lines>;
  /** By a line: its tokens. */
  readonly tokens: Map<string, readonly Token[]>;
  /** Gives the texts of tokens their numbers. */
  readonly tokenTexts: TokenTexts;
  /** By a line's number: the numbers of its tokens' texts. */
  readonly tokenTextsByLine: (readonly number[] | undefined)[];
  /** By a line's number: the numbers of its words. */
  readonly wordsByLine: (readonly number[] | undefined)[];
  /** Gives what is open around lines its numbers. */
  readonly nests: Nests;
  /** Whether a text holds what another one made of the base. */
  readonly held: Held[];
};

type Held = { readonly base: string; readonly less: string; readonly more: string; readonly isHeld: boolean };

/** A full budget, and nothing read yet. */
export function newReading(): Reading {
  return {
    ...newBudget(),
    interner: new Interner(),
    words: new Interner(),
    texts: new Map(),
    tokens: new Map(),
    tokenTexts: new TokenTexts(),
    tokenTextsByLine: [],
    wordsByLine: [],
    nests: new Nests(),
    held: [],
  };
}

/** What a line costs in steps: to cut, to number and to compare. */
const STEPS_A_LINE = 20;

/** The lines of a text, read once a merge. */
export function readLines(text: string, reading: Reading): Lines {
  const known = reading.texts.get(text);
  if (known !== undefined) return known;
  const read = takeLines(text, reading);
  spend(reading, (text.length >> 2) + STEPS_A_LINE * read.lines.length);
  return read;
}

/** The lines of a text that is a part of one that was paid for. */
export function takeLines(text: string, reading: Reading): Lines {
  const known = reading.texts.get(text);
  if (known !== undefined) return known;
  const lines = splitLines(text);
  return noteLines(text, lines, reading.interner.ids(lines), reading);
}

/** The lines of a text below its first ones, which are `skipped`. */
export function takeLinesBelow(text: string, skipped: number, body: string, reading: Reading): Lines {
  const whole = reading.texts.get(text);
  if (whole === undefined || reading.texts.has(body)) return takeLines(body, reading);
  return noteLines(body, whole.lines.slice(skipped), whole.ids.slice(skipped), reading);
}

function noteLines(text: string, lines: readonly string[], ids: readonly number[], reading: Reading): Lines {
  const at = ids.flatMap((_, place) => ((lines[place] as string).trim() === "" ? [] : [place]));
  const filled = { ids: at.map((place) => ids[place] as number), at, keys: keysOf(lines, ids, at, reading) };
  const read: Lines = { lines, ids, filled, scripts: new Map() };
  reading.texts.set(text, read);
  return read;
}

/** Matches a line without words: a fence, a rule, or the line under the head of a table. */
const RULED = /^\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$/;

/**
 * Numbers for filled lines: of one without words, or the head of a table, also by the line that it
 * stands right above, else by the one right below which it stands.
 */
function keysOf(lines: readonly string[], ids: readonly number[], at: readonly number[], reading: Reading): number[] {
  const keys: number[] = [];
  for (let next = at.length - 1; next >= 0; next--) {
    const place = at[next] as number;
    const id = ids[place] as number;
    const isAbove = at[next + 1] === place + 1;
    const isHead = isAbove && RULED.test(lines[place + 1] as string);
    if (!isHead && wordsIn(id, reading).length > 0) keys.push(id);
    else {
      const other = isAbove ? keys.at(-1) : at[next - 1] === place - 1 ? ids[place - 1] : -1;
      keys.push(reading.interner.id(`${id} ${isAbove} ${other}`));
    }
  }
  return keys.reverse();
}

/** The blank lines before a filled line, or before the end of the text. */
export function gapBefore({ lines, filled }: Lines, line: number): string {
  const { at } = filled;
  return lines.slice(line === 0 ? 0 : (at[line - 1] as number) + 1, at[line] ?? lines.length).join("");
}

/** The edits of filled lines from one text to another, found once a merge. */
export function diffFilled(from: string, to: string, reading: Reading): Edit[] {
  const [before, after] = [readLines(from, reading), readLines(to, reading)];
  const known = before.scripts.get(to);
  if (known !== undefined) return known;
  const edits = diff(before.filled.keys, after.filled.keys, reading);
  // What was compared without a budget is not known.
  if (reading.left >= 0) before.scripts.set(to, edits);
  return edits;
}

/** What the lines of a text stand in, found once a merge. */
export function contextsIn(text: Lines, reading: Reading): Contexts {
  text.contexts ??= contextsOf(text.lines, reading.nests);
  return text.contexts;
}

/**
 * For each place before a line of a text, and the one after the last, the fence that is open there,
 * found once a merge.
 */
export function fencesIn(text: Lines): readonly string[] {
  text.fences ??= openFences(text.lines);
  return text.fences;
}

/** The numbers of the words of a line, by the line's number, found once a merge. */
export function wordsIn(line: number, reading: Reading): readonly number[] {
  const known = reading.wordsByLine[line];
  if (known !== undefined) return known;
  const words = reading.words.ids(wordsOf(reading.interner.text(line)));
  reading.wordsByLine[line] = words;
  return words;
}

/**
 * The tokens of some whole lines; space and text of all give the lines back. In code no line flows
 * on.
 */
export function tokenise(lines: readonly string[], reading: Reading, code = false): readonly Token[] {
  return joinTokens(
    lines,
    lines.map((line) => tokensIn(line, reading)),
    code,
  );
}

/** The numbers of the texts of a line's tokens, by the line's number, found once a merge. */
export function tokenTextsIn(line: number, reading: Reading): readonly number[] {
  const known = reading.tokenTextsByLine[line];
  if (known !== undefined) return known;
  const tokens = tokensIn(reading.interner.text(line), reading);
  const texts = tokens.map(({ id }) => id);
  // What was cut without a budget is no reading of the line.
  if (reading.left >= 0) reading.tokenTextsByLine[line] = texts;
  return texts;
}

/** The tokens of one line, cut once a merge. */
function tokensIn(line: string, reading: Reading): readonly Token[] {
  const known = reading.tokens.get(line);
  if (known !== undefined) return known;
  const hadBudget = reading.left >= 0;
  const tokens = cutLine(line, reading.tokenTexts, reading);
  if (hadBudget) reading.tokens.set(line, tokens);
  return tokens;
}

/** Filled lines [from, to) of a text. */
export type Range = { readonly from: number; readonly to: number };

/** The three texts, with their lines read. */
export type ThreeTexts = { readonly base: Lines; readonly local: Lines; readonly remote: Lines };

/** Filled lines that stand for each other in the three texts. */
export type Part = { readonly base: Range; readonly local: Range; readonly remote: Range };

/**
 * Merges the blank lines at one place: the side that changed them wins, of two the one with
 * more.
 */
export function mergeGaps(base: string, local: string, remote: string): string {
  if (local === base) return remote;
  return remote === base ? local : longerGap(local, remote);
}

/** The longer one of two runs of blank lines. */
export function longerGap(one: string, other: string): string {
  const [lines, others] = [one, other].map((gap) => gap.split("\n").length) as [number, number];
  if (lines !== others) return lines > others ? one : other;
  return one >= other ? one : other;
}

/** All lines from the first of some filled lines to the last; none where there is none. */
export function linesOf({ lines, filled }: Lines, { from, to }: Range): readonly string[] {
  return from === to ? [] : lines.slice(filled.at[from], (filled.at[to - 1] as number) + 1);
}

/** The place among all lines of a filled line, or where one would stand. */
export function placeOf({ filled }: Lines, { from, to }: Range): number {
  if (from < to) return filled.at[from] as number;
  return from === 0 ? 0 : (filled.at[from - 1] as number) + 1;
}
