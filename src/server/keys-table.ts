import type { Grant } from "../contract/resources.ts";
import type { Db } from "./database.ts";

export type WorkspaceState = "open" | "closed" | "restoring";
export type WorkspaceRow = {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly state: WorkspaceState;
  /** Seconds that a 503 tells its caller to wait. */
  readonly retryAfter: number;
};

export type KeyRow = {
  readonly seq: number;
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  readonly rateRequests: number | null;
  readonly rateSeconds: number | null;
};

/** `none` takes away, in a subtree, what a grant further up gives. */
export type Level = Grant | "none";
export type GrantRow = { readonly kind: "root" | "folder" | "file"; readonly target: number; readonly level: Level };

export type NewKey = {
  readonly id: string;
  readonly workspaceId: string;
  /** SHA-256 of the key; the key itself is never stored. */
  readonly hash: Buffer;
  readonly label: string;
  readonly rateRequests: number | null;
  readonly rateSeconds: number | null;
  readonly at: number;
};

/** The prepared statements of tables `workspaces`, `keys` and `grants`. */
export function keysTable(db: Db) {
  const workspaceColumns = "SELECT seq, id, name, state, retry_after AS retryAfter FROM workspaces";
  const keyColumns =
    "SELECT seq, id, workspace_id AS workspaceId, label, rate_requests AS rateRequests, rate_seconds AS rateSeconds FROM keys";
  const workspaces = db.prepare<[], WorkspaceRow>(`${workspaceColumns} ORDER BY seq`);
  const workspace = db.prepare<[string], WorkspaceRow>(`${workspaceColumns} WHERE id = ?`);
  const addWorkspace = db.prepare<[string, string]>(
    "INSERT INTO workspaces (id, name, state, retry_after) VALUES (?, ?, 'open', 0)",
  );
  const setState = db.prepare<[WorkspaceState, number, string]>(
    "UPDATE workspaces SET state = ?, retry_after = ? WHERE id = ?",
  );
  const emptied = [
    "DELETE FROM changes WHERE file IN (SELECT seq FROM files WHERE workspace = ?)",
    "DELETE FROM files WHERE workspace = ?",
    "DELETE FROM folders WHERE workspace = ?",
    "DELETE FROM kept_grants WHERE workspace = ?",
    "DELETE FROM workspaces WHERE seq = ?",
  ].map((sql) => db.prepare<[number]>(sql));
  const byHash = db.prepare<[Buffer], KeyRow>(`${keyColumns} WHERE hash = ?`);
  const byId = db.prepare<[string], KeyRow>(`${keyColumns} WHERE id = ?`);
  const all = db.prepare<[], KeyRow>(`${keyColumns} ORDER BY seq`);
  const add = db.prepare<[NewKey]>(
    `INSERT INTO keys (id, workspace_id, hash, label, rate_requests, rate_seconds, at)
     VALUES (@id, @workspaceId, @hash, @label, @rateRequests, @rateSeconds, @at)`,
  );
  const setRate = db.prepare<[number | null, number | null, number]>(
    "UPDATE keys SET rate_requests = ?, rate_seconds = ? WHERE seq = ?",
  );
  const remove = db.prepare<[number]>("DELETE FROM keys WHERE seq = ?");
  const grants = db.prepare<[number], GrantRow>(
    "SELECT kind, target, level FROM grants WHERE key = ? ORDER BY kind DESC, target",
  );
  const grant = db.prepare<[number, string, number, Level]>(
    "INSERT INTO grants (key, kind, target, level) VALUES (?, ?, ?, ?)",
  );
  const dropGrants = db.prepare<[number]>("DELETE FROM grants WHERE key = ?");
  const dropKept = db.prepare<[number]>("DELETE FROM kept_grants WHERE key = ?");
  return {
    workspaces: () => workspaces.all(),
    workspace: (id: string) => workspace.get(id),
    addWorkspace: (id: string, name: string) => void addWorkspace.run(id, name),
    setState: (id: string, state: WorkspaceState, retryAfter: number) => void setState.run(state, retryAfter, id),
    /**
     * Removes a workspace and all that it holds. Its keys stay: they answer `workspace_not_found`
     * from then on.
     */
    removeWorkspace: (seq: number) => {
      for (const statement of emptied) statement.run(seq);
    },
    byHash: (hash: Buffer) => byHash.get(hash),
    byId: (id: string) => byId.get(id),
    all: () => all.all(),
    add: (key: NewKey) => Number(add.run(key).lastInsertRowid),
    remove: (seq: number) => {
      dropGrants.run(seq);
      dropKept.run(seq);
      remove.run(seq);
    },
    setRate: (key: number, requests: number | null, seconds: number | null) => void setRate.run(requests, seconds, key),
    grants: (key: number) => grants.all(key),
    setGrants: (key: number, rows: readonly GrantRow[]) => {
      dropGrants.run(key);
      dropKept.run(key);
      for (const row of rows) grant.run(key, row.kind, row.target, row.level);
    },
  };
}

export type KeysTable = ReturnType<typeof keysTable>;
