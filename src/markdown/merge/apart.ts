import { afford } from "./budget.ts";
import { type Lines, type Reading, wordsIn } from "./reading.ts";
import type { Counts } from "./words.ts";

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
