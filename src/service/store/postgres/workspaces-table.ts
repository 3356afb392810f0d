import type { CountedWorkspace, WorkspaceRow, WorkspaceState } from "../rows.ts";
import type { Workspaces } from "../tables.ts";
import { type Session, sql } from "./session.ts";
import { isWritable, writable } from "./sql.ts";

export const WORKSPACE_COLUMNS = `w.seq, w.id, w.name, w.state, w.retry_after AS "retryAfter",
  w.first_ids::integer AS "firstIds"`;
const SELECT = `SELECT ${WORKSPACE_COLUMNS} FROM workspaces w`;

const SQL = {
  all: sql<WorkspaceRow>("workspaces.all", `${SELECT} ORDER BY w.seq`),
  counted: sql<CountedWorkspace>(
    "workspaces.counted",
    `SELECT ${WORKSPACE_COLUMNS}, (SELECT count(*) FROM files x WHERE x.workspace = w.seq) AS documents,
       (SELECT count(*) FROM changes c JOIN files x ON x.seq = c.file
        WHERE c.status = 'in_review' AND x.workspace = w.seq) AS "inReview"
     FROM workspaces w WHERE $1::text IS NULL OR w.id = $1 ORDER BY w.seq`,
  ),
  byId: sql<WorkspaceRow>("workspaces.byId", `${SELECT} WHERE w.id = $1`),
  insert: sql("workspaces.insert", "INSERT INTO workspaces (id, name, state, retry_after) VALUES ($1, $2, 'open', 0)"),
  setState: sql("workspaces.setState", "UPDATE workspaces SET state = $2, retry_after = $3 WHERE id = $1"),
} as const;

/**
 * ORDER: the row itself first, to block inserts into the workspace; then the other rows, each
 * before the rows that it refers to.
 */
const REMOVE = [
  "SELECT 1 FROM workspaces WHERE seq = $1 FOR UPDATE",
  "SELECT 1 FROM files WHERE workspace = $1 ORDER BY seq FOR UPDATE",
  `DELETE FROM grants WHERE kind = 'file' AND target IN (SELECT seq FROM files WHERE workspace = $1)
     OR kind = 'folder' AND target IN (SELECT seq FROM folders WHERE workspace = $1)`,
  "DELETE FROM changes WHERE file IN (SELECT seq FROM files WHERE workspace = $1)",
  "DELETE FROM files WHERE workspace = $1",
  "DELETE FROM folders WHERE workspace = $1",
  "DELETE FROM kept_grants WHERE workspace = $1",
  "DELETE FROM workspaces WHERE seq = $1",
].map((text, i) => sql(`workspaces.remove${i}`, text));

export class WorkspacesTable implements Workspaces {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  all(): Promise<WorkspaceRow[]> {
    return this.#session.all(SQL.all);
  }

  async counted(id?: string): Promise<CountedWorkspace[]> {
    return id !== undefined && !isWritable(id) ? [] : this.#session.all(SQL.counted, id ?? null);
  }

  async byId(id: string): Promise<WorkspaceRow | undefined> {
    return isWritable(id) ? this.#session.one(SQL.byId, id) : undefined;
  }

  async insert(id: string, name: string): Promise<void> {
    this.#session.send(SQL.insert, id, writable(name));
  }

  async setState(id: string, state: WorkspaceState, retryAfter: number): Promise<void> {
    if (isWritable(id)) this.#session.send(SQL.setState, id, state, retryAfter);
  }

  async remove(seq: number): Promise<void> {
    for (const statement of REMOVE) this.#session.send(statement, seq);
  }
}
