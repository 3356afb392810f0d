import type { OutboxTable } from "../events/outbox.ts";
import { makeFilesTable } from "./files-table.ts";
import type { DatabaseFigures, KeyHolder } from "./rows.ts";
import { makeChangesTable } from "./changes-table.ts";
import { makeFoldersTable } from "./folders-table.ts";
import { makeGrantsTable, makeKeysTable } from "./keys-table.ts";
import { makeSettingsTable } from "./meta-table.ts";
import { type Session, sql } from "./sql.ts";
import { makeWorkspacesTable } from "./workspaces-table.ts";

/** The tables in one transaction, which must not be used after the transaction has ended. */
export type Tables = CommonTables & {
  readonly outbox: OutboxTable;
  /**
   * Returns the holder of a key by the SHA-256 of the key; undefined for an unknown key.
   * @param file id of the file that the request reads next. A store may read this file in the same
   * round trip to the database
   */
  holder(hash: Buffer, file?: string): Promise<KeyHolder | undefined>;
};

const DATABASE_SIZE = {
  sqlite: "(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())",
  postgres: "pg_database_size(current_database())",
};

export const SELECT_FIGURES = sql<DatabaseFigures>`SELECT (SELECT count(*) FROM files) AS documents,
  (SELECT count(*) FROM search_queue) AS indexing, ${DATABASE_SIZE} AS bytes`;

type CommonTables = ReturnType<typeof makeCommonTables>;

export function makeCommonTables(session: Session) {
  return {
    files: makeFilesTable(session),
    folders: makeFoldersTable(session),
    changes: makeChangesTable(session),
    workspaces: makeWorkspacesTable(session),
    keys: makeKeysTable(session),
    grants: makeGrantsTable(session),
    settings: makeSettingsTable(session),
    /**
     * Locks the folder tree of a workspace until the end of the transaction. Meanwhile, no other
     * transaction can create or move files, change folders, or set grants in the workspace.
     */
    lockStructure: async (workspace: number) => session.lock("structure", workspace),
    /**
     * Locks the folder at `path`, and the folders below it, until the end of the transaction.
     * Meanwhile, no other transaction can create anything in these folders, or move anything into
     * them.
     */
    lockTree: async (workspace: number, path: string) => session.lock("tree", workspace, path),
  };
}
