import { type ChangesTable, changesTable } from "./changes-table.ts";
import { boundJournal, type DatabaseLocation, type Db, openDatabase, type Transact, transactions } from "./database.ts";
import { type FilesTable, filesTable } from "./files-table.ts";
import { type FoldersTable, foldersTable } from "./folders-table.ts";
import { type GrantsTable, grantsTable } from "./grants-table.ts";
import { type KeysTable, keysTable } from "./keys-table.ts";
import { type Reserve, reserveIn } from "./reserve.ts";
import { type SearchIndex, searchIndex } from "./search-index.ts";
import { type SettingsTable, settingsTable } from "./settings.ts";

export type Store = {
  readonly files: FilesTable;
  readonly folders: FoldersTable;
  readonly changes: ChangesTable;
  readonly keys: KeysTable;
  readonly grants: GrantsTable;
  readonly search: SearchIndex;
  readonly settings: SettingsTable;
  readonly reserve: Reserve;
  readonly transact: Transact;
  /**
   * One transaction for what can be made again (the index): whole or not at all like any other, but
   * a power cut may take it. What was acknowledged before it stays: the journal is in order.
   */
  transactUnsynced<T>(work: () => T): T;
  /** A secret of this database, made once: what cursors are sealed with. */
  readonly cursorSecret: Buffer;
  /** The whole database as it is between two transactions. */
  copy(): Uint8Array;
  close(): void;
};

/**
 * @param random bytes for the secret of a new database
 * @throws as `openDatabase`
 */
export function openStore(location: DatabaseLocation, random: (bytes: number) => Uint8Array): Store {
  const db = openDatabase(location);
  const read = db.prepare<[], { value: Buffer }>("SELECT value FROM meta WHERE name = 'cursor-secret'");
  if (read.get() === undefined) {
    db.prepare("INSERT INTO meta (name, value) VALUES ('cursor-secret', ?)").run(Buffer.from(random(32)));
  }
  const transact = transactions(db);
  return {
    files: filesTable(db),
    folders: foldersTable(db),
    changes: changesTable(db),
    keys: keysTable(db),
    grants: grantsTable(db),
    search: searchIndex(db),
    settings: settingsTable(db),
    reserve: reserveFor(db, location),
    transact,
    transactUnsynced: (work) => {
      // Within a transaction its own end decides.
      if (db.inTransaction) return transact(work, () => true);
      db.pragma("synchronous = NORMAL");
      try {
        return transact(work, () => true);
      } finally {
        db.pragma("synchronous = FULL");
      }
    },
    cursorSecret: read.get()!.value,
    copy: () => db.serialize(),
    close: () => void db.close(),
  };
}

/** The journal is bounded by what is held. */
function reserveFor(db: Db, location: DatabaseLocation): Reserve {
  const reserve = reserveIn(typeof location === "object" && "folder" in location ? location.folder : null);
  const bound = () => {
    const held = reserve.bytes();
    if (held !== null && held > 0) boundJournal(db, held);
  };
  bound();
  return {
    ...reserve,
    hold: () => {
      reserve.hold();
      bound();
    },
  };
}
