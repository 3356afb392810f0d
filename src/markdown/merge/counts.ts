import { reserveSteps } from "./budget.ts";
import { type Lines, type LineReader, wordsIn } from "./reading.ts";

/** Number of occurrences of each line or word, indexed by the number of the line or word. */
type Counts = Int32Array;

/**
 * Characters of differing lines that cost one step. The step pays for cutting them into words and
 * counting the words.
 */
const LETTERS_PER_STEP = 4;

/** A property of base, local, remote and merged text. */
export type OfFour<T> = readonly [base: T, local: T, remote: T, merged: T];

/** Computes a property of each of the four texts. */
export function mapFour<T, U>([base, local, remote, merged]: OfFour<T>, read: (text: T) => U): OfFour<U> {
  return [read(base), read(local), read(remote), read(merged)];
}

/**
 * Returns true if the merged text has no more faults than the sides explain: as many as local, as
 * remote, or as base with the changes of both, whichever is most.
 */
export function hasNoNewFaults([base, local, remote, merged]: OfFour<number>): boolean {
  return merged <= Math.max(local, remote, local + remote - base);
}

/**
 * Counts the words of lines whose frequency differs between base, local, remote and merged text.
 * Other lines add the same to each count, so the checks that compare counts can ignore them.
 * Undefined when the budget is too small.
 */
export function countChanged(texts: OfFour<Lines>, reading: LineReader): OfFour<Counts> | undefined {
  const times = mapFour(texts, ({ ids }) => {
    const counts: Counts = new Int32Array(reading.interner.size);
    for (const id of ids) counts[id]!++;
    return counts;
  });
  const isApart = (line: number): boolean => times.some((count) => count[line] !== times[0][line]);
  const apart = times[0].keys().filter(isApart).toArray();
  const letters = apart.reduce((sum, line) => sum + reading.interner.text(line).length, 0);
  if (!reserveSteps(reading, reading.interner.size + letters / LETTERS_PER_STEP)) return undefined;
  const words = apart.map((line) => wordsIn(line, reading));
  return mapFour(times, (counted) => {
    const counts: Counts = new Int32Array(reading.words.size);
    for (const [index, line] of apart.entries()) for (const word of words[index]!) counts[word]! += counted[line]!;
    return counts;
  });
}

/**
 * Returns true if each word's count in `merged` is between the least and the greatest of three
 * counts: local, remote, and base with both changes. The check does not look at how the merge was
 * made, so it finds text that a defect lost or doubled.
 */
export function staysBetweenSides(base: Counts, local: Counts, remote: Counts, merged: Counts): boolean {
  for (let word = 0; word < merged.length; word++) {
    const [inLocal, inRemote] = [local[word] as number, remote[word] as number];
    const both = inLocal + inRemote - (base[word] as number);
    const count = merged[word] as number;
    if (count < Math.min(both, inLocal, inRemote) || count > Math.max(both, inLocal, inRemote)) return false;
  }
  return true;
}

/**
 * Returns true if the result has both sides' changes of each word's count. This stricter check is
 * for merges finer than lines. If both sides changed a count in the same direction, they may have
 * made one change; all other changes must add up exactly.
 */
export function hasBothChanges(base: Counts, local: Counts, remote: Counts, merged: Counts): boolean {
  for (let word = 0; word < merged.length; word++) {
    const before = base[word] as number;
    const [localChange, remoteChange] = [(local[word] as number) - before, (remote[word] as number) - before];
    const mergedChange = (merged[word] as number) - before;
    const sumOfChanges = localChange + remoteChange;
    const once =
      localChange > 0 && remoteChange > 0
        ? Math.max(localChange, remoteChange)
        : localChange < 0 && remoteChange < 0
          ? Math.min(localChange, remoteChange)
          : sumOfChanges;
    if (mergedChange < Math.min(sumOfChanges, once) || mergedChange > Math.max(sumOfChanges, once)) return false;
  }
  return true;
}
