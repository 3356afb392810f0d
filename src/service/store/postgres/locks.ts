import { type Session, sql } from "./session.ts";
import { isWithin } from "./sql.ts";

/**
 * The locks of a write, always in this order, so that no two wait for each other:
 *
 * 1. the workspace's row: whoever makes something, or moves, renames or removes a folder, moves a
 *    file, or sets grants. So the shape of a workspace stands still for whoever has it, and row
 *    numbers are committed in their order: a list that was read up to number n has missed none
 *    below n that is committed later.
 * 2. files by their numbers, of whoever changes or removes them. An edit takes this one alone, and
 *    waits for nobody but another edit of the same document.
 *
 * What remains is the server's to find (40P01), as two moves that want each other's places, and is
 * run again.
 */
const SQL = {
  // Not the key: rows that refer to the workspace may be inserted meanwhile.
  workspace: sql("locks.workspace", "SELECT 1 FROM workspaces WHERE seq = $1 FOR NO KEY UPDATE"),
  tree: sql(
    "locks.tree",
    `SELECT 1 FROM files x WHERE x.workspace = $1
       AND x.above IN (SELECT seq FROM folders WHERE workspace = $1 AND ${isWithin("path", "$2")})
     ORDER BY x.seq FOR NO KEY UPDATE`,
  ),
} as const;

/** The shape of a workspace stands still from here on; in a read, which sees one state, it does. */
export function holdPlace(session: Session, workspace: number): void {
  if (!session.writes || session.held.has(workspace)) return;
  session.held.add(workspace);
  session.send(SQL.workspace, workspace);
}

/** As `holdPlace`; nor are the files of a subtree changed. */
export function holdTree(session: Session, workspace: number, path: string): void {
  holdPlace(session, workspace);
  if (session.writes) session.send(SQL.tree, workspace, path);
}
