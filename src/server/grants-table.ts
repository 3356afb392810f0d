import type { Db } from "./database.ts";
import type { GrantRow, Level } from "./keys-table.ts";
import { FILE_PATH, isWithin, type Subtree } from "./sql.ts";

/**
 * A grant on a file or folder, and its place. `parent` is the row number of the folder above it.
 */
export type PlacedGrant = {
  readonly key: number;
  readonly parent: number;
  readonly path: string;
  readonly level: Level;
};

/** A grant on a path where nothing exists. */
type KeptGrant = {
  readonly key: number;
  readonly workspace: number;
  readonly path: string;
  readonly level: Level;
};

/** What a grant is on, by its row. */
export type Place = { readonly kind: "file" | "folder"; readonly seq: number; readonly parent: number };

/** Grants by their place, and those kept for paths; `KeysTable` has those of a key. */
export class GrantsTable {
  readonly #placed: ReturnType<typeof preparePlaced>;
  readonly #kept: ReturnType<typeof prepareKept>;

  constructor(db: Db) {
    this.#placed = preparePlaced(db);
    this.#kept = prepareKept(db);
  }

  onFile(file: number): PlacedGrant[] {
    return this.#placed.onFile.all(file);
  }

  /** Grants on the folder at `path`, and on everything below it. */
  within(workspace: number, path: string): PlacedGrant[] {
    return this.#placed.within.all({ workspace, path });
  }

  /**
   * All grants of keys that have one below the root; other keys have the same access everywhere.
   */
  local(workspaceId: string): (GrantRow & { readonly key: number })[] {
    return this.#placed.local.all(workspaceId);
  }

  set(grant: { readonly key: number; readonly level: Level } & Place): void {
    this.#placed.set.run(grant);
  }

  keep(grant: KeptGrant): void {
    this.#kept.keep.run(grant);
  }

  /** Kept grants for `path` and for what is below it. */
  keptWithin(workspace: number, path: string): KeptGrant[] {
    return this.#kept.within.all({ workspace, path });
  }

  keptOf(key: number): KeptGrant[] {
    return this.#kept.ofKey.all(key);
  }

  dropKept(grant: KeptGrant): void {
    this.#kept.drop.run(grant);
  }

  /**
   * After a folder was renamed or moved: grants kept below it move along, like those on what is
   * there.
   */
  rebaseKept(workspace: number, path: string, to: string): void {
    this.#kept.rebase.run({ workspace, path, to });
  }
}

function preparePlaced(db: Db) {
  return {
    onFile: db.prepare<[number], PlacedGrant>(
      `SELECT g.key, x.folder AS parent, ${FILE_PATH} AS path, g.level
         FROM grants g JOIN files x ON x.seq = g.target LEFT JOIN folders d ON d.seq = x.folder
       WHERE g.kind = 'file' AND g.target = ?`,
    ),
    within: db.prepare<[Subtree], PlacedGrant>(
      `SELECT * FROM (
         SELECT g.key, d.parent, d.path, g.level FROM grants g JOIN folders d ON d.seq = g.target
           WHERE g.kind = 'folder' AND d.workspace = @workspace
         UNION ALL SELECT g.key, x.folder, ${FILE_PATH}, g.level
           FROM grants g JOIN files x ON x.seq = g.target LEFT JOIN folders d ON d.seq = x.folder
           WHERE g.kind = 'file' AND x.workspace = @workspace
       ) WHERE ${isWithin("path")}`,
    ),
    local: db.prepare<[string], GrantRow & { readonly key: number }>(
      `SELECT g.key, g.kind, g.target, g.level FROM grants g JOIN keys k ON k.seq = g.key
       WHERE k.workspace_id = ? AND g.key IN (SELECT key FROM grants WHERE kind <> 'root')`,
    ),
    set: db.prepare("INSERT OR REPLACE INTO grants (key, kind, target, level) VALUES (@key, @kind, @seq, @level)"),
  };
}

function prepareKept(db: Db) {
  return {
    keep: db.prepare<[KeptGrant]>(
      "INSERT OR REPLACE INTO kept_grants (key, workspace, path, level) VALUES (@key, @workspace, @path, @level)",
    ),
    within: db.prepare<[Subtree], KeptGrant>(
      `SELECT key, workspace, path, level FROM kept_grants WHERE workspace = @workspace AND ${isWithin("path")} ORDER BY path`,
    ),
    ofKey: db.prepare<[number], KeptGrant>(
      "SELECT key, workspace, path, level FROM kept_grants WHERE key = ? ORDER BY path",
    ),
    drop: db.prepare<[KeptGrant]>(
      "DELETE FROM kept_grants WHERE key = @key AND workspace = @workspace AND path = @path",
    ),
    rebase: db.prepare<[Subtree & { to: string }]>(
      `UPDATE OR REPLACE kept_grants SET path = @to || substr(path, length(@path) + 1)
       WHERE workspace = @workspace AND ${isWithin("path")}`,
    ),
  };
}
