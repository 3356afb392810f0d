import { type Budget, spend } from "./budget.ts";
import type { Edit } from "./myers.ts";

/** What a step of the walk costs, and a run of equal elements, which is kept. */
const [CELL, RUN] = [3, 12];

/** How many numbers a run takes: its diagonal, where it begins and ends, and the run before it. */
const RUN_SIZE = 4;

/** A walk: how far each diagonal reaches, and the last run on the way there. */
type Walk = {
  readonly short: Int32Array;
  readonly long: Int32Array;
  readonly reach: Int32Array;
  readonly last: Int32Array;
  /** The runs, packed, and how many numbers they take. */
  runs: Int32Array;
  size: number;
};

/** How many numbers there is room for at first. */
const FIRST_SIZE = 1024 * RUN_SIZE;

/**
 * The edits from `base` to `side` as diff3 finds them (Wu, Manber, Myers, Miller 1990), which are
 * not those of `diff` where several scripts are the shortest; undefined where the budget does not
 * pay for them.
 */
export function walk(base: readonly number[], side: readonly number[], budget: Budget): Edit[] | undefined {
  const isSwapped = base.length >= side.length;
  const short = new Int32Array(isSwapped ? side : base);
  const long = new Int32Array(isSwapped ? base : side);
  const delta = long.length - short.length;
  const size = short.length + long.length + 3;
  const [reach, last] = [new Int32Array(size).fill(-1), new Int32Array(size).fill(-1)];
  const way: Walk = { short, long, reach, last, runs: new Int32Array(FIRST_SIZE), size: 0 };
  for (let p = 0; reach[delta + short.length + 1] !== long.length; p++) {
    let steps = 0;
    for (let k = -p; k < delta; k++) steps += advance(way, k);
    for (let k = delta + p; k > delta; k--) steps += advance(way, k);
    steps += advance(way, delta);
    if (!spend(budget, steps)) return undefined;
  }
  return editsOf(way, isSwapped);
}

/** Moves the furthest point of diagonal `k` on. @returns the steps that it took */
function advance(way: Walk, k: number): number {
  const { short, long, reach, last } = way;
  const at = k + short.length + 1;
  const left = (reach[at - 1] as number) + 1;
  const right = reach[at + 1] as number;
  const before = last[left > right ? at - 1 : at + 1] as number;
  const first = left > right ? left : right;
  let y = first;
  while (y - k < short.length && y < long.length && short[y - k] === long[y]) y++;
  reach[at] = y;
  last[at] = y === first ? before : way.size;
  if (y === first) return CELL;
  note(way, k, first, y, before);
  return CELL + RUN + y - first;
}

/** Notes a run. */
function note(way: Walk, k: number, first: number, end: number, before: number): void {
  if (way.size === way.runs.length) {
    const larger = new Int32Array(2 * way.size);
    larger.set(way.runs);
    way.runs = larger;
  }
  const { runs, size } = way;
  runs[size] = k;
  runs[size + 1] = first;
  runs[size + 2] = end;
  runs[size + 3] = before;
  way.size += RUN_SIZE;
}

/** What lies between the runs on the way to the end. */
function editsOf({ short, long, last, runs }: Walk, isSwapped: boolean): Edit[] {
  const edits: Edit[] = [];
  const add = (x: number, endX: number, y: number, endY: number): void => {
    if (x === endX && y === endY) return;
    edits.push(isSwapped ? { start: y, end: endY, from: x, to: endX } : { start: x, end: endX, from: y, to: endY });
  };
  let x = short.length;
  let y = long.length;
  for (let run = last[long.length + 1] as number; run >= 0; run = runs[run + RUN_SIZE - 1] as number) {
    const k = runs[run] as number;
    const end = runs[run + 2] as number;
    add(end - k, x, end, y);
    y = runs[run + 1] as number;
    x = y - k;
  }
  add(0, x, 0, y);
  return edits.reverse();
}
