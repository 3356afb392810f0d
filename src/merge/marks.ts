import { Interner } from "./split.ts";
import { isAscii } from "./words.ts";

/**
 * The words of a line in their marks, all as numbers: what the line begins with, as `- [ ]` or `##`
 * (`prefix`); its words in their order; and for each word what tells the marks that are open at it.
 */
export type MarkedWords = {
  readonly prefix: number;
  readonly words: readonly number[];
  readonly open: readonly number[];
};

/** The number of no marks. */
export const NO_MARKS = 0;

/** Gives words, and marks, their numbers. */
export function newWords(): Interner {
  const words = new Interner();
  words.id("");
  return words;
}

const PREFIX = /^\s*(?:(?:>|#{1,6}|[-*+]|\p{N}+[.)]|\|)\s+|\[[ xX]\]\s+)*/u;
const INLINE = /\*\*|\*|~~|\[\[|\]\]|\[|\]|[\p{L}\p{N}\p{M}]+/gu;
const ASCII_INLINE = /\*\*|\*|~~|\[\[|\]\]|\[|\]|[A-Za-z0-9]+/g;
/** What tokens begin with that are no words. */
const MARKS = "*~[]";

/**
 * Reads the words of a line in their marks; `words` gives the numbers, `prefixes` keeps those of
 * what lines begin with.
 */
export function readMarkedWords(line: string, words: Interner, prefixes: Map<string, number>): MarkedWords {
  const prefix = mayHavePrefix(line) ? (PREFIX.exec(line)?.[0] ?? "") : "";
  const kind = prefixes.get(prefix) ?? words.id(kindOf(prefix));
  prefixes.set(prefix, kind);
  const marked = { prefix: kind, words: [] as number[], open: [] as number[] };
  const open: Open = { toggled: 0, single: 0, double: 0 };
  const found: readonly string[] = line.slice(prefix.length).match(isAscii(line) ? ASCII_INLINE : INLINE) ?? [];
  for (let at = 0; at < found.length; at++) {
    const token = found[at] as string;
    if (MARKS.includes(token[0] as string)) turn(open, token);
    else {
      marked.words.push(words.id(token));
      marked.open.push(open.toggled + BRACKET * (open.single + 2 * open.double));
    }
  }
  return marked;
}

/** The marks that are open: the sum of those that close themselves, and how many brackets. */
type Open = { toggled: number; single: number; double: number };

/** What the marks count that close themselves, and each bracket. */
const TOGGLED = new Map([
  ["*", 1],
  ["**", 2],
  ["~~", 4],
]);
const BRACKET = 8;

/** Whether a line begins with anything but a Latin letter. */
function mayHavePrefix(line: string): boolean {
  const first = line.charCodeAt(0) | 0x20;
  return first < 0x61 || first > 0x7a;
}

/** A prefix without what may differ between two of one kind: its number and its width. */
function kindOf(prefix: string): string {
  return prefix
    .replaceAll(/\p{N}+/gu, "1")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Opens or closes what a mark stands for. */
function turn(open: Open, mark: string): void {
  if (mark === "[") open.single++;
  else if (mark === "[[") open.double++;
  else if (mark === "]") open.single = Math.max(0, open.single - 1);
  else if (mark === "]]") open.double = Math.max(0, open.double - 1);
  else open.toggled ^= TOGGLED.get(mark) ?? 0;
}
