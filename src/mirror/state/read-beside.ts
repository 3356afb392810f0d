import { join } from "node:path";
import { type DatabaseFault, openForReading, type SqliteDatabase, toDatabaseFault } from "./database.ts";
import { statOwnFile, withOwnFolderOpen } from "./own-files.ts";
import { STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import type { LocalPath } from "../../contract/path.ts";
import { SELECT_LOCAL_PATHS } from "./records.ts";
import type { Block, Stamp } from "../model/record.ts";
import type { OpenIntent } from "../ports/state.ts";
import { type RunRow, RunTable } from "./history.ts";
import { BlockTable, IntentTable, MetaTable } from "./base.ts";
import type { Digest } from "../../contract/digest.ts";

type ReadResult<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "missing" }
  | ({ readonly file: StateFile } & DatabaseFault);

/**
 * Reads some rows of `state.db` at one moment, even while another process writes, and in a folder
 * without write permission. Does not check pages or rows, and only checks that `texts.db` exists.
 * The next cycle makes the other checks.
 * @param mirrorFolder absolute path of `.mdmirror`
 */
function readStateRows<T>(mirrorFolder: string, read: (db: SqliteDatabase) => T): ReadResult<T> {
  return withOwnFolderOpen(mirrorFolder, () => readRows(mirrorFolder, read));
}

function readRows<T>(mirrorFolder: string, read: (db: SqliteDatabase) => T): ReadResult<T> {
  if (statOwnFile(mirrorFolder, STATE_SCHEMA.file, "own-file") === null) return { kind: "missing" };
  if (statOwnFile(mirrorFolder, TEXTS_SCHEMA.file, "own-file") === null)
    return { kind: "damaged", file: TEXTS_SCHEMA.file, detail: "is not there" };
  const openedState = openForReading(join(mirrorFolder, STATE_SCHEMA.file), STATE_SCHEMA);
  if (openedState.kind !== "opened") return { file: STATE_SCHEMA.file, ...openedState };
  try {
    // The transaction ends when the database is closed.
    openedState.db.exec("BEGIN");
    return { kind: "read", value: read(openedState.db) };
  } catch (error) {
    const fault = toDatabaseFault(error);
    if (fault === null) throw error;
    return { file: STATE_SCHEMA.file, ...fault };
  } finally {
    openedState.db.close();
  }
}

/**
 * Returns the paths of recorded documents, for a caller without an open state; none if the state
 * cannot be read. Rules of `.gitignore` then exclude recorded documents too, which is harmless,
 * because no such caller sends or removes documents.
 * @param mirrorFolder absolute path of `.mdmirror`
 */
export function readRecordedPaths(mirrorFolder: string): readonly LocalPath[] {
  const readResult = readStateRows(mirrorFolder, (db) => db.prepare<[], LocalPath>(SELECT_LOCAL_PATHS).pluck().all());
  return readResult.kind === "read" ? readResult.value : [];
}

/**
 * Numbers in the output of `status`. SQL computes the numbers, so that no record has to be loaded.
 */
type StateTotals = {
  readonly documents: number;
  /** Total size of all local files, in bytes. */
  readonly bytes: number;
  readonly folders: number;
  /**
   * Paths of documents in conflict. For a document without a record, the path of its conflict copy.
   */
  readonly conflicts: readonly string[];
  /**
   * Documents in review. `since`: time of the oldest content in review, in milliseconds since the
   * epoch.
   */
  readonly reviews: readonly DocumentInReview[];
};

/**
 * A document in review. `isConflict`: true if the cause is another edit, not the protection of the
 * document.
 */
type DocumentInReview = { readonly path: string; readonly since: number; readonly isConflict: boolean };

/**
 * All facts that `status` needs from `state.db`, read at one moment. Without the content of
 * documents.
 */
export type StateSummary = {
  readonly totals: StateTotals;
  readonly blocks: readonly Block[];
  readonly intents: readonly OpenIntent[];
  readonly meta: ReadonlyMap<string, string>;
  readonly newestRun: RunRow | null;
};

/**
 * Reads the summary of a state, without waiting for a process that writes.
 * @param folder absolute path of `.mdmirror`
 */
export function readStateSummary(folder: string): ReadResult<StateSummary> {
  return readStateRows(folder, (db) => ({
    totals: computeTotals(db),
    blocks: [...new BlockTable(db).load().values()],
    intents: new IntentTable(db).all(),
    meta: new Map(new MetaTable(db).all()),
    newestRun: new RunTable(db).newest(1)[0] ?? null,
  }));
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

/** Rows of the state below one folder, for users. Without the content of documents. */
export type FolderRows = {
  readonly documents: readonly DocumentRow[];
  readonly folders: readonly LocalPath[];
  /** Number of documents below each direct subfolder, and the time of their newest change. */
  readonly sums: readonly SubfolderTotals[];
  /** All blocks in the state, including those of documents outside the folder. */
  readonly blocks: readonly Block[];
  /**
   * Local paths of all documents in conflict or in review, including documents outside the folder.
   */
  readonly conflicts: readonly LocalPath[];
  readonly reviews: readonly LocalPath[];
};

export type SubfolderTotals = {
  readonly name: string;
  readonly documents: number;
  /**
   * Time of the file's newest change, in milliseconds since the epoch; null if no scan has found
   * the file.
   */
  readonly changedAt: number | null;
};

export type DocumentRow = {
  readonly id: string;
  readonly path: LocalPath;
  readonly localDigest: Digest;
  /**
   * Digests that the file may have instead of `localDigest`, because links are local paths in the
   * file and ids on the service.
   */
  readonly spelled: readonly Digest[];
  /** Stamp without the fields that `isSameStamp` ignores; null if no scan has found the file. */
  readonly stamp: Omit<Stamp, "birthMs" | "nlink"> | null;
  readonly stampTrusted: boolean;
  readonly state: string;
};

/**
 * Depth of the rows in a folder. `directly`: documents and folders directly in the folder. `below`:
 * also those in its subfolders.
 */
export type ReadDepth = "directly" | "below";

/**
 * Reads the rows of one folder, without waiting for a process that writes.
 * @param mirrorFolder absolute path of `.mdmirror`
 */
export function readFolderRows(mirrorFolder: string, folder: LocalPath, depth: ReadDepth): ReadResult<FolderRows> {
  return readStateRows(mirrorFolder, (db) => selectFolderRows(db, folder, depth));
}

const IS_BELOW_SQL = "substr(local_path, 1, length($in)) = $in";
const PATH_BELOW_SQL = "substr(local_path, length($in) + 1)";
/**
 * SQL conditions for rows in a folder. `$in`: path of the folder with a slash, or "" for the root.
 */
const DEPTH_CONDITIONS: Readonly<Record<ReadDepth, string>> = {
  directly: `${IS_BELOW_SQL} AND instr(${PATH_BELOW_SQL}, '/') = 0`,
  below: IS_BELOW_SQL,
};

const SELECT_FOLDER_SUMS = `SELECT substr(${PATH_BELOW_SQL}, 1, instr(${PATH_BELOW_SQL}, '/') - 1) AS name, count(*) AS documents, max(mtime_ms) AS changedAt FROM records WHERE ${IS_BELOW_SQL} AND instr(${PATH_BELOW_SQL}, '/') > 0 AND state = 'linked' GROUP BY 1`;

const SPELLED_DIGESTS_SQL =
  "(SELECT group_concat(bytes) FROM spellings WHERE path = local_path AND text = coalesce(local_digest, digest))";

function selectFolderRows(db: SqliteDatabase, folder: LocalPath, depth: ReadDepth): FolderRows {
  const condition = DEPTH_CONDITIONS[depth];
  const parameters = { in: folder === "" ? "" : `${folder}/` };
  const documents = db.prepare<[typeof parameters], ShownDocumentRow>(
    `SELECT id, local_path AS path, coalesce(local_digest, digest) AS localDigest, dev, ino, size, mtime_ms AS mtimeMs, ctime_ms AS ctimeMs, stamp_trusted AS stampTrusted, state, ${SPELLED_DIGESTS_SQL} AS bytes FROM records WHERE ${condition} AND NOT (state = 'outside' AND dev IS NULL)`,
  );
  const preparePaths = (sql: string) => db.prepare<unknown[], LocalPath>(sql).pluck();
  return {
    documents: documents.all(parameters).map(toShownDocument),
    folders: preparePaths(`SELECT local_path FROM dirs WHERE ${condition}`).all(parameters),
    sums: db.prepare<[typeof parameters], SubfolderTotals>(SELECT_FOLDER_SUMS).all(parameters),
    blocks: [...new BlockTable(db).load().values()],
    conflicts: preparePaths("SELECT local_path FROM conflicts JOIN records USING (id)").all(),
    reviews: preparePaths("SELECT local_path FROM records WHERE submissions IS NOT NULL").all(),
  };
}

type ShownDocumentRow = Omit<DocumentRow, "spelled" | "stamp" | "stampTrusted"> &
  Omit<NonNullable<DocumentRow["stamp"]>, "dev"> & {
    readonly dev: number | null;
    readonly stampTrusted: number;
    readonly bytes: string | null;
  };

function toShownDocument({
  dev,
  ino,
  size,
  mtimeMs,
  ctimeMs,
  stampTrusted,
  bytes,
  ...row
}: ShownDocumentRow): DocumentRow {
  const stamp = dev === null ? null : { dev, ino, size, mtimeMs, ctimeMs };
  const spelledDigests = bytes === null ? [] : (bytes.split(",") as Digest[]);
  return { ...row, spelled: spelledDigests, stamp, stampTrusted: stampTrusted === 1 };
}
