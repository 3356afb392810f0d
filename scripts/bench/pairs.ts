/**
 * Two sides measured in turn: A B B A A B …, so that a load that comes and goes, and what the one
 * leaves behind, meets both.
 */
import type { Finished } from "./child.ts";
import { type Bound, figureText, type Measured, median, secondsText, spreadOf } from "./rows.ts";

/** One run of a side: its time, and what it used where that is known. */
export type Run = Pick<Finished, "ms"> & Partial<Finished>;
export type Pairs = { readonly ours: readonly Run[]; readonly other: readonly Run[] };

type Side = (turn: number) => Promise<Run>;

/** Runs both sides so many times. Each gets the number of its turn, for names. */
export async function interleave(repeats: number, ours: Side, other: Side): Promise<Pairs> {
  const pairs = { ours: [] as Run[], other: [] as Run[] };
  const sides = [
    ["ours", ours],
    ["other", other],
  ] as const;
  for (let turn = 0; turn < repeats; turn++) {
    const inTurn = turn % 2 === 0 ? sides : sides.toReversed();
    for (const [name, run] of inTurn) pairs[name].push(await run(turn));
  }
  return pairs;
}

export type PairRow = Pick<Measured, "line" | "what" | "size" | "bound"> & {
  readonly note?: string;
};

/** The median of the pairs' ratios: what loads the machine loads both sides of a pair. */
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

/** Medians, of each side that was counted. */
function requestsOf(pairs: Pairs): { readonly requests?: string } {
  const texts = [pairs.ours, pairs.other].flatMap((side) => {
    const counts = side.flatMap(({ asked }) => (asked === undefined ? [] : [asked.requests]));
    return counts.length === side.length ? [figureText(median(counts))] : [];
  });
  return texts.length === 0 ? {} : { requests: texts.join(" / ") };
}

/** The same ratio of processor time: what a loaded machine changes least. */
function cpuText(pairs: Pairs): string {
  const known = [...pairs.ours, ...pairs.other].every(
    ({ cpuMs }) => cpuMs !== undefined && cpuMs !== null && cpuMs > 0,
  );
  return known ? `${figureText(median(ratiosOf(pairs, ({ cpuMs }) => cpuMs!)))} ×` : "";
}

export const atMost = (must: number, aim: number | null): Bound => ({ sense: "most", must, aim });
