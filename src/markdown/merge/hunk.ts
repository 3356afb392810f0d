import { includesCode } from "../outline/fences.ts";
import {
  isChangedByBoth,
  isReplacement,
  isUnchanged,
  doOverlap,
  type MergePart,
  splitIntoParts,
  type ElementRange,
  type VersionRanges,
  type MergeSide,
  type SideEdits,
} from "./edits.ts";
import { createLineWordReader } from "./evidence.ts";
import { mergeRunningText } from "./flow.ts";
import { mergeInsertions } from "./insertions.ts";
import type { Edit } from "./myers.ts";
import { splitIntoLineEdits } from "./pairs.ts";
import {
  readFences,
  readGapBefore,
  type VersionLines,
  readRangeLines,
  mergeGaps,
  findFirstLineIndex,
  type MergeReading,
  type ThreeVersionLines,
  tokenise,
} from "./reading.ts";
import { areSequencesEqual } from "./split.ts";
import { includesAllChanges } from "./subsume.ts";
import { keepsLineMarks, writeTokens } from "./tokens.ts";

/**
 * Lines of each version in a conflict. `baseLine`, `localLine`, `remoteLine`: index of the first of
 * these lines, from 0.
 */
export type ConflictHunk = {
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  readonly baseLine: number;
  readonly localLine: number;
  readonly remoteLine: number;
};

/**
 * Merged lines of a part. `after`: blank lines after the part. If undefined, the blank lines of the
 * versions are merged.
 */
type MergedPart = { readonly text: string; readonly after?: string | undefined };

/** Three versions, and the edits of each side. The edits refer to the lines that are not blank. */
export type MergeInput = {
  readonly texts: ThreeVersionLines;
  readonly edits: LineEdits;
  readonly reading: MergeReading;
};

/** `changed`: edits that changed one line but kept most of its words. */
type LineEdits = SideEdits & { readonly changed: ReadonlySet<Edit> };

type MergeConflicts = { readonly conflicts: readonly ConflictHunk[] };

/**
 * Merges lines. If lines conflict, merges smaller and smaller parts of them. Returns the merged
 * document or all conflicts. A blank line counts as white space before the next line.
 */
export function mergeHunks(work: MergeInput): { readonly text: string } | MergeConflicts {
  const { texts } = work;
  const allLines = coverAllLines(texts);
  const merged = mergeRanges(allLines, work);
  if ("conflicts" in merged) return merged;
  return {
    text: merged.text + (merged.after ?? mergeGapAt(texts, allLines.base.to, allLines.local.to, allLines.remote.to)),
  };
}

function coverAllLines({ base, local, remote }: ThreeVersionLines): VersionRanges {
  const allOf = ({ filled }: VersionLines): ElementRange => ({ from: 0, to: filled.indexes.length });
  return { base: allOf(base), local: allOf(local), remote: allOf(remote) };
}

/** @param whole ranges that contain all edits of `work` */
function mergeRanges(whole: VersionRanges, work: MergeInput): MergedPart | MergeConflicts {
  const conflicts: ConflictHunk[] = [];
  let text = "";
  let gapAfter: string | undefined;
  for (const part of splitIntoLineParts(work, whole)) {
    const settled = isUnchanged(part) ? writeUnchangedLines(part, work.texts, gapAfter) : mergeChangedPart(part, work);
    if ("conflicts" in settled) conflicts.push(...settled.conflicts);
    else ({ text, after: gapAfter } = { text: text + settled.text, after: settled.after });
  }
  return conflicts.length > 0 ? { conflicts } : { text, after: gapAfter };
}

/**
 * @param lead blank lines before the part, if the merge of the previous part chose them; otherwise
 * undefined
 */
function writeUnchangedLines(
  { base, local, remote }: VersionRanges,
  texts: ThreeVersionLines,
  lead: string | undefined,
): MergedPart {
  let text = "";
  for (let index = 0; index < base.to - base.from; index++) {
    const gap = index === 0 ? lead : undefined;
    text += gap ?? mergeGapAt(texts, base.from + index, local.from + index, remote.from + index);
    text += texts.base.lines[texts.base.filled.indexes[base.from + index] as number];
  }
  return { text };
}

export function splitIntoLineParts(work: MergeInput, whole: VersionRanges = coverAllLines(work.texts)): MergePart[] {
  return splitIntoParts(whole, work.edits, (earlier, side, later) => areLineEditsRelated(earlier, side, later, work));
}

/** Splits the edits of a part. Each line that kept most of its words gets an edit of its own. */
function splitPartEdits({ edits: { local, remote } }: MergePart, { texts, reading }: MergeInput): LineEdits {
  const mine = splitIntoLineEdits(local, texts.base, texts.local, reading);
  const theirs = splitIntoLineEdits(remote, texts.base, texts.remote, reading);
  return { local: mine.edits, remote: theirs.edits, changed: mine.changed.union(theirs.changed) };
}

/**
 * Returns true if both sides never changed the same line of base differently. A merge by whole
 * lines may then be enough.
 */
export function areSidesApart(work: MergeInput): boolean {
  const isApart = (part: MergePart): boolean =>
    !isChangedByBoth(part) || isEmptyRange(part.base) || isSameOnBothSides(part, work.texts);
  return splitIntoLineParts(work).every(
    (part) => isApart(part) || splitIntoLineParts({ ...work, edits: splitPartEdits(part, work) }, part).every(isApart),
  );
}

/**
 * Returns true if two edits of different sides must be merged together. Example: one side adds or
 * removes lines beside a line that the other side rewrote, so words may have moved between these
 * lines. The edits are independent if a blank line is between them, or if the rewritten line kept
 * most of its words.
 */
function areLineEditsRelated(earlier: Edit, side: MergeSide, later: Edit, { edits, texts }: MergeInput): boolean {
  if (doOverlap(earlier, later)) return true;
  if (later.start > earlier.end || edits.changed.has(earlier) || edits.changed.has(later)) return false;
  if (isReplacement(earlier) && isReplacement(later)) return false;
  // Two removals add nothing, so no words can get to a wrong place.
  if (onlyRemoves(earlier) && onlyRemoves(later)) return false;
  if (addsLines(earlier) && addsLines(later)) return true;
  if (earlier.start === earlier.end) return readGapBefore(texts[side], earlier.to) === "";
  if (later.start < later.end) return readGapBefore(texts.base, later.start) === "";
  return readGapBefore(texts[side === "local" ? "remote" : "local"], later.from) === "";
}

function addsLines({ start, end, from, to }: Edit): boolean {
  return to - from > end - start;
}

function onlyRemoves({ start, end, from, to }: Edit): boolean {
  return start < end && from === to;
}

function isSameOnBothSides({ local, remote }: VersionRanges, texts: ThreeVersionLines): boolean {
  const mine = texts.local.filled.ids.slice(local.from, local.to);
  return areSequencesEqual(mine, texts.remote.filled.ids.slice(remote.from, remote.to));
}

function mergeChangedPart(part: MergePart, work: MergeInput): MergedPart | MergeConflicts {
  const { texts, reading } = work;
  const { local, remote } = part.edits;
  if (remote.length === 0) return writeSide(part, "local", texts);
  if (local.length === 0) return writeSide(part, "remote", texts);
  const words = createLineWordReader(reading);
  const base = texts.base.filled.ids;
  const mine = { ids: texts.local.filled.ids, edits: local, ...part.local };
  const theirs = { ids: texts.remote.filled.ids, edits: remote, ...part.remote };
  if (includesAllChanges(base, theirs, mine, words, reading, true)) return writeSide(part, "remote", texts);
  if (includesAllChanges(base, mine, theirs, words, reading, true)) return writeSide(part, "local", texts);
  return mergeConflictingPart(part, work);
}

function writeSide(part: VersionRanges, side: MergeSide, texts: ThreeVersionLines): MergedPart {
  const { from, to } = part[side];
  if (from === to) return { text: "" };
  const lead = isEmptyRange(part.base) ? readGapBefore(texts[side], from) : mergeLeadingGap(part, texts);
  return { text: lead + readRangeLines(texts[side], part[side]).join("") };
}

function isEmptyRange({ from, to }: ElementRange): boolean {
  return from === to;
}

function mergeLeadingGap({ base, local, remote }: VersionRanges, texts: ThreeVersionLines): string {
  return mergeGapAt(texts, base.from, local.from, remote.from);
}

/**
 * Merges the blank lines before a line. `base`, `local` and `remote` are the index of this line in
 * each version.
 */
function mergeGapAt(texts: ThreeVersionLines, base: number, local: number, remote: number): string {
  return mergeGaps(
    readGapBefore(texts.base, base),
    readGapBefore(texts.local, local),
    readGapBefore(texts.remote, remote),
  );
}

function createConflict(part: VersionRanges, texts: ThreeVersionLines): ConflictHunk {
  return {
    base: readRangeLines(texts.base, part.base).join(""),
    local: readRangeLines(texts.local, part.local).join(""),
    remote: readRangeLines(texts.remote, part.remote).join(""),
    baseLine: findFirstLineIndex(texts.base, part.base),
    localLine: findFirstLineIndex(texts.local, part.local),
    remoteLine: findFirstLineIndex(texts.remote, part.remote),
  };
}

function mergeConflictingPart(part: MergePart, work: MergeInput): MergedPart | MergeConflicts {
  const { texts, reading } = work;
  const conflict = { conflicts: [createConflict(part, texts)] };
  if (isEmptyRange(part.base))
    return mergeInsertions(part, texts, reading, chooseLeader(part.base.from, work)) ?? conflict;
  if (isEmptyRange(part.local) || isEmptyRange(part.remote)) return conflict;
  const edits = splitPartEdits(part, work);
  const isFiner = edits.local.length + edits.remote.length > part.edits.local.length + part.edits.remote.length;
  const finerMerge = isFiner ? mergeRanges(part, { ...work, edits }) : conflict;
  if ("text" in finerMerge) return finerMerge;
  const words = mergeWords(part, texts, reading);
  return words === undefined ? finerMerge : { text: mergeLeadingGap(part, texts) + words };
}

/**
 * Decides whose lines come first if both sides added lines before `line`. If only one side changed
 * the line below or above, the addition of that side stays beside the changed line. Otherwise the
 * lines of remote come first.
 */
function chooseLeader(line: number, { edits }: MergeInput): MergeSide {
  const changers = (i: number): readonly MergeSide[] =>
    (["local", "remote"] as const).filter((side) => edits[side].some(({ start, end }) => start <= i && i < end));
  const [below, above] = [changers(line), changers(line - 1)];
  if (below.length === 1) return below[0] === "local" ? "remote" : "local";
  return above.length === 1 ? (above[0] as MergeSide) : "remote";
}

function mergeWords(part: VersionRanges, texts: ThreeVersionLines, reading: MergeReading): string | undefined {
  const sides = ["base", "local", "remote"] as const;
  const isCode = sides.some((side) => hasCodeIn(texts[side], part[side]));
  const [base, local, remote] = sides.map((side) =>
    tokenise(readRangeLines(texts[side], part[side]), reading, isCode),
  ) as [TokenList, TokenList, TokenList];
  const merged = mergeRunningText({ base, local, remote }, reading);
  return merged === undefined || !keepsLineMarks(merged) ? undefined : writeTokens(merged);
}

type TokenList = ReturnType<typeof tokenise>;

function hasCodeIn(text: VersionLines, range: ElementRange): boolean {
  const first = findFirstLineIndex(text, range);
  return includesCode(readFences(text), first, first + readRangeLines(text, range).length);
}
