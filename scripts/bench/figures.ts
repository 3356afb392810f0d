/** Rows of figures that are not a ratio: without another side, or with one that is only shown. */
import type { CorpusName } from "./corpus.ts";
import { type Bound, figureText, type Measured, median, spreadOf, type Unit } from "./rows.ts";

export type FigureRow = {
  readonly line: string;
  readonly what: string;
  readonly size: CorpusName;
  readonly unit: Unit;
  readonly bound: Bound | null;
  readonly ours?: string;
  readonly other?: string;
  readonly note?: string;
  /** Requests of one run. */
  readonly requests?: number;
  /** The figure, if it is not the median of the samples. */
  readonly figure?: number;
};

export function figureRow(row: FigureRow, samples: readonly number[]): Measured {
  const { line, what, size, unit, bound, ours = "", other = null, note = "" } = row;
  const figure = row.figure ?? median(samples);
  return {
    kind: "measured",
    line,
    what,
    size,
    unit,
    figure,
    n: samples.length,
    bound,
    ours,
    other,
    spread: spreadOf(samples),
    cpu: "",
    note,
    ...(row.requests === undefined ? {} : { requests: figureText(row.requests) }),
  };
}
