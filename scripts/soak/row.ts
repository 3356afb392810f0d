/** A row of the soak's table: a fault, its rounds, what was counted, and what is broken. */

export type Row = {
  readonly fault: string;
  readonly rounds: number;
  /** Counts in the order in which they are printed. */
  readonly counted: Readonly<Record<string, number | string>>;
  /** Broken promises, one a line, with what is needed to repeat them; empty if all hold. */
  readonly broken: readonly string[];
  /** What could not be done on this machine. */
  readonly note?: string;
};

export type Soak = {
  /** How often the fault is injected. */
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

/** Returns the table, with one line below it for each breach and each note. */
export function formatTable(rows: readonly Row[]): string[] {
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
