import { newBudget } from "../../src/markdown/merge/budget.ts";
import { StringNumbers, splitLines } from "../../src/markdown/merge/split.ts";
import { countEdits, diff } from "../../src/markdown/merge/diff.ts";

/**
 * How a result compares with the committed version: equal but for white space, a few words
 * different (`near`), or the same lines in another order.
 */
export type Verdict = "conflict" | "equal" | "near" | "order" | "wrong";

/** LIMIT: different words in a result that counts as near. */
const NEAR_WORDS = 5;

/** Compares a result with the committed version; undefined is a conflict. */
export function judge(merged: string | undefined, resolved: string): Verdict {
  if (merged === undefined) return "conflict";
  const [ours, theirs] = [merged, resolved].map((text) => text.split(/\s+/).filter((word) => word !== "")) as [
    string[],
    string[],
  ];
  if (ours.join(" ") === theirs.join(" ")) return "equal";
  if (sortedLines(merged) === sortedLines(resolved)) return "order";
  return isNear(ours, theirs) ? "near" : "wrong";
}

/** Returns the lines sorted, without blank ones. */
export function sortedLines(text: string): string {
  return filledLines(text).sort().join("\n");
}

/** A replaced word is two edits: a removal and an addition. */
function isNear(words: readonly string[], others: readonly string[]): boolean {
  const interner = new StringNumbers();
  const [a, b] = [new Int32Array(interner.ids(words)), new Int32Array(interner.ids(others))];
  return countEdits(a, b, 2 * NEAR_WORDS, newBudget()) !== undefined;
}

/**
 * Returns true if two insertions at one place were mixed: one side's added lines are not in a row
 * in the result, and the other side added lines there too. Ignores blank lines and indentation.
 */
export function isGarbled(base: string, local: string, remote: string, merged: string): boolean {
  const [l, r] = [insertions(base, local), insertions(base, remote)];
  const whole = `\n${filledLines(merged).join("\n")}\n`;
  for (const [place, mine] of l) {
    const theirs = r.get(place);
    if (theirs === undefined) continue;
    if (!whole.includes(`\n${mine.join("\n")}\n`) || !whole.includes(`\n${theirs.join("\n")}\n`)) return true;
  }
  return false;
}

function filledLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/**
 * Returns the lines that a side added in a row without removing any, by the index of the base line
 * that follows them.
 */
function insertions(base: string, side: string): Map<number, string[]> {
  const interner = new StringNumbers();
  const [b, s] = [splitLines(base), splitLines(side)];
  const found = new Map<number, string[]>();
  for (const edit of diff(interner.ids(b), interner.ids(s), newBudget())) {
    const lines = filledLines(s.slice(edit.from, edit.to).join(""));
    if (edit.start === edit.end && lines.length > 0) found.set(edit.start, lines);
  }
  return found;
}
