import type { KeyMembers, KeyRow, NewKey } from "../rows.ts";
import type { Keys } from "../tables.ts";
import { type Session, sql } from "./session.ts";
import { isWritable, writable } from "./sql.ts";

export const KEY_COLUMNS = `k.seq, k.id, k.workspace_id AS "workspaceId", k.label, k.rate_requests AS "rateRequests",
  k.rate_seconds AS "rateSeconds", k.expires_at AS "expiresAt", k.at, k.last_used_at AS "lastUsedAt"`;

const SQL = {
  byId: sql<KeyRow>("keys.byId", `SELECT ${KEY_COLUMNS} FROM keys k WHERE k.id = $1`),
  page: sql<KeyRow>(
    "keys.page",
    `SELECT ${KEY_COLUMNS} FROM keys k WHERE $1::text IS NULL OR k.workspace_id = $1 ORDER BY k.seq OFFSET $2 LIMIT $3`,
  ),
  insert: sql<{ seq: number }>(
    "keys.insert",
    `INSERT INTO keys (id, workspace_id, hash, label, rate_requests, rate_seconds, expires_at, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING seq`,
  ),
  change: sql(
    "keys.change",
    "UPDATE keys SET label = $2, rate_requests = $3, rate_seconds = $4, expires_at = $5 WHERE seq = $1",
  ),
  // Locks in a fixed order, because several processes save their uses at about the same time.
  lockUsed: sql("keys.lockUsed", "SELECT 1 FROM keys WHERE seq = ANY($1::bigint[]) ORDER BY seq FOR NO KEY UPDATE"),
  saveUses: sql(
    "keys.saveUses",
    `UPDATE keys SET last_used_at = greatest(last_used_at, used.at)
     FROM unnest($1::bigint[], $2::bigint[]) AS used (key, at) WHERE seq = used.key`,
  ),
} as const;

const REMOVE = [
  "DELETE FROM grants WHERE key = $1",
  "DELETE FROM kept_grants WHERE key = $1",
  "DELETE FROM keys WHERE seq = $1",
].map((text, i) => sql(`keys.remove${i}`, text));

export class KeysTable implements Keys {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async byId(id: string): Promise<KeyRow | undefined> {
    return isWritable(id) ? this.#session.one(SQL.byId, id) : undefined;
  }

  async page(workspaceId: string | null, from: number, most: number): Promise<KeyRow[]> {
    return this.#session.all(SQL.page, workspaceId, from, most);
  }

  async insert(key: NewKey): Promise<number> {
    const { id, workspaceId, hash, label, rateRequests, rateSeconds, expiresAt, at } = key;
    const values = [id, workspaceId, hash, writable(label), rateRequests, rateSeconds, expiresAt, at];
    return (await this.#session.one(SQL.insert, ...values))!.seq;
  }

  async change(key: number, { label, rateRequests, rateSeconds, expiresAt }: KeyMembers): Promise<void> {
    this.#session.send(SQL.change, key, writable(label), rateRequests, rateSeconds, expiresAt);
  }

  async saveUses(uses: ReadonlyMap<number, number>): Promise<void> {
    const keys = [...uses.keys()];
    this.#session.send(SQL.lockUsed, keys);
    this.#session.send(SQL.saveUses, keys, [...uses.values()]);
  }

  async remove(seq: number): Promise<void> {
    for (const statement of REMOVE) this.#session.send(statement, seq);
  }
}
