import { hasCode } from "../outline/fences.ts";
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

/**
 * Lines in which the changes of both sides conflict. For each text: the first line's index, from 0.
 */
export type ConflictHunk = {
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  readonly baseLine: number;
  readonly localLine: number;
  readonly remoteLine: number;
};

/** Merged result of a part. `after`: blank lines after the part, if not those of the texts. */
type MergedPart = { readonly text: string; readonly after?: string | undefined };

/** Input of a merge: the texts, and each side's edits of the lines of base that are not blank. */
export type Work = { readonly texts: ThreeTexts; readonly edits: Edits; readonly reading: LineReader };

/** Edits of lines that are not blank. `changed`: edits of one line that kept most of its words. */
type Edits = SideEdits & { readonly changed: ReadonlySet<Edit> };

type Conflicts = { readonly conflicts: readonly ConflictHunk[] };

/**
 * Merges texts in smaller and smaller pieces, and returns the conflicts that remain. Blank lines
 * are treated as white space of the next line.
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

/** Merges the lines of some ranges, which include all edits of `work`. */
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
 * Returns unchanged lines.
 * @param lead the blank lines before these lines, if the previous part decided them
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

/** Returns the changed and the unchanged parts of the lines that are not blank. */
export function lineParts(work: Work, whole: Ranges = wholeOf(work.texts)): Part[] {
  return partsOf(whole, work.edits, (earlier, side, later) => linesMeet(earlier, side, later, work));
}

/** Returns the edits of a part, where edits of single lines are apart from those beside them. */
function finerEdits({ edits: { local, remote } }: Part, { texts, reading }: Work): Edits {
  const mine = pairLines(local, texts.base, texts.local, reading);
  const theirs = pairLines(remote, texts.base, texts.remote, reading);
  return { local: mine.edits, remote: theirs.edits, changed: mine.changed.union(theirs.changed) };
}

/**
 * Returns true if both sides never changed the same lines of base differently: a merge by lines may
 * then be enough. Additions of both sides at one place change no line of base.
 */
export function areApart(work: Work): boolean {
  const isApart = (part: Part): boolean => !isChangedByBoth(part) || isEmpty(part.base) || isAlike(part, work.texts);
  return lineParts(work).every(
    (part) => isApart(part) || lineParts({ ...work, edits: finerEdits(part, work) }, part).every(isApart),
  );
}

/**
 * Returns true if two edits of different sides must be decided together. If one only adds or
 * removes lines right beside a rewritten line, text may have moved between the two. They are
 * independent if a blank line separates them, or if the rewriting kept most of a line.
 */
function linesMeet(earlier: Edit, side: Side, later: Edit, { edits, texts }: Work): boolean {
  if (overlaps(earlier, later)) return true;
  if (later.start > earlier.end || edits.changed.has(earlier) || edits.changed.has(later)) return false;
  if (isReplacement(earlier) && isReplacement(later)) return false;
  // Two edits that only remove lines add nothing that could be at a wrong place.
  if (onlyRemoves(earlier) && onlyRemoves(later)) return false;
  // Both edits may have added a line between the same two lines of base.
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

/** Returns the lines of one side, with the blank lines before these lines. */
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

/** Merges the blank lines before one line of each text. */
function gapAt(texts: ThreeTexts, base: number, local: number, remote: number): string {
  return mergeGaps(gapBefore(texts.base, base), gapBefore(texts.local, local), gapBefore(texts.remote, remote));
}

/** Returns a conflict with the text of both sides. */
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

/**
 * Merges lines that both sides changed: additions at one place, separate lines, or running text.
 */
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
 * Returns the side whose piece comes first if both sides added lines before `line`. If only one
 * side changed the line above or below, the piece of that side stays beside the changed line.
 * Otherwise the piece of remote comes first.
 */
function leaderAt(line: number, { edits }: Work): Side {
  const changers = (i: number): readonly Side[] =>
    (["local", "remote"] as const).filter((side) => edits[side].some(({ start, end }) => start <= i && i < end));
  const [below, above] = [changers(line), changers(line - 1)];
  if (below.length === 1) return below[0] === "local" ? "remote" : "local";
  return above.length === 1 ? (above[0] as Side) : "remote";
}

/** Merges lines in which both sides changed words; undefined for a conflict. */
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

/** Returns true if a range of lines includes code. */
function isCodeIn(text: Lines, range: Range): boolean {
  const first = lineIndexOf(text, range);
  return hasCode(fencesIn(text), first, first + linesOf(text, range).length);
}
