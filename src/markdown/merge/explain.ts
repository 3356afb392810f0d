import { settleDates } from "./dates.ts";
import { Interner } from "./split.ts";
import { type Four, type Row, tableOf } from "./table.ts";

/**
 * A word or mark with the white space before it, as each text has it; null in a text that has not
 * the piece. A number at the start of an item, heading or row counts as white space.
 */
export type Piece = {
  readonly base: string | null;
  readonly local: string | null;
  readonly remote: string | null;
  readonly result: string | null;
};

/**
 * Which rule made a line: all texts have it; one side or both sides alike changed it; its words are
 * joined from changes of both sides.
 */
type Rule = "kept" | "local" | "remote" | "both" | "joined";

/** A line of the result by its number from 1; null: lines that were removed. */
export type ExplainedLine = { readonly line: number | null; readonly rule: Rule; readonly pieces: readonly Piece[] };

/**
 * How a merge came about. `texts`: base, local and remote as they were merged, with later dates.
 * Read downwards, the pieces are these texts and the result.
 */
export type Explanation = {
  readonly texts: readonly [base: string, local: string, remote: string];
  readonly lines: readonly ExplainedLine[];
};

/**
 * Explains a merged text, from the four texts alone. Null where the texts differ too much, or where
 * the result is no merge of the sides.
 */
export function explainMerge(base: string, local: string, remote: string, result: string): Explanation | null {
  const texts = [base, ...settleDates(base, local, remote)] as const;
  const pieces = piecesOf([...texts, result]);
  return pieces === undefined ? null : { texts, lines: linesOf(pieces) };
}

type Word = { readonly text: string; readonly space: string };
type Words = { readonly words: readonly Word[]; readonly rest: string };

// A date, a character of Chinese or Japanese, a word, a run of one mark, a check box, or any mark.
const WORD =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{M}\p{N}]+(?:_+[\p{L}\p{M}\p{N}]+)*|([*_~=#:`-])\1*|\[[ xX]\](?=\s)|\S/gu;
const NUMBER =
  /^((?:[ \t]*(?:>|[-*+]|#{1,6})(?=[ \t]))*[ \t]*)(?:(?:(?:\p{N}{1,4}(?:\.\p{N}{1,3})*|[a-z])[.)]|\p{N}{1,2}:\p{N}{2})(?=[ \t]+\S)|\p{N}{1,4}、)|^([ \t]*\|[ \t]*)\p{N}{1,4}(?=[ \t]*\|)/gmu;
const LEADS = /^(?:[->*+|]|#{1,6})$/;

/**
 * The words and marks of a text. A mark that makes its line an item, quote, heading or row is one
 * of its own kind.
 */
function wordsIn(text: string): Words {
  const numbers = Array.from(text.matchAll(NUMBER), ({ 0: all, 1: item, 2: row, index }) => {
    return { from: index + (item ?? row ?? "").length, to: index + all.length };
  });
  const words: Word[] = [];
  let [written, next] = [0, 0];
  for (const { 0: found, index } of text.matchAll(WORD)) {
    while ((numbers[next]?.to ?? Number.POSITIVE_INFINITY) <= index) next++;
    if ((numbers[next]?.from ?? Number.POSITIVE_INFINITY) <= index) continue;
    const space = text.slice(written, index);
    const leads = LEADS.test(found) && (written === 0 || space.includes("\n"));
    words.push({ text: leads ? `\n${found}` : found, space });
    written = index + found.length;
  }
  return { words, rest: text.slice(written) };
}

/** The table of four texts, in pieces; undefined where there is none. */
function piecesOf(texts: readonly string[]): Piece[] | undefined {
  const read = texts.map(wordsIn);
  const ids = new Interner();
  const four = read.map(({ words }) => ids.ids(words.map(({ text }) => text)));
  const starts = read.map(({ words }) => Array.from(words.keys()).filter((at) => beginsLine(words, at)));
  const rows = tableOf(four as unknown as Four, starts as unknown as Four);
  if (rows === undefined) return undefined;
  slideToLines(rows, four[3] as number[], (at) => beginsLine(read[3]?.words ?? [], at));
  const write = (index: number, text: number): string | null => {
    const word = read[text]?.words[index];
    return word === undefined ? null : word.space + word.text.trimStart();
  };
  const pieces = rows.map((row) => pieceOf(row.map(write)));
  return [...pieces, pieceOf(read.map(({ rest }) => rest))];
}

function beginsLine(words: readonly Word[], at: number): boolean {
  return at === 0 || words[at]?.space.includes("\n") === true;
}

function pieceOf(cells: readonly (string | null)[]): Piece {
  const [base, local, remote, result] = cells as [string | null, string | null, string | null, string | null];
  return { base, local, remote, result };
}

/**
 * Moves what a side inserted up to the start of a line where the words before it are its last words
 * as well: people insert lines, not ends and beginnings of them.
 */
function slideToLines(rows: Row[], ids: readonly number[], startsLine: (at: number) => boolean): void {
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const side = insertedBy(rows[from] as Row);
    to = from + 1;
    if (side === 0) continue;
    while (to < rows.length && insertedBy(rows[to] as Row) === side) to++;
    let by = 0;
    const at = (index: number): number => (rows[index] as Row)[3];
    const canSlide = (): boolean => {
      const before = rows[from - by - 1];
      return before?.every((index) => index >= 0) === true && ids[before[3]] === ids[at(to - by - 1)];
    };
    while (!startsLine(at(from - by)) && canSlide()) by++;
    if (by > 0 && startsLine(at(from - by))) slide(rows, { from, to, by, side });
  }
}

/** 1 or 2 where local or remote alone added a piece, else 0. */
function insertedBy([base, local, remote]: Row): 0 | 1 | 2 {
  if (base >= 0 || (local >= 0 && remote >= 0)) return 0;
  return local >= 0 ? 1 : 2;
}

type Slide = { readonly from: number; readonly to: number; readonly by: number; readonly side: 1 | 2 };

function slide(rows: Row[], { from, to, by, side }: Slide): void {
  const kept = rows.slice(from - by, from);
  const all = rows.slice(from - by, to);
  for (const [at, row] of all.entries()) {
    const [base, local, remote] = kept[at - (to - from)] ?? [-1, -1, -1];
    const own = row[side];
    rows[from - by + at] = side === 1 ? [base, own, remote, row[3]] : [base, local, own, row[3]];
  }
}

/** Pieces by lines of the result; removed lines are lines of their own. */
function linesOf(pieces: readonly Piece[]): ExplainedLine[] {
  const lines: { line: number | null; pieces: Piece[] }[] = [{ line: null, pieces: [] }];
  let number = 1;
  for (const [at, piece] of pieces.entries()) {
    const isEnd = at === pieces.length - 1;
    if (at > 0 && !isEnd && (piece.result ?? piece.base)?.includes("\n")) lines.push({ line: null, pieces: [] });
    const line = lines.at(-1) as (typeof lines)[number];
    line.pieces.push(piece);
    if (piece.result === null || isEnd) continue;
    number += piece.result.split("\n").length - 1;
    line.line = number;
  }
  return lines.map((line) => ({ ...line, rule: ruleOf(line.pieces) }));
}

function ruleOf(pieces: readonly Piece[]): Rule {
  const rules = new Set(pieces.map(changedBy).filter((by) => by !== "kept"));
  if (rules.size > 1) return "joined";
  return rules.values().next().value ?? "kept";
}

/** Returns the sides that changed a piece: added it to base, or removed it. */
function changedBy({ base, local, remote }: Piece): Exclude<Rule, "joined"> {
  const [mine, theirs] = [local, remote].map((side) => (side === null) !== (base === null));
  if (mine && theirs) return "both";
  return mine ? "local" : theirs ? "remote" : "kept";
}
