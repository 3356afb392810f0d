import { BoundedMap } from "../../../common/bounded-map.ts";
import { FILE_COLUMNS, type FilesTable, FROM_FILES, makeFilesTable, type ShownFile } from "../files-table.ts";
import type { DatabaseFigures, FileRow, KeyHolder, KeyRow } from "../rows.ts";
import { isAt, isBelow, joinSql, sql, useIndex } from "../sql.ts";
import { type DatabaseLocation, type Db, findDataFolder, openDatabase, SqliteSession } from "./database.ts";
import { ConnectionQueue, GroupCommit, Transactions } from "./transactions.ts";
import { KEY_COLUMNS, SELECT_GRANTS_OF_KEYS } from "../keys-table.ts";
import { GENERATION_NAME, readGeneration, readSettings, SELECT_META, SET_META, SETTINGS_NAME } from "../meta-table.ts";
import { WORKSPACE_BY_ID } from "../workspaces-table.ts";
import type { FinishedBackup, Store } from "../store.ts";
import { makeCommonTables, SELECT_FIGURES, type Tables } from "../tables.ts";
import { OnlineBackup } from "./backup.ts";
import { makeOutboxTable } from "./outbox.ts";
import { Reserve } from "./reserve.ts";
import { makeSearch, MAX_STEP_COST, SearchIndex } from "./search-table.ts";

/**
 * LIMIT: number of characters of recently read files that are kept in memory, so that they take at
 * most 16 MB.
 */
const MAX_CACHED_CHARACTERS = 8 * 1024 * 1024;

/** `version`: value of `Transactions.version` when the file was read. */
type CachedFile = ShownFile & { readonly workspace: number; readonly version: number };

/**
 * Returns a cache for recently read files, by id. After a change, every client of the workspace
 * reads the changed document. Without the cache, each of these requests would read the row,
 * decompress the content and write JSON, which takes most of the time.
 */
export function makeFileCache(): BoundedMap<string, CachedFile> {
  return new BoundedMap(MAX_CACHED_CHARACTERS, ({ json }) => json.length);
}

/**
 * LIMIT: number of files below a folder for which the query finds the files by their folder, and
 * sorts the files for each page. Sorting more files would take longer than reading the whole
 * workspace in the order of creation.
 */
const MAX_SORTED_FILES = 2_000;

const IS_IN_TREE = joinSql`x.workspace = $1 AND x.folder IN (
  SELECT seq FROM folders WHERE workspace = $1 AND ${isAt("path", "$4")}
  UNION ALL SELECT seq FROM folders WHERE workspace = $1 AND ${isBelow("path", "$4")})`;

const PAGE_CLAUSE = "x.seq > $2 ORDER BY x.seq LIMIT $3";

const SQL = {
  inLargeTree: sql<FileRow>`SELECT ${FILE_COLUMNS} ${FROM_FILES} WHERE ${IS_IN_TREE} AND ${PAGE_CLAUSE}`,
  inSmallTree: sql<FileRow>`SELECT ${FILE_COLUMNS}
    FROM files x ${useIndex("files_by_folder")} LEFT JOIN folders d ON d.seq = x.folder
    WHERE ${IS_IN_TREE} AND ${PAGE_CLAUSE}`,
  ofTree: sql<{ readonly files: number }>`
    SELECT count(*) AS files FROM (SELECT 1 FROM files x WHERE ${IS_IN_TREE} LIMIT ${MAX_SORTED_FILES})`,
} as const;

/**
 * Returns the methods for the table `files` of a database that only this process uses. The methods
 * use a cache of recently read files, and choose an index by the number of files below a folder.
 */
function makeSqliteFiles(session: SqliteSession, transactions: Pick<Transactions, "version">): FilesTable {
  const files = makeFilesTable(session);
  const cache = makeFileCache();
  return {
    ...files,
    async shown(workspace, id, show) {
      const { version } = transactions;
      const cachedFile = cache.get(id);
      if (version !== null && cachedFile?.version === version && cachedFile.workspace === workspace) return cachedFile;
      const file = await files.shown(workspace, id, show);
      if (file !== undefined && version !== null) cache.set(id, { ...file, workspace, version });
      return file;
    },
    inTree({ workspace, after, count, path }) {
      const page = [workspace, after, count, path];
      const isSmallTree = session.oneNow(SQL.ofTree, ...page)!.files < MAX_SORTED_FILES;
      return session.all(isSmallTree ? SQL.inSmallTree : SQL.inLargeTree, ...page);
    },
  };
}

type SqliteOptions = {
  /** Source of random bytes for the secret of a new database. */
  readonly random: (bytes: number) => Uint8Array;
  /**
   * Mode of committing writes. `each` (default): each write in its own transaction. `together`:
   * several writes in one transaction, for a database on a disk.
   */
  readonly commits?: "each" | "together";
};

/**
 * A store on a SQLite database. There is only one connection, so a transaction must end before the
 * next one begins. A transaction never waits for input or output: it ends in the turn of the event
 * loop in which it began. If writes are committed together, the transaction may also end in the
 * next turn.
 */
export class SqliteStore implements Store {
  readonly cursorSecret: Buffer;
  readonly generation: string;
  readonly reserve: Reserve | null;
  readonly search: Store["search"];
  readonly #db: Db;
  readonly #session: SqliteSession;
  readonly #holderOf: (hash: Buffer) => KeyHolder | undefined;
  readonly #turns = new ConnectionQueue();
  readonly #transactions: Transactions;
  readonly #group: GroupCommit | null;
  readonly #index: SearchIndex;
  readonly #tables: Tables;
  readonly #backup: OnlineBackup | null;
  readonly #listeners = new Set<() => void>();

  /** @throws the errors of `openDatabase` */
  constructor(location: DatabaseLocation, { random, commits = "each" }: SqliteOptions) {
    const db = openDatabase(location);
    this.#db = db;
    this.#transactions = new Transactions(db);
    this.#group = commits === "each" ? null : new GroupCommit(this.#turns, this.#transactions);
    this.#session = new SqliteSession(db);
    this.cursorSecret = readCursorSecret(this.#session, random);
    this.generation = readGeneration(this.#session.oneNow(SELECT_META, GENERATION_NAME)?.value, this.cursorSecret);
    this.#holderOf = makeHolderCache(this.#transactions, this.#session);
    this.#index = new SearchIndex(db, this.#session);
    this.search = makeSearch(this.#index, this.#session, this.#turns);
    this.#tables = {
      ...makeCommonTables(this.#session),
      files: makeSqliteFiles(this.#session, this.#transactions),
      outbox: makeOutboxTable(this.#session),
      holder: async (hash) => this.#holderOf(hash),
    };
    const folder = findDataFolder(location)?.folder ?? null;
    this.reserve = folder === null ? null : new Reserve(folder);
    this.#backup = folder === null ? null : new OnlineBackup(folder, db, this.#turns);
  }

  read<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#turns.take(() => work(this.#tables));
  }

  async write<T>(work: (tables: Tables) => Promise<T>, keep: (result: T) => boolean = () => true): Promise<T> {
    const runInTables = () => work(this.#tables);
    const result = await (this.#group === null
      ? this.#turns.take(() => this.#transactions.run(runInTables, keep))
      : this.#group.write(runInTables, keep));
    for (const listener of this.#listeners) listener();
    return result;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Runs a write that a power loss may undo. A power loss undoes no earlier write, because earlier
   * writes are in the journal.
   */
  async #unsynced<T>(work: () => Promise<T>): Promise<T> {
    this.#db.pragma("synchronous = NORMAL");
    try {
      return await this.#transactions.run(work);
    } finally {
      this.#db.pragma("synchronous = FULL");
    }
  }

  /**
   * Returns the holder of a key immediately, without waiting for other work on the connection. The
   * service calls this method for each request with a body, before the body is read. A wait would
   * delay the write of the request, and the write might miss the transaction in which other writes
   * are committed together.
   * RACE: an open transaction may have changed the key, and may still be rolled back. Therefore the
   * transaction of the request reads the key again.
   */
  async holder(hash: Buffer): Promise<KeyHolder | undefined> {
    return this.#holderOf(hash);
  }

  figures(): Promise<DatabaseFigures> {
    return this.#turns.take(async () => this.#session.oneNow(SELECT_FIGURES)!);
  }

  /** Returns the bytes of the whole database, with which `{ copy }` opens a store. */
  copy(): Promise<Uint8Array> {
    return this.#turns.take(async () => this.#db.serialize());
  }

  /** @throws for a database in memory, because it has no file */
  backup(): Promise<FinishedBackup> {
    if (this.#backup === null) throw new Error("a database in memory has no file to copy");
    return this.#backup.make();
  }

  async close(): Promise<void> {
    // ORDER: a running backup ends before the database closes, because closing changes the file
    // that the backup may still be copying.
    await this.#backup?.ended();
    await this.#turns.take(async () => this.#db.close());
    await this.#backup?.close();
  }

  /**
   * Runs one step of indexing. A power loss may undo the step, but the files of the step are then
   * still in the queue.
   */
  indexStep(most: "a-step" | "all"): Promise<"done" | "more"> {
    const cost = most === "all" ? Number.MAX_SAFE_INTEGER : MAX_STEP_COST;
    return this.#turns.take(async () =>
      this.#index.isUnfinished() ? this.#unsynced(async () => this.#index.update(cost)) : "done",
    );
  }
}

function readCursorSecret(session: SqliteSession, random: (bytes: number) => Uint8Array): Buffer {
  const storedSecret = session.oneNow(SELECT_META, "cursor-secret")?.value;
  if (storedSecret !== undefined) return storedSecret;
  const secret = Buffer.from(random(32));
  session.send(SET_META, "cursor-secret", secret);
  return secret;
}

const SELECT_KEY_BY_HASH = sql<KeyRow>`SELECT ${KEY_COLUMNS} FROM keys k WHERE k.hash = $1`;

/**
 * Returns a function that finds the holder of a key by the SHA-256 of the key. Every request calls
 * this function, which needs four reads. So the results are cached until the database changes.
 */
function makeHolderCache(transactions: Pick<Transactions, "version">, session: SqliteSession) {
  const cachedHolders = new Map<string, KeyHolder>();
  let cachedVersion = -1;
  return (hash: Buffer): KeyHolder | undefined => {
    const { version } = transactions;
    if (version === null) return readHolder(session, hash);
    if (cachedVersion !== version) cachedHolders.clear();
    cachedVersion = version;
    const name = hash.toString("latin1");
    const holder = cachedHolders.get(name) ?? readHolder(session, hash);
    if (holder !== undefined) cachedHolders.set(name, holder);
    return holder;
  };
}

function readHolder(session: SqliteSession, hash: Buffer): KeyHolder | undefined {
  const key = session.oneNow(SELECT_KEY_BY_HASH, hash);
  if (key === undefined) return undefined;
  const workspace = session.oneNow(WORKSPACE_BY_ID, key.workspaceId);
  const settings = readSettings(session.oneNow(SELECT_META, SETTINGS_NAME)?.value.toString());
  return { key, workspace, grants: session.allNow(SELECT_GRANTS_OF_KEYS, [key.seq]), settings };
}
