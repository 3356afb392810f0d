import { countApart } from "./apart.ts";
import { type Budget, MERGE_STEPS, newBudget } from "./budget.ts";
import { settleDates } from "./dates.ts";
import { mergeFine } from "./fine.ts";
import type { ConflictHunk } from "./hunk.ts";
import { mergeLines } from "./lines.ts";
import { isUnresolved } from "./markers.ts";
import { type Edit, joinOverBlanks } from "./myers.ts";
import { diffLines, readLines } from "./scripts.ts";
import { isSound } from "./sound.ts";
import { isHeld } from "./held.ts";
import { keepsPlaces } from "./places.ts";
import { type Counts, countsKept, keepsChanges } from "./words.ts";

export type { ConflictHunk } from "./hunk.ts";

/** How far a merge had to go: which law gave the text, or how fine the pieces were. */
export type MergeHow = "same" | "base-local" | "base-remote" | "lines" | "fine";

/**
 * Why there is no merged text: both sides changed one place; the texts differ too much to be
 * compared within bounds; the result would have lost or doubled a word; it would have been worse
 * Markdown than both sides; it does not hold what each side did, where it did it.
 */
export type ConflictReason = "overlap" | "too-large" | "count-guard" | "unsound" | "unstable";

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
  return byLaw(base, mine, theirs) ?? mergeSettled(base, mine, theirs);
}

/**
 * Merges two texts that both differ from base and from each other; a result that could be wrong is
 * refused.
 */
function mergeSettled(base: string, local: string, remote: string): MergeResult {
  const budget = newBudget();
  const result = attempt(base, local, remote, budget);
  if (result.kind === "conflict") return result;
  // What was read and paired serves both ways; the steps of the second are its own.
  const again = { ...budget, left: MERGE_STEPS };
  const reason = faultOf(base, local, remote, result, budget) ?? turnedFault(base, local, remote, result, again);
  if (reason === undefined) return result;
  return refuse(Math.min(budget.left, again.left) < 0 ? "too-large" : reason, base, local, remote);
}

/**
 * What is wrong with the merge of the sides exchanged, which may differ in order alone; undefined
 * where that merges too.
 */
function turnedFault(base: string, local: string, remote: string, result: Clean, budget: Budget): Fault {
  if (result.how !== "fine" || result.text === local || result.text === remote) return undefined;
  const turned = attempt(base, remote, local, budget);
  if (turned.kind === "conflict") return turned.reason;
  return turned.text === result.text ? undefined : faultOf(base, remote, local, turned, budget);
}

type Fault = ConflictReason | undefined;

/** What the guards find wrong with a result; undefined where it is right. */
function faultOf(base: string, local: string, remote: string, result: Clean, budget: Budget): Fault {
  if (!keepsBoth(base, local, remote, result, budget)) return "count-guard";
  const isSide = result.text === local || result.text === remote;
  if (!isProven(base, local, remote, result, budget)) return "unstable";
  // Below the line nothing tells what is one side of an unresolved conflict and what is the other.
  if (!isSide && result.how === "fine" && (isUnresolved(local) || isUnresolved(remote))) return "unsound";
  if (!isSide && !isSound({ base, local, remote, text: result.text }, budget)) return "unsound";
  const comes = comesBack(base, local, result, budget) && comesBack(base, remote, result, budget);
  return comes ? undefined : "unstable";
}

/**
 * Whether unique words stand where the sides put them; and, where blank lines may have misled the
 * line merge, the result holds what each side did.
 */
function isProven(base: string, local: string, remote: string, { text, how }: Clean, budget: Budget): boolean {
  const isOnePlace = how === "lines" && meetOverBlanks(base, local, remote, budget);
  const isSide = text === local || text === remote;
  if (!keepsPlaces([base, local, remote, text], isSide || isOnePlace, budget)) return false;
  return !isOnePlace || (isHeld(base, local, text, budget) && isHeld(base, remote, text, budget));
}

/**
 * Whether the sides changed, each in its own way, lines with nothing but blank ones between: blank
 * lines look alike, so the line merge may have paired the wrong ones.
 */
function meetOverBlanks(base: string, local: string, remote: string, budget: Budget): boolean {
  const { lines } = readLines(base, budget);
  const edits = (side: string): Edit[] => joinOverBlanks(diffLines(base, side, budget), lines, true);
  const added = (side: string, { from, to }: Edit): string => readLines(side, budget).lines.slice(from, to).join("");
  const theirs = edits(remote);
  let at = 0;
  return edits(local).some((edit) => {
    while ((theirs[at]?.end ?? Number.POSITIVE_INFINITY) <= edit.start) at++;
    const other = theirs[at];
    if (other === undefined || other.start >= edit.end) return false;
    return other.start !== edit.start || other.end !== edit.end || added(local, edit) !== added(remote, other);
  });
}

/**
 * Whether a result holds what a side did, at the places where it did it: merged with that side
 * again, it stays what it is.
 */
function comesBack(base: string, side: string, { text }: Clean, budget: Budget): boolean {
  if (text === side) return true;
  if (!keepsPlaces([base, side, text, text], true, budget)) return false;
  if (isHeld(base, side, text, budget)) return true;
  const again = attempt(base, side, text, budget);
  if (again.kind === "conflict" || again.text !== text) return false;
  return again.how !== "lines" || !meetOverBlanks(base, side, text, budget);
}

/**
 * The guard on a result, which knows nothing of how it was made: below the line every word's count
 * must tell of both sides' changes.
 */
function keepsBoth(base: string, local: string, remote: string, result: Clean, budget: Budget): boolean {
  const texts = [base, local, remote, result.text].map((text) => readLines(text, budget));
  const counts = countApart(texts, budget);
  if (counts === undefined) return false;
  const [b, l, r, m] = counts as [Counts, Counts, Counts, Counts];
  if (!countsKept(b, l, r, m)) return false;
  return result.how !== "fine" || result.text === local || result.text === remote || keepsChanges(b, l, r, m);
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
function attempt(base: string, local: string, remote: string, budget: Budget): MergeResult {
  if (isHeld(base, local, remote, budget)) return { kind: "clean", text: remote, how: "fine" };
  if (isHeld(base, remote, local, budget)) return { kind: "clean", text: local, how: "fine" };
  const blocks = mergeLines(base, local, remote, budget);
  if (blocks?.every((block) => block.kind === "settled")) {
    return { kind: "clean", text: blocks.map((block) => block.text).join(""), how: "lines" };
  }
  const merged = blocks === undefined ? undefined : mergeFine(base, local, remote, budget);
  if (merged === undefined) return refuse("too-large", base, local, remote);
  if ("text" in merged) return { kind: "clean", text: merged.text, how: "fine" };
  return { kind: "conflict", reason: "overlap", hunks: merged.conflicts };
}

/** A conflict of the whole texts. */
function refuse(reason: ConflictReason, base: string, local: string, remote: string): MergeResult {
  return { kind: "conflict", reason, hunks: [{ base, local, remote, baseLine: 0, localLine: 0, remoteLine: 0 }] };
}
