import { type Budget, newBudget } from "./merge/budget.ts";
import { codeLines } from "./merge/fences.ts";
import { type ConflictHunk, conflictOf, mergeHunk, type Overlap } from "./merge/hunk.ts";
import { mergeLines, splitLines } from "./merge/lines.ts";
import { dress, mergeStyle, normalise, styleOf } from "./merge/style.ts";
import { isLater } from "./merge/subsume.ts";
import { keepsCounts } from "./merge/words.ts";

export type { ConflictHunk } from "./merge/hunk.ts";

/** How far a merge had to go: which law gave the text, or how fine the pieces were. */
export type MergeHow = "same" | "base-local" | "base-remote" | "lines" | "fine";

/** Why there is no merged text. */
export type ConflictReason = "overlap" | "too-large" | "count-guard" | "unstable";

/** A merged text, or what stands in its way. */
export type MergeResult =
  | { readonly kind: "clean"; readonly text: string; readonly how: MergeHow }
  | { readonly kind: "conflict"; readonly reason: ConflictReason; readonly hunks: readonly ConflictHunk[] };

/**
 * Merges what local and remote each did to base. Pure and deterministic, bounded in cost by the texts alone; a merge that
 * could be wrong is a conflict.
 */
export function mergeText(base: string, local: string, remote: string): MergeResult {
  const budget = newBudget();
  const result = attempt(base, local, remote, budget);
  if (result.kind === "conflict" || (result.how !== "lines" && result.how !== "fine")) return result;
  const whole = (reason: ConflictReason): MergeResult => ({
    kind: "conflict",
    reason,
    hunks: [wholeText(base, local, remote)],
  });
  if (!keepsCounts(base, local, remote, result.text)) return whole("count-guard");
  const again = attempt(base, local, result.text, budget);
  return again.kind === "clean" && again.text === result.text
    ? result
    : whole(budget.left < 0 ? "too-large" : "unstable");
}

export function attempt(base: string, local: string, remote: string, budget: Budget): MergeResult {
  if (local === remote) return { kind: "clean", text: local, how: "same" };
  if (local === base) return { kind: "clean", text: remote, how: "base-local" };
  if (remote === base) return { kind: "clean", text: local, how: "base-remote" };
  if (isLater(base, local, remote, budget)) return { kind: "clean", text: remote, how: "fine" };
  if (isLater(base, remote, local, budget)) return { kind: "clean", text: local, how: "fine" };
  const blocks = mergeLines(base, local, remote, budget);
  if (blocks === undefined) return { kind: "conflict", reason: "too-large", hunks: [wholeText(base, local, remote)] };
  if (blocks.every((block) => block.kind === "settled")) {
    return { kind: "clean", text: blocks.map((block) => block.text).join(""), how: "lines" };
  }
  return mergeFine(base, local, remote, budget);
}

function mergeFine(base: string, local: string, remote: string, budget: Budget): MergeResult {
  const styles = [styleOf(base), styleOf(local), styleOf(remote)] as const;
  const style = mergeStyle(...styles);
  const [b, l, r] = [normalise(base), normalise(local), normalise(remote)];
  const clean = (text: string): MergeResult => ({ kind: "clean", text: dress(text, style), how: "fine" });
  if (l === r || b === r) return clean(l);
  if (b === l) return clean(r);
  const blocks = mergeLines(b, l, r, budget);
  if (blocks === undefined) return { kind: "conflict", reason: "too-large", hunks: [wholeText(base, local, remote)] };
  const lines = { base: splitLines(b), local: splitLines(l), remote: splitLines(r) };
  const around = {
    baseLines: lines.base,
    code: { base: codeLines(lines.base), local: codeLines(lines.local), remote: codeLines(lines.remote) },
  };
  let text = "";
  const conflicts: ConflictHunk[] = [];
  for (const block of blocks) {
    if (block.kind === "settled") {
      text += block.text;
      continue;
    }
    const merged = mergeHunk(block, around, budget);
    if ("text" in merged) text += merged.text;
    else conflicts.push(...merged.conflicts);
    if (budget.left < 0) conflicts.push(conflictOf(block));
  }
  if (conflicts.length > 0 && budget.left >= 0) {
    const all: Overlap = { kind: "conflict", ...lines, baseLine: 0, localLine: 0, remoteLine: 0 };
    const again = mergeHunk(all, around, budget, true);
    if ("text" in again && budget.left >= 0) return clean(again.text);
  }
  return conflicts.length === 0
    ? clean(text)
    : { kind: "conflict", reason: budget.left < 0 ? "too-large" : "overlap", hunks: conflicts };
}

function wholeText(base: string, local: string, remote: string): ConflictHunk {
  return { base, local, remote, baseLine: 0, localLine: 0, remoteLine: 0 };
}
