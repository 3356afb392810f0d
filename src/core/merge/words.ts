/** A character of a script that is written without spaces between words, as a pattern for the `v` flag. */
export const UNSPACED = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]";
/** A letter, digit or mark of any other script. */
export const LETTER = `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED}]`;

const WORD = new RegExp(`${UNSPACED}|${LETTER}+`, "gv");

/** The words of a text: runs of letters, digits and marks; scripts written without spaces go character by character. */
export function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** How often each word occurs. */
export function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * The count guard: each word's count in `merged` lies within the least and the greatest of base + both changes, local
 * and remote. It knows nothing of how the merge was made, so it catches text that was lost or doubled by a defect.
 */
export function keepsCounts(base: string, local: string, remote: string, merged: string): boolean {
  const [b, l, r, m] = [countWords(base), countWords(local), countWords(remote), countWords(merged)];
  for (const word of new Set([...l.keys(), ...r.keys(), ...m.keys()])) {
    const [inLocal, inRemote] = [l.get(word) ?? 0, r.get(word) ?? 0];
    const both = inLocal + inRemote - (b.get(word) ?? 0);
    const count = m.get(word) ?? 0;
    if (count < Math.min(both, inLocal, inRemote) || count > Math.max(both, inLocal, inRemote)) return false;
  }
  return true;
}
