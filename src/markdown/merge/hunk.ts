import { hasCode } from "../outline/fences.ts";
import { type Cluster, cluster, isReplacement, type Meets, overlaps, type Side, span } from "./edits.ts";
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
  type Part,
  placeOf,
  type Range,
  type Reading,
  type ThreeTexts,
  tokenise,
} from "./reading.ts";
import { subsumes } from "./subsume.ts";
import { leadsLines, write } from "./tokens.ts";

/**
 * A place where the changes of both sides conflict. Lines are 0-based: the first line in each text.
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
 * The result of a part. `after`: the blank lines that follow it, if they are not those of the
 * texts.
 */
type Settled = { readonly text: string; readonly after?: string | undefined };

/** The input of a merge: the texts, and the changes of each side to the filled lines of base. */
export type Work = { readonly texts: ThreeTexts; readonly edits: Edits; readonly reading: Reading };

/** Edits of filled lines. `changed`: those that changed one line and kept most of its words. */
type Edits = {
  readonly local: readonly Edit[];
  readonly remote: readonly Edit[];
  readonly changed: ReadonlySet<Edit>;
};

type Conflicts = { readonly conflicts: readonly ConflictHunk[] };

/**
 * Merges texts by ever smaller pieces, and returns the conflicts that remain. Blank lines are
 * treated as white space of the next line.
 */
export function mergeHunks(work: Work): { readonly text: string } | Conflicts {
  const { base, local, remote } = work.texts;
  const allOf = ({ filled }: Lines): Range => ({ from: 0, to: filled.at.length });
  const whole: Part = { base: allOf(base), local: allOf(local), remote: allOf(remote) };
  const merged = mergeRange(whole, work);
  if ("conflicts" in merged) return merged;
  const gap = mergedGap(work.texts, { base: whole.base.to, local: whole.local.to, remote: whole.remote.to });
  return { text: merged.text + (merged.after ?? gap) };
}

/** Merges the lines of a part. All edits of `work` are inside of it. */
function mergeRange({ base, local, remote }: Part, work: Work): Settled | Conflicts {
  const { texts } = work;
  const conflicts: ConflictHunk[] = [];
  const shift = { local: local.from - base.from, remote: remote.from - base.from };
  let [text, at] = ["", base.from];
  let after: string | undefined;
  const keepTo = (end: number): void => {
    for (; at < end; at++) {
      text += after ?? mergedGap(texts, { base: at, local: at + shift.local, remote: at + shift.remote });
      text += texts.base.lines[texts.base.filled.at[at] as number];
      after = undefined;
    }
  };
  for (const { part, found } of partsOf(work, shift)) {
    keepTo(part.base.from);
    const settled = settle(part, found, work);
    if ("conflicts" in settled) conflicts.push(...settled.conflicts);
    else ({ text, after } = { text: text + settled.text, after: settled.after });
    at = part.base.to;
    shift.local = part.local.to - at;
    shift.remote = part.remote.to - at;
  }
  keepTo(base.to);
  return conflicts.length > 0 ? { conflicts } : { text, after };
}

type Changed = { readonly part: Part; readonly found: Cluster };

/**
 * Returns the parts that a side changed, with their edits. `from`: the offset of each side before
 * the first part.
 */
export function partsOf(work: Work, from: Shift = { local: 0, remote: 0 }): Changed[] {
  const shift = { ...from };
  const meets: Meets = (earlier, side, later) => linesMeet(earlier, side, later, work);
  return cluster(work.edits.local, work.edits.remote, meets).map((found) => {
    const base = { from: found.start, to: found.end };
    const local = span(found.local, base.from, base.to, shift.local);
    const remote = span(found.remote, base.from, base.to, shift.remote);
    shift.local = local.to - base.to;
    shift.remote = remote.to - base.to;
    return { part: { base, local, remote }, found };
  });
}

type Shift = { readonly local: number; readonly remote: number };

/**
 * Returns the edits of a part, with changed lines separated from additions and removals beside
 * them.
 */
function finerEdits({ local, remote }: Cluster, { texts, reading }: Work): Edits {
  const mine = pairLines(local, texts.base, texts.local, reading);
  const theirs = pairLines(remote, texts.base, texts.remote, reading);
  return { local: mine.edits, remote: theirs.edits, changed: mine.changed.union(theirs.changed) };
}

/** Returns whether no part was changed differently by the sides. A line merge is then enough. */
export function areApart(work: Work): boolean {
  const isApart = ({ part, found }: Changed): boolean =>
    found.local.length === 0 || found.remote.length === 0 || isEmpty(part.base) || isAlike(part, work.texts);
  return partsOf(work).every((changed) => {
    if (isApart(changed)) return true;
    const { base, local, remote } = changed.part;
    const shift = { local: local.from - base.from, remote: remote.from - base.from };
    return partsOf({ ...work, edits: finerEdits(changed.found, work) }, shift).every(isApart);
  });
}

/**
 * Returns whether two edits of different sides must be settled together. An edit that only adds or
 * removes lines right beside a rewritten line may have moved text across. They are independent if a
 * blank line separates them, or if the rewriting kept most of a line.
 */
function linesMeet(earlier: Edit, side: Side, later: Edit, { edits, texts }: Work): boolean {
  if (overlaps(earlier, later)) return true;
  if (later.start > earlier.end || edits.changed.has(earlier) || edits.changed.has(later)) return false;
  if (isReplacement(earlier) && isReplacement(later)) return false;
  // Two plain removals add nothing that could end up at a wrong place.
  if (onlyRemoves(earlier) && onlyRemoves(later)) return false;
  // Both may have added a piece between the lines.
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

function isAlike({ local, remote }: Part, texts: ThreeTexts): boolean {
  const [mine, theirs] = [texts.local.filled.ids, texts.remote.filled.ids];
  if (local.to - local.from !== remote.to - remote.from) return false;
  for (let at = local.from; at < local.to; at++) {
    if (mine[at] !== theirs[at - local.from + remote.from]) return false;
  }
  return true;
}

/** Merges one part. */
function settle(part: Part, found: Cluster, work: Work): Settled | Conflicts {
  const { texts, reading } = work;
  const { local, remote } = found;
  if (remote.length === 0) return ofSide(part, "local", texts);
  if (local.length === 0) return ofSide(part, "remote", texts);
  const words = wordsOfLines(reading);
  const base = texts.base.filled.ids;
  const mine = { ids: texts.local.filled.ids, edits: local, ...part.local };
  const theirs = { ids: texts.remote.filled.ids, edits: remote, ...part.remote };
  if (subsumes(base, theirs, mine, words, reading, true)) return ofSide(part, "remote", texts);
  if (subsumes(base, mine, theirs, words, reading, true)) return ofSide(part, "local", texts);
  return mergePart(part, found, work);
}

/** Returns the lines of one side, with the blank lines before them. */
function ofSide(part: Part, side: Side, texts: ThreeTexts): Settled {
  const { from, to } = part[side];
  if (from === to) return { text: "" };
  const lead = isEmpty(part.base) ? gapBefore(texts[side], from) : leadOf(part, texts);
  return { text: lead + linesOf(texts[side], part[side]).join("") };
}

function isEmpty({ from, to }: Range): boolean {
  return from === to;
}

/** Merges the blank lines before a part. */
function leadOf({ base, local, remote }: Part, texts: ThreeTexts): string {
  return mergedGap(texts, { base: base.from, local: local.from, remote: remote.from });
}

function mergedGap(
  texts: ThreeTexts,
  { base, local, remote }: { readonly base: number; readonly local: number; readonly remote: number },
): string {
  return mergeGaps(gapBefore(texts.base, base), gapBefore(texts.local, local), gapBefore(texts.remote, remote));
}

/** Returns a conflict with the sides' text. */
function conflictOf(part: Part, texts: ThreeTexts): ConflictHunk {
  return {
    base: linesOf(texts.base, part.base).join(""),
    local: linesOf(texts.local, part.local).join(""),
    remote: linesOf(texts.remote, part.remote).join(""),
    baseLine: placeOf(texts.base, part.base),
    localLine: placeOf(texts.local, part.local),
    remoteLine: placeOf(texts.remote, part.remote),
  };
}

/**
 * Merges lines that both sides changed: additions at one place, separate changed lines, or words of
 * running text.
 */
function mergePart(part: Part, found: Cluster, work: Work): Settled | Conflicts {
  const { texts, reading } = work;
  const conflict = { conflicts: [conflictOf(part, texts)] };
  if (isEmpty(part.base)) return mergeInsertions(part, texts, reading, leaderAt(part.base.from, work)) ?? conflict;
  if (isEmpty(part.local) || isEmpty(part.remote)) return conflict;
  const edits = finerEdits(found, work);
  const isFiner = edits.local.length + edits.remote.length > found.local.length + found.remote.length;
  const finer = isFiner ? mergeRange(part, { ...work, edits }) : conflict;
  if ("text" in finer) return finer;
  const words = mergeWords(part, texts, reading);
  return words === undefined ? finer : { text: leadOf(part, texts) + words };
}

/**
 * Returns the side whose piece comes first when both added lines before `line`. If just one side
 * changed the line above or below, its piece stays beside that line.
 */
function leaderAt(line: number, { edits }: Work): Side {
  const changers = (at: number): readonly Side[] =>
    (["local", "remote"] as const).filter((side) => edits[side].some(({ start, end }) => start <= at && at < end));
  const [below, above] = [changers(line), changers(line - 1)];
  if (below.length === 1) return below[0] === "local" ? "remote" : "local";
  return above.length === 1 ? (above[0] as Side) : "remote";
}

/** Merges lines in which both sides changed words. */
function mergeWords(part: Part, texts: ThreeTexts, reading: Reading): string | undefined {
  const sides = ["base", "local", "remote"] as const;
  const isCode = sides.some((side) => isCodeIn(texts[side], part[side]));
  const [base, local, remote] = sides.map((side) => tokenise(linesOf(texts[side], part[side]), reading, isCode)) as [
    Tokens,
    Tokens,
    Tokens,
  ];
  const merged = mergeFlow({ base, local, remote }, reading);
  return merged === undefined || !leadsLines(merged) ? undefined : write(merged);
}

type Tokens = ReturnType<typeof tokenise>;

/** Returns whether a range of lines includes code. */
function isCodeIn(text: Lines, range: Range): boolean {
  const first = placeOf(text, range);
  return hasCode(fencesIn(text), first, first + linesOf(text, range).length);
}
