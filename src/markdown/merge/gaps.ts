import type { Lines } from "./reading.ts";

/** Filled lines [from, to) of a text. */
export type Range = { readonly from: number; readonly to: number };

/** The three texts, with their lines read. */
export type ThreeTexts = { readonly base: Lines; readonly local: Lines; readonly remote: Lines };

/** Filled lines that stand for each other in the three texts. */
export type Part = { readonly base: Range; readonly local: Range; readonly remote: Range };

/**
 * Merges the blank lines at one place: the side that changed them wins, of two the one with
 * more.
 */
export function mergeGaps(base: string, local: string, remote: string): string {
  if (local === base) return remote;
  return remote === base ? local : longerGap(local, remote);
}

/** The longer one of two runs of blank lines. */
export function longerGap(one: string, other: string): string {
  const [lines, others] = [one, other].map((gap) => gap.split("\n").length) as [number, number];
  if (lines !== others) return lines > others ? one : other;
  return one >= other ? one : other;
}

/** All lines from the first of some filled lines to the last; none where there is none. */
export function linesOf({ lines, filled }: Lines, { from, to }: Range): readonly string[] {
  return from === to ? [] : lines.slice(filled.at[from], (filled.at[to - 1] as number) + 1);
}

/** The place among all lines of a filled line, or where one would stand. */
export function placeOf({ filled }: Lines, { from, to }: Range): number {
  if (from < to) return filled.at[from] as number;
  return from === 0 ? 0 : (filled.at[from - 1] as number) + 1;
}
