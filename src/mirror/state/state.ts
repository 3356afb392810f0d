import type { Digest } from "../../contract/digest.ts";
import type { State } from "../ports/state.ts";
import type { Clock } from "../../common/clock.ts";
import { type BlockTable, findDamage, openBaseTables, readBase } from "./base.ts";
import { type DatabaseFault, MAX_WAL_BYTES, type SqliteDatabase, withSynchronous } from "./database.ts";
import { EventTable, RunTable, VersionTable } from "./history.ts";
import { type PrunedCounts, pruneState, ReferencedContents, type RetentionLimits } from "./retention.ts";
import { makeAtOrBelowCondition, makeMovedPath, makeRange, TableWithStatements } from "./table.ts";
import { readWalSize } from "./own-database.ts";
import { ContentStore } from "./texts.ts";
import { Statement } from "../../common/statement.ts";

type OpenDatabases = {
  readonly state: SqliteDatabase;
  readonly texts: SqliteDatabase;
  readonly clock: Clock;
  readonly close: () => void;
  readonly onDamage?: () => void;
};

/**
 * The state: `state.db` and the content store `texts.db`. Each statement is prepared at its first
 * use, and kept until the connection closes.
 */
export class StoredState extends TableWithStatements implements State {
  readonly #tables = openBaseTables(this.db);
  readonly #subtrees = new SubtreeMoves(this.db, this.#tables.blocks);
  readonly #versions = new VersionTable(this.db);
  readonly #events = new EventTable(this.db);
  readonly #runs = new RunTable(this.db);
  readonly #referenced = new ReferencedContents(this.db);
  readonly #texts: ContentStore;
  readonly #transactions: Transactions;
  /**
   * Deletes old rows and contents. The caller calls `prune` about once a day, between two cycles.
   */
  readonly prune: (now: number, retention: RetentionLimits) => PrunedCounts;
  readonly close: () => void;

  constructor({ state, texts, clock, close, onDamage }: OpenDatabases) {
    super(state);
    this.#texts = new ContentStore(texts, clock, onDamage);
    this.#transactions = new Transactions(state, this.#texts);
    const prunable = { state, texts, store: this.#texts, meta: this.#tables.meta, referenced: this.#referenced };
    this.prune = (now, retention) => pruneState(prunable, now, retention);
    this.close = close;
  }

  readonly transact: State["transact"] = (work) => this.#transactions.run(work);

  readonly transactSafely: State["transactSafely"] = (work) => {
    // ORDER: contents are flushed before rows. After a power loss, no row may refer to lost
    // content.
    this.#texts.secure();
    return this.#transactions.runSafely(work);
  };

  get spellings(): State["spellings"] {
    return this.#tables.spellings;
  }

  readonly load: State["load"] = (take) => this.transact(() => readBase(this.db, this.#tables, take));

  /**
   * Returns a fault if a row that a cycle uses has a value that mdmirror never writes; otherwise
   * null.
   */
  findDamage(): Extract<DatabaseFault, { kind: "damaged" }> | null {
    return this.transact(() => findDamage(this.db, this.#tables));
  }

  readonly record: State["record"] = (id) => this.#tables.records.get(id);
  readonly recordsAt: State["recordsAt"] = (path) => this.#tables.records.atPath(path);
  readonly documentsIn: State["documentsIn"] = (...args) => this.#tables.records.inFolder(...args);
  readonly localPaths: State["localPaths"] = () => this.#tables.records.localPaths();
  readonly hasInode: State["hasInode"] = (dev, ino) => this.#tables.records.hasInode(dev, ino);
  readonly putRecord: State["putRecord"] = (record) => this.#tables.records.put(record);
  readonly removeRecord: State["removeRecord"] = (id) => this.#tables.records.remove(id);
  readonly setDurable: State["setDurable"] = (id, path) => this.#tables.records.setDurable(id, path);

  readonly dir: State["dir"] = (id) => this.#tables.dirs.get(id);
  readonly foldersAt: State["foldersAt"] = (path) => this.#tables.dirs.allAtPath(path);
  readonly dirAt: State["dirAt"] = (path) => this.#tables.dirs.atPath(path);
  readonly putDir: State["putDir"] = (dir) => this.#tables.dirs.put(dir);
  readonly removeDir: State["removeDir"] = (id) => this.#tables.dirs.remove(id);

  readonly moveSubtree: State["moveSubtree"] = (side, from, to) => {
    if (from === "" || to === "") throw new RangeError("the root is not moved");
    this.transact(() => this.#subtrees.move(side, from, to));
  };

  readonly moveMembers: State["moveMembers"] = (side, from, to, within) => {
    if (from === "" || to === "" || within === "") throw new RangeError("the root is not moved");
    this.transact(() => this.#subtrees.moveMembers(side, from, to, within));
  };

  readonly tombstone: State["tombstone"] = (id) => this.#tables.tombstones.get(id);
  readonly putTombstone: State["putTombstone"] = (tombstone) => this.#tables.tombstones.put(tombstone);
  readonly removeTombstone: State["removeTombstone"] = (id) => this.#tables.tombstones.remove(id);

  readonly conflict: State["conflict"] = (id) => this.#tables.conflicts.get(id);
  readonly isCopyOfOther: State["isCopyOfOther"] = (id, path) => this.#tables.conflicts.isCopyOfOther(id, path);
  readonly isCopyInodeOfOther: State["isCopyInodeOfOther"] = (...copy) =>
    this.#tables.conflicts.isCopyInodeOfOther(...copy);
  readonly putConflict: State["putConflict"] = (conflict) => this.#tables.conflicts.put(conflict);
  readonly removeConflict: State["removeConflict"] = (id) => this.#tables.conflicts.remove(id);

  readonly blocks: State["blocks"] = () => [...this.#tables.blocks.load().values()];
  readonly putBlock: State["putBlock"] = (block) => this.#tables.blocks.put(block);
  readonly removeBlock: State["removeBlock"] = (key) => this.#tables.blocks.remove(key);
  readonly replaceBlocks: State["replaceBlocks"] = (blocks) => this.transact(() => this.#tables.blocks.replace(blocks));

  readonly openIntent: State["openIntent"] = (run, intent) => this.#tables.intents.open(run, intent);
  readonly removeIntent: State["removeIntent"] = (id) => this.#tables.intents.close(id);
  readonly intents: State["intents"] = () => this.#tables.intents.all();

  readonly putText: State["putText"] = (text, origin) => this.#texts.put(text, origin);
  readonly putKnownText: State["putKnownText"] = (digest, text, origin) => this.#texts.putKnown(digest, text, origin);
  readonly text: State["text"] = (digest) => this.#texts.get(digest);
  readonly hasText: State["hasText"] = (digest) => this.#texts.has(digest);
  readonly secureTexts: State["secureTexts"] = (digest) => this.#texts.secure(digest);
  readonly storedOrigins: State["storedOrigins"] = (wanted) => this.#texts.storedOrigins(wanted);
  readonly digests = (): Digest[] => this.#texts.digests();
  /**
   * Returns the digests of contents to which records refer (base contents and local contents), but
   * that are missing in the content store. Such digests exist only if `texts.db` was lost or
   * damaged.
   */
  readonly missingTexts = (): Digest[] => this.#referenced.bases().filter((digest) => this.text(digest) === null);

  readonly addVersion: State["addVersion"] = (version) => this.#versions.add(version);
  readonly versions: State["versions"] = (id) => this.#versions.ofDocument(id);
  readonly isEarlier: State["isEarlier"] = (id, changeId, than) => this.#versions.isEarlier(id, changeId, than);

  readonly meta: State["meta"] = (key) => this.#tables.meta.get(key);
  readonly setMeta: State["setMeta"] = (key, value) => this.#tables.meta.set(key, value);

  readonly beginRun: State["beginRun"] = (kind, startedAt) => this.#runs.begin(kind, startedAt);
  readonly endRun: State["endRun"] = (run, endedAt, summary) => this.#runs.end(run, endedAt, summary);
  readonly runs: State["runs"] = (limit) => this.#runs.newest(limit);
  readonly recordEvent: State["recordEvent"] = (event) => this.#events.record(event);
  readonly events: State["events"] = (query) => this.#events.find(query);
  readonly lossesAfter: State["lossesAfter"] = (side, run) => this.#events.lossesAfter(side, run);
}

type ContentTransactions = Pick<ContentStore, "begin" | "commit" | "abandon" | "secure">;

/**
 * Transactions of the state. Contents are committed before the rows that refer to them, and are
 * never rolled back.
 */
export class Transactions extends TableWithStatements {
  readonly #texts: ContentTransactions;
  readonly #isReadOnly = this.db.readonly || this.db.pragma("query_only", { simple: true }) === 1;
  readonly #inTransaction = this.db.transaction((work: () => unknown) => work());

  constructor(db: SqliteDatabase, texts: ContentTransactions) {
    super(db);
    this.#texts = texts;
    // An automatic checkpoint could flush rows before the contents to which these rows refer.
    db.pragma("wal_autocheckpoint = 0");
  }

  /**
   * Runs `work` in one transaction. Within another transaction, uses a savepoint: if `work` throws,
   * only its own changes are undone.
   * @throws exceptions of `work`, after its changes are undone
   */
  run<T>(work: () => T): T {
    return this.db.inTransaction ? (this.#inTransaction(work) as T) : this.#outermost(work);
  }

  /**
   * Runs `work` as `run` does. If `work` writes anything, also flushes everything that was
   * committed so far, by an fsync. Not allowed within another transaction.
   */
  runSafely<T>(work: () => T): T {
    if (this.db.inTransaction) throw new Error("a part of a transaction cannot be made safe by itself");
    return withSynchronous(this.db, "FULL", () => this.#outermost(work));
  }

  /**
   * Writes a large WAL back to the database file.
   * ORDER: the WAL of the contents comes first, then that of the rows. Writing a WAL back also
   * flushes the commits, and after a power loss no row may refer to lost content.
   */
  #writeBack(): void {
    if (this.db.memory || this.db.readonly) return;
    if (readWalSize(this.db.name) < MAX_WAL_BYTES) return;
    this.#texts.secure();
    this.db.pragma("main.wal_checkpoint(PASSIVE)");
  }

  #outermost<T>(work: () => T): T {
    this.#writeBack();
    const runTransaction = this.#isReadOnly ? this.#inTransaction : this.#inTransaction.immediate;
    let isCommitted = false;
    try {
      const result = runTransaction(() => {
        this.#texts.begin();
        const workResult = work();
        // ORDER: contents are committed before rows. If the process is killed between the two
        // commits, some contents have no row that refers to them.
        this.#texts.commit();
        return workResult;
      });
      isCommitted = true;
      return result as T;
    } finally {
      if (!isCommitted) this.#texts.abandon();
    }
  }
}

type TreeSide = "local" | "remote";
/**
 * A column with paths of one side. `other`: the column of the same row with the path on the other
 * side.
 */
type PathColumn = { readonly table: string; readonly column: string; readonly other: string };

/**
 * ORDER: conflict copies come before records, because a copy's row is selected by the old path of
 * its record.
 */
const PATH_COLUMNS: Readonly<Record<TreeSide, readonly PathColumn[]>> = {
  local: [
    {
      table: "conflicts",
      column: "conflict_copy_path",
      other: "(SELECT remote_path FROM records WHERE records.id = conflicts.id)",
    },
    { table: "records", column: "local_path", other: "remote_path" },
    { table: "dirs", column: "local_path", other: "remote_path" },
  ],
  remote: [
    { table: "records", column: "remote_path", other: "local_path" },
    { table: "dirs", column: "remote_path", other: "local_path" },
  ],
};
/**
 * Tombstones have no path on the other side, and get new paths only if all rows below the folder
 * do.
 */
const TOMBSTONE_PATHS = { table: "tombstones", column: "local_path" } as const;

/**
 * Rewrites the paths of a moved folder and everything below it, within the caller's transaction.
 */
class SubtreeMoves {
  readonly #blocks: BlockTable;
  readonly #whole;
  readonly #members;

  constructor(db: SqliteDatabase, blocks: BlockTable) {
    this.#blocks = blocks;
    this.#whole = {
      local: [...PATH_COLUMNS.local, TOMBSTONE_PATHS].map((column) => prepareMove(db, column)),
      remote: PATH_COLUMNS.remote.map((column) => prepareMove(db, column)),
    };
    this.#members = {
      local: PATH_COLUMNS.local.map((column) => prepareMove(db, column, column.other)),
      remote: PATH_COLUMNS.remote.map((column) => prepareMove(db, column, column.other)),
    };
  }

  /** Rewrites the paths of all rows at or below `from`, including blocks. */
  move(side: TreeSide, from: string, to: string): void {
    for (const statement of this.#whole[side]) statement.run({ to, ...makeRange("from", from) });
    if (side === "local") this.#blocks.moveSubtree(from, to);
  }

  moveMembers(side: TreeSide, from: string, to: string, within: string): void {
    const parameters = { to, ...makeRange("from", from), ...makeRange("within", within) };
    for (const statement of this.#members[side]) statement.run(parameters);
  }
}

/**
 * Returns the statement that rewrites the paths in a column.
 * @param other SQL of the path on the other side, which must be at or below `within`; undefined to
 * rewrite all rows
 */
function prepareMove(db: SqliteDatabase, { table, column }: Pick<PathColumn, "table" | "column">, other?: string) {
  const conditions = [
    makeAtOrBelowCondition(column, "from"),
    ...(other === undefined ? [] : [makeAtOrBelowCondition(other, "within")]),
  ];
  return new Statement<Record<string, string>>(
    db,
    `UPDATE ${table} SET ${column} = ${makeMovedPath(column)} WHERE ${conditions.join(" AND ")}`,
  );
}
