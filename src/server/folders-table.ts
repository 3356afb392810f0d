import type { Db } from "./database.ts";
import { isBelow, type NamePage, type Page, type Subtree } from "./sql.ts";

export type FolderRow = {
  readonly seq: number;
  readonly id: string;
  readonly parent: number;
  /** null: the root. */
  readonly parentId: string | null;
  readonly name: string;
  readonly path: string;
};

/** The `parent` of root folders and the `folder` of root files. */
export const ROOT = 0;

const SELECT = `
SELECT seq, id, parent, (SELECT p.id FROM folders p WHERE p.seq = folders.parent) AS parentId, name, path
FROM folders`;
const BELOW = `workspace = @workspace AND ${isBelow("path")}`;
const PAGE = "AND seq > @after ORDER BY seq LIMIT @count";

type ParentPage = Page & { readonly parent: number };

/**
 * Table `folders`. As in every table, each statement is prepared once, because better-sqlite3 frees
 * none before the database closes.
 */
export class FoldersTable {
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #writes: ReturnType<typeof prepareWrites>;

  constructor(db: Db) {
    this.#reads = prepareReads(db);
    this.#writes = prepareWrites(db);
  }

  byId(workspace: number, id: string): FolderRow | undefined {
    return this.#reads.byId.get(workspace, id);
  }

  byPath(workspace: number, path: string): FolderRow | undefined {
    return this.#reads.byPath.get(workspace, path);
  }

  /** @returns the row number of the parent; the root's for a folder that does not exist */
  parentOf(seq: number): number {
    return this.#reads.parentOf.get(seq)?.parent ?? ROOT;
  }

  bySeq(seq: number): { readonly id: string; readonly path: string } | undefined {
    return this.#reads.bySeq.get(seq);
  }

  pathOf(seq: number): string | undefined {
    return this.#reads.pathOf.get(seq)?.path;
  }

  inParentByName(page: NamePage): FolderRow[] {
    return this.#reads.inParentByName.all(page);
  }

  inParent(page: ParentPage): FolderRow[] {
    return this.#reads.inParent.all(page);
  }

  all(page: Page): FolderRow[] {
    return this.#reads.all.all(page);
  }

  /** Every folder below a path, not itself. */
  below(page: Page & Subtree): FolderRow[] {
    return this.#reads.below.all(page);
  }

  longestBelow(workspace: number, path: string): string | undefined {
    return this.#reads.longest.get({ workspace, path })?.path;
  }

  /** @returns the greatest number of slashes in a path below, or null without folders below */
  deepestBelow(workspace: number, path: string): number | null {
    return this.#reads.depths.get({ workspace, path })?.deepest ?? null;
  }

  /** @returns its row number */
  insert(workspace: number, id: string, parent: number, name: string, path: string): number {
    return Number(this.#writes.insert.run(id, workspace, parent, name, path).lastInsertRowid);
  }

  /** Renames or moves a folder, and rewrites the paths of the folders below it. */
  place(workspace: number, row: FolderRow, parent: number, name: string, path: string): void {
    this.#writes.place.run(parent, name, path, row.seq);
    this.#writes.rebase.run({ workspace, path: row.path, to: path });
  }

  /**
   * Removes a folder, the folders below it, and the grants on them. The caller removes the files.
   */
  removeTree(workspace: number, row: FolderRow): void {
    const subtree = { workspace, path: row.path };
    this.#writes.dropGrantsBelow.run(subtree);
    this.#writes.dropGrants.run(row.seq);
    this.#writes.removeBelow.run(subtree);
    this.#writes.remove.run(row.seq);
  }
}

function prepareReads(db: Db) {
  return {
    byId: db.prepare<[number, string], FolderRow>(`${SELECT} WHERE workspace = ? AND id = ?`),
    byPath: db.prepare<[number, string], FolderRow>(`${SELECT} WHERE workspace = ? AND path = ?`),
    parentOf: db.prepare<[number], { parent: number }>("SELECT parent FROM folders WHERE seq = ?"),
    bySeq: db.prepare<[number], { id: string; path: string }>("SELECT id, path FROM folders WHERE seq = ?"),
    pathOf: db.prepare<[number], { path: string }>("SELECT path FROM folders WHERE seq = ?"),
    inParentByName: db.prepare<[NamePage], FolderRow>(
      `${SELECT} WHERE workspace = @workspace AND parent = @folder AND name > @after ORDER BY name LIMIT @count`,
    ),
    inParent: db.prepare<[ParentPage], FolderRow>(
      `${SELECT} WHERE workspace = @workspace AND parent = @parent ${PAGE}`,
    ),
    all: db.prepare<[Page], FolderRow>(`${SELECT} WHERE workspace = @workspace ${PAGE}`),
    below: db.prepare<[Page & Subtree], FolderRow>(`${SELECT} WHERE ${BELOW} ${PAGE}`),
    longest: db.prepare<[Subtree], { path: string }>(
      `SELECT path FROM folders WHERE ${BELOW} ORDER BY length(path) DESC LIMIT 1`,
    ),
    depths: db.prepare<[Subtree], { deepest: number | null }>(
      `SELECT max(length(path) - length(replace(path, '/', ''))) AS deepest FROM folders WHERE ${BELOW}`,
    ),
  };
}

function prepareWrites(db: Db) {
  return {
    insert: db.prepare<[string, number, number, string, string]>(
      "INSERT INTO folders (id, workspace, parent, name, path) VALUES (?, ?, ?, ?, ?)",
    ),
    place: db.prepare<[number, string, string, number]>(
      "UPDATE folders SET parent = ?, name = ?, path = ? WHERE seq = ?",
    ),
    // length() and substr() both count code points, so the cut is right for astral names too.
    rebase: db.prepare<[Subtree & { to: string }]>(
      `UPDATE folders SET path = @to || substr(path, length(@path) + 1) WHERE ${BELOW}`,
    ),
    remove: db.prepare<[number]>("DELETE FROM folders WHERE seq = ?"),
    removeBelow: db.prepare<[Subtree]>(`DELETE FROM folders WHERE ${BELOW}`),
    dropGrants: db.prepare<[number]>("DELETE FROM grants WHERE kind = 'folder' AND target = ?"),
    dropGrantsBelow: db.prepare<[Subtree]>(
      `DELETE FROM grants WHERE kind = 'folder' AND target IN (SELECT seq FROM folders WHERE ${BELOW})`,
    ),
  };
}
