import type { OutboxTable } from "../events/outbox.ts";
import { filesTable } from "./files-table.ts";
import type { Figures, Holder } from "./rows.ts";
import { changesTable } from "./changes-table.ts";
import { foldersTable } from "./folders-table.ts";
import { grantsTable } from "./grants-table.ts";
import { keysTable } from "./keys-table.ts";
import { settingsTable } from "./settings-table.ts";
import { type Session, sql } from "./sql.ts";
import { workspacesTable } from "./workspaces-table.ts";

/** Tables as one transaction sees them; unusable after its end. */
export type Tables = CommonTables & {
  /** Table of changes for listeners. */
  readonly outbox: OutboxTable;
  /**
   * Returns the key with that hash and its access, as `Store.holder` does.
   * @param file id of the file that the request reads next; a store may look it up in the same
   * round trip
   */
  holder(hash: Buffer, file?: string): Promise<Holder | undefined>;
};

/** Size of the database in bytes. */
const SIZE = {
  sqlite: "(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())",
  postgres: "pg_database_size(current_database())",
};

export const FIGURES = sql<Figures>`SELECT (SELECT count(*) FROM files) AS documents,
  (SELECT count(*) FROM search_queue) AS indexing, ${SIZE} AS bytes`;

/** Tables whose statements are the same on each kind of database. */
type CommonTables = ReturnType<typeof commonTables>;

/** Returns the tables of a connection. */
export function commonTables(session: Session) {
  return {
    files: filesTable(session),
    folders: foldersTable(session),
    changes: changesTable(session),
    workspaces: workspacesTable(session),
    keys: keysTable(session),
    grants: grantsTable(session),
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
