import { newBudget } from "./budget.ts";
import { counterparts } from "./edits.ts";
import { diff } from "./myers.ts";
import { areEqual, RunNumbers } from "./split.ts";

/** Numbers of the pieces of base, local, remote and result. Equal pieces have equal numbers. */
export type FourSequences = readonly [base: readonly number[], ...sides: (readonly number[])[]];

/** The indexes of one piece in the four texts; -1 for a text that lacks the piece. */
export type AlignedRow = readonly [base: number, local: number, remote: number, result: number];

/** An index in each of the four texts. */
type TextIndexes = readonly [base: number, local: number, remote: number, result: number];

/**
 * Possible steps of the search: the texts that have the next piece (1) or lack it (0), and the
 * number of changes that this means. A piece that all four texts have is no step of the search. In
 * order: removed by both, added by both, removed by one, added by one.
 */
const STEPS: readonly { readonly by: TextIndexes; readonly changes: number }[] = [
  { by: [1, 0, 0, 0], changes: 2 },
  { by: [0, 1, 1, 1], changes: 2 },
  { by: [1, 1, 0, 0], changes: 1 },
  { by: [1, 0, 1, 0], changes: 1 },
  { by: [0, 0, 1, 1], changes: 1 },
  { by: [0, 1, 0, 1], changes: 1 },
];

/**
 * Least lengths of the common runs that split the table, tried in this order. The pieces between
 * two such runs are aligned separately.
 */
const RUN_LENGTHS = [1, 4, 16];

/**
 * Aligns four texts in one table, with as few changes of the sides as the search finds. Undefined
 * if there is no such table, or none within the limits.
 * @param starts the pieces that begin lines
 */
export function alignFour(four: FourSequences, starts: FourSequences): AlignedRow[] | undefined {
  const common = commonRuns(four, starts);
  for (const least of RUN_LENGTHS) {
    const rows = tableAround(
      four,
      common.filter(({ length }) => length >= least),
    );
    if (rows !== undefined) return rows;
  }
  return undefined;
}

function tableAround(four: FourSequences, runs: readonly (readonly AlignedRow[])[]): AlignedRow[] | undefined {
  const rows: AlignedRow[] = [];
  let from: TextIndexes = [0, 0, 0, 0];
  for (const run of [...runs, [four.map(({ length }) => length) as unknown as AlignedRow]]) {
    const to = run[0] as AlignedRow;
    const found = search(four, from, to);
    if (found === undefined) return undefined;
    rows.push(...found);
    if (to[0] < four[0].length) rows.push(...run);
    from = move(run.at(-1) as AlignedRow, [1, 1, 1, 1]);
  }
  return rows;
}

function move(place: TextIndexes, by: TextIndexes): TextIndexes {
  return [place[0] + by[0], place[1] + by[1], place[2] + by[2], place[3] + by[3]];
}

/** Finds the pieces that all four texts have, by pairwise diffs, as runs without a gap. */
function commonRuns(four: FourSequences, starts: FourSequences): AlignedRow[][] {
  const base = four[0];
  const pair = (one: number, other: number): Int32Array => {
    const [a, b] = [one, other].map((text) => ({ ids: four[text] ?? [], starts: starts[text] ?? [] }));
    return pairLines(a as Pieces, b as Pieces);
  };
  const [mine, theirs, mineKept, theirsKept] = [pair(0, 1), pair(0, 2), pair(1, 3), pair(2, 3)] as const;
  const runs: AlignedRow[][] = [];
  for (let index = 0; index < base.length; index++) {
    const [l, r] = [mine[index] as number, theirs[index] as number];
    const m = mineKept[l] ?? -1;
    if (m < 0 || m !== theirsKept[r]) continue;
    const [run, row] = [runs.at(-1), [index, l, r, m] as const];
    const last = run?.at(-1);
    if (last !== undefined && move(last, [1, 1, 1, 1]).every((next, text) => next === row[text])) run?.push(row);
    else runs.push([row]);
  }
  return runs;
}

/** The pieces of a text, and the indexes of those that begin lines. */
type Pieces = { readonly ids: readonly number[]; readonly starts: readonly number[] };

/**
 * Returns, for each piece, its index in another text, or -1: by lines first, then by words within
 * lines that differ.
 */
function pairLines(a: Pieces, b: Pieces): Int32Array {
  const runs = new RunNumbers();
  const [was, is] = [a, b].map(({ ids, starts }) =>
    starts.map((from, line) => runs.id(ids, from, starts[line + 1] ?? ids.length)),
  ) as [number[], number[]];
  const found = new Int32Array(a.ids.length).fill(-1);
  const startOf = ({ ids, starts }: Pieces, line: number): number => starts[line] ?? ids.length;
  let [index, shift] = [0, 0];
  for (const { start, end, from, to } of diff(was, is, newBudget())) {
    const [first, last] = [startOf(a, start), startOf(a, end)];
    const [next, limit] = [startOf(b, from), startOf(b, to)];
    for (; index < first; index++) found[index] = index + shift;
    for (const other of pairWords(a.ids.slice(first, last), b.ids.slice(next, limit)))
      found[index++] = other < 0 ? -1 : other + next;
    shift = limit - last;
  }
  for (; index < found.length; index++) found[index] = index + shift;
  return found;
}

/** LIMIT: changes of words between differing lines of two texts; beyond, all is one change. */
const MAX_CHANGES = 2_000;

function pairWords(a: readonly number[], b: readonly number[]): Int32Array {
  return counterparts(a.length, diff(a, b, newBudget(), undefined, MAX_CHANGES));
}

/** A merged table up to `place`. `changes`: number of the sides' changes in it. */
type Node = { readonly place: TextIndexes; readonly before: Node | undefined; readonly changes: number };

/**
 * Orders nodes by the least number of changes of a whole table; of equal nodes, the last added
 * comes first.
 */
class Queue {
  readonly #nodes: Node[][] = [];
  #at = 0;

  push(node: Node, changes: number): void {
    while (this.#nodes.length <= changes) this.#nodes.push([]);
    this.#nodes[changes]?.push(node);
  }

  pop(): Node | undefined {
    while (this.#nodes[this.#at]?.length === 0) this.#at++;
    return this.#nodes[this.#at]?.pop();
  }
}

/** LIMIT: places that one search visits. */
const MAX_PLACES = 100_000;

/** Finds the table with the fewest changes by A*; undefined if there is none within the limits. */
function search(four: FourSequences, from: TextIndexes, to: TextIndexes): AlignedRow[] | undefined {
  const least = leastChanges(four, from, to);
  const queue = new Queue();
  queue.push({ place: from, before: undefined, changes: 0 }, least(from));
  const seen = new Set<string>();
  for (let node = queue.pop(); node !== undefined && seen.size < MAX_PLACES; node = queue.pop()) {
    const last = followCommon(four, node, to);
    if (areEqual(last.place, to)) return rowsOf(last);
    const key = last.place.join();
    if (seen.has(key)) continue;
    seen.add(key);
    for (const { by: step, changes } of STEPS) {
      const place = move(last.place, step);
      if (!isOnePiece(four, last.place, place, to)) continue;
      const next = { place, before: last, changes: last.changes + changes };
      queue.push(next, next.changes + least(place));
    }
  }
  return undefined;
}

/**
 * Returns true if a step from `place` to `next` takes the same piece from each text that it
 * advances.
 */
function isOnePiece(four: FourSequences, place: TextIndexes, next: TextIndexes, to: TextIndexes): boolean {
  let piece = -1;
  for (const [text, all] of four.entries()) {
    const index = place[text] as number;
    if (next[text] === index) continue;
    if (index >= (to[text] as number) || (piece >= 0 && all[index] !== piece)) return false;
    piece = all[index] as number;
  }
  return true;
}

function followCommon(four: FourSequences, node: Node, to: TextIndexes): Node {
  let last = node;
  for (;;) {
    const place = move(last.place, [1, 1, 1, 1]);
    if (!isOnePiece(four, last.place, place, to)) return last;
    last = { place, before: last, changes: last.changes };
  }
}

function rowsOf(last: Node): AlignedRow[] {
  const rows: AlignedRow[] = [];
  for (let { place, before } = last; before !== undefined; { place, before } = before) {
    const previous = before.place;
    rows.push(place.map((next, text) => (next === previous[text] ? -1 : next - 1)) as unknown as AlignedRow);
  }
  return rows.reverse();
}

/**
 * Returns a function that computes a lower bound for the number of changes from a place to the end.
 * The bound counts, for each side, the pieces that only base or only the side has. It adds the
 * difference between the numbers of the other pieces.
 */
function leastChanges(four: FourSequences, from: TextIndexes, to: TextIndexes): (place: TextIndexes) => number {
  const countNotInOther = (text: number, other: number): Int32Array => {
    const known = new Set(four[other]?.slice(from[other], to[other]));
    const counts = new Int32Array((to[text] as number) - (from[text] as number) + 1);
    for (let index = counts.length - 2; index >= 0; index--) {
      const isKnown = known.has(four[text]?.[(from[text] as number) + index] as number);
      counts[index] = (counts[index + 1] as number) + Number(!isKnown);
    }
    return counts;
  };
  const sides = [1, 2].map((side) => ({ side, removed: countNotInOther(0, side), added: countNotInOther(side, 0) }));
  return (place) =>
    sides.reduce((sum, { side, removed, added }) => {
      const [less, more] = [removed[place[0] - from[0]] as number, added[place[side]! - from[side]!] as number];
      const [was, is] = [to[0] - place[0] - less, to[side]! - place[side]! - more];
      return sum + less + more + Math.abs(was - is);
    }, 0);
}
