import { afford, type Budget } from "./budget.ts";
import { type Contexts, contextsOf } from "./contexts.ts";
import { ascending } from "./ascending.ts";
import { wordsOf } from "./words.ts";

/** The lines of base, local, remote and merged text. */
export type FourTexts = readonly [
  base: readonly string[],
  local: readonly string[],
  remote: readonly string[],
  merged: readonly string[],
];

/** What a word stands in: what is open around its line, the marks before the line, and the marks that are open at the word. */
type Place = readonly [around: string, prefix: string, open: string];

/** The words of a text by their place; undefined for a word that the text has more than once. */
type Places = ReadonlyMap<string, Place | undefined>;

/** As many characters of the texts cost a step. */
const LETTERS_A_STEP = 4;

/**
 * Whether each word that is the only one of its kind is in the marks that a side gave it, and, with `removals`, what a side took away as a line is gone. It goes by
 * words alone, not by which lines were paired, so it sees a change that was lost because blank lines or fences look alike.
 */
export function keepsPlaces(texts: FourTexts, removals: boolean, budget: Budget): boolean {
  const size = texts.reduce((sum, lines) => sum + lines.reduce((all, line) => all + line.length, 0), 0);
  if (!afford(budget, size / LETTERS_A_STEP)) return false;
  const isApart = apartIn(texts);
  const contexts = texts.map(contextsOf);
  const wrapped = contexts.some((one) => one.outline !== contexts[0]?.outline);
  const [b, l, r, m] = texts.map((lines, at) =>
    placesOf(lines, (contexts[at] as Contexts).around, isApart, wrapped),
  ) as [Places, Places, Places, Places];
  const suspects = new Set<string>();
  for (const [word, was] of b) {
    const [mine, theirs, is] = [l.get(word), r.get(word), m.get(word)];
    if (was !== undefined && is !== undefined && l.has(word) !== r.has(word)) suspects.add(word);
    if (was === undefined || mine === undefined || theirs === undefined || is === undefined) continue;
    if (!was.every((one, at) => isPicked(one, mine[at] as string, theirs[at] as string, is[at] as string)))
      return false;
  }
  // What was made of both sides is counted elsewhere, word by word.
  return !removals || suspects.size === 0 || !stands(suspects, texts[0], texts[3], isApart);
}

/** Whether a trait is that of the side which changed it; what both changed may be either, or both. */
function isPicked(was: string, mine: string, theirs: string, is: string): boolean {
  if (mine === was) return is === theirs;
  return (theirs !== was && mine !== theirs) || is === mine;
}

/** Tells the lines that do not occur alike in all the texts. */
function apartIn(texts: FourTexts): (line: string) => boolean {
  const times = new Map<string, number[]>();
  for (const [at, lines] of texts.entries()) {
    for (const line of lines) {
      let row = times.get(line);
      if (row === undefined) {
        row = [0, 0, 0, 0];
        times.set(line, row);
      }
      row[at] = (row[at] as number) + 1;
    }
  }
  const alike = (row: readonly number[]): boolean => row.every((one) => one === row[0]);
  const apart = new Set(
    times
      .entries()
      .filter(([, row]) => !alike(row))
      .map(([line]) => line),
  );
  return (line) => apart.has(line);
}

const PREFIX = /^\s*(?:(?:>|#{1,6}|[-*+]|\p{N}+[.)]|\|)\s+|\[[ xX]\]\s+)*/u;
const INLINE = /\*\*|\*|~~|\[\[|\]\]|\[|\]|[\p{L}\p{N}\p{M}]+/gu;

function placesOf(
  lines: readonly string[],
  contexts: readonly string[],
  isApart: (line: string) => boolean,
  wrapped: boolean,
): Places {
  const found = new Map<string, Place | undefined>();
  for (const [at, line] of lines.entries()) {
    const around = contexts[at] as string;
    if (!isApart(line)) {
      if (wrapped && line.trim() !== "") found.set(line, found.has(line) ? undefined : [around, "", ""]);
      continue;
    }
    const prefix = PREFIX.exec(line)?.[0] ?? "";
    const kind = prefix
      .replaceAll(/\p{N}+/gu, "1")
      .replaceAll(/\s+/g, " ")
      .trim();
    const open: string[] = [];
    for (const [token] of line.slice(prefix.length).matchAll(INLINE)) {
      if (/^[\p{L}\p{N}\p{M}]/u.test(token)) {
        found.set(token, found.has(token) ? undefined : [around, kind, open.toSorted().join("")]);
      } else turn(open, token);
    }
  }
  return found;
}

/** Opens or closes what a mark stands for. */
function turn(open: string[], mark: string): void {
  const opener = mark.replaceAll("]", "[");
  const at = open.indexOf(opener);
  if (at >= 0 && (mark !== opener || !mark.startsWith("["))) open.splice(at, 1);
  else if (mark === opener) open.push(mark);
}

/** Whether most words of a line of the base, which one side took away, stand in the merged text among the words that they stood among. */
function stands(
  suspects: ReadonlySet<string>,
  base: readonly string[],
  merged: readonly string[],
  isApart: (line: string) => boolean,
): boolean {
  const there = placedOnce(merged, isApart);
  const common = [...placedOnce(base, isApart).keys()].filter((one) => there.has(one));
  const kept = ascending(common.map((one) => there.get(one) as number));
  const standing = new Set(kept.map((at) => common[at] as string).filter((one) => suspects.has(one)));
  return base.some((line) => {
    if (standing.size === 0 || !isApart(line)) return false;
    const words = wordsOf(line);
    return words.length > 0 && 2 * words.filter((word) => standing.has(word)).length > words.length;
  });
}

/** Where each line that all texts have, and each word of the others, stands in a text, if it occurs once. */
function placedOnce(lines: readonly string[], isApart: (line: string) => boolean): Map<string, number> {
  const [places, again] = [new Map<string, number>(), new Set<string>()];
  let place = 0;
  for (const line of lines) {
    for (const one of isApart(line) ? wordsOf(line) : line.trim() === "" ? [] : [line]) {
      if (places.has(one)) again.add(one);
      places.set(one, place++);
    }
  }
  for (const one of again) places.delete(one);
  return places;
}
