import type { Digest } from "../../contract/digest.ts";
import type { Db } from "./database.ts";
import type { MetaTable } from "./base.ts";
import type { ReferencedTexts } from "./referenced-texts.ts";
import type { TextStore } from "./texts.ts";

/**
 * Limits for stored contents. `days`: how long a content without a reference is kept. `bytes`: size
 * of the content store above which old versions are deleted earlier.
 */
export type Retention = { readonly days: number; readonly bytes: number };

export type PrunedCounts = {
  readonly texts: number;
  readonly events: number;
  readonly runs: number;
  readonly versions: number;
};

type Prunable = {
  readonly state: Db;
  readonly texts: Db;
  readonly store: TextStore;
  readonly meta: MetaTable;
  readonly referenced: ReferencedTexts;
};

const DAY_MS = 86_400_000;
/**
 * Number of versions of a document that are kept at any age. By their order, mdmirror recognises
 * that the service shows an older state.
 */
const VERSIONS_KEPT = 20;

/**
 * Deletes old rows, and contents to which no row has referred for `days` days. Called only between
 * cycles, because a step may have found a content that it has not recorded yet. Only days on which
 * mdmirror ran are counted, so that a machine that was off for two months loses nothing. If the
 * store is larger than `bytes`, old versions of recorded documents are deleted immediately, oldest
 * first. Other contents may be the only copies, and stay for the full time. The file does not
 * become smaller, but its free space is used again.
 */
export function prune(prunable: Prunable, now: number, { days, bytes }: Retention): PrunedCounts {
  const { state, texts, store, meta, referenced } = prunable;
  const cutoff = countDayOfUse(meta, now, days);
  const pruning = new TextPruning(texts);
  const deleteTexts = texts.transaction(() => {
    pruning.markIdle([...referenced.all()], now);
    const expired = cutoff === null ? 0 : pruning.deleteExpired(cutoff);
    return expired + pruning.deleteOver(bytes, [...referenced.versions()], now - DAY_MS);
  });
  const deleted = deleteTexts.immediate();
  store.forgetChecked();
  return { texts: deleted, ...deleteRowsBefore(state, cutoff) };
}

/**
 * Records that mdmirror ran today. Returns the time before which rows are deleted; null until
 * mdmirror has run on `days` days. Ignores recorded days that are in the future, because the clock
 * was set back since.
 */
function countDayOfUse(meta: MetaTable, now: number, days: number): number | null {
  const seen = JSON.parse(meta.get("retention-days") ?? "[]") as number[];
  const valid = seen.filter((day) => day <= now);
  const lastDay = valid.at(-1);
  if (lastDay === undefined || now - lastDay >= DAY_MS) valid.push(now);
  const kept = valid.slice(-(days + 1));
  meta.set("retention-days", JSON.stringify(kept));
  return kept[kept.length - 1 - days] ?? null;
}

/** SQL that converts a JSON list of digests to the form that the content store has. */
const LISTED = "(SELECT unhex(value) FROM json_each(?))";

/**
 * Deletes idle contents: those to which no row of the state refers. The table `idle` has the time
 * at which a content was first found idle. Storing the content again updates `texts.used`.
 */
class TextPruning {
  readonly #texts: Db;
  readonly #bytesUsed;

  constructor(texts: Db) {
    this.#texts = texts;
    this.#bytesUsed = texts
      .prepare<[], number>(
        "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
      )
      .pluck();
  }

  /**
   * Records the time at which a content became idle. A content to which rows refer is not idle any
   * more.
   */
  markIdle(referenced: readonly Digest[], now: number): void {
    const list = JSON.stringify(referenced);
    // A time in the future was recorded while the clock was wrong, so it is removed.
    this.#texts
      .prepare(`DELETE FROM idle WHERE since > ? OR seq IN (SELECT seq FROM texts WHERE digest IN ${LISTED})`)
      .run(now, list);
    this.#texts
      .prepare(`INSERT OR IGNORE INTO idle (seq, since) SELECT seq, ? FROM texts WHERE digest NOT IN ${LISTED}`)
      .run(now, list);
  }

  /** Deletes contents that were idle before `cutoff`. Returns the number of deleted contents. */
  deleteExpired(cutoff: number): number {
    const expired = this.#texts
      .prepare<[number, number], number>("SELECT seq FROM idle JOIN texts USING (seq) WHERE since < ? AND used < ?")
      .pluck()
      .all(cutoff, cutoff);
    this.#delete(expired);
    return expired.length;
  }

  /**
   * Deletes idle contents that are versions of documents, until the store has at most `bytes`.
   * @param before a content that was used after this time stays, because a step may be about to
   * record it
   * @returns number of deleted contents
   */
  deleteOver(bytes: number, versions: readonly Digest[], before: number): number {
    if (this.#bytesUsed.get()! <= bytes) return 0;
    const superseded = this.#texts
      .prepare<[number, string], number>(
        `SELECT seq FROM idle JOIN texts USING (seq) WHERE used < ? AND digest IN ${LISTED} ORDER BY since, seq`,
      )
      .pluck()
      .all(before, JSON.stringify(versions));
    let deleted = 0;
    while (deleted < superseded.length && this.#bytesUsed.get()! > bytes) this.#delete([superseded[deleted++]!]);
    return deleted;
  }

  #delete(contents: readonly number[]): void {
    const list = JSON.stringify(contents);
    for (const [table, column] of [
      ["idle", "seq"],
      ["seen", "text"],
      ["texts", "seq"],
    ] as const)
      this.#texts.prepare(`DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`).run(list);
  }
}

/**
 * Deletes events, runs and versions that are older than `cutoff`. Returns the numbers of deleted
 * rows.
 */
function deleteRowsBefore(db: Db, cutoff: number | null) {
  const runs = "run < (SELECT max(run) FROM runs) AND run NOT IN (SELECT run FROM intents)";
  const isPresent = "records.id = versions.id AND records.change_id = versions.change_id";
  const newer = "SELECT count(*) FROM versions AS newer WHERE newer.id = versions.id AND newer.seq > versions.seq";
  const versions = `NOT EXISTS (SELECT 1 FROM records WHERE ${isPresent}) AND (${newer}) >= ${VERSIONS_KEPT}`;
  const remove = (table: string, condition: string): number =>
    cutoff === null ? 0 : db.prepare<[number]>(`DELETE FROM ${table} WHERE ${condition}`).run(cutoff).changes;
  return {
    events: remove("events", "at < ?"),
    runs: remove("runs", `started_at < ? AND ${runs}`),
    versions: remove("versions", `at < ? AND ${versions}`),
  };
}
