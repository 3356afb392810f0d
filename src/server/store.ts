import { ChangesTable } from "./changes-table.ts";
import { boundJournal, type DatabaseLocation, type Db, openDatabase, Transactions } from "./database.ts";
import { FilesTable } from "./files-table.ts";
import { FoldersTable } from "./folders-table.ts";
import { GrantsTable } from "./grants-table.ts";
import { Holders } from "./holders.ts";
import { KeysTable } from "./keys-table.ts";
import { Reserve } from "./reserve.ts";
import { SearchIndex } from "./search-index.ts";
import { SettingsTable } from "./settings.ts";
import { WorkspacesTable } from "./workspaces-table.ts";

/** An open database: its tables, its transactions, and the disk space that is reserved for it. */
export class Store {
  readonly files: FilesTable;
  readonly folders: FoldersTable;
  readonly changes: ChangesTable;
  readonly workspaces: WorkspacesTable;
  readonly keys: KeysTable;
  readonly grants: GrantsTable;
  readonly holders: Holders;
  readonly search: SearchIndex;
  readonly settings: SettingsTable;
  readonly reserve: Reserve;
  /** The secret of this database, made once, with which cursors are encrypted. */
  readonly cursorSecret: Buffer;
  readonly #db: Db;
  readonly #transactions: Transactions;

  /**
   * @param random bytes for the secret of a new database
   * @throws as `openDatabase`
   */
  constructor(location: DatabaseLocation, random: (bytes: number) => Uint8Array) {
    const db = openDatabase(location);
    this.#db = db;
    this.#transactions = new Transactions(db);
    this.cursorSecret = cursorSecretOf(db, random);
    this.files = new FilesTable(db);
    this.folders = new FoldersTable(db);
    this.changes = new ChangesTable(db);
    this.workspaces = new WorkspacesTable(db);
    this.keys = new KeysTable(db);
    this.grants = new GrantsTable(db);
    this.holders = new Holders(db, this.keys, this.workspaces);
    this.search = new SearchIndex(db);
    this.settings = new SettingsTable(db);
    const folder = typeof location === "object" && "folder" in location ? location.folder : null;
    // The size of the journal depends on the reserve.
    this.reserve = new Reserve(folder, { onHold: (bytes) => boundJournal(db, bytes) });
  }

  figures(): { readonly documents: number; readonly indexing: number } {
    const sql = "SELECT (SELECT count(*) FROM files) AS documents, (SELECT count(*) FROM search_queue) AS indexing";
    return this.#db.prepare<[], { documents: number; indexing: number }>(sql).get()!;
  }

  /**
   * Runs `work` in one transaction (a savepoint within another); rolled back when it throws, or
   * when `keep` refuses its result.
   */
  transact<T>(work: () => T, keep: (result: T) => boolean = () => true): T {
    return this.#transactions.run(work, keep);
  }

  /**
   * One transaction for data that can be rebuilt (the index): whole or not at all like any other,
   * but a power cut may undo it. What was acknowledged before stays, because the journal is in
   * order.
   */
  transactUnsynced<T>(work: () => T): T {
    // Within a transaction, the outer one decides.
    if (this.#db.inTransaction) return this.transact(work);
    this.#db.pragma("synchronous = NORMAL");
    try {
      return this.transact(work);
    } finally {
      this.#db.pragma("synchronous = FULL");
    }
  }

  /** The whole database as it is between two transactions. */
  copy(): Uint8Array {
    return this.#db.serialize();
  }

  close(): void {
    this.#db.close();
  }
}

function cursorSecretOf(db: Db, random: (bytes: number) => Uint8Array): Buffer {
  const read = db.prepare<[], { value: Buffer }>("SELECT value FROM meta WHERE name = 'cursor-secret'");
  const known = read.get();
  if (known !== undefined) return known.value;
  const secret = Buffer.from(random(32));
  db.prepare("INSERT INTO meta (name, value) VALUES ('cursor-secret', ?)").run(secret);
  return secret;
}
