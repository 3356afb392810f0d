/** What the bench prints and keeps: one row a measured figure, and what it is judged by. */

export type Unit = "×" | "ms" | "MB" | "requests";

/** `most`: the figure may be so high; `least`: it must be so high. */
export type Bound = { readonly sense: "most" | "least"; readonly must: number; readonly aim: number | null };

export type Measured = {
  readonly kind: "measured";
  /**
   * The line's name, as `--only` takes it; with `what` and `size` it names the row in a comparison.
   */
  readonly line: string;
  readonly what: string;
  readonly size: string;
  readonly unit: Unit;
  /** The judged figure: for `×` the median of the pairs' ratios. */
  readonly figure: number;
  /** Pairs, or samples. */
  readonly n: number;
  readonly bound: Bound | null;
  /** Medians of the two sides, with their unit; null where there is no other side. */
  readonly ours: string;
  readonly other: string | null;
  /** Of the figure, over the pairs. */
  readonly spread: readonly [number, number];
  /** The same ratio of processor time, of the sides' processes alone (not of the service). */
  readonly cpu: string;
  readonly note: string;
  /** Requests of one run of our side, and of the other's; left out where none was counted. */
  readonly requests?: string;
};

type Missing = {
  readonly kind: "skipped" | "failed";
  readonly line: string;
  readonly size: string;
  readonly why: string;
};

export type Row = Measured | Missing;

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** Of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("a median of nothing");
  const all = sorted(values);
  const middle = all.length >> 1;
  return all.length % 2 === 1 ? all[middle]! : (all[middle - 1]! + all[middle]!) / 2;
}

/** @param share 0 to 1; the nearest rank */
export function percentile(values: readonly number[], share: number): number {
  const all = sorted(values);
  return all[Math.min(all.length - 1, Math.max(0, Math.ceil(share * all.length) - 1))]!;
}

export const spreadOf = (values: readonly number[]): readonly [number, number] => [
  Math.min(...values),
  Math.max(...values),
];

export function isMet(row: Measured): boolean | null {
  if (row.bound === null) return null;
  return row.bound.sense === "most" ? row.figure <= row.bound.must : row.figure >= row.bound.must;
}

/** Three figures at most: what a reader can tell apart from noise. */
export function figureText(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

export const secondsText = (ms: number): string =>
  ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(2)} s`;
