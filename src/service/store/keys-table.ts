import type { GrantOfKey, GrantRow, KeptGrant, KeyMembers, KeyRow, NewKey, PlacedGrant, RateLimit } from "./rows.ts";
import { FILE_PATH, isAt, isOneOf, isWithin, joinSql, type Session, sql } from "./sql.ts";

type ShownGrant = Pick<PlacedGrant, "key" | "level"> & {
  /** Id of a file or folder, or a path where nothing exists; null for the whole workspace. */
  readonly on: string | null;
  /** Current path of the file or folder; `/` for the whole workspace. */
  readonly path: string;
};

/** SQL order of grants: grants on the root first, then on folders, then on files. */
const GRANT_ORDER = "key, kind DESC, target";
const FROM_GRANTS_ON_FILES =
  "FROM grants g JOIN files x ON g.kind = 'file' AND x.seq = g.target LEFT JOIN folders d ON d.seq = x.folder";
const FROM_GRANTS_ON_FOLDERS = "FROM grants g JOIN folders d ON g.kind = 'folder' AND d.seq = g.target";
const IS_OF_KEYS = isOneOf("g.key", "$1");
const IS_INSIDE_FOLDER = joinSql`d.workspace = $1 AND ${isWithin("d.path", "$2")}`;

export const SELECT_GRANTS_OF_KEYS = sql<GrantOfKey>`SELECT key, kind, target, level FROM grants
  WHERE ${isOneOf("key", "$1")} ORDER BY ${GRANT_ORDER}`;

const GRANTS_SQL = {
  shown: sql<ShownGrant>`SELECT key, "on", '/' || path AS path, level FROM (
      SELECT g.key, 1 AS rank, NULL AS "on", '' AS path, g.level, g.target FROM grants g
        WHERE g.kind = 'root' AND ${IS_OF_KEYS}
      UNION ALL SELECT g.key, 2, d.id, d.path, g.level, g.target ${FROM_GRANTS_ON_FOLDERS} WHERE ${IS_OF_KEYS}
      UNION ALL SELECT g.key, 3, x.id, ${FILE_PATH}, g.level, g.target ${FROM_GRANTS_ON_FILES} WHERE ${IS_OF_KEYS}
      UNION ALL SELECT g.key, 4, '/' || g.path, g.path, g.level, 0 FROM kept_grants g WHERE ${IS_OF_KEYS}
    ) AS every ORDER BY key, rank, target, every.path`,
  set: sql`INSERT INTO grants (key, kind, target, level) VALUES ($1, $2, $3, $4)
    ON CONFLICT (key, kind, target) DO UPDATE SET level = excluded.level`,
  onFile: sql<PlacedGrant>`SELECT g.key, x.folder AS parent, ${FILE_PATH} AS path, g.level
    ${FROM_GRANTS_ON_FILES} WHERE g.target = $1`,
  within: sql<PlacedGrant>`SELECT g.key, d.parent, d.path, g.level ${FROM_GRANTS_ON_FOLDERS} WHERE ${IS_INSIDE_FOLDER}
    UNION ALL SELECT g.key, x.folder, ${FILE_PATH}, g.level ${FROM_GRANTS_ON_FILES} WHERE ${IS_INSIDE_FOLDER}`,
  local: sql<GrantOfKey>`SELECT key, kind, target, level FROM grants WHERE key IN (
      SELECT g.key FROM grants g JOIN keys k ON k.seq = g.key WHERE k.workspace_id = $1 AND g.kind <> 'root'
    ) ORDER BY ${GRANT_ORDER}`,
  keptWithin: sql<KeptGrant>`SELECT key, workspace, path, level FROM kept_grants
    WHERE workspace = $1 AND ${isWithin("path", "$2")} ORDER BY path`,
  keep: sql`INSERT INTO kept_grants (key, workspace, path, level) VALUES ($1, $2, $3, $4)`,
  dropKept: sql`DELETE FROM kept_grants WHERE key = $1 AND workspace = $2 AND ${isAt("path", "$3")}`,
} as const;

/** Statements that remove all grants of the key $1, including kept grants. */
const DROP_GRANTS_OF_KEY = [sql`DELETE FROM grants WHERE key = $1`, sql`DELETE FROM kept_grants WHERE key = $1`];

/**
 * Returns the methods for the tables `grants` and `kept_grants`. Kept grants are grants for paths
 * where nothing exists yet.
 */
export function makeGrantsTable(session: Session) {
  const setGrant = async ({ key, kind, target, level }: GrantOfKey) =>
    session.send(GRANTS_SQL.set, key, kind, target, level);
  const dropKeptGrant = async ({ key, workspace, path }: KeptGrant) =>
    session.send(GRANTS_SQL.dropKept, key, workspace, path);
  return {
    set: setGrant,
    dropKept: dropKeptGrant,
    /**
     * Returns the grants of each key: those on the root first, then those on folders, then those on
     * files. Among folders, and among files, the order is that of row numbers.
     */
    of: (keys: readonly number[]) => session.all(SELECT_GRANTS_OF_KEYS, keys),
    /**
     * Returns grants in the same order as `of`, then kept grants in the order of their paths. The
     * result lacks grants on files and folders that were removed.
     */
    shown: (keys: readonly number[]) => session.all(GRANTS_SQL.shown, keys),
    /** Replaces all grants of a key. Also removes the grants of the key that are kept for paths. */
    async replace(key: number, rows: readonly GrantRow[]) {
      for (const statement of DROP_GRANTS_OF_KEY) session.send(statement, key);
      for (const row of rows) await setGrant({ key, ...row });
    },
    onFile: (file: number) => session.all(GRANTS_SQL.onFile, file),
    within: (workspace: number, path: string) => session.all(GRANTS_SQL.within, workspace, path),
    /** Returns the grants of each key that has a grant on a file or folder other than the root. */
    local: (workspaceId: string) => session.all(GRANTS_SQL.local, workspaceId),
    /** Returns the grants that are kept for `path` and for paths below it, in path order. */
    keptWithin: (workspace: number, path: string) => session.all(GRANTS_SQL.keptWithin, workspace, path),
    async keep(grant: KeptGrant) {
      await dropKeptGrant(grant);
      session.send(GRANTS_SQL.keep, grant.key, grant.workspace, grant.path, grant.level);
    },
  };
}

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
     * Saves the time of the last use of keys. If a later time is already saved for a key, the later
     * time stays.
     * @param uses times in milliseconds since the epoch, by row number of the key
     */
    async saveUses(uses: ReadonlyMap<number, number>) {
      session.lock("keys", [...uses.keys()]);
      for (const [key, usedAt] of uses) session.send(KEYS_SQL.saveUse, key, usedAt);
    },
    /** Removes a key with its grants, including those that are kept for paths. */
    async remove(seq: number) {
      for (const statement of [...DROP_GRANTS_OF_KEY, KEYS_SQL.remove]) session.send(statement, seq);
    },
  };
}
