import { findHeadings } from "../outline/headings.ts";
import { readBlockContexts } from "./contexts.ts";
import type { ElementRange } from "./edits.ts";
import { readGapBefore, type VersionLines, readRangeLines } from "./reading.ts";

export type InsertedPiece = {
  /** Added lines, without blank lines at both ends. */
  readonly lines: readonly string[];
  readonly before: string;
  readonly after: string;
  /** Level of the heading in the first line; 7 if that line is no heading. */
  readonly level: number;
  /**
   * Level of the highest heading in the added lines, 1 to 6; 8 if they have no heading. Text after
   * the added lines would belong to the section of this heading.
   */
  readonly highest: number;
  readonly indent: number;
  /**
   * Kinds of the first and the last entry, as `readEntryShape` returns them; undefined if the first
   * or last line begins no entry.
   */
  readonly firstEntry: string | undefined;
  readonly lastEntry: string | undefined;
  /**
   * `opens`: true if the lines open a block, such as a code fence, and do not close it. `closes`:
   * true if the lines close a block that began above.
   */
  readonly opens: boolean;
  readonly closes: boolean;
  /**
   * Number of entries that have the kind of the first entry, or of headings that have the level of
   * the first heading; 1 for running text.
   */
  readonly parts: number;
};

export function readPiece(text: VersionLines, range: ElementRange): InsertedPiece {
  const core = readRangeLines(text, range);
  const firstLine = core[0] ?? "";
  const { open, faults } = readBlockContexts(core);
  const headings = findHeadings(core.map((line) => line.trimEnd()));
  const level = headings[0]?.line === 1 ? headings[0].level : undefined;
  return {
    lines: core,
    opens: open > 0,
    closes: faults > open,
    before: readGapBefore(text, range.from),
    after: readGapBefore(text, range.to),
    level: level ?? 7,
    highest: headings.reduce((least, heading) => Math.min(least, heading.level), 8),
    indent: firstLine.length - firstLine.trimStart().length,
    firstEntry: readEntryShape(firstLine),
    lastEntry: readEntryShape(
      core.findLast((line) => readEntryShape(line) !== undefined || !/^\s+\S/.test(line)) ?? "",
    ),
    parts: level === undefined ? countEntries(core) : headings.filter((heading) => heading.level === level).length,
  };
}

function countEntries(lines: readonly string[]): number {
  const shape = readEntryShape(lines[0] ?? "");
  return shape === undefined ? 1 : lines.filter((line) => readEntryShape(line) === shape).length;
}

export function writePiece(piece: InsertedPiece): string {
  const text = piece.lines.join("");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

type PieceEntry = { readonly shape: string; readonly text: string };

const ITEM_LINE = /^(\s*)([-*+]|\p{N}+[.)])\s+\S/u;
const DEFINITION_LINE = /^\s{0,3}\[[^\]]+\]:\s*\S/;
const TABLE_RULE = /^[\s:|-]+$/;

/**
 * Splits lines into entries of a list or table. Returns undefined if a line belongs to no entry.
 */
export function splitIntoEntries(lines: readonly string[]): PieceEntry[] | undefined {
  const entries: { shape: string; text: string }[] = [];
  for (const line of lines) {
    const shape = readEntryShape(line);
    const lastEntry = entries.at(-1);
    if (shape !== undefined && (lastEntry === undefined || !isNested(lastEntry.shape, shape)))
      entries.push({ shape, text: line });
    else if (lastEntry?.shape.startsWith("item") && (line.trim() === "" || /^\s/.test(line))) lastEntry.text += line;
    else return undefined;
  }
  return entries;
}

/**
 * Returns the kind of the entry that a line begins: list item with its indent and mark, table row
 * with its number of cells, or link definition. Returns undefined if the line begins no entry. Only
 * entries of one kind may be in one list or table.
 */
export function readEntryShape(line: string): string | undefined {
  const item = ITEM_LINE.exec(line);
  if (item !== null) return `item ${item[1]}${/\p{N}/u.test(item[2] ?? "") ? "1" : item[2]}`;
  if (DEFINITION_LINE.test(line)) return "definition";
  const row = line.trim();
  if (row.length > 1 && row.startsWith("|") && row.endsWith("|") && !TABLE_RULE.test(row))
    return `row ${row.split("|").length}`;
  return undefined;
}

function isNested(outer: string, inner: string): boolean {
  return outer.startsWith("item") && inner.startsWith("item") && readIndent(inner) > readIndent(outer);
}

function readIndent(shape: string): number {
  return (/^item (\s*)/.exec(shape)?.[1] ?? "").length;
}
