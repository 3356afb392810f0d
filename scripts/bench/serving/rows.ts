/** What the service's bench found, and how it is shown. */
import { tableLines } from "../../generated-block.ts";

export type ServiceRow = {
  readonly store: "sqlite" | "postgres";
  readonly processes: number;
  readonly documents: number;
  readonly what: string;
  /** Requests, or what `what` counts, a second. */
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the service a request, in milliseconds; null: the system does not tell. */
  readonly cpuMs: number | null;
  /** The same of the database's own processes. */
  readonly databaseMs: number | null;
  /** Bytes that the service wrote to its disk for each. */
  readonly writtenBytes: number | null;
  readonly note: string;
};

/** How memory and file have grown: at the start, after the documents, after all measures. */
export type Growth = Pick<ServiceRow, "store" | "processes" | "documents"> & {
  readonly rssMb: readonly number[];
  readonly fileMb: readonly number[];
};

export type ServiceResult = {
  readonly rows: readonly ServiceRow[];
  readonly growth: readonly Growth[];
};

/** A table for each part that was measured. */
export function serviceTables({ rows, growth }: ServiceResult): string[] {
  const tables = [...(rows.length === 0 ? [] : [requestTable(rows)]), growthTable(growth)];
  return tables.flatMap((lines, n) => (n === 0 ? lines : ["", ...lines]));
}

function requestTable(rows: readonly ServiceRow[]): string[] {
  const heads = [
    "asked for",
    "store",
    "processes",
    "documents",
    "a second",
    "p50 ms",
    "p99 ms",
    "processor ms",
    "database ms",
    "",
  ];
  const cells = rows.map((row) => [
    row.what,
    row.store,
    String(row.processes),
    row.documents.toLocaleString("en"),
    shown(row.perSecond),
    shown(row.p50),
    shown(row.p99),
    row.cpuMs === null ? "" : shown(row.cpuMs),
    row.databaseMs === null ? "" : shown(row.databaseMs),
    [row.writtenBytes === null ? "" : `${shown(row.writtenBytes / 1_000)} kB written`, row.note]
      .filter((part) => part !== "")
      .join("; "),
  ]);
  return tableLines(heads, cells);
}

function growthTable(growth: readonly Growth[]): string[] {
  const steps = growth.map(({ store, processes, documents, rssMb, fileMb }) => [
    store,
    String(processes),
    documents.toLocaleString("en"),
    rssMb.map(shown).join(" → "),
    fileMb.map(shown).join(" → "),
  ]);
  return tableLines(["store", "processes", "documents", "memory MB: start → imported → end", "database MB"], steps);
}

function shown(figure: number): string {
  if (figure >= 100) return Math.round(figure).toLocaleString("en");
  return figure >= 10 ? figure.toFixed(1) : figure.toFixed(figure >= 1 ? 2 : 3);
}
