/** The results of the service's benchmark, and their tables. */
import { tableLines } from "../../generated-block.ts";

export type ServiceRow = {
  readonly store: "sqlite" | "postgres";
  readonly processes: number;
  readonly documents: number;
  readonly what: string;
  /** Requests, or what `what` counts, per second. */
  readonly perSecond: number;
  /** Median and percentiles of the answer times, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /**
   * Processor time of the service for each request, in ms; null if the system does not report it.
   */
  readonly cpuMs: number | null;
  /** Processor time of the database's processes for each request, in ms. */
  readonly databaseMs: number | null;
  /** Bytes written to disk for each request. */
  readonly writtenBytes: number | null;
  readonly note: string;
};

/** Memory and file size: at the start, after the import, and at the end. */
export type Growth = Pick<ServiceRow, "store" | "processes" | "documents"> & {
  readonly rssMb: readonly number[];
  readonly fileMb: readonly number[];
};

export type ServiceResult = {
  readonly rows: readonly ServiceRow[];
  readonly growth: readonly Growth[];
};

/** Returns a table for each part that was measured. */
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
