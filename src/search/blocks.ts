import { anyOf } from "./match.ts";
import type { Part } from "./match.ts";

/**
 * Documents by their numbers, so many to a block. Each column of a text ends in a word that names
 * its block: what must stand in one column with that word is looked for in the block alone. A bound
 * on `rowid` does not do that: FTS5 looks for the first match of a phrase, or of a word in a
 * column, before it minds the bound, and where there is none it reads all that hold the words.
 */
const BLOCK = 256;
/** More words than a text may have. */
const ANYWHERE = 1_000_000;

export function blockOf(document: number): number {
  return Math.floor(document / BLOCK);
}

/** No word of a text: `§` is neither a letter nor a number. */
export function blockWord(block: number): string {
  return `§${block}`;
}

/** Any of a part's expressions, in documents of a block. */
export function inBlock(part: Part, block: number): string {
  return anyOf(part.map((expression) => `NEAR(${expression} "${blockWord(block)}", ${ANYWHERE})`));
}
