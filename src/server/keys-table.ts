import type { Grant } from "../contract/resources.ts";
import type { Db } from "./database.ts";

export type KeyRow = {
  readonly seq: number;
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  readonly rateRequests: number | null;
  readonly rateSeconds: number | null;
  /** Milliseconds since the epoch; null: it does not expire. */
  readonly expiresAt: number | null;
};

/** `none` revokes, in a subtree, what a grant further up gives. */
export type Level = Grant | "none";
export type GrantRow = { readonly kind: "root" | "folder" | "file"; readonly target: number; readonly level: Level };

type NewKey = Omit<KeyRow, "seq"> & {
  /** SHA-256 of the key; the key itself is never stored. */
  readonly hash: Buffer;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

const SELECT = `
SELECT seq, id, workspace_id AS workspaceId, label, rate_requests AS rateRequests, rate_seconds AS rateSeconds,
  expires_at AS expiresAt
FROM keys`;

/** Table `keys`, and the grants of each key in table `grants`. */
export class KeysTable {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Db) {
    this.#sql = prepare(db);
  }

  byHash(hash: Buffer): KeyRow | undefined {
    return this.#sql.byHash.get(hash);
  }

  byId(id: string): KeyRow | undefined {
    return this.#sql.byId.get(id);
  }

  all(): KeyRow[] {
    return this.#sql.all.all();
  }

  /** @returns its row number */
  insert(key: NewKey): number {
    return Number(this.#sql.insert.run(key).lastInsertRowid);
  }

  setRate(key: number, requests: number | null, seconds: number | null): void {
    this.#sql.setRate.run(requests, seconds, key);
  }

  /** Removes a key, its grants, and those kept for it. */
  remove(seq: number): void {
    this.#dropGrants(seq);
    this.#sql.remove.run(seq);
  }

  grants(key: number): GrantRow[] {
    return this.#sql.grants.all(key);
  }

  /** Replaces the grants of a key, and drops those kept for it. */
  setGrants(key: number, rows: readonly GrantRow[]): void {
    this.#dropGrants(key);
    for (const row of rows) this.#sql.insertGrant.run(key, row.kind, row.target, row.level);
  }

  #dropGrants(key: number): void {
    this.#sql.dropGrants.run(key);
    this.#sql.dropKept.run(key);
  }
}

function prepare(db: Db) {
  return {
    byHash: db.prepare<[Buffer], KeyRow>(`${SELECT} WHERE hash = ?`),
    byId: db.prepare<[string], KeyRow>(`${SELECT} WHERE id = ?`),
    all: db.prepare<[], KeyRow>(`${SELECT} ORDER BY seq`),
    insert: db.prepare<[NewKey]>(
      `INSERT INTO keys (id, workspace_id, hash, label, rate_requests, rate_seconds, expires_at, at)
       VALUES (@id, @workspaceId, @hash, @label, @rateRequests, @rateSeconds, @expiresAt, @at)`,
    ),
    setRate: db.prepare<[number | null, number | null, number]>(
      "UPDATE keys SET rate_requests = ?, rate_seconds = ? WHERE seq = ?",
    ),
    remove: db.prepare<[number]>("DELETE FROM keys WHERE seq = ?"),
    grants: db.prepare<[number], GrantRow>(
      "SELECT kind, target, level FROM grants WHERE key = ? ORDER BY kind DESC, target",
    ),
    insertGrant: db.prepare<[number, string, number, Level]>(
      "INSERT INTO grants (key, kind, target, level) VALUES (?, ?, ?, ?)",
    ),
    dropGrants: db.prepare<[number]>("DELETE FROM grants WHERE key = ?"),
    dropKept: db.prepare<[number]>("DELETE FROM kept_grants WHERE key = ?"),
  };
}
