import { countChanged, staysBetweenSides, hasBothChanges, mapFour } from "./counts.ts";
import { settleDates } from "./dates.ts";
import { mergeWithinLines, readConflictWork } from "./fine.ts";
import { restoresLine, restoresPassage, keepsEveryChange } from "./keeps-every-change.ts";
import { areApart, type ConflictHunk } from "./hunk.ts";
import { mergeLines } from "./lines.ts";
import { newReading, type LineReader, readLines } from "./reading.ts";
import { isSoundMarkdown, isUnresolved, keepsFrontMatter } from "./sound.ts";
import { keepsColumns } from "./tables.ts";

export type { ConflictHunk } from "./hunk.ts";

/**
 * Rule that gave the merged text: an equal or unchanged side; `contained` if one side has
 * everything that the other did; or the size of the merged pieces.
 */
type MergeHow = "same" | "base-local" | "base-remote" | "contained" | "lines" | "fine";

/**
 * Reason why there is no merged text. `overlap`: both sides changed one place. `too-large`: the
 * texts differ too much for the budget. `word-count`: the result lost or doubled a word. `unsound`:
 * the result is worse Markdown than both sides. `unstable`: the result lacks a side's change at its
 * place.
 */
export type ConflictReason = "overlap" | "too-large" | "word-count" | "unsound" | "unstable";

/** A merged text, or the conflicts in the order of the text, at least one. */
export type MergeResult =
  | { readonly kind: "clean"; readonly text: string; readonly how: MergeHow }
  | { readonly kind: "conflict"; readonly reason: ConflictReason; readonly hunks: readonly ConflictHunk[] };

type CleanMerge = MergeResult & { readonly kind: "clean" };

/**
 * Merges the changes of local and remote to base. Pure, deterministic, and bounded in cost by the
 * texts alone; a merge that could be wrong is a conflict. A clean result stays the same when merged
 * again with base and either side. With the sides swapped, the merge is clean too.
 */
export function mergeText(base: string, local: string, remote: string): MergeResult {
  const law = mergeTrivially(base, local, remote);
  if (law !== undefined) return law;
  const [mine, theirs] = settleDates(base, local, remote);
  return (
    mergeTrivially(base, mine, theirs) ?? mergeSettled({ base, local: mine, remote: theirs, reading: newReading() })
  );
}

/** The three texts of a merge, and what the merge has read of them. */
type Versions = {
  readonly base: string;
  readonly local: string;
  readonly remote: string;
  readonly reading: LineReader;
};

/** Merges two texts that differ from base and each other; refuses a result that could be wrong. */
function mergeSettled(versions: Versions): MergeResult {
  const result = mergeUnchecked(versions);
  if (result.kind === "conflict") return result;
  const reason = faultOf(versions, result) ?? faultOfExchangedSides(versions, result);
  if (reason === undefined) return result;
  return refuse(versions.reading.left < 0 ? "too-large" : reason, versions);
}

/**
 * Returns the fault of the merge with the sides swapped; undefined if that merge is clean too. That
 * merge may differ only in the order of lines. Undefined, without a check, if `result` is a side or
 * a merge of whole lines.
 */
function faultOfExchangedSides(versions: Versions, result: CleanMerge): Fault {
  if (result.how !== "fine" || isOneOf(result, versions)) return undefined;
  const exchanged = { ...versions, local: versions.remote, remote: versions.local };
  const turned = mergeUnchecked(exchanged);
  if (turned.kind === "conflict") return turned.reason;
  return turned.text === result.text ? undefined : faultOf(exchanged, turned);
}

type Fault = ConflictReason | undefined;

/** Returns true if a result equals one of the sides. */
function isOneOf({ text }: CleanMerge, { local, remote }: Versions): boolean {
  return text === local || text === remote;
}

/** Returns the first fault that the checks find in a result; undefined when there is none. */
function faultOf(versions: Versions, result: CleanMerge): Fault {
  const { base, local, remote, reading } = versions;
  if (!keepsBoth(versions, result)) return "word-count";
  if (!keepsFrontMatter([base, local, remote, result.text])) return "unsound";
  if (!keepsColumns([base, local, remote].map((text) => readLines(text, reading).lines))) return "unsound";
  if (!isOneOf(result, versions) && !isSoundMerge(versions, result)) return "unsound";
  const isStableForBoth = isStable(base, local, result, reading) && isStable(base, remote, result, reading);
  return isStableForBoth ? undefined : "unstable";
}

/** Returns true if a result that is neither side is sound Markdown. */
function isSoundMerge({ base, local, remote, reading }: Versions, { how, text }: CleanMerge): boolean {
  // A merge finer than lines could mix both versions within a conflict that nobody has resolved.
  if (how === "fine" && (isUnresolved(local) || isUnresolved(remote))) return false;
  return isSoundMarkdown([base, local, remote, text], reading);
}

/**
 * Returns true if a result has a side's changes at their places: merged with that side again, the
 * result must stay the same, and nothing that the side removed may be in it again.
 */
function isStable(base: string, side: string, { text }: CleanMerge, reading: LineReader): boolean {
  if (text === side) return true;
  if (restoresLine(base, side, text, reading)) return false;
  const mergedAgain = mergeUnchecked({ base, local: side, remote: text, reading });
  if (mergedAgain.kind === "conflict" || mergedAgain.text !== text) return false;
  return mergedAgain.how !== "fine" || !restoresPassage(base, side, text, reading);
}

/**
 * Returns true if the word counts of a result fit both sides; false if the budget is too small.
 * Merges by whole lines need the weaker check, finer merges the stricter check. A result that is
 * one of the sides needs none.
 */
function keepsBoth(versions: Versions, result: CleanMerge): boolean {
  const { base, local, remote, reading } = versions;
  const texts = mapFour([base, local, remote, result.text], (text) => readLines(text, reading));
  const counts = countChanged(texts, reading);
  if (counts === undefined) return false;
  if (isOneOf(result, versions)) return true;
  return result.how === "lines" ? staysBetweenSides(...counts) : hasBothChanges(...counts);
}

/** Returns the result if a side changed nothing or both sides are equal; undefined otherwise. */
function mergeTrivially(base: string, local: string, remote: string): MergeResult | undefined {
  if (local === remote) return { kind: "clean", text: local, how: "same" };
  if (local === base) return { kind: "clean", text: remote, how: "base-local" };
  if (remote === base) return { kind: "clean", text: local, how: "base-remote" };
  return undefined;
}

/** Merges once, from large pieces to small, without checking the result. */
function mergeUnchecked(versions: Versions): MergeResult {
  const { base, local, remote, reading } = versions;
  if (keepsEveryChange(base, local, remote, reading)) return { kind: "clean", text: remote, how: "contained" };
  if (keepsEveryChange(base, remote, local, reading)) return { kind: "clean", text: local, how: "contained" };
  const apart = areApart(readConflictWork(base, local, remote, reading));
  const lines = apart ? mergedLines(versions) : undefined;
  if (lines !== undefined) return { kind: "clean", text: lines, how: "lines" };
  const merged = reading.left < 0 ? undefined : mergeWithinLines(base, local, remote, reading);
  if (merged === undefined || reading.left < 0) return refuse("too-large", versions);
  if (!("text" in merged)) return { kind: "conflict", reason: "overlap", hunks: merged.conflicts };
  return { kind: "clean", text: merged.text, how: "fine" };
}

/** Returns git's merge of lines; undefined for a conflict, or if the budget is too small. */
function mergedLines({ base, local, remote, reading }: Versions): string | undefined {
  const blocks = mergeLines(base, local, remote, reading);
  if (blocks?.every((block) => block.kind === "settled") !== true) return undefined;
  return blocks.map((block) => block.text).join("");
}

/** Returns a conflict of the whole texts. */
function refuse(reason: ConflictReason, { base, local, remote }: Versions): MergeResult {
  return { kind: "conflict", reason, hunks: [{ base, local, remote, baseLine: 0, localLine: 0, remoteLine: 0 }] };
}
