import type { GrantOfKey, GrantRow, KeptGrant, PlacedGrant, ShownGrant } from "../rows.ts";
import type { Grants } from "../tables.ts";
import { noteAccess } from "./outbox-table.ts";
import { type Session, sql } from "./session.ts";
import { FILE_PATH, isAt, isWithin, writable } from "./sql.ts";

type ShownRow = {
  readonly key: number;
  readonly kind: GrantRow["kind"] | "kept";
  readonly id: string | null;
  readonly path: string;
  readonly level: ShownGrant["level"];
};

/** Orders grants: those on the root first, then those on folders, then those on files. */
const ORDER = "array_position(ARRAY['root', 'folder', 'file'], kind)";
const ON_FILES = "grants g JOIN files x ON g.kind = 'file' AND x.seq = g.target LEFT JOIN folders d ON d.seq = x.above";
const ON_FOLDERS = "grants g JOIN folders d ON g.kind = 'folder' AND d.seq = g.target";

const SQL = {
  of: sql<GrantOfKey>(
    "grants.of",
    `SELECT key, kind, target, level FROM grants WHERE key = ANY($1::bigint[]) ORDER BY key, ${ORDER}, target`,
  ),
  shown: sql<ShownRow>(
    "grants.shown",
    `SELECT key, kind, id, path, level FROM (
       SELECT key, 1 AS rank, kind, NULL AS id, '' AS path, level, target FROM grants WHERE kind = 'root'
       UNION ALL SELECT g.key, 2, g.kind, d.id, d.path, g.level, g.target FROM ${ON_FOLDERS}
       UNION ALL SELECT g.key, 3, g.kind, x.id, ${FILE_PATH}, g.level, g.target FROM ${ON_FILES}
       UNION ALL SELECT key, 4, 'kept', NULL, path, level, 0 FROM kept_grants
     ) AS every WHERE key = ANY($1::bigint[]) ORDER BY key, rank, target, path`,
  ),
  drop: sql("grants.drop", "DELETE FROM grants WHERE key = $1"),
  dropKeptOf: sql("grants.dropKeptOf", "DELETE FROM kept_grants WHERE key = $1"),
  set: sql(
    "grants.set",
    `INSERT INTO grants (key, kind, target, level) VALUES ($1, $2, $3, $4)
     ON CONFLICT (key, kind, target) DO UPDATE SET level = excluded.level`,
  ),
  onFile: sql<PlacedGrant>(
    "grants.onFile",
    `SELECT g.key, x.folder AS parent, ${FILE_PATH} AS path, g.level FROM ${ON_FILES} WHERE g.target = $1`,
  ),
  within: sql<PlacedGrant>(
    "grants.within",
    `SELECT g.key, d.parent, d.path, g.level FROM ${ON_FOLDERS}
       WHERE d.workspace = $1 AND ${isWithin("d.path", "$2")}
     UNION ALL SELECT g.key, x.folder, ${FILE_PATH}, g.level FROM ${ON_FILES}
       WHERE x.workspace = $1 AND ${isWithin("d.path", "$2")}`,
  ),
  local: sql<GrantOfKey>(
    "grants.local",
    `SELECT key, kind, target, level FROM grants WHERE key IN (
       SELECT g.key FROM grants g JOIN keys k ON k.seq = g.key WHERE k.workspace_id = $1 AND g.kind <> 'root'
     ) ORDER BY key, ${ORDER}, target`,
  ),
  keptWithin: sql<KeptGrant>(
    "grants.keptWithin",
    `SELECT key, workspace, path, level FROM kept_grants WHERE workspace = $1 AND ${isWithin("path", "$2")} ORDER BY path`,
  ),
  keep: sql("grants.keep", "INSERT INTO kept_grants (key, workspace, path, level) VALUES ($1, $2, $3, $4)"),
  dropKept: sql(
    "grants.dropKept",
    `DELETE FROM kept_grants WHERE key = $1 AND workspace = $2 AND ${isAt("path", "$3")}`,
  ),
} as const;

export class GrantsTable implements Grants {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  of(keys: readonly number[]): Promise<GrantOfKey[]> {
    return this.#session.all(SQL.of, keys);
  }

  async shown(keys: readonly number[]): Promise<ShownGrant[]> {
    const rows = await this.#session.all(SQL.shown, keys);
    return rows.map(({ key, kind, id, path, level }) => ({ key, on: shownOn(kind, id, path), path, level }));
  }

  async replace(key: number, rows: readonly GrantRow[]): Promise<void> {
    this.#session.send(SQL.drop, key);
    this.#session.send(SQL.dropKeptOf, key);
    for (const row of rows) await this.set({ key, ...row });
    noteAccess(this.#session, key);
  }

  async set({ key, kind, target, level }: GrantOfKey): Promise<void> {
    this.#session.send(SQL.set, key, kind, target, level);
  }

  onFile(file: number): Promise<PlacedGrant[]> {
    return this.#session.all(SQL.onFile, file);
  }

  within(workspace: number, path: string): Promise<PlacedGrant[]> {
    return this.#session.all(SQL.within, workspace, path);
  }

  local(workspaceId: string): Promise<GrantOfKey[]> {
    return this.#session.all(SQL.local, workspaceId);
  }

  keptWithin(workspace: number, path: string): Promise<KeptGrant[]> {
    return this.#session.all(SQL.keptWithin, workspace, path);
  }

  async keep(grant: KeptGrant): Promise<void> {
    await this.dropKept(grant);
    this.#session.send(SQL.keep, grant.key, grant.workspace, writable(grant.path), grant.level);
  }

  async dropKept({ key, workspace, path }: KeptGrant): Promise<void> {
    this.#session.send(SQL.dropKept, key, workspace, writable(path));
  }
}

function shownOn(kind: ShownRow["kind"], id: string | null, path: string): ShownGrant["on"] {
  if (kind === "root") return null;
  return kind === "kept" ? { keptPath: path } : { id: id! };
}
