import { afford, spend } from "./budget.ts";
import { timeOf } from "./dates.ts";
import type { Side } from "./edits.ts";
import { entriesOf, type Piece, pieceOf, pieceText, shapeOf } from "./piece.ts";
import { fencesIn, longerGap, type Part, placeOf, type Reading, type ThreeTexts, tokenise } from "./reading.ts";
import { splitLines } from "./split.ts";
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

/** LIMIT: pairs of entries compared at one place; more are a conflict. */
const MOST_PAIRS = 10_000;

/** Where lines are inserted: the lines of the base that are not blank around. */
type Place = {
  readonly lines: readonly string[];
  readonly inCode: boolean;
  readonly above: number;
  readonly below: number;
  /** The side whose piece comes first where nothing else tells the order. */
  readonly leader: Side;
};

/** Two insertions as text, and the blank lines behind them. */
type Inserted = { readonly text: string; readonly after: string };

/**
 * Both sides added lines at one place. They are two pieces: each stays whole, one after the other,
 * and they are never aligned with each other, unless one holds the other whole. Undefined where no
 * order keeps each piece in the section, list and table that it was written for. `leader`: the side
 * whose piece comes first where nothing else tells the order.
 */
export function mergeInsertions(
  part: Part,
  texts: ThreeTexts,
  reading: Reading,
  leader: Side = "remote",
): Inserted | undefined {
  const [mine, theirs] = [pieceOf(texts.local, part.local), pieceOf(texts.remote, part.remote)];
  if (holds(theirs, mine, reading)) return join([theirs]);
  if (holds(mine, theirs, reading)) return join([mine]);
  const { base } = texts;
  const place: Place = {
    lines: base.lines,
    inCode: fencesIn(base)[placeOf(base, part.base)] !== "",
    above: base.filled.at[part.base.from - 1] ?? -1,
    below: base.filled.at[part.base.from] ?? base.lines.length,
    leader,
  };
  if (!isWelcome(place, mine, theirs, reading)) return undefined;
  const order = inOrder(place, mine, theirs);
  return order && join(order, gapBetween(place, ...order));
}

/**
 * Whether a piece has all lines of another one in a row, as far as the budget pays for the
 * search.
 */
function holds({ lines }: Piece, { lines: run }: Piece, reading: Reading): boolean {
  return lines.some((_, at) => {
    let length = 0;
    while (reading.left >= 0 && length < run.length && lines[at + length] === run[length]) length++;
    return spend(reading, length) && length === run.length;
  });
}

/**
 * Whether both pieces may stand at the place: not in code, not as a first text, not one entry
 * written twice.
 */
function isWelcome(place: Place, mine: Piece, theirs: Piece, reading: Reading): boolean {
  if (place.inCode) return false;
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
  return [usual, other].find(([first, second]) => mayFollow(first, second));
}

/**
 * Whether a piece may come after another one without becoming part of it, and without taking what
 * stood below it.
 */
function mayFollow(first: Piece, second: Piece): boolean {
  if (second.level > first.deepest || second.indent > first.indent) return false;
  if (first.opens || second.closes) return false;
  // A row continues a table; text after a row is separate from it.
  if (isRow(second.head) ? first.tail !== second.head : isRow(first.tail) && first.after + second.before === "")
    return false;
  return keepsSeams(first, second);
}

function isRow(shape: string | undefined): boolean {
  return shape?.startsWith("row") === true;
}

/** Whether each piece stays as near to the lines above and below as it was written. */
function keepsSeams(first: Piece, second: Piece): boolean {
  // Lines that continue the line above come before lines after a blank one.
  if (first.before !== "" && second.before === "") return false;
  return second.after === "" || first.after !== "" || (first.before === "" && second.before !== "");
}

/**
 * Whether the first piece, the remote's, belongs after the second one: by their times, or the
 * numbers of their definitions; or on top, where people add the newest, if it has as many parts or
 * more: many parts were gathered over time, so they began before a single one was written.
 * Elsewhere the leader's piece comes first.
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
  return isTop(place) ? second.parts <= first.parts : place.leader === "local";
}

/** The number that a piece of definitions begins with. */
function numberOf({ lines }: Piece): number | undefined {
  const number = /^ {0,3}\[\^?(?<number>\p{N}+)\]:/u.exec(lines[0] ?? "")?.groups?.["number"];
  return number === undefined ? undefined : Number(number);
}

/** Whether people add at the top: right under a heading or at the start, with text below. */
function isTop({ lines, above, below }: Place): boolean {
  return below < lines.length && (above < 0 || /^ {0,3}#{1,6}\s/.test(lines[above] as string));
}

/** Pieces as text, with the blank lines that the sides put around them. */
function join(pieces: readonly Piece[], between = ""): Inserted {
  const text = (pieces[0] as Piece).before + pieces.map(pieceText).join(between);
  return { text, after: (pieces.at(-1) as Piece).after };
}

/**
 * The blank lines between two pieces: entries of one list stand as those beside them, the first
 * entries of a list close, and anything else as it stands in its surroundings.
 */
function gapBetween({ lines, above, below }: Place, first: Piece, second: Piece): string {
  if (isRow(second.head)) return "";
  if (first.tail === undefined || first.tail !== second.head) return longerGap(first.after, second.before);
  const goesOn = (line: string | undefined): boolean =>
    line !== undefined && (shapeOf(line) === second.head || /^\s+\S/.test(line));
  if (goesOn(lines[above])) return second.before;
  if (goesOn(lines[below])) return first.after;
  return [...first.lines, ...second.lines].some((line) => line.trim() === "") ? "\n" : "";
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
