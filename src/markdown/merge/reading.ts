import { readOpenFences } from "../outline/outline.ts";
import { type Budget, newBudget, spendSteps } from "./budget.ts";
import { BlockStack } from "./contexts.ts";
import { joinTokens, splitIntoWords, type Token, tokeniseLine, TokenNumbers } from "./tokens.ts";
import type { ElementRange } from "./edits.ts";
import { diff, type Edit } from "./diff.ts";
import { StringNumbers, splitLines } from "./split.ts";

/**
 * Version split into lines.
 * - `ids`: numbers of the lines; equal lines have equal numbers
 * - `filled`: lines that are not blank
 * - `scripts`: edits to other versions, as far as they were computed
 */
export type VersionLines = {
  readonly lines: readonly string[];
  readonly ids: readonly number[];
  readonly filled: FilledLines;
  readonly scripts: Map<string, Edit[]>;
  fences?: readonly string[];
};

/**
 * Lines of a version that are not blank. Blank lines are left out, because a diff would match blank
 * lines between different paragraphs. A blank line counts as white space before the next line.
 * - `ids`: numbers of the lines; equal lines have equal numbers
 * - `indexes`: index of each line among all lines
 * - `keys`: numbers for diffs; lines that are often repeated, such as fences, have equal numbers
 *   only if a neighbouring line is equal, too
 */
type FilledLines = {
  readonly ids: readonly number[];
  readonly indexes: readonly number[];
  readonly keys: readonly number[];
};

/** Step budget of one merge, with all data that it has read, so that it reads nothing twice. */
export type MergeReading = Budget & {
  readonly interner: StringNumbers;
  readonly words: StringNumbers;
  readonly texts: Map<string, VersionLines>;
  readonly tokens: Map<string, readonly Token[]>;
  readonly tokenTexts: TokenNumbers;
  /** Numbers of the words in each line, by the number of the line. Undefined before it is read. */
  readonly wordsByLine: (readonly number[] | undefined)[];
  /**
   * Empty stack of open Markdown blocks. All versions share this stack as root, so that their
   * stacks can be compared.
   */
  readonly nest: BlockStack;
};

export function createReading(): MergeReading {
  return {
    ...newBudget(),
    interner: new StringNumbers(),
    words: new StringNumbers(),
    texts: new Map(),
    tokens: new Map(),
    tokenTexts: new TokenNumbers(),
    wordsByLine: [],
    nest: new BlockStack(),
  };
}

export const STEPS_PER_LINE = 20;

/**
 * Splits a version into lines, and takes the steps of this work from the budget. Later calls for
 * the same version return the same object.
 */
export function readLines(text: string, reading: MergeReading): VersionLines {
  const knownLines = reading.texts.get(text);
  if (knownLines !== undefined) return knownLines;
  const lines = splitLines(text);
  spendSteps(reading, (text.length >> 2) + STEPS_PER_LINE * lines.length);
  const ids = reading.interner.ids(lines);
  const indexes = ids.flatMap((_, place) => ((lines[place] as string).trim() === "" ? [] : [place]));
  const filledLines = {
    ids: indexes.map((i) => ids[i] as number),
    indexes,
    keys: computeLineKeys(lines, ids, indexes, reading),
  };
  const versionLines: VersionLines = { lines, ids, filled: filledLines, scripts: new Map() };
  reading.texts.set(text, versionLines);
  return versionLines;
}

/** Matches the line below the header of a table, such as `|---|---|`. */
const TABLE_RULE = /^\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$/;

/**
 * Returns numbers for the lines that are not blank, for use in a diff. Most lines have a number of
 * their own. Lines without words and headers of tables often repeat. The number of such a line also
 * depends on a neighbour: the line directly below, otherwise the line directly above.
 */
function computeLineKeys(
  lines: readonly string[],
  ids: readonly number[],
  indexes: readonly number[],
  reading: MergeReading,
): number[] {
  const keys: number[] = [];
  for (let filledIndex = indexes.length - 1; filledIndex >= 0; filledIndex--) {
    const lineIndex = indexes[filledIndex] as number;
    const id = ids[lineIndex] as number;
    const hasLineBelow = indexes[filledIndex + 1] === lineIndex + 1;
    const isTableHeader = hasLineBelow && TABLE_RULE.test(lines[lineIndex + 1] as string);
    if (!isTableHeader && readWordIds(id, reading).length > 0) keys.push(id);
    else {
      const neighbour = hasLineBelow
        ? keys.at(-1)
        : indexes[filledIndex - 1] === lineIndex - 1
          ? ids[lineIndex - 1]
          : -1;
      keys.push(reading.interner.id(`${id} ${hasLineBelow} ${neighbour}`));
    }
  }
  return keys.reverse();
}

/**
 * Returns the blank lines before a line, or before the end of the document.
 * @param line index among the lines that are not blank
 */
export function readGapBefore({ lines, filled }: VersionLines, line: number): string {
  const { indexes } = filled;
  return lines.slice(line === 0 ? 0 : (indexes[line - 1] as number) + 1, indexes[line] ?? lines.length).join("");
}

export function diffFilledLines(from: string, to: string, reading: MergeReading): Edit[] {
  const [before, after] = [readLines(from, reading), readLines(to, reading)];
  const knownScript = before.scripts.get(to);
  if (knownScript !== undefined) return knownScript;
  const edits = diff(before.filled.keys, after.filled.keys, reading);
  // Edits that were computed when no steps were left are inexact, so they are not stored.
  if (reading.left >= 0) before.scripts.set(to, edits);
  return edits;
}

export function readFences(text: VersionLines): readonly string[] {
  text.fences ??= readOpenFences(text.lines);
  return text.fences;
}

export function readWordIds(line: number, reading: MergeReading): readonly number[] {
  const knownWords = reading.wordsByLine[line];
  if (knownWords !== undefined) return knownWords;
  const words = reading.words.ids(splitIntoWords(reading.interner.text(line)));
  reading.wordsByLine[line] = words;
  return words;
}

/**
 * Splits whole lines into tokens. The tokens with their white space, joined, are the lines.
 * @param code true if the lines are code, so that every line break is a token
 */
export function tokenise(lines: readonly string[], reading: MergeReading, code = false): readonly Token[] {
  return joinTokens(
    lines,
    lines.map((line) => readTokens(line, reading)),
    code,
  );
}

export function readTokenIds(line: number, reading: MergeReading): readonly number[] {
  return readTokens(reading.interner.text(line), reading).map(({ id }) => id);
}

function readTokens(line: string, reading: MergeReading): readonly Token[] {
  const knownTokens = reading.tokens.get(line);
  if (knownTokens !== undefined) return knownTokens;
  const hadSteps = reading.left >= 0;
  const tokens = tokeniseLine(line, reading.tokenTexts, reading);
  if (hadSteps) reading.tokens.set(line, tokens);
  return tokens;
}

export type ThreeVersionLines = {
  readonly base: VersionLines;
  readonly local: VersionLines;
  readonly remote: VersionLines;
};

/**
 * Merges the blank lines at one position. If only one side changed the blank lines, that side
 * decides. Otherwise the side with more blank lines decides.
 */
export function mergeGaps(base: string, local: string, remote: string): string {
  if (local === base) return remote;
  return remote === base ? local : chooseLongerGap(local, remote);
}

export function chooseLongerGap(one: string, other: string): string {
  const [lines, others] = [one, other].map((gap) => gap.split("\n").length) as [number, number];
  if (lines !== others) return lines > others ? one : other;
  return one >= other ? one : other;
}

export function readRangeLines({ lines, filled }: VersionLines, { from, to }: ElementRange): readonly string[] {
  return from === to ? [] : lines.slice(filled.indexes[from], (filled.indexes[to - 1] as number) + 1);
}

/**
 * Returns the index among all lines at which a range of non-blank lines begins. An empty range
 * begins after the nearest line above that is not blank.
 */
export function findFirstLineIndex({ filled }: VersionLines, { from, to }: ElementRange): number {
  if (from < to) return filled.indexes[from] as number;
  return from === 0 ? 0 : (filled.indexes[from - 1] as number) + 1;
}
