import { reserveSteps, spendSteps } from "./budget.ts";
import { readTime } from "./front-matter.ts";
import type { ElementRange, MergeSide, VersionRanges } from "./edits.ts";
import {
  chooseLongerGap,
  findFirstLineIndex,
  type MergeReading,
  readFences,
  readGapBefore,
  readRangeLines,
  STEPS_PER_LINE,
  type ThreeVersionLines,
  tokenise,
  type VersionLines,
} from "./reading.ts";
import { splitLines } from "./split.ts";
import { isWord } from "./tokens.ts";
import { findHeadings } from "../outline/outline.ts";
import { readBlockContexts } from "./contexts.ts";

/** Smallest share of words, relative to the shorter entry, that two duplicates have in common. */
const MIN_DUPLICATE_SHARE = 0.6;

/**
 * Two entries are duplicates only if they share at least this number of words. Short entries of a
 * list are often similar without being duplicates.
 */
const MIN_SHARED_WORDS = 4;

/**
 * LIMIT: number of pairs of entries that are compared at one position, so that long additions do
 * not use all steps of the budget. With more pairs, the merge is a conflict.
 */
const MAX_PAIRS = 10_000;

/**
 * Position in base at which both sides added lines. `inCode`: true inside a code fence. `above`,
 * `below`: indexes of the nearest lines that are not blank.
 */
type InsertionPlace = {
  readonly lines: readonly string[];
  readonly inCode: boolean;
  readonly above: number;
  readonly below: number;
  readonly leader: MergeSide;
};

type InsertedText = { readonly text: string; readonly after: string };

/**
 * Merges lines that both sides added at one position: all lines of one side, then all lines of the
 * other side. If one addition contains the other, only the larger addition is used. Returns
 * undefined if the step budget is too small, `mayBeAdded` refuses the additions, or no order keeps
 * each addition in its section, list or table.
 */
export function mergeInsertions(
  part: VersionRanges,
  texts: ThreeVersionLines,
  reading: MergeReading,
  leader: MergeSide,
): InsertedText | undefined {
  const lines = [part.local, part.remote].reduce((sum, { from, to }) => sum + to - from, 0);
  if (!reserveSteps(reading, STEPS_PER_LINE * lines)) return undefined;
  const [mine, theirs] = [readPiece(texts.local, part.local), readPiece(texts.remote, part.remote)];
  if (containsPiece(theirs, mine, reading)) return joinPieces([theirs]);
  if (containsPiece(mine, theirs, reading)) return joinPieces([mine]);
  const { base } = texts;
  const place: InsertionPlace = {
    lines: base.lines,
    inCode: readFences(base)[findFirstLineIndex(base, part.base)] !== "",
    above: base.filled.indexes[part.base.from - 1] ?? -1,
    below: base.filled.indexes[part.base.from] ?? base.lines.length,
    leader,
  };
  if (!mayBeAdded(place, mine, theirs, reading)) return undefined;
  const orderedPieces = orderPieces(place, mine, theirs);
  return orderedPieces && joinPieces(orderedPieces, chooseGapBetween(place, ...orderedPieces));
}

/**
 * Returns true if the first addition contains all lines of the second one, without other lines
 * between them. Returns false if the step budget is too small.
 */
function containsPiece({ lines }: InsertedPiece, { lines: run }: InsertedPiece, reading: MergeReading): boolean {
  return lines.some((_, index) => {
    let length = 0;
    while (reading.left >= 0 && length < run.length && lines[index + length] === run[length]) length++;
    return spendSteps(reading, length) && length === run.length;
  });
}

/**
 * Returns true if both additions may be combined. Returns false for additions in code, and for
 * additions with duplicate entries or too many entries to compare. Also returns false if a side
 * added running text to an empty document.
 */
function mayBeAdded(place: InsertionPlace, mine: InsertedPiece, theirs: InsertedPiece, reading: MergeReading): boolean {
  if (place.inCode) return false;
  const [local, remote] = [splitIntoEntries(mine.lines), splitIntoEntries(theirs.lines)];
  if (local === undefined || remote === undefined) return place.lines.some((line) => line.trim() !== "");
  if (local.length * remote.length > MAX_PAIRS || !reserveSteps(reading, local.length * remote.length)) return false;
  const [some, others] = [local, remote].map((all) => all.map((entry) => readEntryWords(entry.text, reading))) as [
    EntryWords[],
    EntryWords[],
  ];
  return !some.some((entry) => others.some((other) => areDuplicates(entry, other)));
}

/**
 * Returns both additions in the order of the result; undefined if no order keeps each addition in
 * its section, list or table.
 */
function orderPieces(
  place: InsertionPlace,
  mine: InsertedPiece,
  theirs: InsertedPiece,
): readonly [InsertedPiece, InsertedPiece] | undefined {
  const possibleOrders = [
    [theirs, mine],
    [mine, theirs],
  ] as const;
  const [usual, other] = belongsLater(place, theirs, mine) ? [possibleOrders[1], possibleOrders[0]] : possibleOrders;
  return [usual, other].find(([first, second]) => mayFollow(first, second));
}

/**
 * Returns true if the second addition may come after the first one. The second addition must not
 * become part of the first one, and the text below must not become part of the second one.
 */
function mayFollow(first: InsertedPiece, second: InsertedPiece): boolean {
  if (second.level > first.highest || second.indent > first.indent) return false;
  if (first.opens || second.closes) return false;
  // A table row may only follow a row with the same number of cells. Other text may follow a row
  // only after a blank line.
  if (
    isRowShape(second.firstEntry)
      ? first.lastEntry !== second.firstEntry
      : isRowShape(first.lastEntry) && first.after + second.before === ""
  )
    return false;
  return keepsOuterGaps(first, second);
}

function isRowShape(shape: string | undefined): boolean {
  return shape?.startsWith("row") === true;
}

function keepsOuterGaps(first: InsertedPiece, second: InsertedPiece): boolean {
  // If only one addition follows the line above without a blank line, that addition must come
  // first.
  if (first.before !== "" && second.before === "") return false;
  return second.after === "" || first.after !== "" || (first.before === "" && second.before !== "");
}

/**
 * Returns true if the remote addition (`first`) belongs after the local one (`second`).
 * - If both additions begin with a time, they are sorted by time: newest first if the entry below
 *   is older than both, otherwise oldest first.
 * - At the top of a section, where people put the newest entry, the addition with fewer entries
 *   comes first. The addition with more entries took longer to write, so it is probably older. If
 *   the numbers of entries are equal, local comes first.
 * - At all other positions, `place.leader` comes first.
 */
function belongsLater(place: InsertionPlace, first: InsertedPiece, second: InsertedPiece): boolean {
  const [one, two] = [readTime(first.lines[0]), readTime(second.lines[0])];
  if (one !== undefined && two !== undefined && one.kind === two.kind) {
    const timeBelow = readTime(place.lines[place.below]);
    const isNewestFirst = timeBelow?.kind === one.kind && timeBelow.key < one.key && timeBelow.key < two.key;
    return isNewestFirst ? one.key < two.key : one.key > two.key;
  }
  return isTopOfSection(place) ? second.parts <= first.parts : place.leader === "local";
}

/**
 * Returns true if a place is at the top of a section or document with text below it, where people
 * put the newest entry.
 */
function isTopOfSection({ lines, above, below }: InsertionPlace): boolean {
  return below < lines.length && (above < 0 || /^ {0,3}#{1,6}\s/.test(lines[above] as string));
}

function joinPieces(pieces: readonly InsertedPiece[], between = ""): InsertedText {
  const text = (pieces[0] as InsertedPiece).before + pieces.map(writePiece).join(between);
  return { text, after: (pieces.at(-1) as InsertedPiece).after };
}

/**
 * Returns the blank lines between two additions.
 * - Between table rows: none.
 * - Between entries of one list: as between an addition and the nearest entry beside it. If there
 *   is no such entry: one blank line if either addition contains a blank line; otherwise none.
 * - Between other additions: the larger number of blank lines that a side chose.
 */
function chooseGapBetween(
  { lines, above, below }: InsertionPlace,
  first: InsertedPiece,
  second: InsertedPiece,
): string {
  if (isRowShape(second.firstEntry)) return "";
  if (first.lastEntry === undefined || first.lastEntry !== second.firstEntry)
    return chooseLongerGap(first.after, second.before);
  const continuesList = (line: string | undefined): boolean =>
    line !== undefined && (readEntryShape(line) === second.firstEntry || /^\s+\S/.test(line));
  if (continuesList(lines[above])) return second.before;
  if (continuesList(lines[below])) return first.after;
  return [...first.lines, ...second.lines].some((line) => line.trim() === "") ? "\n" : "";
}

/** Words of an entry. `names`: words of the entry that are code or an address. */
type EntryWords = { readonly words: ReadonlySet<string>; readonly names: ReadonlySet<string> };

/**
 * Returns true if two entries have most words in common. If both entries have code or addresses,
 * they must also share one of these.
 */
function areDuplicates(one: EntryWords, other: EntryWords): boolean {
  if (one.names.size > 0 && other.names.size > 0 && one.names.isDisjointFrom(other.names)) return false;
  const [few, many] = one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words];
  let sharedCount = 0;
  for (const word of few) if (many.has(word)) sharedCount++;
  return sharedCount >= MIN_SHARED_WORDS && sharedCount >= MIN_DUPLICATE_SHARE * few.size;
}

function readEntryWords(text: string, reading: MergeReading): EntryWords {
  const words = tokenise(splitLines(text), reading)
    .map((token) => token.text)
    .filter(isWord);
  return { words: new Set(words), names: new Set(words.filter((word) => /^(?:`|\(|<?https?:)/.test(word))) };
}

type InsertedPiece = {
  /** Added lines, without blank lines at both ends. */
  readonly lines: readonly string[];
  readonly before: string;
  readonly after: string;
  /** Level of the heading in the first line; 7 if the first line is no heading. */
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
   * `opens`: true if the lines open a Markdown block, such as a code fence, and do not close it.
   * `closes`: true if the lines close a block that began above them.
   */
  readonly opens: boolean;
  readonly closes: boolean;
  /**
   * Number of entries with the kind of the first entry, or of headings with the level of the first
   * heading; 1 for running text.
   */
  readonly parts: number;
};

function readPiece(text: VersionLines, range: ElementRange): InsertedPiece {
  const filledLines = readRangeLines(text, range);
  const firstLine = filledLines[0] ?? "";
  const { open, faults } = readBlockContexts(filledLines);
  const headings = findHeadings(filledLines.map((line) => line.trimEnd()));
  const level = headings[0]?.line === 1 ? headings[0].level : undefined;
  return {
    lines: filledLines,
    opens: open > 0,
    closes: faults > open,
    before: readGapBefore(text, range.from),
    after: readGapBefore(text, range.to),
    level: level ?? 7,
    highest: headings.reduce((least, heading) => Math.min(least, heading.level), 8),
    indent: firstLine.length - firstLine.trimStart().length,
    firstEntry: readEntryShape(firstLine),
    lastEntry: readEntryShape(
      filledLines.findLast((line) => readEntryShape(line) !== undefined || !/^\s+\S/.test(line)) ?? "",
    ),
    parts:
      level === undefined ? countEntries(filledLines) : headings.filter((heading) => heading.level === level).length,
  };
}

function countEntries(lines: readonly string[]): number {
  const shape = readEntryShape(lines[0] ?? "");
  return shape === undefined ? 1 : lines.filter((line) => readEntryShape(line) === shape).length;
}

function writePiece(piece: InsertedPiece): string {
  const text = piece.lines.join("");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

type PieceEntry = { readonly shape: string; readonly text: string };

const ITEM_LINE = /^(\s*)([-*+]|\p{N}+[.)])\s+\S/u;
const DEFINITION_LINE = /^\s{0,3}\[[^\]]+\]:\s*\S/;
const TABLE_RULE = /^[\s:|-]+$/;

/** Splits lines into entries of a list or table; undefined if a line belongs to no entry. */
function splitIntoEntries(lines: readonly string[]): PieceEntry[] | undefined {
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
 * Returns the kind of the entry that a line begins. A kind is a list item with its indent and mark,
 * a table row with its number of cells, or a link definition. Returns undefined if the line begins
 * no entry. A list or table may contain only entries of one kind.
 */
function readEntryShape(line: string): string | undefined {
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
