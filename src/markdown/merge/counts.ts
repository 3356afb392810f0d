import { afford } from "./budget.ts";
import { type Lines, type Reading, wordsIn } from "./reading.ts";

/** How often each word occurs, by the word's number. */
type Counts = Int32Array;

/**
 * For each line, by its number, how often it occurs in each of some texts. `size`: numbers in use.
 */
function timesOf(texts: readonly Lines[], size: number): Int32Array[] {
  return texts.map(({ ids }) => {
    const times = new Int32Array(size);
    for (let at = 0; at < ids.length; at++) times[ids[at] as number]!++;
    return times;
  });
}

/**
 * Tells by a line's number whether it does not occur alike in all texts. `size`: numbers in use.
 */
function apartBy(times: readonly Int32Array[], size: number): Uint8Array {
  const [first, ...others] = times as [Int32Array, ...Int32Array[]];
  const apart = new Uint8Array(size);
  for (const other of others) {
    for (let id = 0; id < size; id++) if (other[id] !== first[id]) apart[id] = 1;
  }
  return apart;
}

/** As many characters of the lines that differ cost a step: to cut into words and to count. */
const LETTERS_A_STEP = 4;

/** How often words occur in base, local, remote and merged text. */
type FourCounts = readonly [base: Counts, local: Counts, remote: Counts, merged: Counts];

/**
 * How often each word occurs in those lines of base, local, remote and merged text that do not
 * occur alike in all of them: what one line adds to each count alike is no matter to the guards
 * that compare the counts. Undefined where the reading does not pay for it.
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
