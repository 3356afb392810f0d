import type { KeyMembers, KeyRow, NewKey } from "../rows.ts";
import type { Keys } from "../tables.ts";
import type { Db } from "./database.ts";
import type { GrantsTable } from "./grants-table.ts";

const SELECT = `
SELECT seq, id, workspace_id AS workspaceId, label, rate_requests AS rateRequests, rate_seconds AS rateSeconds,
  expires_at AS expiresAt, at, last_used_at AS lastUsedAt
FROM keys`;

export class KeysTable implements Keys {
  readonly #sql: ReturnType<typeof prepare>;
  readonly #grants: GrantsTable;

  constructor(db: Db, grants: GrantsTable) {
    this.#sql = prepare(db);
    this.#grants = grants;
  }

  byHash(hash: Buffer): KeyRow | undefined {
    return this.#sql.byHash.get(hash);
  }

  async byId(id: string): Promise<KeyRow | undefined> {
    return this.#sql.byId.get(id);
  }

  async page(workspaceId: string | null, from: number, most: number): Promise<KeyRow[]> {
    return this.#sql.page.all({ workspaceId, from, most });
  }

  async insert(key: NewKey): Promise<number> {
    return Number(this.#sql.insert.run(key).lastInsertRowid);
  }

  async change(key: number, members: KeyMembers): Promise<void> {
    this.#sql.change.run({ ...members, key });
  }

  async saveUses(uses: ReadonlyMap<number, number>): Promise<void> {
    for (const [key, at] of uses) this.#sql.saveUse.run({ key, at });
  }

  async remove(seq: number): Promise<void> {
    this.#grants.dropOf(seq);
    this.#sql.remove.run(seq);
  }
}

function prepare(db: Db) {
  return {
    byHash: db.prepare<[Buffer], KeyRow>(`${SELECT} WHERE hash = ?`),
    byId: db.prepare<[string], KeyRow>(`${SELECT} WHERE id = ?`),
    page: db.prepare<[{ workspaceId: string | null; from: number; most: number }], KeyRow>(
      `${SELECT} WHERE @workspaceId IS NULL OR workspace_id = @workspaceId ORDER BY seq LIMIT @most OFFSET @from`,
    ),
    insert: db.prepare<[NewKey]>(
      `INSERT INTO keys (id, workspace_id, hash, label, rate_requests, rate_seconds, expires_at, at)
       VALUES (@id, @workspaceId, @hash, @label, @rateRequests, @rateSeconds, @expiresAt, @at)`,
    ),
    change: db.prepare<[KeyMembers & { key: number }]>(
      `UPDATE keys SET label = @label, rate_requests = @rateRequests, rate_seconds = @rateSeconds,
         expires_at = @expiresAt WHERE seq = @key`,
    ),
    saveUse: db.prepare<[{ key: number; at: number }]>(
      "UPDATE keys SET last_used_at = max(coalesce(last_used_at, @at), @at) WHERE seq = @key",
    ),
    remove: db.prepare<[number]>("DELETE FROM keys WHERE seq = ?"),
  };
}
