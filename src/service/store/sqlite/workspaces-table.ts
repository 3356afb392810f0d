import type { CountedWorkspace, WorkspaceRow, WorkspaceState } from "../rows.ts";
import type { Workspaces } from "../tables.ts";
import type { Db } from "./database.ts";

const SELECT = "SELECT seq, id, name, state, retry_after AS retryAfter, first_ids AS firstIds FROM workspaces";

export class WorkspacesTable implements Workspaces {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Db) {
    this.#sql = prepare(db);
  }

  async all(): Promise<WorkspaceRow[]> {
    return this.#sql.all.all();
  }

  async counted(id?: string): Promise<CountedWorkspace[]> {
    const rows = id === undefined ? this.#sql.all.all() : [this.find(id) ?? []].flat();
    return rows.map((row) => ({ ...row, ...this.#sql.counts.get(row.seq, row.seq)! }));
  }

  async byId(id: string): Promise<WorkspaceRow | undefined> {
    return this.find(id);
  }

  find(id: string): WorkspaceRow | undefined {
    return this.#sql.byId.get(id);
  }

  async insert(id: string, name: string): Promise<void> {
    this.#sql.insert.run(id, name);
  }

  async setState(id: string, state: WorkspaceState, retryAfter: number): Promise<void> {
    this.#sql.setState.run(state, retryAfter, id);
  }

  async remove(seq: number): Promise<void> {
    for (const statement of this.#sql.remove) statement.run(seq);
  }
}

function prepare(db: Db) {
  return {
    all: db.prepare<[], WorkspaceRow>(`${SELECT} ORDER BY seq`),
    byId: db.prepare<[string], WorkspaceRow>(`${SELECT} WHERE id = ?`),
    counts: db.prepare<[number, number], Pick<CountedWorkspace, "documents" | "inReview">>(
      `SELECT (SELECT count(*) FROM files WHERE workspace = ?) AS documents,
         (SELECT count(*) FROM changes c INDEXED BY changes_in_review CROSS JOIN files x ON x.seq = c.file
          WHERE c.status = 'in_review' AND x.workspace = ?) AS inReview`,
    ),
    insert: db.prepare<[string, string]>(
      "INSERT INTO workspaces (id, name, state, retry_after) VALUES (?, ?, 'open', 0)",
    ),
    setState: db.prepare<[WorkspaceState, number, string]>(
      "UPDATE workspaces SET state = ?, retry_after = ? WHERE id = ?",
    ),
    remove: [
      "DELETE FROM changes WHERE file IN (SELECT seq FROM files WHERE workspace = ?)",
      "DELETE FROM files WHERE workspace = ?",
      "DELETE FROM folders WHERE workspace = ?",
      "DELETE FROM kept_grants WHERE workspace = ?",
      "DELETE FROM workspaces WHERE seq = ?",
    ].map((sql) => db.prepare<[number]>(sql)),
  };
}
