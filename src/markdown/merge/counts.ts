import { reserveSteps } from "./budget.ts";
import { type VersionLines, type MergeReading, readWordIds } from "./reading.ts";

type ElementCounts = Int32Array;

/**
 * Number of characters that cost one step of the budget. The step pays for splitting differing
 * lines into words, and for counting the words.
 */
const CHARACTERS_PER_STEP = 4;

export type FourVersions<T> = readonly [base: T, local: T, remote: T, merged: T];

export function mapVersions<T, U>(
  [base, local, remote, merged]: FourVersions<T>,
  read: (text: T) => U,
): FourVersions<U> {
  return [read(base), read(local), read(remote), read(merged)];
}

/**
 * Returns true if the merged version has no more faults than the sides explain. The limit is the
 * largest of three numbers: the faults of local, of remote, and of base with the changes of both
 * sides.
 */
export function hasNoNewFaults([base, local, remote, merged]: FourVersions<number>): boolean {
  return merged <= Math.max(local, remote, local + remote - base);
}

/**
 * Counts the words of base, local, remote and the merged version. Skips lines that occur equally
 * often in all four versions, because such lines do not affect the comparison of the counts.
 * Returns undefined if the step budget of the merge is too small.
 */
export function countChangedWords(
  texts: FourVersions<VersionLines>,
  reading: MergeReading,
): FourVersions<ElementCounts> | undefined {
  const lineCounts = mapVersions(texts, ({ ids }) => {
    const counts: ElementCounts = new Int32Array(reading.interner.size);
    for (const id of ids) counts[id]!++;
    return counts;
  });
  const isDifferent = (line: number): boolean => lineCounts.some((count) => count[line] !== lineCounts[0][line]);
  const differingLines = lineCounts[0].keys().filter(isDifferent).toArray();
  const letters = differingLines.reduce((sum, line) => sum + reading.interner.text(line).length, 0);
  if (!reserveSteps(reading, reading.interner.size + letters / CHARACTERS_PER_STEP)) return undefined;
  const words = differingLines.map((line) => readWordIds(line, reading));
  return mapVersions(lineCounts, (countsOfLines) => {
    const counts: ElementCounts = new Int32Array(reading.words.size);
    for (const [index, line] of differingLines.entries())
      for (const word of words[index]!) counts[word]! += countsOfLines[line]!;
    return counts;
  });
}

/**
 * Returns true if each word occurs as often in the merged version as the sides allow. The limits
 * are the smallest and the largest of three counts: in local, in remote, and in base with the
 * changes of both sides. The check does not depend on the way in which the merge was made, so it
 * finds words that a bug lost or doubled.
 */
export function staysBetweenSides([base, local, remote, merged]: FourVersions<ElementCounts>): boolean {
  for (let word = 0; word < merged.length; word++) {
    const [inLocal, inRemote] = [local[word] as number, remote[word] as number];
    const expectedCount = inLocal + inRemote - (base[word] as number);
    const count = merged[word] as number;
    if (count < Math.min(expectedCount, inLocal, inRemote) || count > Math.max(expectedCount, inLocal, inRemote))
      return false;
  }
  return true;
}

/**
 * Returns true if, for each word, the merged version contains the changes of both sides to the
 * count of the word. This check is stricter than `staysBetweenSides`, and is used for merges of
 * parts of lines. If both sides changed a count in the same direction, they may have made the same
 * change. In all other cases, the two changes must add up.
 */
export function hasBothChanges([base, local, remote, merged]: FourVersions<ElementCounts>): boolean {
  for (let word = 0; word < merged.length; word++) {
    const baseCount = base[word] as number;
    const [localChange, remoteChange] = [(local[word] as number) - baseCount, (remote[word] as number) - baseCount];
    const mergedChange = (merged[word] as number) - baseCount;
    const sumOfChanges = localChange + remoteChange;
    const sharedChange =
      localChange > 0 && remoteChange > 0
        ? Math.max(localChange, remoteChange)
        : localChange < 0 && remoteChange < 0
          ? Math.min(localChange, remoteChange)
          : sumOfChanges;
    if (mergedChange < Math.min(sumOfChanges, sharedChange) || mergedChange > Math.max(sumOfChanges, sharedChange))
      return false;
  }
  return true;
}
