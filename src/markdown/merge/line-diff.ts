/**
 * Compares two versions by lines (Myers 1986). If the versions differ too much, all differing lines
 * are one replacement.
 */

import { diffStrings } from "./diff.ts";
import { splitLines } from "./split.ts";

type DiffLine = { readonly kind: "same" | "removed" | "added"; readonly text: string };
/**
 * Lines of one version. `line`: number of the first line, from 1. If `count` is 0, the number of
 * the line before the change.
 */
type LineSpan = { readonly line: number; readonly count: number };

export type Hunk<Line> = { readonly before: LineSpan; readonly after: LineSpan; readonly lines: readonly Line[] };
export type DiffHunk = Hunk<DiffLine>;

const CONTEXT_LINES = 3;

export function countLines(before: string, after: string): { readonly added: number; readonly removed: number } {
  let addedLines = 0;
  let removedLines = 0;
  for (const { start, end, from, to } of diffStrings(splitLines(before), splitLines(after))) {
    removedLines += end - start;
    addedLines += to - from;
  }
  return { added: addedLines, removed: removedLines };
}

/**
 * Returns the hunks of a unified diff, with three lines of context. Lines keep their line feeds, so
 * that a missing line feed at the end of the file can be shown.
 */
export function diffLines(before: string, after: string): DiffHunk[] {
  const [a, b] = [splitLines(before), splitLines(after)];
  const lines: DiffLine[] = [];
  const append = (kind: DiffLine["kind"], texts: readonly string[]): void => {
    for (const text of texts) lines.push({ kind, text });
  };
  let index = 0;
  for (const { start, end, from, to } of diffStrings(a, b)) {
    append("same", a.slice(index, start));
    append("removed", a.slice(start, end));
    append("added", b.slice(from, to));
    index = end;
  }
  append("same", a.slice(index));
  return groupIntoHunks(
    lines,
    ({ kind }) => kind !== "added",
    ({ kind }) => kind !== "removed",
  );
}

export function groupIntoHunks<Line>(
  lines: readonly Line[],
  isBefore: (line: Line) => boolean,
  isAfter: (line: Line) => boolean,
): Hunk<Line>[] {
  const isChange = lines.map((line) => !isBefore(line) || !isAfter(line));
  const isNear = (i: number): boolean =>
    isChange.slice(Math.max(0, i - CONTEXT_LINES), i + CONTEXT_LINES + 1).includes(true);
  const hunks: { before: number; after: number; lines: Line[] }[] = [];
  let [before, after] = [0, 0];
  for (const [at, line] of lines.entries()) {
    if (isNear(at)) {
      if (at === 0 || !isNear(at - 1)) hunks.push({ before, after, lines: [] });
      hunks.at(-1)!.lines.push(line);
    }
    if (isBefore(line)) before++;
    if (isAfter(line)) after++;
  }
  return hunks.map((hunk) => ({
    before: toLineSpan(hunk.before, hunk.lines.filter(isBefore).length),
    after: toLineSpan(hunk.after, hunk.lines.filter(isAfter).length),
    lines: hunk.lines,
  }));
}

/** @param first number of lines before the range */
function toLineSpan(first: number, count: number): LineSpan {
  return { line: count === 0 ? first : first + 1, count };
}
