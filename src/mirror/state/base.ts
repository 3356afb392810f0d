import type { BaseTree } from "../model/tree.ts";
import { type DatabaseFault, type Db, faultOf, keepFewPages } from "./database.ts";
import { ConflictTable } from "./conflicts.ts";
import { HoldTable } from "./holds.ts";
import { findImpossible } from "./impossible.ts";
import { IntentTable } from "./journal.ts";
import { DirTable, LinkTable } from "./links.ts";
import { MetaTable } from "./meta.ts";
import { SpellingTable } from "./spellings.ts";
import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Tombstone } from "../model/link.ts";
import { WithStatements } from "./statement.ts";
import { upsert } from "./upsert.ts";

/** The tables that a pass uses. */
export function openBaseTables(db: Db) {
  return {
    links: new LinkTable(db),
    dirs: new DirTable(db),
    tombstones: new TombstoneTable(db),
    conflicts: new ConflictTable(db),
    holds: new HoldTable(db),
    intents: new IntentTable(db),
    spellings: new SpellingTable(db),
    meta: new MetaTable(db),
  };
}

export type BaseTables = ReturnType<typeof openBaseTables>;

/**
 * Reads all five within the caller's transaction, as of one moment, even while another process
 * writes.
 */
export function readBase(db: Db, { links, dirs, tombstones, conflicts, holds }: BaseTables): BaseTree {
  keepFewPages(db);
  return {
    links: links.load(),
    dirs: dirs.load(),
    tombstones: tombstones.load(),
    conflicts: conflicts.load(),
    holds: holds.load(),
  };
}

type Examined = { readonly kind: "sound"; readonly base: BaseTree } | Extract<DatabaseFault, { kind: "damaged" }>;

/** Reads all that a pass uses, and checks it row by row. */
export function examineBase(db: Db, tables: BaseTables): Examined {
  let detail: string | null;
  try {
    const base = readBase(db, tables);
    detail = findImpossible(base, tables.intents.all(), tables.meta.all());
    if (detail === null) return { kind: "sound", base };
  } catch (error) {
    const fault = faultOf(error);
    if (fault?.kind === "damaged") return fault;
    if (!(error instanceof SyntaxError)) throw error;
    detail = "a row of records, conflicts or intents contains invalid JSON";
  }
  return { kind: "damaged", detail };
}

type TombstoneRow = [DocId, string, string, ChangeId, Digest, string | null, number];

const COLUMNS = "id, local_path, remote_path, change_id, digest, trash_path, at";

class TombstoneTable extends WithStatements {
  readonly #all = this.sql<[], TombstoneRow>(`SELECT ${COLUMNS} FROM tombstones`, "raw");
  readonly #put = this.sql(upsert("tombstones", "id", COLUMNS.split(", ")));
  readonly #remove = this.sql<[DocId]>("DELETE FROM tombstones WHERE id = ?");

  load(): Map<DocId, Tombstone> {
    const tombstones = new Map<DocId, Tombstone>();
    for (const [id, localPath, remotePath, changeId, digest, trashPath, at] of this.#all.all()) {
      tombstones.set(id, { id, localPath, remotePath, changeId, digest, trashPath, at });
    }
    return tombstones;
  }

  put({ id, localPath, remotePath, changeId, digest, trashPath, at }: Tombstone): void {
    this.#put.run(id, localPath, remotePath, changeId, digest, trashPath, at);
  }

  remove(id: DocId): void {
    this.#remove.run(id);
  }
}
