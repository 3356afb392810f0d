import { changesTable } from "./changes-table.ts";
import { filesTable } from "./files-table.ts";
import { foldersTable } from "./folders-table.ts";
import { grantsTable } from "./grants-table.ts";
import { keysTable } from "./keys-table.ts";
import { settingsTable } from "./settings-table.ts";
import { type Session, sql } from "./sql.ts";
import type { Figures } from "./store.ts";
import type { Tables } from "./tables.ts";
import { workspacesTable } from "./workspaces-table.ts";

export const FIGURES = sql<Figures>(
  "figures",
  "SELECT (SELECT count(*) FROM files) AS documents, (SELECT count(*) FROM search_queue) AS indexing",
);

/** Tables whose statements are the same on each kind of database. */
type CommonTables = Omit<Tables, "search" | "outbox" | "holder" | "nested">;

/**
 * Returns the tables of a connection.
 * @param noteAccess records in the outbox that the grants of a key changed
 */
export function commonTables(session: Session, noteAccess: (key: number) => void): CommonTables {
  return {
    files: filesTable(session),
    folders: foldersTable(session),
    changes: changesTable(session),
    workspaces: workspacesTable(session),
    keys: keysTable(session),
    grants: grantsTable(session, noteAccess),
    settings: settingsTable(session),
    lockStructure: async (workspace) => session.locks?.structure(workspace),
    lockTree: async (workspace, path) => session.locks?.tree(workspace, path),
  };
}
