import { isWithin, type LockName, type Sql, sql } from "../sql.ts";

/**
 * Locks of a write. Every write takes them in this order, so that no two writes wait for each
 * other:
 * 1. The folder tree of the workspace. Requests that create files (`create_file`) can have this
 * lock at the same time. A request that creates, moves, renames or removes folders, moves files, or
 * sets grants has it alone. The server grants the lock in the order of requests. So a change of a
 * folder is not delayed forever by many new files.
 * 2. The rows of the files that are changed or removed, in the order of their row numbers. An edit
 * takes only this lock, so it waits only for another edit of the same document.
 *
 * Other deadlocks are possible, such as two moves to each other's paths. The server reports them
 * (40P01), and the work runs again.
 */
export const STRUCTURE_LOCK = 721_490_623;

/**
 * Statements whose only purpose is to take a lock. The next statement then sees all changes that
 * were committed before the lock was taken.
 */
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
  // The rows are locked in the order of their numbers. Several processes save times of use at about
  // the same moment; in another order, they could wait for each other.
  keys: [sql`SELECT 1 FROM keys WHERE seq = ANY($1::bigint[]) ORDER BY seq FOR NO KEY UPDATE`],
  settings: [sql`SELECT 1 FROM meta WHERE name = 'settings' FOR UPDATE`],
};
