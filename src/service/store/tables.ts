import type { KeySet } from "../../markdown/search/keys.ts";
import type { AgeOrder, DocumentPage } from "../../markdown/search/source.ts";
import type { OutboxTable } from "../events/outbox.ts";
import { type FoundFile, filesTable } from "./files-table.ts";
import type { Figures, GrantRow, Holder } from "./rows.ts";
import { changesTable } from "./changes-table.ts";
import { foldersTable } from "./folders-table.ts";
import { grantsTable } from "./grants-table.ts";
import { keysTable } from "./keys-table.ts";
import { settingsTable } from "./settings-table.ts";
import { type Session, sql } from "./sql.ts";
import { workspacesTable } from "./workspaces-table.ts";

/** Tables as one transaction sees them; unusable after its end. */
export type Tables = CommonTables & {
  readonly search: Search;
  /** Table of changes for listeners. */
  readonly outbox: OutboxTable;
  /**
   * Returns the key with that hash and its access, as `Store.holder` does.
   * @param file id of the file that the request reads next; a store may look it up in the same
   * round trip
   */
  holder(hash: Buffer, file?: string): Promise<Holder | undefined>;
};

/** Files of a workspace that a key may read, below the folder `prefix`; null for anywhere. */
export type SearchScope = {
  readonly workspace: number;
  readonly prefix: string | null;
  /** Grants of the key; the nearest one above a file decides (see `Access`). */
  readonly grants: readonly GrantRow[];
};

/** Reads of a search in one workspace, in short calls; `src/markdown/search/` does the search. */
export type Search = {
  /** Returns written files that are not indexed yet, the newest write first; at most a limit. */
  waiting(workspace: number): Promise<readonly number[]>;
  /**
   * Returns a portion of candidates (see `Source.portion`). Some may be files that the key may not
   * read.
   */
  portion(scope: SearchScope, set: KeySet, order: AgeOrder, after: number | null): Promise<DocumentPage>;
  /** Returns those of the documents that are in the scope now, in the same order. */
  read(scope: SearchScope, documents: readonly number[]): Promise<readonly FoundFile[]>;
};

export const FIGURES = sql<Figures>(
  "figures",
  ({ size }) =>
    `SELECT (SELECT count(*) FROM files) AS documents, (SELECT count(*) FROM search_queue) AS indexing,
       ${size} AS bytes`,
);

/** Tables whose statements are the same on each kind of database. */
type CommonTables = ReturnType<typeof commonTables>;

/**
 * Returns the tables of a connection.
 * @param noteAccess records in the outbox that the grants of a key changed
 */
export function commonTables(session: Session, noteAccess: (key: number) => void) {
  return {
    files: filesTable(session),
    folders: foldersTable(session),
    changes: changesTable(session),
    workspaces: workspacesTable(session),
    keys: keysTable(session),
    grants: grantsTable(session, noteAccess),
    settings: settingsTable(session),
    /**
     * Locks the structure of a workspace until the end of the transaction. Until then, other
     * transactions cannot create files, create, move, rename or remove folders, move files, or set
     * grants.
     */
    lockStructure: async (workspace: number) => session.lock("structure", workspace),
    /**
     * Prevents other transactions from putting anything into the folder at `path`, or below, until
     * the end of the transaction.
     */
    lockTree: async (workspace: number, path: string) => session.lock("tree", workspace, path),
  };
}
