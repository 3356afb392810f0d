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

/** Tells by a line's number whether it does not occur alike in all texts. `size`: numbers in use. */
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
 * that compare the counts. "sum": each word is in the merged text as often as the base and both
 * sides' changes make together, which the lines that are not tell alone. Undefined where the
 * reading does not pay for it.
 */
export function countApart(texts: readonly Lines[], reading: Reading): FourCounts | "sum" | undefined {
  const size = reading.interner.size;
  const times = timesOf(texts, size);
  const apart = apartBy(times, size);
  let letters = 0;
  for (let line = 0; line < size; line++) if (apart[line] === 1) letters += reading.interner.text(line).length;
  if (!afford(reading, size + letters / LETTERS_A_STEP)) return undefined;
  if (addUp(times, apart, reading)) return "sum";
  for (let line = 0; line < size; line++) if (apart[line] === 1) wordsIn(line, reading);
  return times.map((counted) => {
    const counts: Counts = new Int32Array(reading.words.size);
    for (let line = 0; line < size; line++) {
      if (apart[line] === 1) addWords(counts, line, counted[line] as number, reading);
    }
    return counts;
  }) as unknown as FourCounts;
}

/** Whether the words of the merged text are those of the base with both sides' changes. */
function addUp(times: readonly Int32Array[], apart: Uint8Array, reading: Reading): boolean {
  const [b, l, r, m] = times as [Int32Array, Int32Array, Int32Array, Int32Array];
  const odd: number[] = [];
  for (let line = 0; line < apart.length; line++) {
    if (apart[line] === 1 && excessOf(line, b, l, r, m) !== 0) odd.push(line);
  }
  for (const line of odd) wordsIn(line, reading);
  const excess: Counts = new Int32Array(reading.words.size);
  for (const line of odd) addWords(excess, line, excessOf(line, b, l, r, m), reading);
  return excess.every((count) => count === 0);
}

/** How often a line is in the merged text beyond what the base and both sides' changes make. */
function excessOf(line: number, b: Int32Array, l: Int32Array, r: Int32Array, m: Int32Array): number {
  return (m[line] as number) + (b[line] as number) - (l[line] as number) - (r[line] as number);
}

/** Adds the words of a line that occurs so often. */
function addWords(counts: Counts, line: number, count: number, reading: Reading): void {
  if (count === 0) return;
  const words = wordsIn(line, reading);
  for (let at = 0; at < words.length; at++) counts[words[at] as number]! += count;
}
