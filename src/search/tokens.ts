import { foldWords, isAscii } from "./fold.ts";

/**
 * How texts become words. Scripts that are written without spaces (Han, kana, Hangul with its
 * endings, Thai, Lao, Khmer, Burmese) and emoji come in runs: a run is indexed as its pairs of
 * characters, and its last character alone, so that a phrase of pairs finds any part of two or
 * more, and a prefix any one character.
 */

const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}ー々〆\\p{Emoji_Presentation}";
const PARTS = new RegExp(`([${UNSPACED}]\\p{M}*)+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const ASCII_WORDS = /[a-z0-9]+/g;

/**
 * LIMIT: a longer token (base64, a hash) is cut: nobody types it, and each would be a word of its
 * own.
 */
const LONGEST_WORD = 64;

export type Unit = { readonly kind: "word" | "run"; readonly text: string };

/** The words and runs of a text, folded, in their order. */
export function unitsOf(text: string): Unit[] {
  const folded = foldWords(text);
  if (isAscii(folded)) return Array.from(folded.matchAll(ASCII_WORDS), ([word]) => ({ kind: "word", text: cut(word) }));
  return Array.from(folded.matchAll(PARTS), ([part, run]) =>
    run === undefined ? { kind: "word", text: cut(part) } : { kind: "run", text: part },
  );
}

function cut(word: string): string {
  return word.length <= LONGEST_WORD ? word : [...word].slice(0, LONGEST_WORD).join("");
}

/** The tokens of a run: its pairs, then its last character. */
export function runTokens(run: string): string[] {
  const characters = [...run];
  return characters.map((character, i) => character + (characters[i + 1] ?? ""));
}

/**
 * The words of a field as the index takes them, by spaces.
 * @param onWord told of every word (not of runs)
 */
export function indexedForm(text: string, onWord: (word: string) => void): string {
  const tokens: string[] = [];
  for (const unit of unitsOf(text)) {
    if (unit.kind === "run") tokens.push(...runTokens(unit.text));
    else {
      tokens.push(unit.text);
      onWord(unit.text);
    }
  }
  return tokens.join(" ");
}

/** NUL ends FTS5's expressions, and half a surrogate pair has no UTF-8: no index holds them. */
const UNINDEXED = /[\0\p{Surrogate}]/u;

/** Every run of three code points, once. */
export function gramsOf(text: string): string[] {
  const characters = [...text];
  const grams = new Set<string>();
  for (let i = 0; i + 3 <= characters.length; i++) grams.add(characters.slice(i, i + 3).join(""));
  return [...grams].filter((gram) => !UNINDEXED.test(gram));
}

/**
 * A term with its ends marked, so that its first and last letters count in trigrams of their own.
 */
export function boundedTerm(term: string): string {
  return `^${term}$`;
}
