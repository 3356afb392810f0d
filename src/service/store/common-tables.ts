import { ChangesTable } from "./changes-table.ts";
import { FilesTable } from "./files-table.ts";
import { FoldersTable } from "./folders-table.ts";
import { GrantsTable } from "./grants-table.ts";
import { KeysTable } from "./keys-table.ts";
import { SettingsTable } from "./settings-table.ts";
import type { Session } from "./sql.ts";
import type { Tables } from "./tables.ts";
import { WorkspacesTable } from "./workspaces-table.ts";

/** Tables whose statements are the same on each kind of database. */
export type CommonTables = Omit<Tables, "search" | "outbox" | "holder" | "nested">;

/**
 * Returns the tables of a connection.
 * @param noteAccess records in the outbox that the grants of a key changed
 */
export function commonTables(session: Session, noteAccess: (key: number) => void): CommonTables {
  return {
    files: new FilesTable(session),
    folders: new FoldersTable(session),
    changes: new ChangesTable(session),
    workspaces: new WorkspacesTable(session),
    keys: new KeysTable(session),
    grants: new GrantsTable(session, noteAccess),
    settings: new SettingsTable(session),
    lockStructure: async (workspace) => session.locks?.structure(workspace),
    lockTree: async (workspace, path) => session.locks?.tree(workspace, path),
  };
}
