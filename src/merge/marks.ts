import type { Interner } from "./split.ts";
import { isAscii } from "./words.ts";

/**
 * The words of a line in their marks, all as numbers: what the line begins with, as `- [ ]` or `##`
 * (`prefix`); its words in their order; and for each word the marks that are open at it.
 */
export type MarkedWords = {
  readonly prefix: number;
  readonly words: readonly number[];
  readonly open: readonly number[];
};

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
  const open: string[] = [];
  let inside = words.id("");
  for (const token of line.slice(prefix.length).match(isAscii(line) ? ASCII_INLINE : INLINE) ?? []) {
    if (!MARKS.includes(token[0] as string)) {
      marked.words.push(words.id(token));
      marked.open.push(inside);
    } else {
      turn(open, token);
      inside = words.id(open.length < 2 ? (open[0] ?? "") : open.toSorted().join(""));
    }
  }
  return marked;
}

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
function turn(open: string[], mark: string): void {
  const opener = mark.replaceAll("]", "[");
  const at = open.indexOf(opener);
  if (at >= 0 && (mark !== opener || !mark.startsWith("["))) open.splice(at, 1);
  else if (mark === opener) open.push(mark);
}
