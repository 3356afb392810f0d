import type { Db } from "./database.ts";
import type { GrantRow, Level } from "./keys-table.ts";

/**
 * A grant on a file or folder, and where that stands. `parent` is the row number of the folder
 * above it.
 */
export type PlacedGrant = {
  readonly key: number;
  readonly parent: number;
  readonly path: string;
  readonly level: Level;
};

/** A grant on a path at which nothing stands. */
export type KeptGrant = {
  readonly key: number;
  readonly workspace: number;
  readonly path: string;
  readonly level: Level;
};

type Subtree = { readonly workspace: number; readonly path: string };
/** What a grant is on, by its row. */
export type Place = { readonly kind: "file" | "folder"; readonly seq: number; readonly parent: number };

const FILE_PATH = "CASE x.folder WHEN 0 THEN x.name ELSE d.path || '/' || x.name END";
/** What stands at a path and below it. */
const WITHIN = "(path = @path OR (path > @path || '/' AND path < @path || '0'))";

/** The prepared statements that see grants by where they are; those of a key are in `keysTable`. */
export function grantsTable(db: Db) {
  return { ...placedGrants(db), ...keptGrants(db) };
}

function placedGrants(db: Db) {
  const onFile = db.prepare<[number], PlacedGrant>(
    `SELECT g.key, x.folder AS parent, ${FILE_PATH} AS path, g.level
       FROM grants g JOIN files x ON x.seq = g.target LEFT JOIN folders d ON d.seq = x.folder
     WHERE g.kind = 'file' AND g.target = ?`,
  );
  const within = db.prepare<[Subtree], PlacedGrant>(
    `SELECT * FROM (
       SELECT g.key, d.parent, d.path, g.level FROM grants g JOIN folders d ON d.seq = g.target
         WHERE g.kind = 'folder' AND d.workspace = @workspace
       UNION ALL SELECT g.key, x.folder, ${FILE_PATH}, g.level
         FROM grants g JOIN files x ON x.seq = g.target LEFT JOIN folders d ON d.seq = x.folder
         WHERE g.kind = 'file' AND x.workspace = @workspace
     ) WHERE ${WITHIN}`,
  );
  const local = db.prepare<[string], GrantRow & { readonly key: number }>(
    `SELECT g.key, g.kind, g.target, g.level FROM grants g JOIN keys k ON k.seq = g.key
     WHERE k.workspace_id = ? AND g.key IN (SELECT key FROM grants WHERE kind <> 'root')`,
  );
  const set = db.prepare("INSERT OR REPLACE INTO grants (key, kind, target, level) VALUES (@key, @kind, @seq, @level)");
  return {
    onFile: (file: number) => onFile.all(file),
    /** Those on the folder at `path`, and on all below it. */
    within: (workspace: number, path: string) => within.all({ workspace, path }),
    /**
     * All grants of the keys that have any below the root; other keys have the same access
     * everywhere.
     */
    local: (workspaceId: string) => local.all(workspaceId),
    set: (grant: { readonly key: number; readonly level: Level } & Place) => void set.run(grant),
  };
}

function keptGrants(db: Db) {
  const keep = db.prepare<[KeptGrant]>(
    "INSERT OR REPLACE INTO kept_grants (key, workspace, path, level) VALUES (@key, @workspace, @path, @level)",
  );
  const keptWithin = db.prepare<[Subtree], KeptGrant>(
    `SELECT key, workspace, path, level FROM kept_grants WHERE workspace = @workspace AND ${WITHIN} ORDER BY path`,
  );
  const keptOf = db.prepare<[number], KeptGrant>(
    "SELECT key, workspace, path, level FROM kept_grants WHERE key = ? ORDER BY path",
  );
  const dropKept = db.prepare<[KeptGrant]>(
    "DELETE FROM kept_grants WHERE key = @key AND workspace = @workspace AND path = @path",
  );
  const rebase = db.prepare<[Subtree & { to: string }]>(
    `UPDATE OR REPLACE kept_grants SET path = @to || substr(path, length(@path) + 1)
     WHERE workspace = @workspace AND ${WITHIN}`,
  );
  return {
    keep: (grant: KeptGrant) => void keep.run(grant),
    /** Those for `path` and for what is below it. */
    keptWithin: (workspace: number, path: string) => keptWithin.all({ workspace, path }),
    keptOf: (key: number) => keptOf.all(key),
    dropKept: (grant: KeptGrant) => void dropKept.run(grant),
    /**
     * A folder was renamed or moved: what was kept below it goes along, as grants on what is there
     * do.
     */
    rebaseKept: (workspace: number, path: string, to: string) => void rebase.run({ workspace, path, to }),
  };
}

export type GrantsTable = ReturnType<typeof grantsTable>;
