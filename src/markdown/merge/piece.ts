import { openFences } from "../outline/fences.ts";
import { contextsOf } from "./contexts.ts";
import { gapBefore, type Lines, linesOf, type Range } from "./reading.ts";

/** Lines that a side added at one place, and what tells where they may stand. */
export type Piece = {
  /** The lines from the first that is not blank to the last. */
  readonly lines: readonly string[];
  /** The blank lines before and after. */
  readonly before: string;
  readonly after: string;
  /** Level of the heading that the piece begins with; 7 where it begins with text. */
  readonly level: number;
  /**
   * The highest level of a heading in it that text put behind it would come under; 8 without any.
   */
  readonly deepest: number;
  /** Columns before the first line. */
  readonly indent: number;
  /** What kind of entry it begins with, and with which it ends; undefined for anything else. */
  readonly head: string | undefined;
  readonly tail: string | undefined;
  /** Whether it leaves something open, and whether it closes what was open above it. */
  readonly opens: boolean;
  readonly closes: boolean;
  /** Entries like the one that it begins with, or headings of that level; 1 for running text. */
  readonly parts: number;
};

const HEADING = /^ {0,3}(#{1,6})(?:\s|$)/;
const UNDERLINE = /^ {0,3}(=+|-{2,})\s*$/;

/** Reads the piece of some filled lines of a text. */
export function pieceOf(text: Lines, range: Range): Piece {
  const core = linesOf(text, range);
  const first = core[0] ?? "";
  const { open, faults } = contextsOf(core);
  const fences = openFences(core);
  // A comment of a program in a fence looks like a heading.
  const levels = core.map((_, at) => (fences[at] === "" ? headingLevel(core, at) : undefined));
  return {
    lines: core,
    opens: open > 0,
    closes: faults > open,
    before: gapBefore(text, range.from),
    after: gapBefore(text, range.to),
    level: levels[0] ?? 7,
    deepest: levels.reduce<number>((least, level) => Math.min(least, level ?? 8), 8),
    indent: first.length - first.trimStart().length,
    head: shapeOf(first),
    tail: shapeOf(core.findLast((line) => shapeOf(line) !== undefined || !/^\s+\S/.test(line)) ?? ""),
    parts: partsOf(core, levels),
  };
}

/** How many entries or sections some lines have of the kind that they begin with. */
function partsOf(lines: readonly string[], levels: readonly (number | undefined)[]): number {
  const level = levels[0];
  if (level !== undefined) return levels.filter((one) => one === level).length;
  const shape = shapeOf(lines[0] ?? "");
  return shape === undefined ? 1 : lines.filter((line) => shapeOf(line) === shape).length;
}

function headingLevel(lines: readonly string[], at: number): number | undefined {
  const marks = mayBegin(lines[at], "#") ? HEADING.exec(lines[at] as string)?.[1] : undefined;
  if (marks !== undefined) return marks.length;
  if (!mayBegin(lines[at + 1], "=") && !mayBegin(lines[at + 1], "-")) return undefined;
  const under = UNDERLINE.exec(lines[at + 1] as string)?.[1];
  if (under === undefined || /^\s*(?:[-*+>|]|$)/.test(lines[at] ?? "")) return undefined;
  return under.startsWith("=") ? 1 : 2;
}

/** Whether a line may have a mark before all else: the cheap test, which most lines fail. */
function mayBegin(line: string | undefined, mark: string): boolean {
  return line !== undefined && (line.startsWith(mark) || line.startsWith(" "));
}

/** The piece's lines, each with its line feed. */
export function pieceText(piece: Piece): string {
  const text = piece.lines.join("");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** An entry of a list, a table or the reference definitions, with the lines that belong to it. */
type Entry = { readonly shape: string; readonly text: string };

const ITEM = /^(\s*)([-*+]|\p{N}+[.)])\s+\S/u;
const DEFINITION = /^\s{0,3}\[[^\]]+\]:\s*\S/;
const RULE = /^[\s:|-]+$/;

/** The entries that some lines consist of; undefined when they are anything else. */
export function entriesOf(lines: readonly string[]): Entry[] | undefined {
  const entries: { shape: string; text: string }[] = [];
  for (const line of lines) {
    const shape = shapeOf(line);
    const last = entries.at(-1);
    if (shape !== undefined && (last === undefined || !isNested(last.shape, shape)))
      entries.push({ shape, text: line });
    else if (last?.shape.startsWith("item") && (line.trim() === "" || /^\s/.test(line))) last.text += line;
    else return undefined;
  }
  return entries;
}

/**
 * What kind of entry a line starts, with its indent: only entries of one shape belong to one list.
 */
export function shapeOf(line: string): string | undefined {
  const item = ITEM.exec(line);
  if (item !== null) return `item ${item[1]}${/\p{N}/u.test(item[2] ?? "") ? "1" : item[2]}`;
  if (DEFINITION.test(line)) return "definition";
  const row = line.trim();
  if (row.length > 1 && row.startsWith("|") && row.endsWith("|") && !RULE.test(row))
    return `row ${row.split("|").length}`;
  return undefined;
}

/** Whether an item's shape is that of a deeper item. */
function isNested(outer: string, inner: string): boolean {
  return outer.startsWith("item") && inner.startsWith("item") && indentOf(inner) > indentOf(outer);
}

/** The columns before an item of some shape. */
function indentOf(shape: string): number {
  return (/^item (\s*)/.exec(shape)?.[1] ?? "").length;
}
