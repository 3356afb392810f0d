import type { Digest } from "../../contract/digest.ts";
import type { SqliteDatabase } from "./database.ts";
import type { MetaTable } from "./base.ts";
import type { ContentStore } from "./texts.ts";
import type { Submission } from "../model/record.ts";
import type { Intent } from "../ports/state.ts";
import { TableWithStatements } from "./table.ts";

/**
 * Limits for stored contents. `days`: days for which content is kept after no row refers to the
 * content any more. `bytes`: size of the content store above which old versions are deleted before
 * these days are over.
 */
export type RetentionLimits = { readonly days: number; readonly bytes: number };

export type PrunedCounts = {
  readonly texts: number;
  readonly events: number;
  readonly runs: number;
  readonly versions: number;
};

type PrunableState = {
  readonly state: SqliteDatabase;
  readonly texts: SqliteDatabase;
  readonly store: ContentStore;
  readonly meta: MetaTable;
  readonly referenced: ReferencedContents;
};

const DAY_MS = 86_400_000;
/**
 * LIMIT: number of versions of a document that are kept at any age, so that the table stays small.
 * By their order, mdmirror recognises that the service has returned to an older version.
 */
const VERSIONS_KEPT = 20;

/**
 * Deletes old rows, and contents to which no row has referred for `days` days. Counts only days on
 * which mdmirror ran: while the machine is off, nothing expires.
 * ORDER: called between cycles, because a step may have found content that it has not recorded yet.
 *
 * If the store is larger than `bytes`, old versions of recorded documents are deleted earlier,
 * oldest first. Versions from the last 24 hours stay. Other contents may be the only copies, and
 * stay for all `days`. The file keeps its size, and its free space is used again.
 */
export function pruneState(prunable: PrunableState, now: number, { days, bytes }: RetentionLimits): PrunedCounts {
  const { state, texts, store, meta, referenced } = prunable;
  const cutoff = countDayOfUse(meta, now, days);
  const pruning = new ContentPruning(texts);
  const deleteContents = texts.transaction(() => {
    pruning.markIdle([...referenced.all()], now);
    const expiredCount = cutoff === null ? 0 : pruning.deleteExpired(cutoff);
    return expiredCount + pruning.deleteOver(bytes, [...referenced.versions()], now - DAY_MS);
  });
  const deletedCount = deleteContents.immediate();
  store.forgetChecked();
  return { texts: deletedCount, ...deleteRowsBefore(state, cutoff) };
}

/**
 * Records that mdmirror ran today. Returns the time before which rows are deleted; null until
 * mdmirror has run on `days` days. Ignores days in the future, which were recorded before the clock
 * was corrected.
 */
function countDayOfUse(meta: MetaTable, now: number, days: number): number | null {
  const recordedDays = JSON.parse(meta.get("retention-days") ?? "[]") as number[];
  const validDays = recordedDays.filter((day) => day <= now);
  const lastDay = validDays.at(-1);
  if (lastDay === undefined || now - lastDay >= DAY_MS) validDays.push(now);
  const keptDays = validDays.slice(-(days + 1));
  meta.set("retention-days", JSON.stringify(keptDays));
  return keptDays[keptDays.length - 1 - days] ?? null;
}

/** SQL that converts a JSON list of digests to the form in the content store. */
const DIGESTS_OF_LIST = "(SELECT unhex(value) FROM json_each(?))";

/**
 * Deletes idle contents: contents to which no row of the state refers. The table `idle` has the
 * time at which mdmirror first found each content idle. `texts.used` is the time at which the
 * content was last stored.
 */
class ContentPruning {
  readonly #texts: SqliteDatabase;
  readonly #bytesUsed;

  constructor(texts: SqliteDatabase) {
    this.#texts = texts;
    this.#bytesUsed = texts
      .prepare<[], number>(
        "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
      )
      .pluck();
  }

  /** Adds newly idle contents to the table `idle`, and removes contents that are in use again. */
  markIdle(referenced: readonly Digest[], now: number): void {
    const digestList = JSON.stringify(referenced);
    // Times in the future are removed too, because they were recorded while the clock was wrong.
    this.#texts
      .prepare(`DELETE FROM idle WHERE since > ? OR seq IN (SELECT seq FROM texts WHERE digest IN ${DIGESTS_OF_LIST})`)
      .run(now, digestList);
    this.#texts
      .prepare(
        `INSERT OR IGNORE INTO idle (seq, since) SELECT seq, ? FROM texts WHERE digest NOT IN ${DIGESTS_OF_LIST}`,
      )
      .run(now, digestList);
  }

  deleteExpired(cutoff: number): number {
    const expiredNumbers = this.#texts
      .prepare<[number, number], number>("SELECT seq FROM idle JOIN texts USING (seq) WHERE since < ? AND used < ?")
      .pluck()
      .all(cutoff, cutoff);
    this.#delete(expiredNumbers);
    return expiredNumbers.length;
  }

  /**
   * Deletes idle contents that are versions of documents, until the store has at most `bytes`.
   * @param before time after which stored content stays, because a step may be about to record this
   * content
   * @returns number of deleted contents
   */
  deleteOver(bytes: number, versions: readonly Digest[], before: number): number {
    if (this.#bytesUsed.get()! <= bytes) return 0;
    const supersededNumbers = this.#texts
      .prepare<[number, string], number>(
        `SELECT seq FROM idle JOIN texts USING (seq) WHERE used < ? AND digest IN ${DIGESTS_OF_LIST} ORDER BY since, seq`,
      )
      .pluck()
      .all(before, JSON.stringify(versions));
    let countOfDeleted = 0;
    while (countOfDeleted < supersededNumbers.length && this.#bytesUsed.get()! > bytes)
      this.#delete([supersededNumbers[countOfDeleted++]!]);
    return countOfDeleted;
  }

  #delete(contents: readonly number[]): void {
    const numberList = JSON.stringify(contents);
    for (const [table, column] of [
      ["idle", "seq"],
      ["seen", "text"],
      ["texts", "seq"],
    ] as const)
      this.#texts.prepare(`DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`).run(numberList);
  }
}

function deleteRowsBefore(db: SqliteDatabase, cutoff: number | null) {
  const oldRunsCondition = "run < (SELECT max(run) FROM runs) AND run NOT IN (SELECT run FROM intents)";
  const hasRecordCondition = "records.id = versions.id AND records.change_id = versions.change_id";
  const newerCountQuery =
    "SELECT count(*) FROM versions AS newer WHERE newer.id = versions.id AND newer.seq > versions.seq";
  const oldVersionsCondition = `NOT EXISTS (SELECT 1 FROM records WHERE ${hasRecordCondition}) AND (${newerCountQuery}) >= ${VERSIONS_KEPT}`;
  const deleteRows = (table: string, condition: string): number =>
    cutoff === null ? 0 : db.prepare<[number]>(`DELETE FROM ${table} WHERE ${condition}`).run(cutoff).changes;
  return {
    events: deleteRows("events", "at < ?"),
    runs: deleteRows("runs", `started_at < ? AND ${oldRunsCondition}`),
    versions: deleteRows("versions", `at < ? AND ${oldVersionsCondition}`),
  };
}

/**
 * Finds the contents that must not be deleted, because rows of `state.db` refer to them. Content to
 * which only the list of versions or the event log refers may be deleted.
 */
export class ReferencedContents extends TableWithStatements {
  readonly #plain = this.sql<[], Digest>(
    "SELECT digest FROM records UNION ALL SELECT local_digest FROM records WHERE local_digest IS NOT NULL " +
      "UNION ALL SELECT echo_digest FROM records WHERE echo_digest IS NOT NULL UNION ALL SELECT digest FROM tombstones " +
      "UNION ALL SELECT base_digest FROM conflicts WHERE base_digest IS NOT NULL " +
      "UNION ALL SELECT digest FROM blocked WHERE digest IS NOT NULL",
    "pluck",
  );
  readonly #lists = this.sql<[], string>(
    "SELECT submissions FROM records WHERE submissions IS NOT NULL UNION ALL SELECT shown FROM conflicts",
    "pluck",
  );
  readonly #intents = this.sql<[], string>("SELECT intent FROM intents", "pluck");
  readonly #superseded = this.sql<[], Digest>(
    "SELECT versions.digest FROM versions JOIN records ON records.id = versions.id",
    "pluck",
  );
  readonly #bases = this.sql<[], Digest>(
    "SELECT digest FROM records UNION SELECT local_digest FROM records WHERE local_digest IS NOT NULL",
    "pluck",
  );

  all(): Set<Digest> {
    const referencedDigests = new Set<Digest>(this.#plain.all());
    for (const list of this.#lists.all())
      for (const { digest } of JSON.parse(list) as Submission[]) referencedDigests.add(digest);
    for (const intent of this.#intents.all())
      for (const digest of listDigests(JSON.parse(intent) as Intent)) referencedDigests.add(digest);
    return referencedDigests;
  }

  /**
   * Returns the contents of all known versions of recorded documents. The service has these
   * contents too, so the content store does not have the only copies.
   */
  versions(): Set<Digest> {
    return new Set(this.#superseded.all());
  }

  bases(): Digest[] {
    return this.#bases.all();
  }
}

const DIGEST_MEMBERS: ReadonlySet<string> = new Set(["digest", "baseDigest", "expect", "writes", "nextDigest"]);

function listDigests(intent: Intent): Digest[] {
  const waitingSubmissions = intent.kind === "replace" ? (intent.waiting ?? []) : [];
  const ownDigests = Object.entries(intent)
    .filter(([member, value]) => DIGEST_MEMBERS.has(member) && value !== null)
    .map(([, value]) => value as Digest);
  return [...ownDigests, ...waitingSubmissions.map(({ digest }) => digest)];
}
