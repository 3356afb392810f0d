import { afford } from "./budget.ts";
import { type Lines, type Reading, wordsIn } from "./reading.ts";
import type { Counts } from "./words.ts";

/**
 * For each line, by its number, how often it occurs in each of some texts. `size`: numbers in use.
 */
function timesOf(texts: readonly Lines[], size: number): Int32Array[] {
  return texts.map(({ ids }) => {
    const times = new Int32Array(size);
    for (const id of ids) times[id] = (times[id] as number) + 1;
    return times;
  });
}

/**
 * Tells by a line's number whether it does not occur alike in all the texts. `size`: numbers in
 * use.
 */
export function apartIn(texts: readonly Lines[], size: number): Uint8Array {
  const [first, ...others] = timesOf(texts, size) as [Int32Array, ...Int32Array[]];
  const apart = new Uint8Array(size);
  for (const times of others) {
    for (let id = 0; id < size; id++) if (times[id] !== first[id]) apart[id] = 1;
  }
  return apart;
}

/** As many characters of the lines that differ cost a step: to cut into words and to count. */
const LETTERS_A_STEP = 4;

/**
 * How often each word occurs in those lines of some texts that do not occur alike in all of them:
 * what one line adds to each count alike is no matter to the guards that compare the counts.
 * Undefined where the reading does not pay for it.
 */
export function countApart(texts: readonly Lines[], reading: Reading): Counts[] | undefined {
  const size = reading.interner.size;
  const apart = apartIn(texts, size);
  let letters = 0;
  for (let line = 0; line < size; line++) if (apart[line] === 1) letters += reading.interner.text(line).length;
  if (!afford(reading, size + letters / LETTERS_A_STEP)) return undefined;
  for (let line = 0; line < size; line++) if (apart[line] === 1) wordsIn(line, reading);
  return timesOf(texts, size).map((times) => {
    const counts: Counts = new Int32Array(reading.words.size);
    for (let line = 0; line < size; line++) {
      const count = times[line] as number;
      if (apart[line] !== 1 || count === 0) continue;
      for (const word of wordsIn(line, reading)) counts[word] = (counts[word] as number) + count;
    }
    return counts;
  });
}
