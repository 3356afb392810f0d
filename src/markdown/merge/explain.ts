import { LINE_PREFIX } from "./cut.ts";
import { useLaterDates } from "./dates.ts";
import { StringNumbers } from "./split.ts";
import { type FourSequences, alignFour } from "./table.ts";

/**
 * One word or symbol in each of four versions, with the white space before it; null for a version
 * that lacks the word. The number of an item, heading or row is part of the white space.
 */
export type ExplainedWord = {
  readonly base: string | null;
  readonly local: string | null;
  readonly remote: string | null;
  readonly result: string | null;
};

/**
 * Origin of a line of the merge.
 * - `kept`: unchanged since base
 * - `local`, `remote`: changed by one side
 * - `both`: changed equally by both sides
 * - `joined`: combines different changes of both sides
 */
type LineOrigin = "kept" | "local" | "remote" | "both" | "joined";

/**
 * Line of the merge, or removed line. `line`: number of the line in the result, from 1; null for a
 * removed line.
 */
export type ExplainedLine = {
  readonly line: number | null;
  readonly rule: LineOrigin;
  readonly pieces: readonly ExplainedWord[];
};

/**
 * Explanation of a merge. `texts`: the three versions that were merged. After `useLaterDates`, both
 * sides have the later date where each changed the date of a key. All pieces of one version,
 * joined, are that version.
 */
export type Explanation = {
  readonly texts: readonly [base: string, local: string, remote: string];
  readonly lines: readonly ExplainedLine[];
};

/**
 * Explains a merge by its four versions, without knowing how the merge was made. Returns null if
 * the versions differ too much, or if the result is no merge of the other three.
 */
export function explainMerge(base: string, local: string, remote: string, result: string): Explanation | null {
  const texts = [base, ...useLaterDates(base, local, remote)] as const;
  const pieces = alignVersions([...texts, result]);
  return pieces === undefined ? null : { texts, lines: groupByLines(pieces) };
}

type SpacedWord = { readonly text: string; readonly space: string };
type SplitVersion = { readonly words: readonly SpacedWord[]; readonly rest: string };

const WORD =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{M}\p{N}]+(?:_+[\p{L}\p{M}\p{N}]+)*|([*_~=#:`-])\1*|\[[ xX]\](?=\s)|\S/gu;
const ITEM_NUMBER =
  /^((?:[ \t]*(?:>|[-*+]|#{1,6})(?=[ \t]))*[ \t]*)(?:(?:(?:\p{N}{1,4}(?:\.\p{N}{1,3})*|[a-z])[.)]|\p{N}{1,2}:\p{N}{2})(?=[ \t]+\S)|\p{N}{1,4}、)|^([ \t]*\|[ \t]*)\p{N}{1,4}(?=[ \t]*\|)/gmu;

/**
 * Splits a version into words and symbols. A symbol that begins an item, quote, heading or row
 * counts as a different word than the same symbol inside a line.
 */
function splitIntoWords(text: string): SplitVersion {
  const numbers = Array.from(text.matchAll(ITEM_NUMBER), ({ 0: all, 1: item, 2: row, index }) => {
    return { from: index + (item ?? row ?? "").length, to: index + all.length };
  });
  const words: SpacedWord[] = [];
  let [written, next] = [0, 0];
  for (const { 0: found, index } of text.matchAll(WORD)) {
    while ((numbers[next]?.to ?? Number.POSITIVE_INFINITY) <= index) next++;
    if ((numbers[next]?.from ?? Number.POSITIVE_INFINITY) <= index) continue;
    const space = text.slice(written, index);
    const leads = LINE_PREFIX.test(found) && (written === 0 || space.includes("\n"));
    words.push({ text: leads ? `\n${found}` : found, space });
    written = index + found.length;
  }
  return { words, rest: text.slice(written) };
}

function alignVersions(texts: readonly string[]): ExplainedWord[] | undefined {
  const splitVersions = texts.map(splitIntoWords);
  const ids = new StringNumbers();
  const four = splitVersions.map(({ words }) => ids.ids(words.map(({ text }) => text)));
  const starts = splitVersions.map(({ words }) => Array.from(words.keys()).filter((index) => beginsLine(words, index)));
  const rows = alignFour(four as unknown as FourSequences, starts as unknown as FourSequences);
  if (rows === undefined) return undefined;
  const write = (index: number, text: number): string | null => {
    const word = splitVersions[text]?.words[index];
    return word === undefined ? null : word.space + word.text.trimStart();
  };
  const pieces = rows.map((row) => toExplainedWord(row.map(write)));
  return [...pieces, toExplainedWord(splitVersions.map(({ rest }) => rest))];
}

function beginsLine(words: readonly SpacedWord[], index: number): boolean {
  return index === 0 || words[index]?.space.includes("\n") === true;
}

function toExplainedWord(cells: readonly (string | null)[]): ExplainedWord {
  const [base, local, remote, result] = cells as [string | null, string | null, string | null, string | null];
  return { base, local, remote, result };
}

/** Groups words by lines. A removed line is an item of the result, too. */
function groupByLines(pieces: readonly ExplainedWord[]): ExplainedLine[] {
  const lines: { line: number | null; pieces: ExplainedWord[] }[] = [{ line: null, pieces: [] }];
  let lineNumber = 1;
  for (const [index, piece] of pieces.entries()) {
    const isEnd = index === pieces.length - 1;
    if (index > 0 && !isEnd && (piece.result ?? piece.base)?.includes("\n")) lines.push({ line: null, pieces: [] });
    const line = lines.at(-1) as (typeof lines)[number];
    line.pieces.push(piece);
    if (piece.result === null || isEnd) continue;
    lineNumber += piece.result.split("\n").length - 1;
    line.line = lineNumber;
  }
  return lines.map((line) => ({ ...line, rule: findLineOrigin(line.pieces) }));
}

function findLineOrigin(pieces: readonly ExplainedWord[]): LineOrigin {
  const rules = new Set(pieces.map(findChangingSide).filter((side) => side !== "kept"));
  if (rules.size > 1) return "joined";
  return rules.values().next().value ?? "kept";
}

function findChangingSide({ base, local, remote }: ExplainedWord): Exclude<LineOrigin, "joined"> {
  const [mine, theirs] = [local, remote].map((side) => (side === null) !== (base === null));
  if (mine && theirs) return "both";
  return mine ? "local" : theirs ? "remote" : "kept";
}
