import type { Db } from "./database.ts";
import type { MetaTable } from "./base.ts";
import { TextPruning } from "./prune-texts.ts";
import type { ReferencedTexts } from "./referenced-texts.ts";
import type { TextStore } from "./texts.ts";
import { Statement } from "./statement.ts";

/**
 * Limits for stored contents. `bytes`: size of the file of contents above which superseded versions
 * are pruned before their time.
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
 * Prunes what is past its time, in slices of about 10 ms: one for each step of the generator, so
 * that the caller can do other work between two. One at a time, and between passes: what an action
 * under way has looked up but not yet named must not be pruned under it.
 *
 * Time is counted in days of running (days on which this was called): a machine that was off for
 * two months finds all it had. A text is past its time when for so long nothing named it. Over
 * `bytes`, superseded versions of linked documents go at once, those superseded first going first;
 * all other texts, perhaps the sole copies, stay their time. The file keeps its size; freed pages
 * are used again.
 */
export class RetentionPruning {
  readonly #meta: MetaTable;
  readonly #texts;
  readonly #rows;

  constructor(state: Db, texts: Db, store: TextStore, meta: MetaTable, referenced: ReferencedTexts) {
    this.#meta = meta;
    this.#texts = new TextPruning(state, texts, store, referenced);
    this.#rows = new RowPruning(state);
  }

  *prune(now: number, retention: Retention): Generator<void, Pruned> {
    const cutoff = this.#noteDay(now, retention.days);
    yield;
    yield* this.#texts.markIdle(now);
    const expired = cutoff === null ? 0 : yield* this.#texts.deleteExpired(cutoff);
    const evicted = yield* this.#texts.deleteOver(retention.bytes, now - DAY_MS);
    const rows = cutoff === null ? { events: 0, runs: 0, versions: 0 } : yield* this.#rows.deleteBefore(cutoff);
    return { texts: expired + evicted, ...rows };
  }

  /**
   * Returns the time before which rows are pruned; null while too few days were seen. Days in the
   * future do not count.
   */
  #noteDay(now: number, days: number): number | null {
    const seen = JSON.parse(this.#meta.get("retention-days") ?? "[]") as number[];
    const valid = seen.filter((day) => day <= now);
    const last = valid.at(-1);
    if (last === undefined || now - last >= DAY_MS) valid.push(now);
    const kept = valid.slice(-(days + 1));
    this.#meta.set("retention-days", JSON.stringify(kept));
    return kept[kept.length - 1 - days] ?? null;
  }
}

/** Numbers in one slice. */
const SLICE = 4_000;
/**
 * Versions of a document that stay whatever their age: an older service is recognised by their
 * order.
 */
const VERSIONS_KEPT = 20;

type Slice = { readonly from: number; readonly to: number; readonly cutoff: number };

/**
 * Deletes events, runs and versions older than a cutoff, by ranges of their numbers, which follow
 * time: one range for each step of the generator.
 */
class RowPruning {
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

  /** Returns how many were deleted. */
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
