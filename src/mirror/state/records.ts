import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { FolderRecord, DocumentRecord, DocumentPaths, Stamp, Submission } from "../model/record.ts";
import type { SqliteDatabase } from "./database.ts";
import { KeyedTable, makeUpsertSql, TableColumns, TableWithStatements } from "./table.ts";

type RecordRow = [
  id: DocId,
  localPath: string,
  remotePath: string,
  changeId: ChangeId,
  digest: Digest,
  /** Digest of the local content; null if equal to `digest`, the usual case. */
  localDigest: Digest | null,
  dev: number | null,
  ino: number,
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  birthMs: number,
  nlink: number,
  stampTrusted: number,
  isProtected: number,
  durable: number,
  echoDigest: Digest | null,
  submissions: string | null,
  state: DocumentRecord["state"],
  rowid: number,
];

const RECORD_COLUMNS =
  "id, local_path, remote_path, change_id, digest, local_digest, dev, ino, size, mtime_ms, ctime_ms, birth_ms, nlink, " +
  "stamp_trusted, protected, durable, echo_digest, submissions, state";

type StoredRow = RecordRow extends [...infer Columns, number] ? Columns : never;

const ROWS_PER_PORTION = 512;

const NO_SUBMISSIONS: readonly Submission[] = [];

/**
 * SQL for the local paths of all documents that can have a local file. Leaves out documents that
 * were moved out of the linked part of the workspace and whose file is in the trash. A file at the
 * old path of such a document is new, or belongs to another document.
 */
export const SELECT_LOCAL_PATHS = "SELECT local_path FROM records WHERE NOT (state = 'outside' AND dev IS NULL)";

export class RecordTable extends TableWithStatements {
  readonly #portion = this.sql<[number, number], RecordRow>(
    `SELECT ${RECORD_COLUMNS}, rowid FROM records WHERE rowid > ? ORDER BY rowid LIMIT ?`,
    "raw",
  );
  readonly #one = this.sql<[DocId], RecordRow>(`SELECT ${RECORD_COLUMNS} FROM records WHERE id = ?`, "raw");
  readonly #at = this.sql<[string], RecordRow>(`SELECT ${RECORD_COLUMNS} FROM records WHERE local_path = ?`, "raw");
  // Selects records by a range of paths. Paths that begin with `folder/` sort before `folder0`,
  // because "0" follows "/".
  readonly #in = this.sql<[string, string, number, number, number], [DocId, string, string]>(
    "SELECT id, local_path, remote_path FROM records WHERE local_path > ? || '/' AND local_path < ? || '0' " +
      "AND state = 'linked' AND (? = 0 OR instr(substr(local_path, ?), '/') = 0) LIMIT ?",
    "raw",
  );
  readonly #localPaths = this.sql<[], string>(SELECT_LOCAL_PATHS, "pluck");
  readonly #inode = this.sql<[number, number], number>(
    "SELECT 1 FROM records WHERE ino = ? AND dev = ? LIMIT 1",
    "pluck",
  );
  readonly #put = this.sql(makeUpsertSql("records", "id", RECORD_COLUMNS.split(", ")));
  readonly #remove = this.sql<[DocId]>("DELETE FROM records WHERE id = ?");
  readonly #setDurable = this.sql<[DocId, string]>("UPDATE records SET durable = 1 WHERE id = ? AND local_path = ?");

  /** Yields all records, and reads only a portion at a time, to save memory. */
  *all(): Generator<DocumentRecord> {
    for (let lastNumber: number | null = Number.MIN_SAFE_INTEGER; lastNumber !== null; ) {
      const rows: RecordRow[] = this.#portion.all(lastNumber, ROWS_PER_PORTION);
      for (const row of rows) yield toRecord(row);
      lastNumber = rows.length < ROWS_PER_PORTION ? null : rows[rows.length - 1]![19];
    }
  }

  get(id: DocId): DocumentRecord | null {
    const row = this.#one.get(id);
    return row === undefined ? null : toRecord(row);
  }

  atPath(localPath: string): DocumentRecord[] {
    return this.#at.all(localPath).map(toRecord);
  }

  /**
   * Returns the documents in a folder.
   * @param folder path of the folder, which must not be the root
   * @param depth `all` to include documents in folders below it
   */
  inFolder(folder: string, depth: "all" | "one", limit: number): DocumentPaths[] {
    // SQLite counts characters as code points, from 1.
    const firstCharacter = [...folder].length + 2;
    const rows = this.#in.all(folder, folder, depth === "one" ? 1 : 0, firstCharacter, limit);
    return rows.map(([id, localPath, remotePath]) => ({ id, localPath, remotePath }));
  }

  localPaths(): string[] {
    return this.#localPaths.all();
  }

  hasInode(dev: number, ino: number): boolean {
    return this.#inode.get(ino, dev) !== undefined;
  }

  put(record: DocumentRecord): void {
    this.#put.run(...toRow(record));
  }

  remove(id: DocId): void {
    this.#remove.run(id);
  }

  setDurable(id: DocId, localPath: string): void {
    this.#setDurable.run(id, localPath);
  }
}

const FOLDER_TABLE = {
  table: "dirs",
  key: "id",
  columns: new TableColumns<keyof FolderRecord>(["id", "localPath", "remotePath", "dev", "ino", "birthMs"]),
} as const;

export class FolderTable extends KeyedTable<FolderRecord, "id"> {
  readonly #at = this.sql<[string], FolderRecord>(
    `SELECT ${FOLDER_TABLE.columns.selected} FROM dirs WHERE local_path = ?`,
  );

  constructor(db: SqliteDatabase) {
    super(db, FOLDER_TABLE);
  }

  allAtPath(localPath: string): FolderRecord[] {
    return this.#at.all(localPath);
  }

  atPath(localPath: string): FolderRecord | null {
    const rows = this.allAtPath(localPath);
    return rows.length === 1 ? rows[0]! : null;
  }
}

function toRow(record: DocumentRecord): StoredRow {
  const stamp: { readonly [Key in keyof Stamp]: number | null } = record.stamp ?? NO_STAMP;
  return [
    record.id,
    record.localPath,
    record.remotePath,
    record.changeId,
    record.digest,
    record.localDigest === record.digest ? null : record.localDigest,
    ...([stamp.dev, stamp.ino, stamp.size, stamp.mtimeMs, stamp.ctimeMs, stamp.birthMs, stamp.nlink] as StampColumns),
    Number(record.stampTrusted),
    Number(record.protected),
    Number(record.durable),
    record.echoDigest,
    record.submissions.length === 0 ? null : JSON.stringify(record.submissions),
    record.state,
  ];
}

type StampColumns = [number | null, number, number, number, number, number, number];

const NO_STAMP = { dev: null, ino: null, size: null, mtimeMs: null, ctimeMs: null, birthMs: null, nlink: null };

/** The columns are accessed by index, because destructuring such a long row is slow. */
function toRecord(row: RecordRow): DocumentRecord {
  const dev = row[6];
  return {
    id: row[0],
    localPath: row[1],
    // Nearly always, both paths are equal, and one string in memory serves both.
    remotePath: row[2] === row[1] ? row[1] : row[2],
    changeId: row[3],
    digest: row[4],
    localDigest: row[5] ?? row[4],
    stamp:
      dev === null
        ? null
        : { dev, ino: row[7], size: row[8], mtimeMs: row[9], ctimeMs: row[10], birthMs: row[11], nlink: row[12] },
    stampTrusted: row[13] === 1,
    protected: row[14] === 1,
    durable: row[15] === 1,
    echoDigest: row[16],
    submissions: row[17] === null ? NO_SUBMISSIONS : (JSON.parse(row[17]) as Submission[]),
    state: row[18],
  };
}
