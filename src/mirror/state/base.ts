import type { BaseTree } from "../model/tree.ts";
import { type DatabaseFault, limitPageCache, type SqliteDatabase, toDatabaseFault } from "./database.ts";
import { describeImpossibleRow, findImpossibleRow, isPossibleRecord } from "./impossible.ts";
import { FolderTable, RecordTable } from "./records.ts";
import { SpellingTable } from "./spellings.ts";
import type { DocId } from "../../contract/ids.ts";
import { type LocalPath, rebase } from "../../contract/path.ts";
import type { Block, Conflict, DocumentRecord, Stamp, Tombstone } from "../model/record.ts";
import { KeyedTable, TableColumns, TableWithStatements } from "./table.ts";
import type { Intent, OpenIntent } from "../ports/state.ts";

export function openBaseTables(db: SqliteDatabase) {
  return {
    records: new RecordTable(db),
    dirs: new FolderTable(db),
    tombstones: new KeyedTable<Tombstone, "id">(db, TOMBSTONE_TABLE),
    conflicts: new ConflictTable(db),
    blocks: new BlockTable(db),
    intents: new IntentTable(db),
    spellings: new SpellingTable(db),
    meta: new MetaTable(db),
  };
}

type BaseTables = ReturnType<typeof openBaseTables>;

/**
 * Reads all five tables of base within the caller's transaction, so that the rows belong together
 * even if another process writes at the same time.
 * @param take receives each record; the result then contains no records
 */
export function readBase(
  db: SqliteDatabase,
  { records: table, dirs, tombstones, conflicts, blocks }: BaseTables,
  take?: (record: DocumentRecord) => void,
): BaseTree {
  limitPageCache(db);
  const records = new Map<DocId, DocumentRecord>();
  for (const record of table.all())
    if (take === undefined) records.set(record.id, record);
    else take(record);
  return {
    records,
    dirs: dirs.load(),
    tombstones: tombstones.load(),
    conflicts: conflicts.load(),
    blocks: blocks.load(),
  };
}

export function findDamage(db: SqliteDatabase, tables: BaseTables): Extract<DatabaseFault, { kind: "damaged" }> | null {
  let detail: string | null;
  try {
    let isSound = true;
    const base = readBase(db, tables, (record) => {
      isSound &&= isPossibleRecord(record);
    });
    detail = isSound
      ? findImpossibleRow(base, tables.intents.all(), tables.meta.all())
      : describeImpossibleRow("records");
    if (detail === null) return null;
  } catch (error) {
    const fault = toDatabaseFault(error);
    if (fault?.kind === "damaged") return fault;
    if (!(error instanceof SyntaxError)) throw error;
    detail = "a row of records, conflicts or intents contains invalid JSON";
  }
  return { kind: "damaged", detail };
}

const TOMBSTONE_TABLE = {
  table: "tombstones",
  key: "id",
  columns: new TableColumns<keyof Tombstone>([
    "id",
    "localPath",
    "remotePath",
    "changeId",
    "digest",
    "trashPath",
    "at",
  ]),
} as const;

const CONFLICT_COLUMNS = new TableColumns<keyof Conflict>(
  ["id", "baseDigest", "baseChangeId", "newestCopyPath", "shown", "looksGone", "since"],
  { newestCopyPath: "conflict_copy_path" },
);

class ConflictTable extends KeyedTable<Conflict, "id"> {
  readonly #ofOther = this.sql<[LocalPath, DocId], { readonly found: 0 | 1 }>(
    "SELECT EXISTS (SELECT 1 FROM conflicts WHERE conflict_copy_path = ? AND id <> ?) AS found",
  );
  readonly #inodeOfOther = this.sql<
    [DocId, number, number],
    { readonly found: 0 | 1 }
  >(`SELECT EXISTS (SELECT 1 FROM conflicts, json_each(shown) AS version
     WHERE conflicts.id <> ? AND version.value ->> 'dev' = ? AND version.value ->> 'ino' = ?) AS found`);

  constructor(db: SqliteDatabase) {
    super(db, { table: "conflicts", key: "id", columns: CONFLICT_COLUMNS, json: ["shown"] });
  }

  isCopyOfOther(id: DocId, path: LocalPath): boolean {
    return this.#ofOther.get(path, id)?.found === 1;
  }

  isCopyInodeOfOther(id: DocId, { dev, ino }: Pick<Stamp, "dev" | "ino">): boolean {
    return this.#inodeOfOther.get(id, dev, ino)?.found === 1;
  }
}

export class MetaTable extends TableWithStatements {
  readonly #all = this.sql<[], [key: string, value: string]>("SELECT key, value FROM meta", "raw");
  readonly #get = this.sql<[string], string>("SELECT value FROM meta WHERE key = ?", "pluck");
  readonly #set = this.sql<[string, string]>(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
  );
  readonly #remove = this.sql<[string]>("DELETE FROM meta WHERE key = ?");

  all(): [key: string, value: string][] {
    return this.#all.all();
  }

  get(key: string): string | null {
    return this.#get.get(key) ?? null;
  }

  /** Stores a value; null removes the key. */
  set(key: string, value: string | null): void {
    if (value === null) this.#remove.run(key);
    else this.#set.run(key, value);
  }
}

/** The journal: effects that are not concluded yet, as JSON. */
export class IntentTable extends TableWithStatements {
  readonly #all = this.sql<[], { intent_id: number; run: number; intent: string }>(
    "SELECT intent_id, run, intent FROM intents ORDER BY intent_id",
  );
  readonly #insert = this.sql<[number, string]>("INSERT INTO intents (run, intent) VALUES (?, ?)");
  readonly #remove = this.sql<[number]>("DELETE FROM intents WHERE intent_id = ?");

  /** Returns the id of the journal row, for `close`. */
  open(run: number, intent: Intent): number {
    return Number(this.#insert.run(run, JSON.stringify(intent)).lastInsertRowid);
  }

  close(intentId: number): void {
    this.#remove.run(intentId);
  }

  all(): OpenIntent[] {
    return this.#all.all().map((row) => ({
      intentId: row.intent_id,
      run: row.run,
      intent: JSON.parse(row.intent) as Intent,
    }));
  }
}

const BLOCK_MEMBERS = [
  "key",
  "path",
  "reason",
  "code",
  "detail",
  "requestId",
  "digest",
  "changeId",
  "since",
] as const satisfies readonly (keyof Block)[];

export class BlockTable extends KeyedTable<Block, "key"> {
  constructor(db: SqliteDatabase) {
    super(db, { table: "blocked", key: "key", columns: new TableColumns(BLOCK_MEMBERS) });
  }

  /**
   * Replaces all blocks, in the caller's transaction. If two blocks concern one document, folder or
   * path, only the last block is stored.
   */
  replace(blocks: readonly Block[]): void {
    const storedBlocks = this.load();
    const newBlocks = new Map(blocks.map((block) => [block.key, block]));
    for (const key of storedBlocks.keys()) if (!newBlocks.has(key)) this.remove(key);
    for (const block of newBlocks.values()) {
      const storedBlock = storedBlocks.get(block.key);
      const blockedSince =
        storedBlock?.reason === block.reason && storedBlock.detail === block.detail ? storedBlock.since : block.since;
      const blockToStore = { ...block, since: blockedSince };
      if (storedBlock === undefined || !areBlocksEqual(storedBlock, blockToStore)) this.put(blockToStore);
    }
  }

  /**
   * Rewrites the paths of blocks at and below `from`, in the caller's transaction.
   * ORDER: all these blocks are removed, then stored with their new paths, because a new key may
   * equal the old key of another block.
   */
  moveSubtree(from: string, to: string): void {
    const movedBlocks = [...this.load().values()].filter(({ path }) => path === from || path.startsWith(`${from}/`));
    for (const block of movedBlocks) this.remove(block.key);
    for (const block of movedBlocks) {
      const newPath = rebase(block.path, from, to);
      this.put({ ...block, path: newPath, key: block.key === block.path ? newPath : block.key });
    }
  }
}

function areBlocksEqual(a: Block, b: Block): boolean {
  return BLOCK_MEMBERS.every((member) => a[member] === b[member]);
}
