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

/** Words of a text and how often each occurs. */
export type Counts = ReadonlyMap<string, number>;

/**
 * The count guard: each word's count in `merged` lies within the least and the greatest of base + both changes, local
 * and remote. It knows nothing of how the merge was made, so it catches text that was lost or doubled by a defect.
 */
export function countsKept(b: Counts, l: Counts, r: Counts, m: Counts): boolean {
  for (const word of new Set([...l.keys(), ...r.keys(), ...m.keys()])) {
    const [inLocal, inRemote] = [l.get(word) ?? 0, r.get(word) ?? 0];
    const both = inLocal + inRemote - (b.get(word) ?? 0);
    const count = m.get(word) ?? 0;
    if (count < Math.min(both, inLocal, inRemote) || count > Math.max(both, inLocal, inRemote)) return false;
  }
  return true;
}

/** The count guard on texts. */
export function keepsCounts(base: string, local: string, remote: string, merged: string): boolean {
  return countsKept(countWords(base), countWords(local), countWords(remote), countWords(merged));
}

/**
 * The stricter guard for what was merged below the line: both sides' changes of each word's count are in the result. Where both went the same
 * way they may be one change made twice; where one side alone changed it, or each the other way, the result holds exactly both.
 */
export function keepsChanges(b: Counts, l: Counts, r: Counts, m: Counts): boolean {
  for (const word of new Set([...b.keys(), ...l.keys(), ...r.keys(), ...m.keys()])) {
    const before = b.get(word) ?? 0;
    const [here, there] = [(l.get(word) ?? 0) - before, (r.get(word) ?? 0) - before];
    const done = (m.get(word) ?? 0) - before;
    const both = here + there;
    const once = here > 0 && there > 0 ? Math.max(here, there) : here < 0 && there < 0 ? Math.min(here, there) : both;
    if (done < Math.min(both, once) || done > Math.max(both, once)) return false;
  }
  return true;
}

/** So much of what a side took away or put in may be out of sight in a text that holds it: common words that the other side used elsewhere. */
const UNSEEN_SHARE = 1 / 2;

/**
 * Whether a later text may hold what an earlier one did to the base, by counts alone: most of what it removed is gone, most of what it added is there. A
 * rule that goes by context is fooled where the same few words stand everywhere; counts are not.
 */
export function mayHold(b: Counts, earlier: Counts, later: Counts): boolean {
  const changed = { removed: 0, added: 0 };
  const unseen = { removed: 0, added: 0 };
  for (const word of new Set([...b.keys(), ...earlier.keys()])) {
    const before = b.get(word) ?? 0;
    const did = (earlier.get(word) ?? 0) - before;
    const seen = (later.get(word) ?? 0) - before;
    if (did < 0) {
      changed.removed -= did;
      unseen.removed += Math.max(0, Math.min(seen - did, -did));
    } else if (did > 0) {
      changed.added += did;
      unseen.added += Math.max(0, Math.min(did - seen, did));
    }
  }
  return unseen.removed <= changed.removed * UNSEEN_SHARE && unseen.added <= changed.added * UNSEEN_SHARE;
}
