import { Interner } from "./split.ts";

/**
 * A character of a script that is written without spaces between words, as a pattern for the `v`
 * flag.
 */
export const UNSPACED = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]";
/** A letter, digit or mark of any other script. */
export const LETTER = `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED}]`;

const WORD = new RegExp(`${UNSPACED}|${LETTER}+`, "gv");
/** The same in a text of ASCII alone, where it is found sooner. */
const ASCII_WORD = /[A-Za-z0-9]+/g;
const OTHER = /[^\0-\x7F]/;

/** Whether a text is ASCII alone. */
function isAscii(text: string): boolean {
  return !OTHER.test(text);
}

/**
 * The words of a text: runs of letters, digits and marks; scripts written without spaces go
 * character by character.
 */
export function wordsOf(text: string): string[] {
  return text.match(isAscii(text) ? ASCII_WORD : WORD) ?? [];
}

/** How often each word occurs, by the word's number. */
export type Counts = Int32Array;

/**
 * The count guard: each word's count in `merged` lies within the least and the greatest of base +
 * both changes, local and remote. It knows nothing of how the merge was made, so it catches text
 * that was lost or doubled by a defect.
 */
export function countsKept(b: Counts, l: Counts, r: Counts, m: Counts): boolean {
  for (let word = 0; word < m.length; word++) {
    const [inLocal, inRemote] = [l[word] as number, r[word] as number];
    const both = inLocal + inRemote - (b[word] as number);
    const count = m[word] as number;
    if (count < Math.min(both, inLocal, inRemote) || count > Math.max(both, inLocal, inRemote)) return false;
  }
  return true;
}

/** The count guard on texts. */
export function keepsCounts(base: string, local: string, remote: string, merged: string): boolean {
  const interner = new Interner();
  const words = [base, local, remote, merged].map((text) => interner.ids(wordsOf(text)));
  const counts = words.map((ids) => {
    const count: Counts = new Int32Array(interner.size);
    for (const id of ids) count[id] = (count[id] as number) + 1;
    return count;
  });
  return countsKept(...(counts as [Counts, Counts, Counts, Counts]));
}

/**
 * The stricter guard for what was merged below the line: both sides' changes of each word's count
 * are in the result. Where both went the same way they may be one change made twice; where one side
 * alone changed it, or each the other way, the result holds exactly both.
 */
export function keepsChanges(b: Counts, l: Counts, r: Counts, m: Counts): boolean {
  for (let word = 0; word < m.length; word++) {
    const before = b[word] as number;
    const [here, there] = [(l[word] as number) - before, (r[word] as number) - before];
    const done = (m[word] as number) - before;
    const both = here + there;
    const once = here > 0 && there > 0 ? Math.max(here, there) : here < 0 && there < 0 ? Math.min(here, there) : both;
    if (done < Math.min(both, once) || done > Math.max(both, once)) return false;
  }
  return true;
}
