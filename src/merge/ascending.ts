/** The indices of a longest run of numbers, not all in a row, each greater than the one before. */
export function ascending(numbers: readonly number[]): number[] {
  // For each length the index of the least number that a run of that length ends with.
  const ends: number[] = [];
  const before = new Int32Array(numbers.length).fill(-1);
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = at;
  }
  const run: number[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) run.push(at);
  return run.reverse();
}
