import { isWithin, type LockName, type Sql, sql } from "../sql.ts";

/**
 * Locks of a write, always taken in this order, so that no two writes wait for each other:
 * 1. The folder tree of the workspace. Creating files (`create_file`) shares this lock. Writes that
 * create, move, rename or remove folders, move files, or set grants take it alone. The server
 * grants advisory locks in the order of requests, so a change of a folder does not wait for ever
 * while files are created all the time.
 * 2. The rows of the files that are changed or removed, in the order of their row numbers. An edit
 * needs only this lock, so it waits only for another edit of the same document.
 *
 * The server finds other deadlocks (40P01), such as two moves to each other's paths. The work then
 * runs again.
 */
export const STRUCTURE_LOCK = 721_490_623;

/** Statements that only take a lock, so that the next statement reads the rows after the lock. */
export const LOCKS: Readonly<Record<LockName, readonly Sql<never>[]>> = {
  structure: [sql`SELECT pg_advisory_xact_lock(${STRUCTURE_LOCK}, $1::integer)`],
  tree: [
    sql`SELECT 1 FROM files x WHERE x.workspace = $1
        AND x.above IN (SELECT seq FROM folders WHERE workspace = $1 AND ${isWithin("path", "$2")})
      ORDER BY x.seq FOR NO KEY UPDATE`,
  ],
  file: [sql`SELECT 1 FROM files WHERE workspace = $1 AND id = $2 FOR NO KEY UPDATE`],
  fileOf: [sql`SELECT 1 FROM files WHERE seq = (SELECT file FROM changes WHERE id = $1) FOR NO KEY UPDATE`],
  workspace: [
    // Prevents other transactions from inserting folders into the workspace.
    sql`SELECT 1 FROM workspaces WHERE seq = $1 FOR UPDATE`,
    sql`SELECT 1 FROM files WHERE workspace = $1 ORDER BY seq FOR UPDATE`,
  ],
  // In a fixed order, because several processes save the uses of keys at about the same time.
  keys: [sql`SELECT 1 FROM keys WHERE seq = ANY($1::bigint[]) ORDER BY seq FOR NO KEY UPDATE`],
  settings: [sql`SELECT 1 FROM meta WHERE name = 'settings' FOR UPDATE`],
};
