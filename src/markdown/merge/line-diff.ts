import { diffStrings, type Edit } from "./myers.ts";
import { splitLines } from "./split.ts";

/**
 * Compares two texts by lines (Myers 1986). Past its limit, everything that differs is one
 * replacement.
 */

type DiffLine = { readonly kind: "same" | "removed" | "added"; readonly text: string };
/**
 * A hunk of a unified diff. Lines are 1-based; with a count of 0, the number is that of the line
 * before.
 */
export type DiffHunk = {
  readonly before: { readonly line: number; readonly count: number };
  readonly after: { readonly line: number; readonly count: number };
  readonly lines: readonly DiffLine[];
};

const CONTEXT = 3;

export function countLines(before: string, after: string): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const { start, end, from, to } of diffStrings(splitLines(before), splitLines(after))) {
    removed += end - start;
    added += to - from;
  }
  return { added, removed };
}

/**
 * Returns hunks with three lines of context. Lines keep their line feeds, so that a missing last
 * one is visible.
 */
export function diffLines(before: string, after: string): DiffHunk[] {
  const [a, b] = [splitLines(before), splitLines(after)];
  const groups: Edit[][] = [];
  for (const edit of diffStrings(a, b)) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && edit.start - last.end <= 2 * CONTEXT) groups.at(-1)!.push(edit);
    else groups.push([edit]);
  }
  return groups.map((edits) => hunkOf(a, b, edits));
}

function hunkOf(a: readonly string[], b: readonly string[], edits: readonly Edit[]): DiffHunk {
  const [first, last] = [edits[0]!, edits.at(-1)!];
  const start = Math.max(0, first.start - CONTEXT);
  const end = Math.min(a.length, last.end + CONTEXT);
  const from = first.from - (first.start - start);
  const lines: DiffLine[] = [];
  let at = start;
  for (const edit of edits) {
    append(lines, "same", a.slice(at, edit.start));
    append(lines, "removed", a.slice(edit.start, edit.end));
    append(lines, "added", b.slice(edit.from, edit.to));
    at = edit.end;
  }
  append(lines, "same", a.slice(at, end));
  const removed = lines.filter(({ kind }) => kind !== "added").length;
  const added = lines.filter(({ kind }) => kind !== "removed").length;
  return {
    before: { line: removed === 0 ? start : start + 1, count: removed },
    after: { line: added === 0 ? from : from + 1, count: added },
    lines,
  };
}

function append(lines: DiffLine[], kind: DiffLine["kind"], texts: readonly string[]): void {
  for (const text of texts) lines.push({ kind, text });
}
