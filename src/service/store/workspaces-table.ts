import type { CountedWorkspace, WorkspaceRow, WorkspaceState } from "./rows.ts";
import { useIndex, ORDERED_JOIN, type Session, sql } from "./sql.ts";

export const WORKSPACE_COLUMNS = `w.seq, w.id, w.name, w.state, w.retry_after AS "retryAfter"`;
const SELECT_WORKSPACES = `SELECT ${WORKSPACE_COLUMNS} FROM workspaces w`;

export const WORKSPACE_BY_ID = sql<WorkspaceRow>`${SELECT_WORKSPACES} WHERE w.id = $1`;

const SQL = {
  all: sql<WorkspaceRow>`${SELECT_WORKSPACES} ORDER BY w.seq`,
  counted: sql<CountedWorkspace>`SELECT w.id, w.name, w.state,
    (SELECT count(*) FROM files x WHERE x.workspace = w.seq) AS documents,
      (SELECT count(*) FROM changes c ${useIndex("changes_in_review")} ${ORDERED_JOIN} files x ON x.seq = c.file
       WHERE c.status = 'in_review' AND x.workspace = w.seq) AS "inReview"
    FROM workspaces w WHERE CAST($1 AS text) IS NULL OR w.id = $1 ORDER BY w.seq`,
  insert: sql`INSERT INTO workspaces (id, name, state, retry_after) VALUES ($1, $2, 'open', 0)`,
  setState: sql`UPDATE workspaces SET state = $2, retry_after = $3 WHERE id = $1`,
} as const;

/**
 * ORDER: rows are removed before the rows to which they refer. Some statements find rows by these
 * references, and PostgreSQL checks foreign keys.
 */
const REMOVE_WORKSPACE = [
  sql`DELETE FROM grants WHERE kind = 'file' AND target IN (SELECT seq FROM files WHERE workspace = $1)
    OR kind = 'folder' AND target IN (SELECT seq FROM folders WHERE workspace = $1)`,
  sql`DELETE FROM changes WHERE file IN (SELECT seq FROM files WHERE workspace = $1)`,
  sql`DELETE FROM files WHERE workspace = $1`,
  sql`DELETE FROM folders WHERE workspace = $1`,
  sql`DELETE FROM kept_grants WHERE workspace = $1`,
  sql`DELETE FROM workspaces WHERE seq = $1`,
];

export function makeWorkspacesTable(session: Session) {
  return {
    all: () => session.all(SQL.all),
    counted: (id?: string) => session.all(SQL.counted, id ?? null),
    byId: (id: string) => session.one(WORKSPACE_BY_ID, id),
    insert: async (id: string, name: string) => session.send(SQL.insert, id, name),
    setState: async (id: string, state: WorkspaceState, retryAfter: number) =>
      session.send(SQL.setState, id, state, retryAfter),
    /** Removes a workspace with its contents, but not its keys. */
    async remove(seq: number) {
      session.lock("workspace", seq);
      for (const statement of REMOVE_WORKSPACE) session.send(statement, seq);
    },
  };
}
