/** Limits the size of answers: returns a part of a document, and where the next part begins. */

import { formatPatch, type PatchNames } from "../mirror/operations/results/patch.ts";
import { splitLines } from "../markdown/merge/split.ts";

/**
 * LIMIT: number of characters of content in one answer, so that answers stay short. `usual` is the
 * default, `most` the maximum.
 */
export const TEXT_CHARACTERS = { usual: 20_000, most: 60_000 } as const;

/** A range of lines, counted from 1. An empty range ends before it begins: `to` is below `from`. */
type TextPart = {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** First requested line of which nothing fitted, counted from 1; null if there is none. */
  readonly next: number | null;
  /** True if a single line exceeded the limit, so that only its beginning is in `text`. */
  readonly isCutInLine: boolean;
};

/** Returns the lines from `from` (at least 1) to `last` that fit into `characters` UTF-16 units. */
export function cutLines(text: string, from: number, last: number, characters: number): TextPart {
  const lines = splitLines(text);
  const lastLine = Math.min(last, lines.length);
  let takenText = "";
  let lineNumber = from;
  for (; lineNumber <= lastLine; lineNumber++) {
    const line = lines[lineNumber - 1]!;
    if (takenText.length + line.length > characters) break;
    takenText += line;
  }
  if (lineNumber > lastLine || takenText !== "")
    return {
      text: takenText,
      from,
      to: lineNumber - 1,
      next: lineNumber <= lastLine ? lineNumber : null,
      isCutInLine: false,
    };
  const cutLine = cutToLength(lines[lineNumber - 1]!, characters);
  return {
    text: cutLine,
    from,
    to: lineNumber,
    next: lineNumber < lastLine ? lineNumber + 1 : null,
    isCutInLine: true,
  };
}

/** Returns the beginning of a text: at most `most` UTF-16 units. Never cuts a character in half. */
export function cutToLength(text: string, most: number): string {
  if (text.length <= most) return text;
  const cutText = text.slice(0, most);
  return cutText.isWellFormed() ? cutText : cutText.slice(0, -1);
}

export function countTextLines(text: string): number {
  return splitLines(text).length;
}

export function formatTextDiff(names: PatchNames, before: string, after: string): string {
  return `${formatPatch(names, before, after).join("\n")}\n`;
}
