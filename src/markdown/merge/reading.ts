import { openFences } from "../outline/fences.ts";
import { type Budget, newBudget, spendSteps } from "./budget.ts";
import { BlockStack } from "./contexts.ts";
import { cutLine } from "./cut.ts";
import type { Range } from "./edits.ts";
import { diff, type Edit } from "./myers.ts";
import { StringNumbers, splitLines } from "./split.ts";
import { joinTokens, type Token, TokenTexts } from "./tokens.ts";
import { wordsOf } from "./words.ts";

/**
 * The lines of a text, with a number for each. `filled`: the lines that are not blank. `scripts`:
 * known edit scripts to other texts.
 */
export type Lines = {
  readonly lines: readonly string[];
  readonly ids: readonly number[];
  readonly filled: FilledLines;
  readonly scripts: Map<string, Edit[]>;
  fences?: readonly string[];
};

/**
 * The lines of a text that are not blank. Blank lines look alike and would pair the wrong
 * paragraphs, so they count as white space of the next line. `ids`: equal lines have equal ids.
 * `indexes`: index among all lines. `keys`: ids that also depend on a neighbouring line, to
 * distinguish lines that look alike, such as fences.
 */
type FilledLines = {
  readonly ids: readonly number[];
  readonly indexes: readonly number[];
  readonly keys: readonly number[];
};

/** Budget of one merge, and everything that the merge has read, so that nothing is read twice. */
export type LineReader = Budget & {
  /** Numbers the lines. */
  readonly interner: StringNumbers;
  /** Numbers words and symbols. */
  readonly words: StringNumbers;
  readonly texts: Map<string, Lines>;
  /** The tokens of each line, by the line's text. */
  readonly tokens: Map<string, readonly Token[]>;
  /** Numbers the texts of tokens. */
  readonly tokenTexts: TokenTexts;
  /** The numbers of each line's words, by the line's number. */
  readonly wordsByLine: (readonly number[] | undefined)[];
  /** Empty stack of open blocks, which all texts of the merge share. */
  readonly nest: BlockStack;
};

/** Returns a full budget with nothing read. */
export function newReading(): LineReader {
  return {
    ...newBudget(),
    interner: new StringNumbers(),
    words: new StringNumbers(),
    texts: new Map(),
    tokens: new Map(),
    tokenTexts: new TokenTexts(),
    wordsByLine: [],
    nest: new BlockStack(),
  };
}

/** Steps that a line costs: for cutting, numbering and comparing. */
export const STEPS_PER_LINE = 20;

/** Reads the lines of a text, once per merge, and charges the budget. */
export function readLines(text: string, reading: LineReader): Lines {
  const known = reading.texts.get(text);
  if (known !== undefined) return known;
  const lines = splitLines(text);
  spendSteps(reading, (text.length >> 2) + STEPS_PER_LINE * lines.length);
  const ids = reading.interner.ids(lines);
  const indexes = ids.flatMap((_, place) => ((lines[place] as string).trim() === "" ? [] : [place]));
  const filled = { ids: indexes.map((i) => ids[i] as number), indexes, keys: keysOf(lines, ids, indexes, reading) };
  const read: Lines = { lines, ids, filled, scripts: new Map() };
  reading.texts.set(text, read);
  return read;
}

/** Matches the rule of a table: the line under its header. */
const TABLE_RULE = /^\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$/;

/**
 * Returns the keys of lines that are not blank: the number of the line. For a line without words,
 * or the header of a table, the key includes the line right below, otherwise the line right above.
 */
function keysOf(
  lines: readonly string[],
  ids: readonly number[],
  indexes: readonly number[],
  reading: LineReader,
): number[] {
  const keys: number[] = [];
  for (let next = indexes.length - 1; next >= 0; next--) {
    const place = indexes[next] as number;
    const id = ids[place] as number;
    const isAbove = indexes[next + 1] === place + 1;
    const isHead = isAbove && TABLE_RULE.test(lines[place + 1] as string);
    if (!isHead && wordsIn(id, reading).length > 0) keys.push(id);
    else {
      const other = isAbove ? keys.at(-1) : indexes[next - 1] === place - 1 ? ids[place - 1] : -1;
      keys.push(reading.interner.id(`${id} ${isAbove} ${other}`));
    }
  }
  return keys.reverse();
}

/** Returns the blank lines before a line that is not blank, or before the end of the text. */
export function gapBefore({ lines, filled }: Lines, line: number): string {
  const { indexes } = filled;
  return lines.slice(line === 0 ? 0 : (indexes[line - 1] as number) + 1, indexes[line] ?? lines.length).join("");
}

/**
 * Returns the edits from one text to another of lines that are not blank, computed once per merge.
 */
export function diffFilled(from: string, to: string, reading: LineReader): Edit[] {
  const [before, after] = [readLines(from, reading), readLines(to, reading)];
  const known = before.scripts.get(to);
  if (known !== undefined) return known;
  const edits = diff(before.filled.keys, after.filled.keys, reading);
  // A script computed without budget is not reliable, so the script is not cached.
  if (reading.left >= 0) before.scripts.set(to, edits);
  return edits;
}

/** Returns the fence that is open before each line and after the last, computed once per merge. */
export function fencesIn(text: Lines): readonly string[] {
  text.fences ??= openFences(text.lines);
  return text.fences;
}

/** Returns the numbers of a line's words, by the line's number, computed once per merge. */
export function wordsIn(line: number, reading: LineReader): readonly number[] {
  const known = reading.wordsByLine[line];
  if (known !== undefined) return known;
  const words = reading.words.ids(wordsOf(reading.interner.text(line)));
  reading.wordsByLine[line] = words;
  return words;
}

/**
 * Cuts whole lines into tokens. Their white space and texts, joined, are the lines. In code, every
 * line break is a token.
 */
export function tokenise(lines: readonly string[], reading: LineReader, code = false): readonly Token[] {
  return joinTokens(
    lines,
    lines.map((line) => tokensIn(line, reading)),
    code,
  );
}

/** Returns the numbers of the texts of a line's tokens, by the line's number. */
export function tokenTextsIn(line: number, reading: LineReader): readonly number[] {
  return tokensIn(reading.interner.text(line), reading).map(({ id }) => id);
}

/** Returns the tokens of one line, cut once per merge. */
function tokensIn(line: string, reading: LineReader): readonly Token[] {
  const known = reading.tokens.get(line);
  if (known !== undefined) return known;
  const hadBudget = reading.left >= 0;
  const tokens = cutLine(line, reading.tokenTexts, reading);
  if (hadBudget) reading.tokens.set(line, tokens);
  return tokens;
}

/** The three texts, split into lines. */
export type ThreeTexts = { readonly base: Lines; readonly local: Lines; readonly remote: Lines };

/**
 * Merges the blank lines at one place. If one side changed them, that side counts. If both sides
 * did, the longer run counts.
 */
export function mergeGaps(base: string, local: string, remote: string): string {
  if (local === base) return remote;
  return remote === base ? local : longerGap(local, remote);
}

/**
 * Returns the longer of two runs of blank lines. Of two runs with equally many lines, returns the
 * same one in either order of the arguments.
 */
export function longerGap(one: string, other: string): string {
  const [lines, others] = [one, other].map((gap) => gap.split("\n").length) as [number, number];
  if (lines !== others) return lines > others ? one : other;
  return one >= other ? one : other;
}

/** Returns all lines from the first to the last line of a range of lines that are not blank. */
export function linesOf({ lines, filled }: Lines, { from, to }: Range): readonly string[] {
  return from === to ? [] : lines.slice(filled.indexes[from], (filled.indexes[to - 1] as number) + 1);
}

/**
 * Returns the index among all lines at which a range of lines that are not blank begins. An empty
 * range begins after the last such line before it.
 */
export function lineIndexOf({ filled }: Lines, { from, to }: Range): number {
  if (from < to) return filled.indexes[from] as number;
  return from === 0 ? 0 : (filled.indexes[from - 1] as number) + 1;
}
