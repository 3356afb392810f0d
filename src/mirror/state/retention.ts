import type { Db } from "./database.ts";
import type { MetaTable } from "./base.ts";
import { TextPruning } from "./prune-texts.ts";
import type { ReferencedTexts } from "./referenced-texts.ts";
import type { TextStore } from "./texts.ts";

/**
 * Limits for stored contents. `days`: how long unused content is kept. `bytes`: size of the content
 * store above which superseded versions are pruned earlier.
 */
export type Retention = { readonly days: number; readonly bytes: number };

export type Pruned = {
  readonly texts: number;
  readonly events: number;
  readonly runs: number;
  readonly versions: number;
};

const DAY_MS = 86_400_000;

/**
 * Prunes expired rows and contents in slices of about 10 ms. Each step of the generator is one
 * slice, so that the caller can do other work in between. Only one pruning may run, and only
 * between cycles: an action must not lose content that it has looked up but not yet named. Time is
 * counted in days on which this was called, so a machine that was off for two months keeps its
 * contents. Content expires after no row has named it for that long. Above `bytes`, superseded
 * versions of linked documents go immediately, the earliest superseded first. All other contents
 * may be the only copies, and stay their time. The file keeps its size; its free pages are used
 * again.
 */
export function* prune(
  { state, texts, store, meta, referenced }: Prunable,
  now: number,
  retention: Retention,
): Generator<void, Pruned> {
  const cutoff = noteDay(meta, now, retention.days);
  yield;
  const pruning = new TextPruning(state, texts, store, referenced);
  yield* pruning.markIdle(now);
  const expired = cutoff === null ? 0 : yield* pruning.deleteExpired(cutoff);
  const evicted = yield* pruning.deleteOver(retention.bytes, now - DAY_MS);
  const rows = cutoff === null ? { events: 0, runs: 0, versions: 0 } : yield* deleteRowsBefore(state, cutoff);
  return { texts: expired + evicted, ...rows };
}

type Prunable = {
  readonly state: Db;
  readonly texts: Db;
  readonly store: TextStore;
  readonly meta: MetaTable;
  readonly referenced: ReferencedTexts;
};

/**
 * Returns the time before which rows are pruned; null while too few days were counted. Days in the
 * future do not count.
 */
function noteDay(meta: MetaTable, now: number, days: number): number | null {
  const seen = JSON.parse(meta.get("retention-days") ?? "[]") as number[];
  const valid = seen.filter((day) => day <= now);
  const last = valid.at(-1);
  if (last === undefined || now - last >= DAY_MS) valid.push(now);
  const kept = valid.slice(-(days + 1));
  meta.set("retention-days", JSON.stringify(kept));
  return kept[kept.length - 1 - days] ?? null;
}

/** Number of rows in one slice. */
const SLICE = 4_000;
/**
 * Versions of a document that stay whatever their age: mdmirror recognises an older state of the
 * service by their order.
 */
const VERSIONS_KEPT = 20;

/**
 * Deletes events, runs and versions older than a cutoff, by ranges of their numbers, which follow
 * time: one range for each step of the generator. Returns how many were deleted.
 */
function* deleteRowsBefore(db: Db, cutoff: number) {
  const runs = "run < (SELECT max(run) FROM runs) AND run NOT IN (SELECT run FROM intents)";
  const isPresent = "records.id = versions.id AND records.change_id = versions.change_id";
  const newer = "SELECT count(*) FROM versions AS newer WHERE newer.id = versions.id AND newer.seq > versions.seq";
  const versions = `NOT EXISTS (SELECT 1 FROM records WHERE ${isPresent}) AND (${newer}) >= ${VERSIONS_KEPT}`;
  return {
    events: yield* pruneTable(db, cutoff, "events", "seq", "at < @cutoff"),
    runs: yield* pruneTable(db, cutoff, "runs", "run", `started_at < @cutoff AND ${runs}`),
    versions: yield* pruneTable(db, cutoff, "versions", "seq", `at < @cutoff AND ${versions}`),
  };
}

type Slice = { readonly from: number; readonly to: number; readonly cutoff: number };

function* pruneTable(db: Db, cutoff: number, table: string, key: string, condition: string): Generator<void, number> {
  const bounds = `SELECT min(${key}) AS low, max(${key}) AS high FROM ${table}`;
  const range = db.prepare<[], { low: number | null; high: number }>(bounds).get();
  let deleted = 0;
  if (range === undefined || range.low === null) return deleted;
  const slice = `${key} >= @from AND ${key} < @to`;
  const remove = db.prepare<Slice>(`DELETE FROM ${table} WHERE ${slice} AND ${condition}`);
  for (let from = range.low; from <= range.high; from += SLICE) {
    deleted += remove.run({ from, to: from + SLICE, cutoff }).changes;
    yield;
  }
  return deleted;
}
