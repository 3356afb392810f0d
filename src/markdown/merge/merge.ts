import { countChangedWords, hasBothChanges, mapVersions, staysBetweenSides } from "./counts.ts";
import { type FrontMatter, mergeEntries, readFrontMatter, useLaterDates } from "./front-matter.ts";
import { keepsEveryChange, restoresRemovedLine, restoresRemovedPassage } from "./keeps-every-change.ts";
import { areSidesApart, type ConflictHunk, mergeHunks, type MergeInput } from "./hunk.ts";
import { mergeLines } from "./lines.ts";
import { createReading, diffFilledLines, type MergeReading, readLines } from "./reading.ts";
import { hasConflictMarkers, isSoundMarkdown, keepsColumns, keepsFrontMatter } from "./sound.ts";
import type { Edit } from "./diff.ts";
import { applyStyle, mergeStyle, normaliseText, readStyle } from "./style.ts";

export type { ConflictHunk } from "./hunk.ts";

/**
 * Method that gave the merged version.
 * - `same`: both sides are equal
 * - `base-local`: local is unchanged, so remote is the result
 * - `base-remote`: remote is unchanged, so local is the result
 * - `contained`: one side already contains all changes of the other side, so that side is the
 *   result
 * - `lines`, `fine`: merged by whole lines, or by smaller parts
 */
type MergeMethod = "same" | "base-local" | "base-remote" | "contained" | "lines" | "fine";

/**
 * Reason why there is no merged version.
 * - `overlap`: both sides changed the same position in different ways
 * - `too-large`: the versions differ too much for the step budget
 * - `word-count`: the result would lose or double a word
 * - `unsound`: the result would be worse Markdown than both sides
 * - `unstable`: the result would lack a change of a side, or contain the change at another position
 */
export type ConflictReason = "overlap" | "too-large" | "word-count" | "unsound" | "unstable";

/** `hunks`: the conflicts in the order of the document, at least one. */
export type MergeResult =
  | { readonly kind: "clean"; readonly text: string; readonly how: MergeMethod }
  | { readonly kind: "conflict"; readonly reason: ConflictReason; readonly hunks: readonly ConflictHunk[] };

type CleanMerge = MergeResult & { readonly kind: "clean" };

/**
 * Merges the changes that two sides made to base. A merge that could be wrong is a conflict. The
 * same versions always give the same result. Merging a result again with either side does not
 * change the result. Exchanging the sides neither causes nor removes a conflict.
 */
export function mergeText(base: string, local: string, remote: string): MergeResult {
  const trivialMerge = mergeTrivially(base, local, remote);
  if (trivialMerge !== undefined) return trivialMerge;
  const [mine, theirs] = useLaterDates(base, local, remote);
  return (
    mergeTrivially(base, mine, theirs) ?? mergeAndCheck({ base, local: mine, remote: theirs, reading: createReading() })
  );
}

type MergeVersions = {
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  readonly reading: MergeReading;
};

function mergeAndCheck(versions: MergeVersions): MergeResult {
  const result = mergeUnchecked(versions);
  if (result.kind === "conflict") return result;
  const reason = findFault(versions, result) ?? findFaultOfExchangedSides(versions, result);
  if (reason === undefined) return result;
  return refuseMerge(versions.reading.left < 0 ? "too-large" : reason, versions);
}

/**
 * Merges with the sides exchanged, and returns the fault of that merge; undefined if it has no
 * fault. The exchanged merge may differ from `result` only in the order of lines. If `result`
 * equals a side or was merged by whole lines, returns undefined without a check.
 */
function findFaultOfExchangedSides(versions: MergeVersions, result: CleanMerge): ConflictReason | undefined {
  if (result.how !== "fine" || equalsSide(result, versions)) return undefined;
  const exchangedVersions = { ...versions, local: versions.remote, remote: versions.local };
  const exchangedMerge = mergeUnchecked(exchangedVersions);
  if (exchangedMerge.kind === "conflict") return exchangedMerge.reason;
  return exchangedMerge.text === result.text ? undefined : findFault(exchangedVersions, exchangedMerge);
}

function equalsSide({ text }: CleanMerge, { local, remote }: MergeVersions): boolean {
  return text === local || text === remote;
}

/** A merged version that equals a side needs only some of the checks. */
function findFault(versions: MergeVersions, result: CleanMerge): ConflictReason | undefined {
  const { base, local, remote, reading } = versions;
  if (!keepsWordCounts(versions, result)) return "word-count";
  if (!keepsFrontMatter([base, local, remote, result.text])) return "unsound";
  if (!keepsColumns([base, local, remote].map((text) => readLines(text, reading).lines))) return "unsound";
  if (!equalsSide(result, versions) && !isSoundMerge(versions, result)) return "unsound";
  const isStableForBoth = isStable(base, local, result, reading) && isStable(base, remote, result, reading);
  return isStableForBoth ? undefined : "unstable";
}

/** Returns true if a result is sound Markdown and mixes no versions between conflict markers. */
function isSoundMerge({ base, local, remote, reading }: MergeVersions, { how, text }: CleanMerge): boolean {
  // If a side contains conflict markers that nobody has resolved, a merge of parts of lines could
  // mix the versions between the markers.
  if (how === "fine" && (hasConflictMarkers(local) || hasConflictMarkers(remote))) return false;
  return isSoundMarkdown([base, local, remote, text], reading);
}

/**
 * Returns true if a result contains all changes of a side at their positions. Merging the result
 * again with that side must give the same result. The result must not contain anything that the
 * side removed.
 */
function isStable(base: string, side: string, { text }: CleanMerge, reading: MergeReading): boolean {
  if (text === side) return true;
  if (restoresRemovedLine(base, side, text, reading)) return false;
  const mergedAgain = mergeUnchecked({ base, local: side, remote: text, reading });
  if (mergedAgain.kind === "conflict" || mergedAgain.text !== text) return false;
  return mergedAgain.how !== "fine" || !restoresRemovedPassage(base, side, text, reading);
}

/**
 * Returns true if each word occurs in the result as often as the changes of both sides explain. A
 * merge of parts of lines needs a stricter check than a merge of whole lines. A result that equals
 * a side needs no check. Returns false if the step budget is too small.
 */
function keepsWordCounts(versions: MergeVersions, result: CleanMerge): boolean {
  const { base, local, remote, reading } = versions;
  const texts = mapVersions([base, local, remote, result.text], (text) => readLines(text, reading));
  const counts = countChangedWords(texts, reading);
  if (counts === undefined) return false;
  if (equalsSide(result, versions)) return true;
  return result.how === "lines" ? staysBetweenSides(counts) : hasBothChanges(counts);
}

function mergeTrivially(base: string, local: string, remote: string): MergeResult | undefined {
  if (local === remote) return { kind: "clean", text: local, how: "same" };
  if (local === base) return { kind: "clean", text: remote, how: "base-local" };
  if (remote === base) return { kind: "clean", text: local, how: "base-remote" };
  return undefined;
}

function mergeUnchecked(versions: MergeVersions): MergeResult {
  const { base, local, remote, reading } = versions;
  if (keepsEveryChange(base, local, remote, reading)) return { kind: "clean", text: remote, how: "contained" };
  if (keepsEveryChange(base, remote, local, reading)) return { kind: "clean", text: local, how: "contained" };
  const areApart = areSidesApart(prepareMerge(base, local, remote, reading));
  const lines = areApart ? mergeWholeLines(versions) : undefined;
  if (lines !== undefined) return { kind: "clean", text: lines, how: "lines" };
  const fineMerge = reading.left < 0 ? undefined : mergeWithinLines(base, local, remote, reading);
  if (fineMerge === undefined || reading.left < 0) return refuseMerge("too-large", versions);
  if (!("text" in fineMerge)) return { kind: "conflict", reason: "overlap", hunks: fineMerge.conflicts };
  return { kind: "clean", text: fineMerge.text, how: "fine" };
}

/** Merges by whole lines, as git does; undefined for a conflict or without enough steps. */
function mergeWholeLines({ base, local, remote, reading }: MergeVersions): string | undefined {
  const blocks = mergeLines(base, local, remote, reading);
  if (blocks?.every((block) => block.kind === "settled") !== true) return undefined;
  return blocks.map((block) => block.text).join("");
}

function refuseMerge(reason: ConflictReason, { base, local, remote }: MergeVersions): MergeResult {
  return { kind: "conflict", reason, hunks: [{ base, local, remote, baseLine: 0, localLine: 0, remoteLine: 0 }] };
}

type FineMerge = { readonly text: string } | { readonly conflicts: readonly ConflictHunk[] };

/**
 * Merges versions that conflict line by line, in parts smaller than a line. Three properties are
 * merged separately from the content: line ends, byte order mark, and the line break at the end of
 * the document.
 */
export function mergeWithinLines(base: string, local: string, remote: string, reading: MergeReading): FineMerge {
  const styles = [readStyle(base), readStyle(local), readStyle(remote)] as const;
  const isMixed = styles.some((style) => style.feed === "mixed");
  const style = { ...mergeStyle(...styles), ...(isMixed && { feed: undefined }) };
  const [b, l, r] = [base, local, remote].map((text) => normaliseText(text, isMixed)) as [string, string, string];
  const fineMerge = mergeNormalised(b, l, r, reading);
  return "text" in fineMerge ? { text: applyStyle(fineMerge.text, style) } : fineMerge;
}

/**
 * Merges normalised versions: the front matter by its keys, then the body. Merges the whole
 * documents by lines if a side has no front matter, or if the front matter of a version cannot be
 * read.
 */
function mergeNormalised(base: string, local: string, remote: string, reading: MergeReading): FineMerge {
  const [b, l, r] = [readBaseFrontMatter(base), readFrontMatter(local), readFrontMatter(remote)];
  if (b === undefined || l === undefined || r === undefined)
    return mergeHunks(prepareMerge(base, local, remote, reading));
  const frontMatter = mergeEntries(b.entries, l.entries, r.entries);
  const body = mergeHunks(prepareMerge(b.body, l.body, r.body, reading));
  if (frontMatter !== undefined && "text" in body) return { text: `---\n${frontMatter}---\n${body.text}` };
  const bodyConflicts =
    "text" in body ? [] : body.conflicts.map((hunk) => shiftConflict(hunk, b.lines, l.lines, r.lines));
  if (frontMatter !== undefined) return { conflicts: bodyConflicts };
  const frontMatterConflict: ConflictHunk = {
    base: readFrontMatterLines(base, b),
    local: readFrontMatterLines(local, l),
    remote: readFrontMatterLines(remote, r),
    baseLine: 0,
    localLine: 0,
    remoteLine: 0,
  };
  return { conflicts: [frontMatterConflict, ...bodyConflicts] };
}

/**
 * Reads the front matter of base; returns undefined if the front matter cannot be read. If base has
 * no front matter, returns an empty one, because both sides may have created front matter.
 */
function readBaseFrontMatter(base: string): FrontMatter | undefined {
  if (base.startsWith("---\n")) return readFrontMatter(base);
  return { entries: new Map(), lines: 0, body: base };
}

function readFrontMatterLines(text: string, { body }: FrontMatter): string {
  return text.slice(0, text.length - body.length);
}

/**
 * Converts line numbers in a conflict of the body to line numbers in the documents.
 * @param base number of lines of the front matter in base; `local`, `remote`: the same number for
 * the sides
 */
function shiftConflict(hunk: ConflictHunk, base: number, local: number, remote: number): ConflictHunk {
  return {
    ...hunk,
    baseLine: hunk.baseLine + base,
    localLine: hunk.localLine + local,
    remoteLine: hunk.remoteLine + remote,
  };
}

/**
 * Computes the edits of both sides. Leaves out blank lines, which are merged as white space before
 * the next line.
 */
function prepareMerge(base: string, local: string, remote: string, reading: MergeReading): MergeInput {
  const texts = {
    base: readLines(base, reading),
    local: readLines(local, reading),
    remote: readLines(remote, reading),
  };
  const [mine, theirs] = [diffFilledLines(base, local, reading), diffFilledLines(base, remote, reading)];
  return { texts, edits: { local: mine, remote: theirs, changed: new Set<Edit>() }, reading };
}
