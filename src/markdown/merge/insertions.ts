import { reserveSteps, spendSteps } from "./budget.ts";
import { timeOf } from "./dates.ts";
import type { Ranges, Side } from "./edits.ts";
import { entriesOf, type Piece, pieceOf, pieceText, entryShapeOf } from "./piece.ts";
import {
  fencesIn,
  longerGap,
  lineIndexOf,
  type LineReader,
  STEPS_PER_LINE,
  type ThreeTexts,
  tokenise,
} from "./reading.ts";
import { splitLines } from "./split.ts";
import { isWord } from "./tokens.ts";

/** Least share of the smaller entry's words that two duplicate entries have in common. */
const SAME_ENTRY = 0.6;

/**
 * Least number of words that duplicates have in common. Short entries of one list resemble each
 * other without being duplicates.
 */
const LEAST_SHARED = 4;

/** LIMIT: pairs of entries that are compared at one place. More pairs are a conflict. */
const MAX_PAIRS = 10_000;

/** The place of an insertion in base. `above` and `below`: the nearest lines that are not blank. */
type InsertionPlace = {
  readonly lines: readonly string[];
  readonly inCode: boolean;
  readonly above: number;
  readonly below: number;
  /** Side whose piece comes first if nothing else decides the order. */
  readonly leader: Side;
};

/** Two insertions as text, and the blank lines that follow them. */
type InsertedText = { readonly text: string; readonly after: string };

/**
 * Merges lines that both sides added at one place. Each side's piece stays whole, and one follows
 * the other, unless one contains the other. Undefined if `mayBeAdded` refuses the
 * pieces, if the budget is too small, or if no order keeps each piece in its section, list and
 * table.
 * @param leader side whose piece comes first if nothing else decides the order
 */
export function mergeInsertions(
  part: Ranges,
  texts: ThreeTexts,
  reading: LineReader,
  leader: Side = "remote",
): InsertedText | undefined {
  const lines = [part.local, part.remote].reduce((sum, { from, to }) => sum + to - from, 0);
  if (!reserveSteps(reading, STEPS_PER_LINE * lines)) return undefined;
  const [mine, theirs] = [pieceOf(texts.local, part.local), pieceOf(texts.remote, part.remote)];
  if (containsPiece(theirs, mine, reading)) return join([theirs]);
  if (containsPiece(mine, theirs, reading)) return join([mine]);
  const { base } = texts;
  const place: InsertionPlace = {
    lines: base.lines,
    inCode: fencesIn(base)[lineIndexOf(base, part.base)] !== "",
    above: base.filled.indexes[part.base.from - 1] ?? -1,
    below: base.filled.indexes[part.base.from] ?? base.lines.length,
    leader,
  };
  if (!mayBeAdded(place, mine, theirs, reading)) return undefined;
  const order = inOrder(place, mine, theirs);
  return order && join(order, gapBetween(place, ...order));
}

/**
 * Returns true if a piece has all lines of another piece in a row. Returns false if the budget is
 * too small for the search.
 */
function containsPiece({ lines }: Piece, { lines: run }: Piece, reading: LineReader): boolean {
  return lines.some((_, index) => {
    let length = 0;
    while (reading.left >= 0 && length < run.length && lines[index + length] === run[length]) length++;
    return spendSteps(reading, length) && length === run.length;
  });
}

/**
 * Returns true if both pieces may be added at the place: not in code, no duplicate entries, and no
 * free text in an empty document. False if there are too many entries to compare.
 */
function mayBeAdded(place: InsertionPlace, mine: Piece, theirs: Piece, reading: LineReader): boolean {
  if (place.inCode) return false;
  const [local, remote] = [entriesOf(mine.lines), entriesOf(theirs.lines)];
  if (local === undefined || remote === undefined) return place.lines.some((line) => line.trim() !== "");
  if (local.length * remote.length > MAX_PAIRS || !reserveSteps(reading, local.length * remote.length)) return false;
  const [some, others] = [local, remote].map((all) => all.map((entry) => entryWordsOf(entry.text, reading))) as [
    EntryWords[],
    EntryWords[],
  ];
  return !some.some((entry) => others.some((other) => areDuplicates(entry, other)));
}

/**
 * Returns the pieces in an order that keeps each in its own context; undefined if there is none.
 */
function inOrder(place: InsertionPlace, mine: Piece, theirs: Piece): readonly [Piece, Piece] | undefined {
  const orders = [
    [theirs, mine],
    [mine, theirs],
  ] as const;
  const [usual, other] = isLater(place, theirs, mine) ? [orders[1], orders[0]] : orders;
  return [usual, other].find(([first, second]) => mayFollow(first, second));
}

/**
 * Returns true if the second piece may follow the first: the second does not become part of the
 * first, and does not absorb the text below the first.
 */
function mayFollow(first: Piece, second: Piece): boolean {
  if (second.level > first.highest || second.indent > first.indent) return false;
  if (first.opens || second.closes) return false;
  // A row continues a table, so it may only follow a row with as many cells. Other text needs a
  // blank line after a row.
  if (
    isRow(second.firstEntry)
      ? first.lastEntry !== second.firstEntry
      : isRow(first.lastEntry) && first.after + second.before === ""
  )
    return false;
  return keepsSeams(first, second);
}

function isRow(shape: string | undefined): boolean {
  return shape?.startsWith("row") === true;
}

/** Returns true if each piece keeps the blank lines between it and the lines above and below. */
function keepsSeams(first: Piece, second: Piece): boolean {
  // Lines that continue the line above must come before lines that follow a blank line.
  if (first.before !== "" && second.before === "") return false;
  return second.after === "" || first.after !== "" || (first.before === "" && second.before !== "");
}

/**
 * Returns true if the first piece, which is the remote's, belongs after the second piece. Times
 * decide first. At the top of a section, people add the newest entry. The piece with fewer parts
 * comes first: a longer piece takes longer to write, so it was begun earlier. If both have as many
 * parts, the local piece comes first. At other places, the piece of `place.leader` comes first.
 */
function isLater(place: InsertionPlace, first: Piece, second: Piece): boolean {
  const [one, two] = [timeOf(first.lines[0]), timeOf(second.lines[0])];
  if (one !== undefined && two !== undefined && one.kind === two.kind) {
    const below = timeOf(place.lines[place.below]);
    const falls = below?.kind === one.kind && below.key < one.key && below.key < two.key;
    return falls ? one.key < two.key : one.key > two.key;
  }
  return isTop(place) ? second.parts <= first.parts : place.leader === "local";
}

/**
 * Returns true if a place is the top of a section or document with text below. People add the
 * newest entry at such a place.
 */
function isTop({ lines, above, below }: InsertionPlace): boolean {
  return below < lines.length && (above < 0 || /^ {0,3}#{1,6}\s/.test(lines[above] as string));
}

/** Joins pieces, with the blank lines that the sides put around each. */
function join(pieces: readonly Piece[], between = ""): InsertedText {
  const text = (pieces[0] as Piece).before + pieces.map(pieceText).join(between);
  return { text, after: (pieces.at(-1) as Piece).after };
}

/**
 * Returns the blank lines between two pieces. Entries of one list get the spacing of their
 * neighbours. Without neighbours, they are separated only if a piece has blank lines. Rows get no
 * gap; other pieces get the larger gap.
 */
function gapBetween({ lines, above, below }: InsertionPlace, first: Piece, second: Piece): string {
  if (isRow(second.firstEntry)) return "";
  if (first.lastEntry === undefined || first.lastEntry !== second.firstEntry)
    return longerGap(first.after, second.before);
  const goesOn = (line: string | undefined): boolean =>
    line !== undefined && (entryShapeOf(line) === second.firstEntry || /^\s+\S/.test(line));
  if (goesOn(lines[above])) return second.before;
  if (goesOn(lines[below])) return first.after;
  return [...first.lines, ...second.lines].some((line) => line.trim() === "") ? "\n" : "";
}

/** The words of an entry, and its names: code and addresses. */
type EntryWords = { readonly words: ReadonlySet<string>; readonly names: ReadonlySet<string> };

/**
 * Returns true if two entries are duplicates: most words are the same, and a name is shared if both
 * have names.
 */
function areDuplicates(one: EntryWords, other: EntryWords): boolean {
  if (one.names.size > 0 && other.names.size > 0 && one.names.isDisjointFrom(other.names)) return false;
  const [few, many] = one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words];
  let shared = 0;
  for (const word of few) if (many.has(word)) shared++;
  return shared >= LEAST_SHARED && shared >= SAME_ENTRY * few.size;
}

function entryWordsOf(text: string, reading: LineReader): EntryWords {
  const words = tokenise(splitLines(text), reading)
    .map((token) => token.text)
    .filter(isWord);
  return { words: new Set(words), names: new Set(words.filter((word) => /^(?:`|\(|<?https?:)/.test(word))) };
}
