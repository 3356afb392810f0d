import { type Budget, newBudget } from "./merge/budget.ts";
import { mergeFine } from "./merge/fine.ts";
import type { ConflictHunk } from "./merge/hunk.ts";
import { mergeLines } from "./merge/lines.ts";
import { laterSide } from "./merge/subsume.ts";
import { type Counts, countsKept, countWords, keepsChanges, mayHold } from "./merge/words.ts";

export type { ConflictHunk } from "./merge/hunk.ts";

/** How far a merge had to go: which law gave the text, or how fine the pieces were. */
export type MergeHow = "same" | "base-local" | "base-remote" | "lines" | "fine";

/**
 * Why there is no merged text: both sides changed one place; the texts differ too much to be compared within bounds; the
 * result would have lost or doubled a word; merging the result with the local text again would not have given it back.
 */
export type ConflictReason = "overlap" | "too-large" | "count-guard" | "unstable";

/** A merged text, or what stands in its way: at least one hunk, in the order of the text. */
export type MergeResult =
  | { readonly kind: "clean"; readonly text: string; readonly how: MergeHow }
  | { readonly kind: "conflict"; readonly reason: ConflictReason; readonly hunks: readonly ConflictHunk[] };

type Clean = MergeResult & { readonly kind: "clean" };

/**
 * Merges what local and remote each did to base. Pure, deterministic, and bounded in cost by the texts alone; a merge that
 * could be wrong is a conflict. Where it is clean, merging the result with the same base and local text gives it again.
 */
export function mergeText(base: string, local: string, remote: string): MergeResult {
  const law = byLaw(base, local, remote);
  if (law !== undefined) return law;
  const budget = newBudget();
  const result = attempt(base, local, remote, budget);
  if (result.kind === "conflict") return result;
  const counts = { base: countWords(base), local: countWords(local), remote: countWords(remote) };
  const merged =
    result.text === remote ? counts.remote : result.text === local ? counts.local : countWords(result.text);
  if (!keepsBoth(counts, merged, result, local, remote)) return refuse("count-guard", base, local, remote);
  const again = byLaw(base, local, result.text) ?? attempt(base, local, result.text, budget);
  // The law is about the whole of this function: the second merge must pass the guards as well.
  const passes =
    again.kind === "clean" &&
    again.text === result.text &&
    (again.how !== "fine" || mayHold(counts.base, counts.local, merged));
  if (passes) return result;
  return refuse(budget.left < 0 ? "too-large" : "unstable", base, local, remote);
}

type SideCounts = { readonly base: Counts; readonly local: Counts; readonly remote: Counts };

/**
 * The guards on a result, which know nothing of how it was made. Below the line every word's count must tell of both sides' changes. A side that is the result
 * holds the other's changes already, in counts that no longer tell the two apart: then most of them must be in sight.
 */
function keepsBoth(counts: SideCounts, merged: Counts, result: Clean, local: string, remote: string): boolean {
  const { base } = counts;
  if (!countsKept(base, counts.local, counts.remote, merged)) return false;
  if (result.how !== "fine") return true;
  if (result.text === local) return mayHold(base, counts.remote, merged);
  if (result.text === remote) return mayHold(base, counts.local, merged);
  return keepsChanges(base, counts.local, counts.remote, merged);
}

/** What needs no merge, byte for byte: a side that changed nothing gives way, and equal sides agree. */
function byLaw(base: string, local: string, remote: string): MergeResult | undefined {
  if (local === remote) return { kind: "clean", text: local, how: "same" };
  if (local === base) return { kind: "clean", text: remote, how: "base-local" };
  if (remote === base) return { kind: "clean", text: local, how: "base-remote" };
  return undefined;
}

/** One merge, from coarse to fine, without the guards on its result. */
function attempt(base: string, local: string, remote: string, budget: Budget): MergeResult {
  const later = laterSide(base, local, remote, budget);
  if (later !== undefined) return { kind: "clean", text: later === "local" ? local : remote, how: "fine" };
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
