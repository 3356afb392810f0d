import { foldLine, foldText } from "./fold.ts";
import { linesOf } from "./lines.ts";

/** Half-open, in characters (code points) from 0. */
export type Range = readonly [start: number, end: number];

/**
 * A line of a document, or a part of a long one, with what was found in it. `line` counts from 1.
 */
export type Snippet = { readonly line: number; readonly text: string; readonly ranges: readonly Range[] };

// LIMIT: of a document are shown so many lines, of a line so many characters.
const MOST_SNIPPETS = 3;
const MOST_CHARACTERS = 240;
/** What is shown before the first match of a long line. */
const LEAD = 60;
const CUT = "…";

/**
 * What to look for, folded. `whole`: only as a word of its own (short words are part of too many).
 */
export type Needle = { readonly text: string; readonly whole: boolean };

export function needleOf(text: string, whole: boolean): Needle {
  return { text: foldText(text), whole };
}

/**
 * The lines that show best why a document was found: those with the most different needles, in the
 * order of the text.
 * @returns at most three; where no line holds a needle (its path does), the first line that is not
 * blank, without ranges
 */
export function snippetsOf(text: string, needles: readonly Needle[]): Snippet[] {
  const lines = linesOf(text);
  const found: { readonly index: number; readonly weight: number; readonly ranges: readonly Range[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const folded = foldLine(line);
    const ranges: Range[] = [];
    let weight = 0;
    for (const needle of needles) {
      const places = placesOf(folded.folded, needle);
      if (places.length === 0) continue;
      // A longer needle says more than a pair of characters.
      weight += 1 + needle.text.length / 100;
      for (const [start, end] of places) ranges.push(folded.toCharacters(start, end));
    }
    if (weight > 0) found.push({ index, weight, ranges: joined(ranges) });
  }
  const best = found
    .sort((a, b) => b.weight - a.weight || a.index - b.index)
    .slice(0, MOST_SNIPPETS)
    .sort((a, b) => a.index - b.index);
  if (best.length > 0) return best.map(({ index, ranges }) => excerpt(index + 1, lines[index]!, ranges));
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? [] : [excerpt(first + 1, lines[first]!, [])];
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;

function placesOf(folded: string, { text, whole }: Needle): Range[] {
  const places: Range[] = [];
  if (text === "") return places;
  for (let at = folded.indexOf(text); at !== -1; at = folded.indexOf(text, at + text.length)) {
    const end = at + text.length;
    const isWhole = !WORD_CHARACTER.test(folded.charAt(at - 1)) && !WORD_CHARACTER.test(folded.charAt(end));
    if (!whole || isWhole) places.push([at, end]);
  }
  return places;
}

/** Overlapping and touching ranges become one. */
function joined(ranges: readonly Range[]): Range[] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

function excerpt(line: number, text: string, ranges: readonly Range[]): Snippet {
  const characters = [...text];
  if (characters.length <= MOST_CHARACTERS) return { line, text, ranges };
  const from = Math.min(Math.max(0, (ranges[0]?.[0] ?? 0) - LEAD), characters.length - MOST_CHARACTERS);
  const to = from + MOST_CHARACTERS;
  const [before, after] = [from > 0 ? CUT : "", to < characters.length ? CUT : ""];
  const shift = before.length - from;
  const shown = ranges
    .filter(([start, end]) => start < to && end > from)
    .map(([start, end]): Range => [Math.max(start, from) + shift, Math.min(end, to) + shift]);
  return { line, text: before + characters.slice(from, to).join("") + after, ranges: shown };
}
