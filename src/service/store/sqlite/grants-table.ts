import type { GrantOfKey, GrantRow, KeptGrant, Level, PlacedGrant, ShownGrant } from "../rows.ts";
import type { Grants } from "../tables.ts";
import type { Db } from "./database.ts";
import type { FilesTable } from "./files-table.ts";
import type { FoldersTable } from "./folders-table.ts";
import type { OutboxTable } from "./outbox-table.ts";
import { FILE_PATH, isWithin, type Subtree } from "./sql.ts";

export class GrantsTable implements Grants {
  readonly #places: { readonly files: FilesTable; readonly folders: FoldersTable };
  readonly #outbox: OutboxTable;
  readonly #placed: ReturnType<typeof preparePlaced>;
  readonly #kept: ReturnType<typeof prepareKept>;

  constructor(
    db: Db,
    { outbox, ...places }: { readonly files: FilesTable; readonly folders: FoldersTable; readonly outbox: OutboxTable },
  ) {
    this.#places = places;
    this.#outbox = outbox;
    this.#placed = preparePlaced(db);
    this.#kept = prepareKept(db);
  }

  ofKey(key: number): GrantRow[] {
    return this.#placed.ofKey.all(key);
  }

  async of(keys: readonly number[]): Promise<GrantOfKey[]> {
    return keys.flatMap((key) => this.ofKey(key).map((grant) => ({ ...grant, key })));
  }

  async shown(keys: readonly number[]): Promise<ShownGrant[]> {
    return keys.flatMap((key) => [
      ...this.ofKey(key).flatMap((grant) => this.#shown(key, grant) ?? []),
      ...this.#kept.ofKey.all(key).map(({ path, level }) => ({ key, on: { keptPath: path }, path, level })),
    ]);
  }

  #shown(key: number, { kind, target, level }: GrantRow): ShownGrant | undefined {
    if (kind === "root") return { key, on: null, path: "", level };
    const { files, folders } = this.#places;
    const place = kind === "folder" ? folders.bySeq(target) : files.bySeq(target);
    return place && { key, on: { id: place.id }, path: place.path, level };
  }

  async replace(key: number, rows: readonly GrantRow[]): Promise<void> {
    this.dropOf(key);
    for (const row of rows) this.#placed.insert.run({ ...row, key });
    this.#outbox.noteAccess(key);
  }

  /** Removes all grants of a key, including those kept for paths. */
  dropOf(key: number): void {
    this.#placed.dropOfKey.run(key);
    this.#kept.dropOfKey.run(key);
  }

  async set(grant: GrantOfKey): Promise<void> {
    this.#placed.set.run(grant);
  }

  async onFile(file: number): Promise<PlacedGrant[]> {
    return this.#placed.onFile.all(file);
  }

  async within(workspace: number, path: string): Promise<PlacedGrant[]> {
    return this.#placed.within.all({ workspace, path });
  }

  async local(workspaceId: string): Promise<GrantOfKey[]> {
    return this.#placed.local.all(workspaceId);
  }

  async keptWithin(workspace: number, path: string): Promise<KeptGrant[]> {
    return this.#kept.within.all({ workspace, path });
  }

  async keep(grant: KeptGrant): Promise<void> {
    this.#kept.keep.run(grant);
  }

  async dropKept(grant: KeptGrant): Promise<void> {
    this.#kept.drop.run(grant);
  }
}

const VALUES = "INTO grants (key, kind, target, level) VALUES (@key, @kind, @target, @level)";

function preparePlaced(db: Db) {
  return {
    ofKey: db.prepare<[number], GrantRow>(
      "SELECT kind, target, level FROM grants WHERE key = ? ORDER BY kind DESC, target",
    ),
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
    local: db.prepare<[string], GrantOfKey>(
      `SELECT g.key, g.kind, g.target, g.level FROM grants g JOIN keys k ON k.seq = g.key
       WHERE k.workspace_id = ? AND g.key IN (SELECT key FROM grants WHERE kind <> 'root')`,
    ),
    insert: db.prepare<[GrantOfKey]>(`INSERT ${VALUES}`),
    set: db.prepare<[GrantOfKey]>(`INSERT OR REPLACE ${VALUES}`),
    dropOfKey: db.prepare<[number]>("DELETE FROM grants WHERE key = ?"),
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
    ofKey: db.prepare<[number], { path: string; level: Level }>(
      "SELECT path, level FROM kept_grants WHERE key = ? ORDER BY path",
    ),
    drop: db.prepare<[KeptGrant]>(
      "DELETE FROM kept_grants WHERE key = @key AND workspace = @workspace AND path = @path",
    ),
    dropOfKey: db.prepare<[number]>("DELETE FROM kept_grants WHERE key = ?"),
  };
}
