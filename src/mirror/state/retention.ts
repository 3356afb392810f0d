import type { Digest } from "../../contract/digest.ts";
import type { Db } from "./database.ts";
import type { MetaTable } from "./base.ts";
import type { ReferencedTexts } from "./referenced-texts.ts";
import type { TextStore } from "./texts.ts";

/**
 * Limits for stored contents. `days`: how long unused content is kept. `bytes`: size of the content
 * store above which superseded versions are pruned earlier.
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
 * Versions of a document that are kept at any age: mdmirror recognises an older state of the
 * service by their order.
 */
const VERSIONS_KEPT = 20;

/**
 * Prunes expired rows and contents. Must be called between cycles only: an action must not lose
 * content that it has looked up but not yet recorded. Time is counted in days on which mdmirror
 * pruned, so a machine that was off for two months keeps its contents. Content expires after no row
 * has referred to it for that long. Above `bytes`, superseded versions of recorded documents are
 * pruned immediately, the earliest superseded first. All other contents may be the only copies, and
 * stay for their time. The file keeps its size; its free pages are used again.
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
 * Counts today as a day on which the program ran. Returns the time before which rows are pruned;
 * null until `days` days were counted. Days later than today are ignored: the clock was set back.
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

/** SQL for the digests of a JSON list, in the form of the content store. */
const LISTED = "(SELECT unhex(value) FROM json_each(?))";

/**
 * Deletes idle contents, to which no row of the state refers. `idle.since`: when pruning first
 * found the content idle. Storing the content again updates `texts.used`.
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

  /** Records since when each content is idle; a content that rows refer to is no longer idle. */
  markIdle(referenced: readonly Digest[], now: number): void {
    const list = JSON.stringify(referenced);
    // A time in the future was recorded while the clock was wrong.
    this.#texts
      .prepare(`DELETE FROM idle WHERE since > ? OR seq IN (SELECT seq FROM texts WHERE digest IN ${LISTED})`)
      .run(now, list);
    this.#texts
      .prepare(`INSERT OR IGNORE INTO idle (seq, since) SELECT seq, ? FROM texts WHERE digest NOT IN ${LISTED}`)
      .run(now, list);
  }

  /** Deletes idle contents that are past their time. Returns how many it deleted. */
  deleteExpired(cutoff: number): number {
    const expired = this.#texts
      .prepare<[number, number], number>("SELECT seq FROM idle JOIN texts USING (seq) WHERE since < ? AND used < ?")
      .pluck()
      .all(cutoff, cutoff);
    this.#delete(expired);
    return expired.length;
  }

  /**
   * Deletes idle contents that the service had as versions. Stops when the store has at most
   * `bytes`, or no such content is left.
   * @param before time: contents stored later stay, because an action may be about to record them
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

/** Deletes events, runs and versions older than a cutoff. Returns how many it deleted. */
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
