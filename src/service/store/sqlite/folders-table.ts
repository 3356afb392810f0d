import type { Db } from "./database.ts";
import { type FolderRow, ROOT } from "../rows.ts";
import type { Folders, NamePage, Page } from "../tables.ts";
import type { FilesTable } from "./files-table.ts";
import { isBelow, type Subtree } from "./sql.ts";

const SELECT = `
SELECT seq, id, parent, (SELECT p.id FROM folders p WHERE p.seq = folders.parent) AS parentId, name, path
FROM folders`;
const BELOW = `workspace = @workspace AND ${isBelow("path")}`;
const PAGE = "AND seq > @after ORDER BY seq LIMIT @count";

type ParentPage = Page & { readonly parent: number };
type NewFolder = Parameters<Folders["insert"]>[0];

/**
 * Table `folders`. Each statement is prepared once, as in every table, because better-sqlite3 frees
 * statements only when the database closes.
 */
export class FoldersTable implements Folders {
  readonly #files: FilesTable;
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #writes: ReturnType<typeof prepareWrites>;

  constructor(db: Db, files: FilesTable) {
    this.#files = files;
    this.#reads = prepareReads(db);
    this.#writes = prepareWrites(db);
  }

  async byId(workspace: number, id: string): Promise<FolderRow | undefined> {
    return this.#reads.byId.get(workspace, id);
  }

  async byPath(workspace: number, path: string): Promise<FolderRow | undefined> {
    return this.#reads.byPath.get(workspace, path);
  }

  async along(workspace: number, names: readonly string[]): Promise<FolderRow[]> {
    const found: FolderRow[] = [];
    for (const at of names.keys()) {
      const row = this.#reads.byPath.get(workspace, names.slice(0, at + 1).join("/"));
      if (row === undefined) break;
      found.push(row);
    }
    return found;
  }

  /** @returns the row number of the parent; the root's for a folder that does not exist */
  parentOf(seq: number): number {
    return this.#reads.parentOf.get(seq)?.parent ?? ROOT;
  }

  async ancestors(seqs: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const parents = new Map<number, number>();
    for (const seq of seqs) {
      for (let at = seq; at !== ROOT && !parents.has(at); at = parents.get(at)!) {
        const row = this.#reads.parentOf.get(at);
        if (row === undefined) break;
        parents.set(at, row.parent);
      }
    }
    return parents;
  }

  bySeq(seq: number): { readonly id: string; readonly path: string } | undefined {
    return this.#reads.bySeq.get(seq);
  }

  async inParentByName(page: NamePage): Promise<FolderRow[]> {
    return this.#reads.inParentByName.all(page);
  }

  async inParent(page: ParentPage): Promise<FolderRow[]> {
    return this.#reads.inParent.all(page);
  }

  async all(page: Page): Promise<FolderRow[]> {
    return this.#reads.all.all(page);
  }

  async below(page: Page & Subtree): Promise<FolderRow[]> {
    return this.#reads.below.all(page);
  }

  async isEmpty(workspace: number, seq: number): Promise<boolean> {
    return this.#reads.anyIn.get({ workspace, folder: seq }) === undefined;
  }

  async extentBelow(workspace: number, path: string): Promise<{ longest: string; slashes: number } | null> {
    const longest = this.#reads.longest.get({ workspace, path })?.path;
    if (longest === undefined) return null;
    return { longest, slashes: this.#reads.depths.get({ workspace, path })!.deepest! };
  }

  async insert({ workspace, id, parent, name, path }: NewFolder): Promise<number> {
    return Number(this.#writes.insert.run(id, workspace, parent, name, path).lastInsertRowid);
  }

  async place(workspace: number, row: FolderRow, to: Pick<FolderRow, "parent" | "name" | "path">): Promise<void> {
    const move = { workspace, path: row.path, to: to.path };
    this.#files.forgetShown();
    this.#writes.place.run(to.parent, to.name, to.path, row.seq);
    this.#writes.rebase.run(move);
  }

  async removeTree(workspace: number, row: FolderRow): Promise<void> {
    const subtree = { workspace, path: row.path };
    this.#files.removeTree(subtree);
    // ORDER: before their grants are dropped, because the outbox records them.
    this.#writes.removeBelow.run(subtree);
    this.#writes.remove.run(row.seq);
    this.#writes.dropLostGrants.run();
  }
}

function prepareReads(db: Db) {
  return {
    byId: db.prepare<[number, string], FolderRow>(`${SELECT} WHERE workspace = ? AND id = ?`),
    byPath: db.prepare<[number, string], FolderRow>(`${SELECT} WHERE workspace = ? AND path = ?`),
    parentOf: db.prepare<[number], { parent: number }>("SELECT parent FROM folders WHERE seq = ?"),
    bySeq: db.prepare<[number], { id: string; path: string }>("SELECT id, path FROM folders WHERE seq = ?"),
    inParentByName: db.prepare<[NamePage], FolderRow>(
      `${SELECT} WHERE workspace = @workspace AND parent = @folder AND name > @after ORDER BY name LIMIT @count`,
    ),
    inParent: db.prepare<[ParentPage], FolderRow>(
      `${SELECT} WHERE workspace = @workspace AND parent = @parent ${PAGE}`,
    ),
    all: db.prepare<[Page], FolderRow>(`${SELECT} WHERE workspace = @workspace ${PAGE}`),
    below: db.prepare<[Page & Subtree], FolderRow>(`${SELECT} WHERE ${BELOW} ${PAGE}`),
    anyIn: db.prepare<[{ workspace: number; folder: number }], { one: 1 }>(
      `SELECT 1 AS one FROM files WHERE workspace = @workspace AND folder = @folder
       UNION ALL SELECT 1 FROM folders WHERE workspace = @workspace AND parent = @folder LIMIT 1`,
    ),
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
    // length() and substr() count code points, so the cut is also right for names outside the BMP.
    rebase: db.prepare<[Subtree & { to: string }]>(
      `UPDATE folders SET path = @to || substr(path, length(@path) + 1) WHERE ${BELOW}`,
    ),
    remove: db.prepare<[number]>("DELETE FROM folders WHERE seq = ?"),
    removeBelow: db.prepare<[Subtree]>(`DELETE FROM folders WHERE ${BELOW}`),
    dropLostGrants: db.prepare<[]>(
      "DELETE FROM grants WHERE kind = 'folder' AND NOT EXISTS (SELECT 1 FROM folders WHERE seq = target)",
    ),
  };
}
