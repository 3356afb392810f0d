import { spend } from "./budget.ts";
import { readFrontMatter } from "./front-matter.ts";
import { diffLines, type Reading, readLines } from "./reading.ts";
import { findRun } from "./runs.ts";
import { normalise } from "./style.ts";

/**
 * Whether lines that both sides inserted at one place of the base, the first of four texts, stand
 * in the last one as each side wrote them: a line that both inserted is there twice, unless one
 * side's piece holds the other's whole. Blank lines and indents are not looked at.
 */
export function keepsInsertions(
  [base, local, remote, merged]: readonly [string, string, string, string],
  reading: Reading,
): boolean {
  const [mine, theirs] = [local, remote].map((side) => insertionsOf(base, side, reading)) as [Pieces, Pieces];
  const head = frontLines(base);
  let lines: readonly string[] | undefined;
  for (const [place, piece] of mine) {
    const other = theirs.get(place);
    // Front matter merges by its keys, and its lists as sets.
    if (other === undefined || place < head || (piece[0] === "---" && other[0] === "---")) continue;
    if (findRun(piece, other) >= 0 || findRun(other, piece) >= 0) continue;
    lines ??= readLines(merged, reading).lines.flatMap(said);
    if (!spend(reading, lines.length / LINES_A_STEP) || !standApart(lines, piece, other)) return false;
  }
  return reading.left >= 0;
}

/** As many lines cost a step where one of them is looked for. */
const LINES_A_STEP = 16;

/** How many lines the front matter of a text takes. */
function frontLines(text: string): number {
  return text.startsWith("---") ? (readFrontMatter(normalise(text, false))?.lines ?? 0) : 0;
}

/** What was inserted, without blank lines, by the base line that it stands before. */
type Pieces = ReadonlyMap<number, readonly string[]>;

/** What a side added without taking anything away. */
function insertionsOf(base: string, side: string, reading: Reading): Pieces {
  const pieces = new Map<number, readonly string[]>();
  for (const { start, end, from, to } of diffLines(base, side, reading)) {
    if (start !== end) continue;
    const piece = readLines(side, reading).lines.slice(from, to).flatMap(said);
    if (piece.length > 0) pieces.set(start, piece);
  }
  return pieces;
}

/** A line without the white space around it; nothing of a blank one. */
function said(line: string): string | readonly string[] {
  const text = line.trim();
  return text === "" ? [] : text;
}

/** Whether two pieces stand in some lines, each in a row, without a line in common. */
function standApart(lines: readonly string[], one: readonly string[], other: readonly string[]): boolean {
  const isAfter = (first: readonly string[], second: readonly string[]): boolean => {
    const at = findRun(lines, first);
    return at >= 0 && findRun(lines, second, at + first.length) >= 0;
  };
  return isAfter(one, other) || isAfter(other, one);
}
