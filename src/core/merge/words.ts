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
 * How often each word occurs in those lines of some texts that do not occur alike in all of them: what one line adds to each count alike is no matter to
 * the guards below.
 */
export function countApart(texts: readonly (readonly string[])[]): Counts[] {
  const times = new Map<string, number[]>();
  for (const [at, lines] of texts.entries()) {
    for (const line of lines) {
      let row = times.get(line);
      if (row === undefined) {
        row = texts.map(() => 0);
        times.set(line, row);
      }
      row[at] = (row[at] as number) + 1;
    }
  }
  const counts = texts.map(() => new Map<string, number>());
  for (const [line, row] of times) {
    if (row.every((one) => one === row[0])) continue;
    for (const word of wordsOf(line)) {
      for (const [at, one] of row.entries()) {
        if (one > 0) counts[at]?.set(word, (counts[at].get(word) ?? 0) + one);
      }
    }
  }
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
