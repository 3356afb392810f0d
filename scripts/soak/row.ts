/** One row of the soak's table: a fault, how often, what was counted, whether it holds. */

export type Row = {
  readonly fault: string;
  readonly rounds: number;
  /** In the order in which they are shown. */
  readonly counted: Readonly<Record<string, number | string>>;
  /** What does not hold, one line each, with what it takes to see it again; empty: all holds. */
  readonly broken: readonly string[];
  /** What this row could not do here. */
  readonly note?: string;
};

export type Soak = {
  /** How often the fault is made. */
  readonly rounds: number;
  readonly seed: number;
};

export type Fault = {
  readonly name: string;
  /** Rounds of a full run, and of `--quick`. */
  readonly rounds: number;
  readonly quick: number;
  readonly run: (soak: Soak) => Promise<Row>;
};

const HEAD = ["fault", "rounds", "counted", ""] as const;

/** The whole table, with one line below for each breach and each note. */
export function tableLines(rows: readonly Row[]): string[] {
  const cells = rows.map(({ fault, rounds, counted, broken }) => [
    fault,
    String(rounds),
    Object.entries(counted)
      .map(([what, n]) => `${what} ${n}`)
      .join(", "),
    broken.length === 0 ? "holds" : "BROKEN",
  ]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd();
  return [
    line(HEAD),
    line(widths.map((width) => "-".repeat(width))),
    ...cells.map(line),
    ...rows.flatMap(({ fault, note }) => (note === undefined ? [] : [`note: ${fault}: ${note}`])),
    ...rows.flatMap(({ fault, broken }) => broken.map((what) => `BROKEN: ${fault}: ${what}`)),
  ];
}
