import type { Block } from "../model/record.ts";
import type { OpenIntent } from "../ports/state.ts";
import type { SqliteDatabase } from "./database.ts";
import { type RunRow, RunTable } from "./history.ts";
import { BlockTable } from "./blocks.ts";
import { IntentTable, MetaTable } from "./base.ts";
import { type ReadResult, readStateRows } from "./read-beside.ts";

/** Numbers that `status` shows. SQL computes them, so that no record has to be loaded. */
type StateTotals = {
  readonly documents: number;
  /** Size of all local files together, in bytes. */
  readonly bytes: number;
  readonly folders: number;
  /**
   * Paths of documents in conflict. For a document without a record, the path of its conflict copy.
   */
  readonly conflicts: readonly string[];
  /** `since`: time of the oldest content in review, in milliseconds since the epoch. */
  readonly reviews: readonly DocumentInReview[];
};

/**
 * A document in review. `isConflict`: in review because of another edit, not because the document
 * is protected.
 */
type DocumentInReview = { readonly path: string; readonly since: number; readonly isConflict: boolean };

/** Everything that `status` needs from `state.db`, read at one moment. It has no content. */
export type StateSummary = {
  readonly totals: StateTotals;
  readonly blocks: readonly Block[];
  readonly intents: readonly OpenIntent[];
  readonly meta: ReadonlyMap<string, string>;
  readonly newestRun: RunRow | null;
};

/**
 * Reads the summary of a state. Does not wait for a process that writes.
 * @param folder absolute path of `.mdmirror`
 */
export function readStateSummary(folder: string): ReadResult<StateSummary> {
  return readStateRows(folder, selectSummary);
}

function selectSummary(db: SqliteDatabase): StateSummary {
  return {
    totals: computeTotals(db),
    blocks: [...new BlockTable(db).load().values()],
    intents: new IntentTable(db).all(),
    meta: new Map(new MetaTable(db).all()),
    newestRun: new RunTable(db).newest(1)[0] ?? null,
  };
}

function computeTotals(db: SqliteDatabase): StateTotals {
  const conflicts = db
    .prepare<[], string>(
      "SELECT coalesce(records.local_path, conflicts.conflict_copy_path) FROM conflicts LEFT JOIN records USING (id) ORDER BY conflicts.rowid",
    )
    .pluck();
  const reviews = db.prepare<[], Omit<DocumentInReview, "isConflict"> & { readonly isConflict: number }>(
    "SELECT local_path AS path, json_extract(submissions, '$[0].at') AS since, EXISTS (SELECT 1 FROM json_each(submissions) WHERE value ->> 'reason' = 'conflict') AS isConflict FROM records WHERE submissions IS NOT NULL ORDER BY local_path",
  );
  const syncedTotals = db.prepare<[], Pick<StateTotals, "documents" | "bytes">>(
    "SELECT count(*) AS documents, coalesce(sum(size), 0) AS bytes FROM records WHERE state = 'linked'",
  );
  return {
    ...syncedTotals.get()!,
    folders: db.prepare<[], number>("SELECT count(*) FROM dirs").pluck().get() ?? 0,
    conflicts: conflicts.all(),
    reviews: reviews.all().map((one) => ({ ...one, isConflict: one.isConflict === 1 })),
  };
}
