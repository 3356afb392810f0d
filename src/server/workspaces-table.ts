import type { Db } from "./database.ts";

export type WorkspaceState = "open" | "closed" | "restoring";

export type WorkspaceRow = {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly state: WorkspaceState;
  /** Seconds that a 503 tells its caller to wait. */
  readonly retryAfter: number;
  /** 1: ids in it have the first version's form; they never change, and stay valid. */
  readonly firstIds: 0 | 1;
};

const SELECT = "SELECT seq, id, name, state, retry_after AS retryAfter, first_ids AS firstIds FROM workspaces";

/** Table `workspaces`. */
export class WorkspacesTable {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Db) {
    this.#sql = prepare(db);
  }

  all(): WorkspaceRow[] {
    return this.#sql.all.all();
  }

  byId(id: string): WorkspaceRow | undefined {
    return this.#sql.byId.get(id);
  }

  insert(id: string, name: string): void {
    this.#sql.insert.run(id, name);
  }

  setState(id: string, state: WorkspaceState, retryAfter: number): void {
    this.#sql.setState.run(state, retryAfter, id);
  }

  /**
   * Removes a workspace and all that it holds. Its keys stay, and answer `workspace_not_found` from
   * then on.
   */
  remove(seq: number): void {
    for (const statement of this.#sql.remove) statement.run(seq);
  }
}

function prepare(db: Db) {
  return {
    all: db.prepare<[], WorkspaceRow>(`${SELECT} ORDER BY seq`),
    byId: db.prepare<[string], WorkspaceRow>(`${SELECT} WHERE id = ?`),
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
