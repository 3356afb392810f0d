import { DROP_GRANTS_OF } from "./grants-table.ts";
import type { KeyMembers, KeyRow, NewKey, RateLimit } from "./rows.ts";
import { type Session, sql } from "./sql.ts";

export const KEY_COLUMNS = `k.seq, k.id, k.workspace_id AS "workspaceId", k.label, k.rate_requests AS "rateRequests",
  k.rate_seconds AS "rateSeconds", k.expires_at AS "expiresAt", k.at, k.last_used_at AS "lastUsedAt"`;

const KEYS_SQL = {
  byId: sql<KeyRow>`SELECT ${KEY_COLUMNS} FROM keys k WHERE k.id = $1`,
  page: sql<KeyRow>`SELECT ${KEY_COLUMNS} FROM keys k WHERE CAST($1 AS text) IS NULL OR k.workspace_id = $1
    ORDER BY k.seq LIMIT $3 OFFSET $2`,
  insert: sql<{ readonly seq: number }>`
    INSERT INTO keys (id, workspace_id, hash, label, rate_requests, rate_seconds, expires_at, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING seq`,
  change: sql`UPDATE keys SET label = $2, rate_requests = $3, rate_seconds = $4, expires_at = $5 WHERE seq = $1`,
  saveUse: sql`UPDATE keys SET last_used_at = $2 WHERE seq = $1 AND (last_used_at IS NULL OR last_used_at < $2)`,
  remove: sql`DELETE FROM keys WHERE seq = $1`,
} as const;

const toRateColumns = (limit: RateLimit | null) => [limit?.requests ?? null, limit?.seconds ?? null];

export function makeKeysTable(session: Session) {
  return {
    byId: (id: string) => session.one(KEYS_SQL.byId, id),
    /** Returns keys in the order of creation. `workspaceId`: null for all workspaces. */
    page: (workspaceId: string | null, from: number, most: number) =>
      session.all(KEYS_SQL.page, workspaceId, from, most),
    async insert({ id, workspaceId, hash, label, rateLimit, expiresAt, at }: NewKey) {
      const values = [id, workspaceId, hash, label, ...toRateColumns(rateLimit), expiresAt, at];
      return (await session.one(KEYS_SQL.insert, ...values))!.seq;
    },
    change: async (key: number, { label, rateLimit, expiresAt }: KeyMembers) =>
      session.send(KEYS_SQL.change, key, label, ...toRateColumns(rateLimit), expiresAt),
    /**
     * Saves the time of the last use of keys. If a later time is already saved for a key, it stays.
     * @param uses times in milliseconds since the epoch, by row number of the key
     */
    async saveUses(uses: ReadonlyMap<number, number>) {
      session.lock("keys", [...uses.keys()]);
      for (const [key, usedAt] of uses) session.send(KEYS_SQL.saveUse, key, usedAt);
    },
    /** Removes a key with its grants, including those that are kept for paths. */
    async remove(seq: number) {
      for (const statement of [...DROP_GRANTS_OF, KEYS_SQL.remove]) session.send(statement, seq);
    },
  };
}
