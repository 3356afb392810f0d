import type { Db } from "./database.ts";
import { Statement } from "./statement.ts";

/** How many numbers one slice covers. */
const SLICE = 4_000;
/**
 * How many versions of a document stay whatever their age: an older service is recognised by their
 * order.
 */
const VERSIONS_KEPT = 20;

type Slice = { readonly from: number; readonly to: number; readonly cutoff: number };

/**
 * Deletes events, runs and versions older than a cutoff, by ranges of their numbers, which follow
 * time: one range for each step of the generator.
 */
export class RowPruning {
  readonly #events;
  readonly #runs;
  readonly #versions;

  constructor(db: Db) {
    this.#events = prepareFor(db, "events", "seq", "at < @cutoff");
    this.#runs = prepareFor(
      db,
      "runs",
      "run",
      "started_at < @cutoff AND run < (SELECT max(run) FROM runs) AND run NOT IN (SELECT run FROM intents)",
    );
    this.#versions = prepareFor(
      db,
      "versions",
      "seq",
      "at < @cutoff AND NOT EXISTS (SELECT 1 FROM records WHERE records.id = versions.id AND records.change_id = versions.change_id) " +
        `AND (SELECT count(*) FROM versions AS newer WHERE newer.id = versions.id AND newer.seq > versions.seq) >= ${VERSIONS_KEPT}`,
    );
  }

  /** @returns how many were deleted */
  *deleteBefore(cutoff: number) {
    return {
      events: yield* pruneTable(this.#events, cutoff),
      runs: yield* pruneTable(this.#runs, cutoff),
      versions: yield* pruneTable(this.#versions, cutoff),
    };
  }
}

type TablePruning = ReturnType<typeof prepareFor>;

function prepareFor(db: Db, table: string, key: string, condition: string) {
  return {
    bounds: new Statement<[], { low: number | null; high: number }>(
      db,
      `SELECT min(${key}) AS low, max(${key}) AS high FROM ${table}`,
    ),
    remove: new Statement<Slice>(db, `DELETE FROM ${table} WHERE ${key} >= @from AND ${key} < @to AND ${condition}`),
  };
}

function* pruneTable({ bounds, remove }: TablePruning, cutoff: number): Generator<void, number> {
  const range = bounds.get();
  let deleted = 0;
  if (range === undefined || range.low === null) return deleted;
  for (let from = range.low; from <= range.high; from += SLICE) {
    deleted += remove.run({ from, to: from + SLICE, cutoff }).changes;
    yield;
  }
  return deleted;
}
