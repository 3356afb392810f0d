import { includesCode } from "../outline/fences.ts";
import {
  isChangedByBoth,
  isReplacement,
  isUnchanged,
  overlaps,
  type Part,
  partsOf,
  type Range,
  type Ranges,
  type Side,
  type SideEdits,
} from "./edits.ts";
import { wordsOfLines } from "./evidence.ts";
import { mergeFlow } from "./flow.ts";
import { mergeInsertions } from "./insertions.ts";
import type { Edit } from "./myers.ts";
import { pairLines } from "./pairs.ts";
import {
  fencesIn,
  gapBefore,
  type Lines,
  linesOf,
  mergeGaps,
  lineIndexOf,
  type LineReader,
  type ThreeTexts,
  tokenise,
} from "./reading.ts";
import { areEqual } from "./split.ts";
import { includesAllChanges } from "./subsume.ts";
import { keepsLineMarks, writeTokens } from "./tokens.ts";

/** A conflict: the lines of each version, and the index of the first of them, from 0. */
export type ConflictHunk = {
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  readonly baseLine: number;
  readonly localLine: number;
  readonly remoteLine: number;
};

/**
 * Merged lines of a part. `after`: blank lines after the part; undefined to merge the blank lines
 * of the versions.
 */
type MergedPart = { readonly text: string; readonly after?: string | undefined };

/**
 * Input of a merge: three versions, and the edits of each side by lines. Blank lines are left out.
 */
export type Work = { readonly texts: ThreeTexts; readonly edits: Edits; readonly reading: LineReader };

/** Edits by lines. `changed`: edits that changed one line but kept most of its words. */
type Edits = SideEdits & { readonly changed: ReadonlySet<Edit> };

type Conflicts = { readonly conflicts: readonly ConflictHunk[] };

/**
 * Merges lines; if that conflicts, smaller and smaller parts of them. Returns the merged document
 * or all conflicts. A blank line counts as white space before the next line.
 */
export function mergeHunks(work: Work): { readonly text: string } | Conflicts {
  const { texts } = work;
  const whole = wholeOf(texts);
  const merged = mergeRange(whole, work);
  if ("conflicts" in merged) return merged;
  return { text: merged.text + (merged.after ?? gapAt(texts, whole.base.to, whole.local.to, whole.remote.to)) };
}

/** Returns the ranges of all lines that are not blank. */
function wholeOf({ base, local, remote }: ThreeTexts): Ranges {
  const allOf = ({ filled }: Lines): Range => ({ from: 0, to: filled.indexes.length });
  return { base: allOf(base), local: allOf(local), remote: allOf(remote) };
}

/**
 * Merges some ranges of lines.
 * @param whole ranges that contain all edits of `work`
 */
function mergeRange(whole: Ranges, work: Work): MergedPart | Conflicts {
  const conflicts: ConflictHunk[] = [];
  let text = "";
  let after: string | undefined;
  for (const part of lineParts(work, whole)) {
    const settled = isUnchanged(part) ? keep(part, work.texts, after) : settle(part, work);
    if ("conflicts" in settled) conflicts.push(...settled.conflicts);
    else ({ text, after } = { text: text + settled.text, after: settled.after });
  }
  return conflicts.length > 0 ? { conflicts } : { text, after };
}

/**
 * Returns the lines of an unchanged part.
 * @param lead blank lines before the part, if the part before it decided them; otherwise undefined
 */
function keep({ base, local, remote }: Ranges, texts: ThreeTexts, lead: string | undefined): MergedPart {
  let text = "";
  for (let index = 0; index < base.to - base.from; index++) {
    const gap = index === 0 ? lead : undefined;
    text += gap ?? gapAt(texts, base.from + index, local.from + index, remote.from + index);
    text += texts.base.lines[texts.base.filled.indexes[base.from + index] as number];
  }
  return { text };
}

/**
 * Splits lines into parts: those with edits that must be merged together, and the unchanged lines
 * between them.
 */
export function lineParts(work: Work, whole: Ranges = wholeOf(work.texts)): Part[] {
  return partsOf(whole, work.edits, (earlier, side, later) => linesMeet(earlier, side, later, work));
}

/**
 * Returns the edits of a part, with an edit of its own for each line that kept most of its words.
 */
function finerEdits({ edits: { local, remote } }: Part, { texts, reading }: Work): Edits {
  const mine = pairLines(local, texts.base, texts.local, reading);
  const theirs = pairLines(remote, texts.base, texts.remote, reading);
  return { local: mine.edits, remote: theirs.edits, changed: mine.changed.union(theirs.changed) };
}

/**
 * Returns true if both sides never changed the same line of base in different ways. A merge by
 * whole lines may then be enough.
 */
export function areApart(work: Work): boolean {
  const isApart = (part: Part): boolean => !isChangedByBoth(part) || isEmpty(part.base) || isAlike(part, work.texts);
  return lineParts(work).every(
    (part) => isApart(part) || lineParts({ ...work, edits: finerEdits(part, work) }, part).every(isApart),
  );
}

/**
 * Returns true if two edits of different sides must be merged together. If one side adds or removes
 * lines beside a line that the other side rewrote, words may have moved between these lines. The
 * edits are independent if a blank line is between them, or if the rewritten line kept most of its
 * words.
 */
function linesMeet(earlier: Edit, side: Side, later: Edit, { edits, texts }: Work): boolean {
  if (overlaps(earlier, later)) return true;
  if (later.start > earlier.end || edits.changed.has(earlier) || edits.changed.has(later)) return false;
  if (isReplacement(earlier) && isReplacement(later)) return false;
  // Two removals add nothing, so nothing can get to a wrong place.
  if (onlyRemoves(earlier) && onlyRemoves(later)) return false;
  // Both sides may have added a line between the same two lines of base.
  if (grows(earlier) && grows(later)) return true;
  if (earlier.start === earlier.end) return gapBefore(texts[side], earlier.to) === "";
  if (later.start < later.end) return gapBefore(texts.base, later.start) === "";
  return gapBefore(texts[side === "local" ? "remote" : "local"], later.from) === "";
}

function grows({ start, end, from, to }: Edit): boolean {
  return to - from > end - start;
}

function onlyRemoves({ start, end, from, to }: Edit): boolean {
  return start < end && from === to;
}

function isAlike({ local, remote }: Ranges, texts: ThreeTexts): boolean {
  const mine = texts.local.filled.ids.slice(local.from, local.to);
  return areEqual(mine, texts.remote.filled.ids.slice(remote.from, remote.to));
}

/** Merges a part that at least one side changed. */
function settle(part: Part, work: Work): MergedPart | Conflicts {
  const { texts, reading } = work;
  const { local, remote } = part.edits;
  if (remote.length === 0) return ofSide(part, "local", texts);
  if (local.length === 0) return ofSide(part, "remote", texts);
  const words = wordsOfLines(reading);
  const base = texts.base.filled.ids;
  const mine = { ids: texts.local.filled.ids, edits: local, ...part.local };
  const theirs = { ids: texts.remote.filled.ids, edits: remote, ...part.remote };
  if (includesAllChanges(base, theirs, mine, words, reading, true)) return ofSide(part, "remote", texts);
  if (includesAllChanges(base, mine, theirs, words, reading, true)) return ofSide(part, "local", texts);
  return mergePart(part, work);
}

/** Returns a part as one side has it, with the blank lines before it. */
function ofSide(part: Ranges, side: Side, texts: ThreeTexts): MergedPart {
  const { from, to } = part[side];
  if (from === to) return { text: "" };
  const lead = isEmpty(part.base) ? gapBefore(texts[side], from) : leadOf(part, texts);
  return { text: lead + linesOf(texts[side], part[side]).join("") };
}

function isEmpty({ from, to }: Range): boolean {
  return from === to;
}

/** Merges the blank lines before a part. */
function leadOf({ base, local, remote }: Ranges, texts: ThreeTexts): string {
  return gapAt(texts, base.from, local.from, remote.from);
}

/** Merges the blank lines before a line. The numbers are its index in each version. */
function gapAt(texts: ThreeTexts, base: number, local: number, remote: number): string {
  return mergeGaps(gapBefore(texts.base, base), gapBefore(texts.local, local), gapBefore(texts.remote, remote));
}

/** Returns a part as a conflict. */
function conflictOf(part: Ranges, texts: ThreeTexts): ConflictHunk {
  return {
    base: linesOf(texts.base, part.base).join(""),
    local: linesOf(texts.local, part.local).join(""),
    remote: linesOf(texts.remote, part.remote).join(""),
    baseLine: lineIndexOf(texts.base, part.base),
    localLine: lineIndexOf(texts.local, part.local),
    remoteLine: lineIndexOf(texts.remote, part.remote),
  };
}

/** Merges a part that both sides changed: as two insertions, by single lines, or by words. */
function mergePart(part: Part, work: Work): MergedPart | Conflicts {
  const { texts, reading } = work;
  const conflict = { conflicts: [conflictOf(part, texts)] };
  if (isEmpty(part.base)) return mergeInsertions(part, texts, reading, leaderAt(part.base.from, work)) ?? conflict;
  if (isEmpty(part.local) || isEmpty(part.remote)) return conflict;
  const edits = finerEdits(part, work);
  const isFiner = edits.local.length + edits.remote.length > part.edits.local.length + part.edits.remote.length;
  const finer = isFiner ? mergeRange(part, { ...work, edits }) : conflict;
  if ("text" in finer) return finer;
  const words = mergeWords(part, texts, reading);
  return words === undefined ? finer : { text: leadOf(part, texts) + words };
}

/**
 * Returns the side whose lines come first if both sides added lines before `line`. If only one side
 * changed the line below or above, its addition stays beside that line. Otherwise the lines of
 * remote come first.
 */
function leaderAt(line: number, { edits }: Work): Side {
  const changers = (i: number): readonly Side[] =>
    (["local", "remote"] as const).filter((side) => edits[side].some(({ start, end }) => start <= i && i < end));
  const [below, above] = [changers(line), changers(line - 1)];
  if (below.length === 1) return below[0] === "local" ? "remote" : "local";
  return above.length === 1 ? (above[0] as Side) : "remote";
}

/** Merges lines in which both sides changed words. Returns undefined for a conflict. */
function mergeWords(part: Ranges, texts: ThreeTexts, reading: LineReader): string | undefined {
  const sides = ["base", "local", "remote"] as const;
  const isCode = sides.some((side) => isCodeIn(texts[side], part[side]));
  const [base, local, remote] = sides.map((side) => tokenise(linesOf(texts[side], part[side]), reading, isCode)) as [
    Tokens,
    Tokens,
    Tokens,
  ];
  const merged = mergeFlow({ base, local, remote }, reading);
  return merged === undefined || !keepsLineMarks(merged) ? undefined : writeTokens(merged);
}

type Tokens = ReturnType<typeof tokenise>;

/** Returns true if a range of lines contains fenced code. */
function isCodeIn(text: Lines, range: Range): boolean {
  const first = lineIndexOf(text, range);
  return includesCode(fencesIn(text), first, first + linesOf(text, range).length);
}
