/** Compares versions line by line, to show them beside each other. */

import { counterparts, isChangedByBoth, isUnchanged, overlaps, type Part, partsOf, type Range } from "./edits.ts";
import { diffStrings, type Edit } from "./myers.ts";
import { splitLines } from "./split.ts";
import { LETTER, UNSPACED } from "./words.ts";

/** A part of a line. `differs`: true if the line beside it lacks this part. */
export type LinePiece = { readonly text: string; readonly differs: boolean };

/** One line, with its line feed. `number`: its number in the version, from 1. */
export type SideLine = { readonly number: number; readonly pieces: readonly LinePiece[] };

/** Lines that are shown beside each other; null for a version without a line at this place. */
export type SideRow = {
  readonly mine: SideLine | null;
  readonly base: SideLine | null;
  readonly theirs: SideLine | null;
};

/**
 * Consecutive rows of one kind. Without a base, only `same` and `both` occur.
 * - `same`: unchanged
 * - `mine`, `theirs`: changed by one side
 * - `alike`: changed equally by both sides
 * - `both`: changed differently by both sides
 */
export type Passage = {
  readonly kind: "same" | "mine" | "theirs" | "alike" | "both";
  readonly rows: readonly SideRow[];
};

type ComparedVersions = {
  /** Base version; null if both sides are new. */
  readonly base: string | null;
  readonly mine: string;
  readonly theirs: string;
};

/**
 * Returns all rows of the versions in order, grouped by kind.
 * @param against version with which the words of a side are compared: the other side, or base if
 * there is one
 */
export function sideBySide({ base, mine, theirs }: ComparedVersions, against: "other" | "base" = "other"): Passage[] {
  const hasBase = base !== null;
  const lines = { base: splitLines(base ?? mine), mine: splitLines(mine), theirs: splitLines(theirs) };
  const edits = { local: diffStrings(lines.base, lines.mine), remote: diffStrings(lines.base, lines.theirs) };
  const allOf = ({ length }: readonly string[]): Range => ({ from: 0, to: length });
  const whole = { base: allOf(lines.base), local: allOf(lines.mine), remote: allOf(lines.theirs) };
  const work = { lines, hasBase, against: hasBase ? against : "other" } as const;
  return partsOf(whole, edits, meets).map((part) => passage(work, part));
}

type Work = {
  readonly lines: {
    readonly base: readonly string[];
    readonly mine: readonly string[];
    readonly theirs: readonly string[];
  };
  readonly hasBase: boolean;
  readonly against: "other" | "base";
};

function meets(earlier: Edit, _side: unknown, later: Edit): boolean {
  return overlaps(earlier, later) || later.start === earlier.end;
}

function kindOf({ lines, hasBase }: Work, part: Part): Passage["kind"] {
  if (isUnchanged(part)) return "same";
  if (!hasBase) return "both";
  if (!isChangedByBoth(part)) return part.edits.local.length === 0 ? "theirs" : "mine";
  const { local, remote } = part;
  const [a, b] = [lines.mine.slice(local.from, local.to), lines.theirs.slice(remote.from, remote.to)];
  return a.join("") === b.join("") ? "alike" : "both";
}

function passage(work: Work, part: Part): Passage {
  const { lines, hasBase, against } = work;
  const { base, local, remote } = part;
  const kind = kindOf(work, part);
  const count = Math.max(...[local, remote, ...(hasBase ? [base] : [])].map(({ from, to }) => to - from));
  const rows = Array.from({ length: count }, (_, index): SideRow => {
    const [a, b, c] = [
      lineAt(lines.mine, local, index),
      lineAt(lines.base, base, index),
      lineAt(lines.theirs, remote, index),
    ];
    return {
      mine: sideLine(local, index, a, kind === "same" ? a : against === "base" ? b : c),
      base: hasBase ? sideLine(base, index, b, b) : null,
      theirs: sideLine(remote, index, c, kind === "same" ? c : against === "base" ? b : a),
    };
  });
  return { kind, rows };
}

function lineAt(lines: readonly string[], { from, to }: Range, index: number): string | null {
  return from + index < to ? lines[from + index]! : null;
}

function sideLine({ from }: Range, index: number, line: string | null, other: string | null): SideLine | null {
  return line === null ? null : { number: from + index + 1, pieces: piecesOf(line, other) };
}

/** Matches a word, a run of white space, or one other character. */
const PIECE = new RegExp(`${UNSPACED}|${LETTER}+|\\s+|.`, "gvs");
/** LIMIT: characters of two lines together. The words of longer lines are not compared. */
const MAX_CHARACTERS = 20_000;
/**
 * Smallest share of characters in common. If two lines have less, they are shown as completely
 * different.
 */
const LEAST_SHARE = 0.3;

/**
 * Splits a line into parts that are equal to the other line, and parts that differ.
 * @param other line beside it; null if there is none
 */
function piecesOf(line: string, other: string | null): LinePiece[] {
  if (line === other) return [{ text: line, differs: false }];
  if (other === null || line.length + other.length > MAX_CHARACTERS) return [{ text: line, differs: true }];
  const [a, b] = [tokensOf(line), tokensOf(other)];
  const matchingToken = counterparts(a.length, diffStrings(a, b));
  const pieces: { text: string; differs: boolean }[] = [];
  for (const [index, text] of a.entries()) {
    const differs = (matchingToken[index] as number) < 0;
    const last = pieces.at(-1);
    if (last?.differs === differs) last.text += text;
    else pieces.push({ text, differs });
  }
  return sharesEnough(pieces, line) ? pieces : [{ text: line, differs: true }];
}

function tokensOf(text: string): readonly string[] {
  return text.match(PIECE) ?? [];
}

function sharesEnough(pieces: readonly LinePiece[], line: string): boolean {
  const shared = pieces.reduce((sum, { text, differs }) => sum + (differs ? 0 : text.trim().length), 0);
  return shared >= LEAST_SHARE * line.trim().length;
}
