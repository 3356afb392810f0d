/**
 * A line of the benchmark: what it measures, with which documents, how long it takes, and its run.
 */
import { execFileSync } from "node:child_process";
import type { CorpusName } from "./corpus.ts";
import type { Fixture } from "./fixture.ts";
import { type Bound, figureText, type Measured, median, type Row, secondsText, spreadOf } from "./rows.ts";
import type { Finished } from "./child.ts";

export type LineOptions = {
  readonly fixture: Fixture;
  readonly size: CorpusName;
  /** Number of pairs, already reduced for many documents. */
  readonly repeats: number;
  readonly quick: boolean;
};

/** Returns one pair for many documents, because the line takes minutes with them. */
export function onceIfLarge(size: CorpusName, repeats: number): number {
  return Number(size) >= 100_000 ? 1 : repeats;
}

export type Line = {
  readonly name: string;
  readonly about: string;
  /** Returns those of the requested sizes with which the line can run. */
  sizes(asked: readonly CorpusName[]): readonly CorpusName[];
  /** Returns the estimated seconds on an idle machine, without creating the documents. */
  seconds(size: CorpusName, repeats: number): number;
  run(asked: LineOptions): Promise<readonly Row[]>;
};

/** One run of a side: its time, and its resources if they are known. */
export type Run = Pick<Finished, "ms"> & Partial<Finished>;
export type Pairs = { readonly ours: readonly Run[]; readonly other: readonly Run[] };

type Side = (turn: number) => Promise<Run>;

/**
 * Runs both sides `repeats` times in turn: A B B A A B …. So a changing load of the machine, and
 * what one side leaves behind, affects both. Before each run, the disks are flushed, because the
 * first fsync of a run would write the files of the run before. Each side gets the number of its
 * turn, for unique names.
 */
export async function interleave(repeats: number, ours: Side, other: Side): Promise<Pairs> {
  const pairs = { ours: [] as Run[], other: [] as Run[] };
  const sides = [
    ["ours", ours],
    ["other", other],
  ] as const;
  for (let turn = 0; turn < repeats; turn++) {
    const inTurn = turn % 2 === 0 ? sides : sides.toReversed();
    for (const [name, run] of inTurn) {
      execFileSync("sync");
      pairs[name].push(await run(turn));
    }
  }
  return pairs;
}

type PairRow = Pick<Measured, "line" | "what" | "size" | "bound"> & {
  readonly note?: string;
};

/**
 * Returns a row with the median of the pairs' ratios. A load of the machine affects both sides of a
 * pair.
 */
export function ratioRow(row: PairRow, pairs: Pairs): Measured {
  const { line, what, size, bound, note = "" } = row;
  const ratios = ratiosOf(pairs, ({ ms }) => ms);
  const times = (side: readonly Run[]) => median(side.map(({ ms }) => ms));
  return {
    kind: "measured",
    line,
    what,
    size,
    unit: "×",
    figure: median(ratios),
    n: ratios.length,
    bound,
    ours: secondsText(times(pairs.ours)),
    other: secondsText(times(pairs.other)),
    spread: spreadOf(ratios),
    cpu: cpuText(pairs),
    note,
    ...requestsOf(pairs),
  };
}

function ratiosOf(pairs: Pairs, of: (run: Run) => number): number[] {
  return pairs.ours.map((ours, n) => of(ours) / of(pairs.other[n]!));
}

/** Returns the median number of requests of each side that was counted. */
function requestsOf(pairs: Pairs): { readonly requests?: string } {
  const texts = [pairs.ours, pairs.other].flatMap((side) => {
    const counts = side.flatMap(({ asked }) => (asked === undefined ? [] : [asked.requests]));
    return counts.length === side.length ? [figureText(median(counts))] : [];
  });
  return texts.length === 0 ? {} : { requests: texts.join(" / ") };
}

/** Returns the ratio of processor time, which a loaded machine changes least. */
function cpuText(pairs: Pairs): string {
  const known = [...pairs.ours, ...pairs.other].every(
    ({ cpuMs }) => cpuMs !== undefined && cpuMs !== null && cpuMs > 0,
  );
  return known ? `${figureText(median(ratiosOf(pairs, ({ cpuMs }) => cpuMs!)))} ×` : "";
}

export const atMost = (must: number, aim: number | null): Bound => ({ sense: "most", must, aim });
