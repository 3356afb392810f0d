import type { Budget } from "./budget.ts";
import { codeLines } from "./fences.ts";
import { mergeFrontMatter, readFrontMatter } from "./front-matter.ts";
import { type ConflictHunk, mergeHunk, type Overlap, type Refused, type Surroundings } from "./hunk.ts";
import { splitLines } from "./split.ts";
import { applyStyle, mergeStyle, normalise, styleOf } from "./style.ts";

/** A merged text, or the places that do not merge; undefined when the budget is used up. */
export type FineMerge = { readonly text: string } | { readonly conflicts: readonly ConflictHunk[] } | undefined;

/**
 * Merges three texts that conflict line by line: first what they say, without regard to line ends,
 * mark and last line break, then how they are written, each trait by itself.
 */
export function mergeFine(base: string, local: string, remote: string, budget: Budget): FineMerge {
  const styles = [styleOf(base), styleOf(local), styleOf(remote)] as const;
  const mixed = styles.some((style) => style.feed === "mixed");
  const style = { ...mergeStyle(...styles), ...(mixed && { feed: undefined }) };
  const [b, l, r] = [base, local, remote].map((text) => normalise(text, mixed)) as [string, string, string];
  const merged = mergeDocument(b, l, r, budget);
  if (merged === undefined || budget.left < 0) return undefined;
  return "text" in merged ? { text: applyStyle(merged.text, style) } : merged;
}

function mergeDocument(base: string, local: string, remote: string, budget: Budget): FineMerge {
  if (local === remote || base === remote) return { text: local };
  if (base === local) return { text: remote };
  const [l, r] = [readFrontMatter(local), readFrontMatter(remote)];
  if (l === undefined || r === undefined) return mergeBody(base, local, remote, budget);
  const none = { entries: new Map<string, string>(), lines: 0, body: base };
  const b = readFrontMatter(base) ?? (base.startsWith("---\n") ? undefined : none);
  if (b === undefined) return mergeBody(base, local, remote, budget);
  const head = mergeFrontMatter(b, l, r);
  const body = mergeBody(b.body, l.body, r.body, budget);
  if (body === undefined) return undefined;
  if (head !== undefined && "text" in body) return { text: head + body.text };
  const above = (text: string, body: string): string => text.slice(0, text.length - body.length);
  const whole: ConflictHunk = {
    base: above(base, b.body),
    local: above(local, l.body),
    remote: above(remote, r.body),
    baseLine: 0,
    localLine: 0,
    remoteLine: 0,
  };
  const below = "text" in body ? [] : body.conflicts;
  const shifted = below.map((hunk) => ({
    ...hunk,
    baseLine: hunk.baseLine + b.lines,
    localLine: hunk.localLine + l.lines,
    remoteLine: hunk.remoteLine + r.lines,
  }));
  return { conflicts: head === undefined ? [whole, ...shifted] : shifted };
}

function mergeBody(base: string, local: string, remote: string, budget: Budget): FineMerge {
  if (local === remote || base === remote) return { text: local };
  if (base === local) return { text: remote };
  const lines = { base: splitLines(base), local: splitLines(local), remote: splitLines(remote) };
  const code = { base: codeLines(lines.base), local: codeLines(lines.local), remote: codeLines(lines.remote) };
  const around: Surroundings = { baseLines: lines.base, code };
  const refused: Refused = new Set();
  const all: Overlap = { kind: "conflict", ...lines, baseLine: 0, localLine: 0, remoteLine: 0 };
  const merged = mergeHunk(all, around, budget, refused);
  if (budget.left < 0 || "text" in merged) return budget.left < 0 ? undefined : merged;
  const coarse = mergeHunk(all, around, budget, refused, true);
  return "text" in coarse ? coarse : merged;
}
