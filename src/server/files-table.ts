import type { Db } from "./database.ts";
import { FILE_PATH, isBelow, isWithin, type NamePage, type Page, type Subtree } from "./sql.ts";

export type FileRow = {
  readonly seq: number;
  readonly id: string;
  readonly folder: number;
  /** null: the root. */
  readonly folderId: string | null;
  readonly name: string;
  readonly path: string;
  readonly protected: 0 | 1;
  readonly changeId: string;
};

const COLUMNS = `
SELECT x.seq, x.id, x.folder, d.id AS folderId, x.name, x.protected, x.change_id AS changeId,
  ${FILE_PATH} AS path`;
const SELECT = `${COLUMNS} FROM files x LEFT JOIN folders d ON d.seq = x.folder`;
/** Reads by folder, then sorts: for subtrees that are a small part of the workspace. */
const SELECT_BY_FOLDER = `${COLUMNS} FROM files x INDEXED BY files_by_folder LEFT JOIN folders d ON d.seq = x.folder`;
/** The folder at `path` and every folder below it. */
const TREE = `
SELECT seq FROM folders WHERE workspace = @workspace AND path = @path
UNION ALL SELECT seq FROM folders WHERE workspace = @workspace AND ${isBelow("path")}`;
const IN_TREE = `workspace = @workspace AND folder IN (${TREE})`;
const PAGE = "AND x.seq > @after ORDER BY x.seq LIMIT @count";

type FolderPage = Page & { readonly folder: number };

/**
 * LIMIT: a subtree with fewer files is read by its folders and sorted. A larger one is found by
 * walking the workspace in the order of creation, because sorting all of it for each page would
 * cost more (38,000 documents: 0.3 ms instead of 4 for 100 of them).
 */
const SMALL_TREE = 2_000;

/** Table `files`. */
export class FilesTable {
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #writes: ReturnType<typeof prepareWrites>;

  constructor(db: Db) {
    this.#reads = prepareReads(db);
    this.#writes = prepareWrites(db);
  }

  byId(workspace: number, id: string): FileRow | undefined {
    return this.#reads.byId.get(workspace, id);
  }

  bySeq(seq: number): FileRow | undefined {
    return this.#reads.bySeq.get(seq);
  }

  countOf(workspace: number): number {
    return this.#reads.countOf.get(workspace)!.n;
  }

  byName(workspace: number, folder: number, name: string): FileRow | undefined {
    return this.#reads.byName.get(workspace, folder, name);
  }

  all(page: Page): FileRow[] {
    return this.#reads.all.all(page);
  }

  inFolder(page: FolderPage): FileRow[] {
    return this.#reads.inFolder.all(page);
  }

  inFolderByName(page: NamePage): FileRow[] {
    return this.#reads.inFolderByName.all(page);
  }

  /** The files in the folder at `path` and below. */
  inTree(page: Page & Subtree): FileRow[] {
    const { small } = this.#reads.isSmall.get({ workspace: page.workspace, path: page.path })!;
    return (small === 1 ? this.#reads.inSmallTree : this.#reads.inTree).all(page);
  }

  /** The protected files in the folder at `path` and below. */
  protectedInTree(workspace: number, path: string): FileRow[] {
    return this.#reads.protectedInTree.all({ workspace, path });
  }

  hasAny(workspace: number, folder: number): boolean {
    return this.#reads.firstInFolder.get(workspace, folder) !== undefined;
  }

  /** @returns its row number */
  insert(workspace: number, id: string, folder: number, name: string, changeId: string): number {
    return Number(this.#writes.insert.run(id, workspace, folder, name, changeId).lastInsertRowid);
  }

  place(seq: number, folder: number, name: string): void {
    this.#writes.place.run(folder, name, seq);
  }

  protect(seq: number, value: boolean): void {
    this.#writes.protect.run(value ? 1 : 0, seq);
  }

  setChange(seq: number, changeId: string): void {
    this.#writes.setChange.run(changeId, seq);
  }

  /** Removes a file and the grants on it. The caller removes its changes. */
  remove(seq: number): void {
    this.#writes.dropGrants.run(seq);
    this.#writes.remove.run(seq);
  }

  /** Removes every file in the folder at `path` and below, with their changes and grants. */
  removeTree(workspace: number, path: string): void {
    const subtree = { workspace, path };
    this.#writes.dropTreeGrants.run(subtree);
    this.#writes.dropTreeChanges.run(subtree);
    this.#writes.dropTree.run(subtree);
  }
}

function prepareReads(db: Db) {
  return {
    byId: db.prepare<[number, string], FileRow>(`${SELECT} WHERE x.workspace = ? AND x.id = ?`),
    countOf: db.prepare<[number], { n: number }>("SELECT count(*) AS n FROM files WHERE workspace = ?"),
    bySeq: db.prepare<[number], FileRow>(`${SELECT} WHERE x.seq = ?`),
    byName: db.prepare<[number, number, string], FileRow>(
      `${SELECT} WHERE x.workspace = ? AND x.folder = ? AND x.name = ?`,
    ),
    all: db.prepare<[Page], FileRow>(`${SELECT} WHERE x.workspace = @workspace ${PAGE}`),
    inFolder: db.prepare<[FolderPage], FileRow>(
      `${SELECT} WHERE x.workspace = @workspace AND x.folder = @folder ${PAGE}`,
    ),
    inFolderByName: db.prepare<[NamePage], FileRow>(
      `${SELECT} WHERE x.workspace = @workspace AND x.folder = @folder AND x.name > @after ORDER BY x.name LIMIT @count`,
    ),
    inTree: db.prepare<[Page & Subtree], FileRow>(
      `${SELECT} WHERE x.workspace = @workspace AND x.folder IN (${TREE}) ${PAGE}`,
    ),
    inSmallTree: db.prepare<[Page & Subtree], FileRow>(
      `${SELECT_BY_FOLDER} WHERE x.workspace = @workspace AND x.folder IN (${TREE}) ${PAGE}`,
    ),
    isSmall: db.prepare<[Subtree], { small: 0 | 1 }>(
      `SELECT count(*) < ${SMALL_TREE} AS small FROM (SELECT 1 FROM files WHERE ${IN_TREE} LIMIT ${SMALL_TREE})`,
    ),
    protectedInTree: db.prepare<[Subtree], FileRow>(
      // Reads the few protected files and then their folders, never all files.
      `${COLUMNS} FROM files x INDEXED BY files_protected CROSS JOIN folders d ON d.seq = x.folder
       WHERE x.workspace = @workspace AND x.protected = 1 AND ${isWithin("d.path")}`,
    ),
    firstInFolder: db.prepare<[number, number], { seq: number }>(
      "SELECT seq FROM files WHERE workspace = ? AND folder = ? LIMIT 1",
    ),
  };
}

function prepareWrites(db: Db) {
  return {
    insert: db.prepare<[string, number, number, string, string]>(
      "INSERT INTO files (id, workspace, folder, name, protected, change_id) VALUES (?, ?, ?, ?, 0, ?)",
    ),
    place: db.prepare<[number, string, number]>("UPDATE files SET folder = ?, name = ? WHERE seq = ?"),
    protect: db.prepare<[0 | 1, number]>("UPDATE files SET protected = ? WHERE seq = ?"),
    setChange: db.prepare<[string, number]>("UPDATE files SET change_id = ? WHERE seq = ?"),
    remove: db.prepare<[number]>("DELETE FROM files WHERE seq = ?"),
    dropGrants: db.prepare<[number]>("DELETE FROM grants WHERE kind = 'file' AND target = ?"),
    dropTreeGrants: db.prepare<[Subtree]>(
      `DELETE FROM grants WHERE kind = 'file' AND target IN (SELECT seq FROM files WHERE ${IN_TREE})`,
    ),
    dropTreeChanges: db.prepare<[Subtree]>(
      `DELETE FROM changes WHERE file IN (SELECT seq FROM files WHERE ${IN_TREE})`,
    ),
    dropTree: db.prepare<[Subtree]>(`DELETE FROM files WHERE ${IN_TREE}`),
  };
}
