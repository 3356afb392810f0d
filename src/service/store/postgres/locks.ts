import { type Session, sql } from "./session.ts";
import { isWithin } from "./sql.ts";

/**
 * Locks of a write, always in this order, so that no two writes wait for each other:
 *
 * 1. The row of the workspace, for creating anything, moving, renaming or removing folders, moving
 *    files, and setting grants. The structure of the workspace then does not change, and row
 *    numbers are committed in order: a list read up to number n misses no row below n that is
 *    committed later.
 * 2. Rows of files in the order of their numbers, for changing or removing them. An edit takes only
 *    this lock, and waits only for another edit of the same document.
 *
 * The server finds remaining deadlocks (40P01), such as two moves that want each other's places;
 * the work then runs again.
 */
const SQL = {
  // Leaves the key of the row unlocked: rows that refer to the workspace may be inserted meanwhile.
  workspace: sql("locks.workspace", "SELECT 1 FROM workspaces WHERE seq = $1 FOR NO KEY UPDATE"),
  tree: sql(
    "locks.tree",
    `SELECT 1 FROM files x WHERE x.workspace = $1
       AND x.above IN (SELECT seq FROM folders WHERE workspace = $1 AND ${isWithin("path", "$2")})
     ORDER BY x.seq FOR NO KEY UPDATE`,
  ),
} as const;

/**
 * Keeps other transactions from changing the structure of a workspace until the end. Does nothing
 * in a read, which sees one snapshot.
 */
export function lockTreeShape(session: Session, workspace: number): void {
  if (!session.writes || session.held.has(workspace)) return;
  session.held.add(workspace);
  session.send(SQL.workspace, workspace);
}

/**
 * Locks as `lockTreeShape` does, and also keeps other transactions from changing the files of a
 * subtree.
 */
export function lockTree(session: Session, workspace: number, path: string): void {
  lockTreeShape(session, workspace);
  if (session.writes) session.send(SQL.tree, workspace, path);
}
