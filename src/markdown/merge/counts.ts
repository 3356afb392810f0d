import { afford } from "./budget.ts";
import { type Lines, type Reading, wordsIn } from "./reading.ts";

/** The number of occurrences of each word, by the word's number. */
type Counts = Int32Array;

/**
 * Counts each line in each text, by the line's number. `size`: the count of line numbers in use.
 */
function timesOf(texts: readonly Lines[], size: number): Int32Array[] {
  return texts.map(({ ids }) => {
    const times = new Int32Array(size);
    for (let at = 0; at < ids.length; at++) times[ids[at] as number]!++;
    return times;
  });
}

/**
 * Marks with 1 each line number whose count differs between the texts. `size`: the count of line
 * numbers in use.
 */
function apartBy(times: readonly Int32Array[], size: number): Uint8Array {
  const [first, ...others] = times as [Int32Array, ...Int32Array[]];
  const apart = new Uint8Array(size);
  for (const other of others) {
    for (let id = 0; id < size; id++) if (other[id] !== first[id]) apart[id] = 1;
  }
  return apart;
}

/** Characters of differing lines that cost one step: to cut them into words and to count these. */
const LETTERS_A_STEP = 4;

/** The counts of words in base, local, remote and merged text. */
type FourCounts = readonly [base: Counts, local: Counts, remote: Counts, merged: Counts];

/**
 * Counts the words of lines that are not equally frequent in base, local, remote and merged text.
 * Other lines add the same to each count, so the checks that compare counts can ignore them.
 * Undefined when the budget is too small.
 */
export function countApart(texts: readonly Lines[], reading: Reading): FourCounts | undefined {
  const size = reading.interner.size;
  const times = timesOf(texts, size);
  const apart = apartBy(times, size);
  let letters = 0;
  for (let line = 0; line < size; line++) if (apart[line] === 1) letters += reading.interner.text(line).length;
  if (!afford(reading, size + letters / LETTERS_A_STEP)) return undefined;
  for (let line = 0; line < size; line++) if (apart[line] === 1) wordsIn(line, reading);
  return times.map((counted) => {
    const counts: Counts = new Int32Array(reading.words.size);
    for (let line = 0; line < size; line++) {
      if (apart[line] === 1) for (const word of wordsIn(line, reading)) counts[word]! += counted[line] as number;
    }
    return counts;
  }) as unknown as FourCounts;
}

/**
 * Returns whether each word's count in `merged` is between the least and the greatest of local,
 * remote, and base with both changes. The check ignores how the merge was made, so it finds text
 * that a defect lost or doubled.
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

/**
 * Returns whether the result has both sides' changes of each word's count: the stricter check for
 * merges finer than lines. Two changes in one direction may be one change made twice; all others
 * must add up exactly.
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
