import { afford } from "./budget.ts";
import type { Side } from "./cluster.ts";
import { entriesOf, neighbours, shapeOf, sortKey } from "./entries.ts";
import type { Overlap } from "./lines.ts";
import { type Piece, pieceOf, pieceText } from "./piece.ts";
import { fencesIn, type Lines, type Reading, tokenise } from "./reading.ts";
import { findRun } from "./runs.ts";
import { shareSection } from "./sections.ts";
import { splitLines } from "./split.ts";
import { timeOf } from "./time.ts";
import { isWord } from "./tokens.ts";

/**
 * Share of the smaller entry's words from which two entries count as the same one written twice.
 */
const SAME_ENTRY = 0.6;

/**
 * Words that two entries share, at least, before they count as one: short entries of one list are
 * much alike.
 */
const LEAST_SHARED = 4;

/** Entries that must stand in order before a list is taken to be sorted. */
const LEAST_SORTED = 4;

/** LIMIT: pairs of entries compared at one place; more are a conflict. */
const MOST_PAIRS = 10_000;

/** Where lines are inserted: the base lines around. */
type Place = {
  readonly lines: readonly string[];
  readonly inCode: boolean;
  readonly above: number;
  readonly below: number;
  /** The side whose piece comes first where nothing else tells the order. */
  readonly leader: Side;
};

/**
 * Both sides added lines at one place. They are two pieces: each stays whole, one after the other,
 * and they are never aligned with each other, unless one holds the other whole. Undefined where
 * base had text, or where no order keeps each piece in the section, list and table that it was
 * written for. `base`: all lines of the base; `leader`: the side whose piece comes first where
 * nothing else tells the order.
 */
export function mergeInsertions(
  part: Overlap,
  base: Lines,
  reading: Reading,
  leader: Side = "remote",
): string | undefined {
  if (part.base.some((line) => line.trim() !== "")) return undefined;
  const [mine, theirs] = [pieceOf(part.local), pieceOf(part.remote)];
  if (mine.lines.length === 0) return part.remote.join("");
  if (theirs.lines.length === 0) return part.local.join("");
  if (findRun(theirs.lines, mine.lines) >= 0) return part.remote.join("");
  if (findRun(mine.lines, theirs.lines) >= 0) return part.local.join("");
  const place: Place = {
    lines: base.lines,
    inCode: fencesIn(base)[part.baseLine] !== "",
    above: part.baseLine - 1,
    below: part.baseLine + part.base.length,
    leader,
  };
  if (!isWelcome(place, mine, theirs, reading)) return undefined;
  const order = inOrder(place, mine, theirs);
  return order === undefined ? undefined : join(place, ...order);
}

/**
 * Whether both pieces may stand at the place: not in code, not as a first text, not one entry
 * written twice.
 */
function isWelcome(place: Place, mine: Piece, theirs: Piece, reading: Reading): boolean {
  if (place.inCode || shareSection(mine, theirs)) return false;
  const [local, remote] = [entriesOf(mine.lines), entriesOf(theirs.lines)];
  if (local === undefined || remote === undefined) return place.lines.some((line) => line.trim() !== "");
  if (local.length * remote.length > MOST_PAIRS || !afford(reading, local.length * remote.length)) return false;
  const [some, others] = [local, remote].map((all) => all.map((entry) => saidIn(entry.text, reading))) as [
    Said[],
    Said[],
  ];
  return !some.some((one) => others.some((other) => alike(one, other)));
}

/**
 * The pieces in the order in which each belongs to what it was written under; undefined where there
 * is none.
 */
function inOrder(place: Place, mine: Piece, theirs: Piece): readonly [Piece, Piece] | undefined {
  const orders = [
    [theirs, mine],
    [mine, theirs],
  ] as const;
  const [usual, other] = isLater(place, theirs, mine) ? [orders[1], orders[0]] : orders;
  return [usual, other].find(([first, second]) => mayFollow(place, first, second));
}

/**
 * Whether a piece may come after another one without becoming part of it, and without taking what
 * stood below it.
 */
function mayFollow(place: Place, first: Piece, second: Piece): boolean {
  if (second.level > first.deepest || second.indent > first.indent) return false;
  if (first.opens || second.closes) return false;
  // A row goes on a table, and the text after one is parted from it.
  if (isRow(second.head) ? first.tail !== second.head : isRow(first.tail) && first.after + second.before === 0)
    return false;
  // Two sections of one name are one section to readers.
  if (first.level < 7 && first.lines[0] === second.lines[0]) return false;
  return keepsSeams(place, first, second);
}

function isRow(shape: string | undefined): boolean {
  return shape?.startsWith("row") === true;
}

/** Whether each piece stays as near to the lines above and below as it was written. */
function keepsSeams(place: Place, first: Piece, second: Piece): boolean {
  const [above, below] = [isBlank(place.lines[place.above]), isBlank(place.lines[place.below])];
  // What goes on right under the line above comes before what a blank line parts from it.
  if (!above && first.before > 0 && second.before === 0) return false;
  return below || second.after === 0 || first.after > 0 || (!above && first.before === 0 && second.before > 0);
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === "";
}

/**
 * Whether the first piece, the remote's, belongs after the second one: by their times, or the
 * numbers of their definitions; by the order of a sorted list; or on top, where people add the
 * newest, if it has as many parts or more: many parts were gathered over time, so they began before
 * a single one was written. Elsewhere the leader's piece comes first.
 */
function isLater(place: Place, first: Piece, second: Piece): boolean {
  const [one, two] = [timeOf(first.lines[0]), timeOf(second.lines[0])];
  if (one !== undefined && two !== undefined && one.kind === two.kind) {
    const below = timeOf(place.lines[place.below]);
    const falls = below?.kind === one.kind && below.key < one.key && below.key < two.key;
    return falls ? one.key < two.key : one.key > two.key;
  }
  const [number, next] = [numberOf(first), numberOf(second)];
  if (number !== undefined && next !== undefined && number !== next) return number > next;
  if (isSortedSo(place, second, first)) return true;
  if (isSortedSo(place, first, second)) return false;
  return isTop(place) ? second.parts <= first.parts : place.leader === "local";
}

/** The number that a piece of definitions begins with. */
function numberOf({ lines }: Piece): number | undefined {
  const number = /^ {0,3}\[\^?(?<number>\p{N}+)\]:/u.exec(lines[0] ?? "")?.groups?.["number"];
  return number === undefined ? undefined : Number(number);
}

/** Whether the pieces in this order continue a list that is sorted. */
function isSortedSo(place: Place, first: Piece, second: Piece): boolean {
  const shape = first.shape;
  if (shape === undefined || shape !== second.shape) return false;
  const above = neighbours(place.lines, place.above, -1, shape).toReversed();
  const below = neighbours(place.lines, place.below, 1, shape);
  if (above.length + below.length < LEAST_SORTED) return false;
  return isSorted([...above, ...sortKeysOf(first), ...sortKeysOf(second), ...below]);
}

function sortKeysOf(piece: Piece): string[] {
  return (entriesOf(piece.lines) ?? []).map((entry) => sortKey(entry.text));
}

/** Whether people add at the top here: right under a heading or at the start, with text below. */
function isTop({ lines, above, below }: Place): boolean {
  let [up, down] = [above, below];
  while (up >= 0 && lines[up]?.trim() === "") up--;
  while (down < lines.length && lines[down]?.trim() === "") down++;
  return down < lines.length && (up < 0 || /^ {0,3}#{1,6}\s/.test(lines[up] ?? ""));
}

function isSorted(keys: readonly string[]): boolean {
  return keys.every((key, at) => at === 0 || (keys[at - 1] ?? "") <= key);
}

/** Both pieces as text, with the blank lines that either side put around its own. */
function join(place: Place, first: Piece, second: Piece): string {
  const [isBlankAbove, isBlankBelow] = [isBlank(place.lines[place.above]), isBlank(place.lines[place.below])];
  const above = first.before > 0 || isBlankAbove;
  const below = second.after > 0 || isBlankBelow;
  const between =
    isRow(second.head) || isTight(place, first, second)
      ? 0
      : Math.max(first.after, second.before, Number(isLoose(first, second, above && below)));
  const head = above && !isBlankAbove ? Math.max(first.before, second.before) : first.before;
  const tail = below && !isBlankBelow ? Math.max(first.after, second.after) : second.after;
  return "\n".repeat(head) + pieceText(first) + "\n".repeat(between) + pieceText(second) + "\n".repeat(tail);
}

/**
 * Whether two pieces are the first items of a list, or definitions, without a blank line in them:
 * those around them part them from what stands above and below.
 */
function isTight({ lines, above, below }: Place, first: Piece, second: Piece): boolean {
  if (first.shape === undefined || first.shape !== second.shape) return false;
  if ([...first.lines, ...second.lines].some(isBlank)) return false;
  return ![-1, 1].some((step) => {
    let at = step < 0 ? above : below;
    while (lines[at]?.trim() === "") at += step;
    return shapeOf(lines[at] ?? "") === first.shape || /^\s+\S/.test(lines[at] ?? "");
  });
}

/**
 * Whether a blank line belongs between two pieces: entries of one list stand as the sides wrote
 * them, anything else as it stands in its surroundings.
 */
function isLoose(first: Piece, second: Piece, inBlanks: boolean): boolean {
  const listed = first.tail !== undefined && first.tail === second.head;
  return listed ? first.before + second.after > 0 : inBlanks;
}

/** The words of an entry, and those of them that name something: code and addresses. */
type Said = { readonly words: ReadonlySet<string>; readonly names: ReadonlySet<string> };

/**
 * Whether two entries are one written twice: most words are the same, and a name where both have
 * any.
 */
function alike(one: Said, other: Said): boolean {
  if (one.names.size > 0 && other.names.size > 0 && one.names.isDisjointFrom(other.names)) return false;
  const [few, many] = one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words];
  let shared = 0;
  for (const word of few) if (many.has(word)) shared++;
  return shared >= LEAST_SHARED && shared >= SAME_ENTRY * few.size;
}

function saidIn(text: string, reading: Reading): Said {
  const words = tokenise(splitLines(text), reading)
    .map((token) => token.text)
    .filter(isWord);
  return { words: new Set(words), names: new Set(words.filter((word) => /^(?:`|\(|<?https?:)/.test(word))) };
}
