import { findCounterparts } from "./edits.ts";
import { diffStrings } from "./myers.ts";

type LineWithEnd = { readonly text: string; readonly end: string };

/**
 * Restores the line ends of a document after an editor changed all of them, as a web form does.
 * Unchanged lines get their old ends, new lines the most frequent end.
 */
export function restoreLineEnds(edited: string, original: string): string {
  const [before, after] = [splitLinesAndEnds(original), splitLinesAndEnds(edited)];
  const texts = (lines: readonly LineWithEnd[]) => lines.map(({ text }) => text);
  const defaultEnd = findUsualEnd(before);
  const ends = after.map(({ end }) => (end === "" ? "" : defaultEnd));
  const places = findCounterparts(before.length, diffStrings(texts(before), texts(after)));
  for (const [from, { end }] of before.entries()) {
    const to = places[from] as number;
    if (end !== "" && to >= 0 && ends[to] !== "") ends[to] = end;
  }
  return after.map(({ text }, index) => text + ends[index]!).join("");
}

function splitLinesAndEnds(text: string): LineWithEnd[] {
  const parts = text.split(/(\r\n|\r|\n)/);
  return Array.from({ length: Math.ceil(parts.length / 2) }, (_, index) => ({
    text: parts[2 * index]!,
    end: parts[2 * index + 1] ?? "",
  }));
}

function findUsualEnd(lines: readonly LineWithEnd[]): string {
  const counts = Map.groupBy(lines, ({ end }) => end);
  counts.delete("");
  const [most = ["\n"]] = [...counts].toSorted(([, a], [, b]) => b.length - a.length);
  return most[0];
}
