import { DROP_GRANTS_OF } from "./grants-table.ts";
import type { KeyRow } from "./rows.ts";
import { type Session, sql } from "./sql.ts";
import type { Keys } from "./tables.ts";

export const KEY_COLUMNS = `k.seq, k.id, k.workspace_id AS "workspaceId", k.label, k.rate_requests AS "rateRequests",
  k.rate_seconds AS "rateSeconds", k.expires_at AS "expiresAt", k.at, k.last_used_at AS "lastUsedAt"`;

const SQL = {
  byId: sql<KeyRow>("keys.byId", `SELECT ${KEY_COLUMNS} FROM keys k WHERE k.id = $1`),
  page: sql<KeyRow>(
    "keys.page",
    `SELECT ${KEY_COLUMNS} FROM keys k WHERE CAST($1 AS text) IS NULL OR k.workspace_id = $1
     ORDER BY k.seq LIMIT $3 OFFSET $2`,
  ),
  insert: sql<{ readonly seq: number }>(
    "keys.insert",
    `INSERT INTO keys (id, workspace_id, hash, label, rate_requests, rate_seconds, expires_at, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING seq`,
  ),
  change: sql(
    "keys.change",
    "UPDATE keys SET label = $2, rate_requests = $3, rate_seconds = $4, expires_at = $5 WHERE seq = $1",
  ),
  saveUse: sql(
    "keys.saveUse",
    "UPDATE keys SET last_used_at = $2 WHERE seq = $1 AND (last_used_at IS NULL OR last_used_at < $2)",
  ),
  remove: sql("keys.remove", "DELETE FROM keys WHERE seq = $1"),
} as const;

export function keysTable(session: Session): Keys {
  return {
    byId: (id) => session.one(SQL.byId, id),
    page: (workspaceId, from, most) => session.all(SQL.page, workspaceId, from, most),
    async insert({ id, workspaceId, hash, label, rateRequests, rateSeconds, expiresAt, at }) {
      const values = [id, workspaceId, hash, label, rateRequests, rateSeconds, expiresAt, at];
      return (await session.one(SQL.insert, ...values))!.seq;
    },
    change: async (key, { label, rateRequests, rateSeconds, expiresAt }) =>
      session.send(SQL.change, key, label, rateRequests, rateSeconds, expiresAt),
    async saveUses(uses) {
      session.locks?.keys([...uses.keys()]);
      for (const [key, at] of uses) session.send(SQL.saveUse, key, at);
    },
    async remove(seq) {
      for (const statement of [...DROP_GRANTS_OF, SQL.remove]) session.send(statement, seq);
    },
  };
}
