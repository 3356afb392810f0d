import { countApart, countsKept, keepsChanges } from "./counts.ts";
import { settleDates } from "./dates.ts";
import { mergeFine, workOf } from "./fine.ts";
import { bringsBack, bringsPassageBack, isHeld } from "./held.ts";
import { areApart, type ConflictHunk } from "./hunk.ts";
import { mergeLines } from "./lines.ts";
import { newReading, type Reading, readLines } from "./reading.ts";
import { isSound, isUnresolved, keepsFrontMatter } from "./sound.ts";
import { keepsColumns } from "./tables.ts";

export type { ConflictHunk } from "./hunk.ts";

/**
 * How far a merge had to go: which law gave the text, as that a side holds all that the other one
 * did, or how fine the pieces were.
 */
type MergeHow = "same" | "base-local" | "base-remote" | "held" | "lines" | "fine";

/**
 * Why there is no merged text: both sides changed one place; the texts differ too much to be
 * compared within bounds; the result would have lost or doubled a word; it would have been worse
 * Markdown than both sides; it does not hold what each side did, where it did it.
 */
export type ConflictReason = "overlap" | "too-large" | "word-count" | "unsound" | "unstable";

/** A merged text, or what stands in its way: at least one hunk, in the order of the text. */
export type MergeResult =
  | { readonly kind: "clean"; readonly text: string; readonly how: MergeHow }
  | { readonly kind: "conflict"; readonly reason: ConflictReason; readonly hunks: readonly ConflictHunk[] };

type Clean = MergeResult & { readonly kind: "clean" };

/**
 * Merges what local and remote each did to base. Pure, deterministic, and bounded in cost by the
 * texts alone; a merge that could be wrong is a conflict. Where it is clean, merging the result
 * with the same base and either side gives it again, and the sides exchanged merge too.
 */
export function mergeText(base: string, local: string, remote: string): MergeResult {
  const law = byLaw(base, local, remote);
  if (law !== undefined) return law;
  const [mine, theirs] = settleDates(base, local, remote);
  return byLaw(base, mine, theirs) ?? mergeSettled(base, mine, theirs, newReading());
}

/**
 * Merges two texts that both differ from base and from each other; a result that could be wrong is
 * refused.
 */
function mergeSettled(base: string, local: string, remote: string, reading: Reading): MergeResult {
  const result = attempt(base, local, remote, reading);
  if (result.kind === "conflict") return result;
  const reason = faultOf(base, local, remote, result, reading) ?? turnedFault(base, local, remote, result, reading);
  if (reason === undefined) return result;
  return refuse(reading.left < 0 ? "too-large" : reason, base, local, remote);
}

/**
 * What is wrong with the merge of the sides exchanged, which may differ in order alone; undefined
 * where that merges too.
 */
function turnedFault(base: string, local: string, remote: string, result: Clean, reading: Reading): Fault {
  if (result.how !== "fine" || isOneOf(result, local, remote)) return undefined;
  const turned = attempt(base, remote, local, reading);
  if (turned.kind === "conflict") return turned.reason;
  return turned.text === result.text ? undefined : faultOf(base, remote, local, turned, reading);
}

type Fault = ConflictReason | undefined;

/** Whether a result is what one of the sides has. */
function isOneOf({ text }: Clean, local: string, remote: string): boolean {
  return text === local || text === remote;
}

/** What the guards find wrong with a result; undefined where it is right. */
function faultOf(base: string, local: string, remote: string, result: Clean, reading: Reading): Fault {
  if (!keepsBoth(base, local, remote, result, reading)) return "word-count";
  if (!keepsFrontMatter([base, local, remote, result.text])) return "unsound";
  if (!keepsColumns([base, local, remote].map((text) => readLines(text, reading).lines))) return "unsound";
  if (!isOneOf(result, local, remote) && !isSoundMerge(base, local, remote, result, reading)) return "unsound";
  const comes = comesBack(base, local, result, reading) && comesBack(base, remote, result, reading);
  return comes ? undefined : "unstable";
}

/** Whether a result that is neither side is sound Markdown. */
function isSoundMerge(base: string, local: string, remote: string, { how, text }: Clean, reading: Reading): boolean {
  // Below the line nothing tells what is one side of an unresolved conflict and what is the other.
  if (how === "fine" && (isUnresolved(local) || isUnresolved(remote))) return false;
  return isSound({ base, local, remote, text }, reading);
}

/**
 * Whether a result holds what a side did, at the places where it did it: merged with that side
 * again, it stays what it is.
 */
function comesBack(base: string, side: string, { text }: Clean, reading: Reading): boolean {
  if (text === side) return true;
  if (bringsBack(base, side, text, reading)) return false;
  const again = attempt(base, side, text, reading);
  if (again.kind === "conflict" || again.text !== text) return false;
  return again.how !== "fine" || !bringsPassageBack(base, side, text, reading);
}

/**
 * The guard on a result, which knows nothing of how it was made: below the line, and where blank
 * lines may have misled the line merge, every word's count must tell of both sides' changes.
 */
function keepsBoth(base: string, local: string, remote: string, result: Clean, reading: Reading): boolean {
  const texts = [base, local, remote, result.text].map((text) => readLines(text, reading));
  const counts = countApart(texts, reading);
  if (counts === undefined) return false;
  if (isOneOf(result, local, remote)) return true;
  return result.how === "lines" ? countsKept(...counts) : keepsChanges(...counts);
}

/**
 * What needs no merge, byte for byte: a side that changed nothing gives way, and equal sides agree.
 */
function byLaw(base: string, local: string, remote: string): MergeResult | undefined {
  if (local === remote) return { kind: "clean", text: local, how: "same" };
  if (local === base) return { kind: "clean", text: remote, how: "base-local" };
  if (remote === base) return { kind: "clean", text: local, how: "base-remote" };
  return undefined;
}

/** One merge, from coarse to fine, without the guards on its result. */
function attempt(base: string, local: string, remote: string, reading: Reading): MergeResult {
  if (isHeld(base, local, remote, reading)) return { kind: "clean", text: remote, how: "held" };
  if (isHeld(base, remote, local, reading)) return { kind: "clean", text: local, how: "held" };
  const apart = areApart(workOf(base, local, remote, reading));
  const lines = apart ? mergedLines(base, local, remote, reading) : undefined;
  if (lines !== undefined) return { kind: "clean", text: lines, how: "lines" };
  const merged = reading.left < 0 ? undefined : mergeFine(base, local, remote, reading);
  if (merged === undefined) return refuse("too-large", base, local, remote);
  if (!("text" in merged)) return { kind: "conflict", reason: "overlap", hunks: merged.conflicts };
  return { kind: "clean", text: merged.text, how: "fine" };
}

/** Returns git's merge; undefined for a conflict. */
function mergedLines(base: string, local: string, remote: string, reading: Reading): string | undefined {
  const blocks = mergeLines(base, local, remote, reading);
  if (blocks?.every((block) => block.kind === "settled") !== true) return undefined;
  return blocks.map((block) => block.text).join("");
}

/** A conflict of the whole texts. */
function refuse(reason: ConflictReason, base: string, local: string, remote: string): MergeResult {
  return { kind: "conflict", reason, hunks: [{ base, local, remote, baseLine: 0, localLine: 0, remoteLine: 0 }] };
}
