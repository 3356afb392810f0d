import {
  findCounterparts,
  isChangedByBoth,
  isUnchanged,
  doOverlap,
  type MergePart,
  splitIntoParts,
  type ElementRange,
} from "./edits.ts";
import { diffStrings, type Edit } from "./diff.ts";
import { splitLines } from "./split.ts";
import { LETTER, UNSPACED_CHARACTER } from "./tokens.ts";

/** Part of a line. `differs`: true if the line beside this line lacks the part. */
export type LinePiece = { readonly text: string; readonly differs: boolean };

/** Line of a version. `number`: number of the line in the version, from 1. */
export type SideLine = { readonly number: number; readonly pieces: readonly LinePiece[] };

/** Row of lines beside each other. Null for a version that has no line in this row. */
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
export type RowGroup = {
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
 * @param against version with which the words of a side are compared; without a base, the other
 * side is used in any case
 */
export function compareSideBySide(
  { base, mine, theirs }: ComparedVersions,
  against: "other" | "base" = "other",
): RowGroup[] {
  const hasBase = base !== null;
  const lines = { base: splitLines(base ?? mine), mine: splitLines(mine), theirs: splitLines(theirs) };
  const edits = { local: diffStrings(lines.base, lines.mine), remote: diffStrings(lines.base, lines.theirs) };
  const rangeOfAll = ({ length }: readonly string[]): ElementRange => ({ from: 0, to: length });
  const wholeRanges = { base: rangeOfAll(lines.base), local: rangeOfAll(lines.mine), remote: rangeOfAll(lines.theirs) };
  const comparison = { lines, hasBase, against: hasBase ? against : "other" } as const;
  return splitIntoParts(wholeRanges, edits, areEditsRelated).map((part) => createPassage(comparison, part));
}

type Comparison = {
  readonly lines: {
    readonly base: readonly string[];
    readonly mine: readonly string[];
    readonly theirs: readonly string[];
  };
  readonly hasBase: boolean;
  readonly against: "other" | "base";
};

function areEditsRelated(earlier: Edit, _side: unknown, later: Edit): boolean {
  return doOverlap(earlier, later) || later.start === earlier.end;
}

function classifyPart({ lines, hasBase }: Comparison, part: MergePart): RowGroup["kind"] {
  if (isUnchanged(part)) return "same";
  if (!hasBase) return "both";
  if (!isChangedByBoth(part)) return part.edits.local.length === 0 ? "theirs" : "mine";
  const { local, remote } = part;
  const [a, b] = [lines.mine.slice(local.from, local.to), lines.theirs.slice(remote.from, remote.to)];
  return a.join("") === b.join("") ? "alike" : "both";
}

function createPassage(work: Comparison, part: MergePart): RowGroup {
  const { lines, hasBase, against } = work;
  const { base, local, remote } = part;
  const kind = classifyPart(work, part);
  const count = Math.max(...[local, remote, ...(hasBase ? [base] : [])].map(({ from, to }) => to - from));
  const rows = Array.from({ length: count }, (_, index): SideRow => {
    const [a, b, c] = [
      readLineAt(lines.mine, local, index),
      readLineAt(lines.base, base, index),
      readLineAt(lines.theirs, remote, index),
    ];
    return {
      mine: createSideLine(local, index, a, kind === "same" ? a : against === "base" ? b : c),
      base: hasBase ? createSideLine(base, index, b, b) : null,
      theirs: createSideLine(remote, index, c, kind === "same" ? c : against === "base" ? b : a),
    };
  });
  return { kind, rows };
}

function readLineAt(lines: readonly string[], { from, to }: ElementRange, index: number): string | null {
  return from + index < to ? lines[from + index]! : null;
}

function createSideLine(
  { from }: ElementRange,
  index: number,
  line: string | null,
  other: string | null,
): SideLine | null {
  return line === null ? null : { number: from + index + 1, pieces: splitIntoPieces(line, other) };
}

const LINE_PIECE = new RegExp(`${UNSPACED_CHARACTER}|${LETTER}+|\\s+|.`, "gvs");
/** LIMIT: characters of two lines together, because a comparison of words takes time. */
const MAX_COMPARED_CHARACTERS = 20_000;
/**
 * Smallest share of characters that two lines must have in common. With a smaller share, the lines
 * are shown as completely different.
 */
const MIN_COMMON_SHARE = 0.3;

/** @param other line that is shown beside `line`; null if no line is */
function splitIntoPieces(line: string, other: string | null): LinePiece[] {
  if (line === other) return [{ text: line, differs: false }];
  if (other === null || line.length + other.length > MAX_COMPARED_CHARACTERS) return [{ text: line, differs: true }];
  const [a, b] = [splitIntoTokens(line), splitIntoTokens(other)];
  const matchingToken = findCounterparts(a.length, diffStrings(a, b));
  const pieces: { text: string; differs: boolean }[] = [];
  for (const [index, text] of a.entries()) {
    const differs = (matchingToken[index] as number) < 0;
    const lastPiece = pieces.at(-1);
    if (lastPiece?.differs === differs) lastPiece.text += text;
    else pieces.push({ text, differs });
  }
  return sharesEnough(pieces, line) ? pieces : [{ text: line, differs: true }];
}

function splitIntoTokens(text: string): readonly string[] {
  return text.match(LINE_PIECE) ?? [];
}

function sharesEnough(pieces: readonly LinePiece[], line: string): boolean {
  const sharedLength = pieces.reduce((sum, { text, differs }) => sum + (differs ? 0 : text.trim().length), 0);
  return sharedLength >= MIN_COMMON_SHARE * line.trim().length;
}
