/**
 * Where a run of lines stands in others, from a line on; -1 where it does not. One pass, however
 * much the lines are alike (Knuth, Morris, Pratt 1977).
 */
export function findRun(lines: readonly string[], run: readonly string[], from = 0): number {
  if (run.length === 0) return from;
  const first = lines.indexOf(run[0] as string, from);
  // The cheap test, which most runs fail.
  if (first < 0) return -1;
  const known = bordersOf(run);
  let length = 0;
  for (let at = first; at < lines.length; at++) {
    if (length === 0) at = lines.indexOf(run[0] as string, at);
    if (at < 0) return -1;
    while (length > 0 && lines[at] !== run[length]) length = known[length - 1] as number;
    if (lines[at] === run[length]) length++;
    if (length === run.length) return at + 1 - length;
  }
  return -1;
}

/** For each beginning of a run the length of the longest shorter one that it ends with. */
function bordersOf(run: readonly string[]): Int32Array {
  const known = new Int32Array(run.length);
  let length = 0;
  for (let at = 1; at < run.length; at++) {
    while (length > 0 && run[at] !== run[length]) length = known[length - 1] as number;
    if (run[at] === run[length]) length++;
    known[at] = length;
  }
  return known;
}
