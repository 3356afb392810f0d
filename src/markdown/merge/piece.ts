import { headingsIn } from "../outline/headings.ts";
import { contextsOf } from "./contexts.ts";
import type { Range } from "./edits.ts";
import { gapBefore, type Lines, linesOf } from "./reading.ts";

/** Lines that a side added at one place, with the properties that decide their position. */
export type Piece = {
  /** The lines from the first to the last that is not blank. */
  readonly lines: readonly string[];
  /** Blank lines before the piece. The next member has the blank lines after the piece. */
  readonly before: string;
  readonly after: string;
  /** Level of the heading that the piece begins with; 7 when it begins with text. */
  readonly level: number;
  /**
   * Smallest level number (1 is the top) of the headings in the piece; 8 without headings. Text
   * after the piece would be in the section of that heading.
   */
  readonly highest: number;
  /** Columns of indent of the first line. */
  readonly indent: number;
  /**
   * Shape of the first entry, as `entryShapeOf` returns it. The next member is for the last entry.
   * Undefined if the first line is not an entry.
   */
  readonly firstEntry: string | undefined;
  readonly lastEntry: string | undefined;
  /**
   * `opens`: true if the piece leaves a block open. `closes`: true if the piece closes a block that
   * was opened above.
   */
  readonly opens: boolean;
  readonly closes: boolean;
  /**
   * Number of entries of the shape that the piece begins with, or of headings of the level that it
   * begins with; 1 for running text.
   */
  readonly parts: number;
};

/** Reads a range of lines that are not blank as a piece. */
export function pieceOf(text: Lines, range: Range): Piece {
  const core = linesOf(text, range);
  const first = core[0] ?? "";
  const { open, faults } = contextsOf(core);
  const headings = headingsIn(core.map((line) => line.trimEnd()));
  const level = headings[0]?.line === 1 ? headings[0].level : undefined;
  return {
    lines: core,
    opens: open > 0,
    closes: faults > open,
    before: gapBefore(text, range.from),
    after: gapBefore(text, range.to),
    level: level ?? 7,
    highest: headings.reduce((least, heading) => Math.min(least, heading.level), 8),
    indent: first.length - first.trimStart().length,
    firstEntry: entryShapeOf(first),
    lastEntry: entryShapeOf(core.findLast((line) => entryShapeOf(line) !== undefined || !/^\s+\S/.test(line)) ?? ""),
    parts: level === undefined ? countEntries(core) : headings.filter((heading) => heading.level === level).length,
  };
}

/** Counts the entries of the first entry's shape, without nested entries; 1 for running text. */
function countEntries(lines: readonly string[]): number {
  const shape = entryShapeOf(lines[0] ?? "");
  return shape === undefined ? 1 : lines.filter((line) => entryShapeOf(line) === shape).length;
}

/** Returns the piece's lines as text, with a line feed at the end. */
export function pieceText(piece: Piece): string {
  const text = piece.lines.join("");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** An entry of a list, a table or the reference definitions, with its continuation lines. */
type Entry = { readonly shape: string; readonly text: string };

const ITEM = /^(\s*)([-*+]|\p{N}+[.)])\s+\S/u;
const DEFINITION = /^\s{0,3}\[[^\]]+\]:\s*\S/;
const RULE = /^[\s:|-]+$/;

/** Splits lines into entries; undefined if a line belongs to no entry. */
export function entriesOf(lines: readonly string[]): Entry[] | undefined {
  const entries: { shape: string; text: string }[] = [];
  for (const line of lines) {
    const shape = entryShapeOf(line);
    const last = entries.at(-1);
    if (shape !== undefined && (last === undefined || !isNested(last.shape, shape)))
      entries.push({ shape, text: line });
    else if (last?.shape.startsWith("item") && (line.trim() === "" || /^\s/.test(line))) last.text += line;
    else return undefined;
  }
  return entries;
}

/**
 * Returns the kind of entry that a line starts, with its indent; undefined if it starts none. Only
 * entries of one shape belong to one list.
 */
export function entryShapeOf(line: string): string | undefined {
  const item = ITEM.exec(line);
  if (item !== null) return `item ${item[1]}${/\p{N}/u.test(item[2] ?? "") ? "1" : item[2]}`;
  if (DEFINITION.test(line)) return "definition";
  const row = line.trim();
  if (row.length > 1 && row.startsWith("|") && row.endsWith("|") && !RULE.test(row))
    return `row ${row.split("|").length}`;
  return undefined;
}

/** Returns true if an item is nested in another, by their shapes. */
function isNested(outer: string, inner: string): boolean {
  return outer.startsWith("item") && inner.startsWith("item") && indentOf(inner) > indentOf(outer);
}

/** Returns the number of spaces before an item, from its shape `item …`. */
function indentOf(shape: string): number {
  return (/^item (\s*)/.exec(shape)?.[1] ?? "").length;
}
