import type { Db } from "./database.ts";

const SLICE = 4_000;
/**
 * Versions of a document that stay whatever their age: by their order an older service is
 * recognised.
 */
const VERSIONS_KEPT = 20;

type Slice = { readonly from: number; readonly to: number; readonly cutoff: number };

/**
 * Events, runs and versions older than the cutoff, by ranges of their numbers, which follow time.
 */
export function openRowPruning(db: Db) {
  const events = sliced(db, "events", "seq", "at < @cutoff");
  const runs = sliced(
    db,
    "runs",
    "run",
    "started_at < @cutoff AND run < (SELECT max(run) FROM runs) AND run NOT IN (SELECT run FROM intents)",
  );
  const versions = sliced(
    db,
    "versions",
    "seq",
    "at < @cutoff AND NOT EXISTS (SELECT 1 FROM links WHERE links.id = versions.id AND links.change_id = versions.change_id) " +
      `AND (SELECT count(*) FROM versions AS newer WHERE newer.id = versions.id AND newer.seq > versions.seq) >= ${VERSIONS_KEPT}`,
  );
  return function* pruneRows(cutoff: number) {
    return { events: yield* events(cutoff), runs: yield* runs(cutoff), versions: yield* versions(cutoff) };
  };
}

function sliced(db: Db, table: string, key: string, condition: string) {
  const bounds = db.prepare<[], { low: number | null; high: number }>(
    `SELECT min(${key}) AS low, max(${key}) AS high FROM ${table}`,
  );
  const remove = db.prepare<Slice>(`DELETE FROM ${table} WHERE ${key} >= @from AND ${key} < @to AND ${condition}`);
  return function* pruneTable(cutoff: number): Generator<void, number> {
    const range = bounds.get();
    let deleted = 0;
    if (range === undefined || range.low === null) return deleted;
    for (let from = range.low; from <= range.high; from += SLICE) {
      deleted += remove.run({ from, to: from + SLICE, cutoff }).changes;
      yield;
    }
    return deleted;
  };
}
