/** Reads what the state knows about one folder, to show it to users. Reads no content. */

import type { Digest } from "../../contract/digest.ts";
import type { Block, Stamp } from "../model/record.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { SqliteDatabase } from "./database.ts";
import { BlockTable } from "./blocks.ts";
import { type ReadResult, readStateRows } from "./read-beside.ts";

export type FolderRows = {
  readonly documents: readonly DocumentRow[];
  readonly folders: readonly LocalPath[];
  /**
   * For each direct subfolder, the number of documents below it, and the time of their newest
   * change.
   */
  readonly sums: readonly SubfolderTotals[];
  /** All blocks in the state, also those of documents outside the folder that is shown. */
  readonly blocks: readonly Block[];
  /**
   * Local paths of all documents in conflict or in review, also of those outside the folder that is
   * shown.
   */
  readonly conflicts: readonly LocalPath[];
  readonly reviews: readonly LocalPath[];
};

export type SubfolderTotals = {
  readonly name: string;
  readonly documents: number;
  /**
   * Time of the newest change of a file, in milliseconds since the epoch; null if no scan has seen
   * a file.
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
  /** Stamp without the fields that `isSameStamp` ignores; null if no scan has seen the file. */
  readonly stamp: Omit<Stamp, "birthMs" | "nlink"> | null;
  readonly stampTrusted: boolean;
  readonly state: string;
};

/**
 * `directly`: documents and folders directly in a folder. `below`: also those in its subfolders.
 */
export type Depth = "directly" | "below";

/**
 * Reads the rows of one folder. Does not wait for a process that writes.
 * @param mirrorFolder absolute path of `.mdmirror`
 */
export function readFolderRows(mirrorFolder: string, folder: LocalPath, depth: Depth): ReadResult<FolderRows> {
  return readStateRows(mirrorFolder, (db) => selectFolderRows(db, folder, depth));
}

const IS_BELOW_SQL = "substr(local_path, 1, length($in)) = $in";
const PATH_BELOW_SQL = "substr(local_path, length($in) + 1)";
/**
 * SQL conditions for rows in a folder. `$in`: path of the folder with a slash, or "" for the root.
 */
const DEPTH_CONDITIONS: Readonly<Record<Depth, string>> = {
  directly: `${IS_BELOW_SQL} AND instr(${PATH_BELOW_SQL}, '/') = 0`,
  below: IS_BELOW_SQL,
};

const SELECT_FOLDER_SUMS = `SELECT substr(${PATH_BELOW_SQL}, 1, instr(${PATH_BELOW_SQL}, '/') - 1) AS name, count(*) AS documents, max(mtime_ms) AS changedAt FROM records WHERE ${IS_BELOW_SQL} AND instr(${PATH_BELOW_SQL}, '/') > 0 AND state = 'linked' GROUP BY 1`;

const SPELLED_DIGESTS_SQL =
  "(SELECT group_concat(bytes) FROM spellings WHERE path = local_path AND text = coalesce(local_digest, digest))";

function selectFolderRows(db: SqliteDatabase, folder: LocalPath, depth: Depth): FolderRows {
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
