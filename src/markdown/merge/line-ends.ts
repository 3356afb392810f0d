import { counterparts } from "./edits.ts";
import { diffStrings } from "./myers.ts";

/** A line, and the characters that end it. The last line has no end, so its `end` is empty. */
type Line = { readonly text: string; readonly end: string };

/**
 * Restores the line ends of a document after an editor changed all of them, as a web form does.
 * Unchanged lines get their old ends; new lines get the most frequent one. A document without edits
 * gets all its old line ends.
 */
export function withLineEnds(edited: string, original: string): string {
  const [before, after] = [linesOf(original), linesOf(edited)];
  const texts = (lines: readonly Line[]) => lines.map(({ text }) => text);
  const defaultEnd = usualEnd(before);
  const ends = after.map(({ end }) => (end === "" ? "" : defaultEnd));
  const places = counterparts(before.length, diffStrings(texts(before), texts(after)));
  for (const [from, { end }] of before.entries()) {
    const to = places[from] as number;
    if (end !== "" && to >= 0 && ends[to] !== "") ends[to] = end;
  }
  return after.map(({ text }, index) => text + ends[index]!).join("");
}

function linesOf(text: string): Line[] {
  const parts = text.split(/(\r\n|\r|\n)/);
  return Array.from({ length: Math.ceil(parts.length / 2) }, (_, index) => ({
    text: parts[2 * index]!,
    end: parts[2 * index + 1] ?? "",
  }));
}

function usualEnd(lines: readonly Line[]): string {
  const counts = Map.groupBy(lines, ({ end }) => end);
  counts.delete("");
  const [most = ["\n"]] = [...counts].toSorted(([, a], [, b]) => b.length - a.length);
  return most[0];
}
