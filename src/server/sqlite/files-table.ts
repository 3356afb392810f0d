import type { Db } from "./database.ts";
import { type FileRow, ROOT } from "../rows.ts";
import type { FileForEdit, Files, NamePage, NewFile, Page, ShownPage } from "../tables.ts";
import { FILE_PATH, isBelow, isWithin, type Subtree } from "./sql.ts";
import { KeptTexts } from "./kept-texts.ts";
import { ShownFiles } from "./shown-files.ts";
import { decodeIfKept, decodeText, encodeText, type StoredText } from "./text-codec.ts";

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

/** Table `files`, with what of `changes` belongs to a file. */
export class FilesTable implements Files {
  readonly #db: Db;
  readonly #shown = new ShownFiles();
  readonly #kept = new KeptTexts();
  readonly #reads: ReturnType<typeof prepareReads>;
  readonly #texts: ReturnType<typeof prepareTexts>;
  readonly #writes: ReturnType<typeof prepareWrites>;

  constructor(db: Db) {
    this.#db = db;
    this.#reads = prepareReads(db);
    this.#texts = prepareTexts(db);
    this.#writes = prepareWrites(db);
  }

  async byId(workspace: number, id: string): Promise<FileRow | undefined> {
    return this.#reads.byId.get(workspace, id);
  }

  async withText(workspace: number, id: string): Promise<{ row: FileRow; json: string } | undefined> {
    const kept = this.#kept.get(id);
    const known = kept && this.#reads.byId.get(workspace, id);
    if (kept !== undefined && known?.changeId === kept.changeId) return { row: known, json: kept.json };
    const found = this.#texts.withRow.get(workspace, id);
    if (found === undefined) return undefined;
    const { codec, text, ...row } = found;
    const json = JSON.stringify(decodeText({ codec, text }));
    this.#kept.set(id, { changeId: row.changeId, json });
    return { row, json };
  }

  async forEdit(workspace: number, id: string, baseId: string): Promise<FileForEdit | undefined> {
    const row = this.#reads.byId.get(workspace, id);
    if (row === undefined) return undefined;
    const live = this.liveText(row);
    if (baseId === row.changeId) return { row, live, base: { text: live } };
    const base = this.#texts.ofFile.get(baseId, row.seq);
    return { row, live, base: base === undefined ? null : { text: decodeIfKept(base) } };
  }

  /** Never pruned, and there for every file. */
  liveText({ changeId }: FileRow): string {
    return decodeText(this.#texts.byId.get(changeId)!);
  }

  bySeq(seq: number): FileRow | undefined {
    return this.#reads.bySeq.get(seq);
  }

  async bySeqs(seqs: readonly number[]): Promise<FileRow[]> {
    return seqs.flatMap((seq) => this.bySeq(seq) ?? []);
  }

  async byName(workspace: number, folder: number, name: string): Promise<FileRow | undefined> {
    return this.#reads.byName.get(workspace, folder, name);
  }

  async byPath(workspace: number, path: string): Promise<FileRow | undefined> {
    const cut = path.lastIndexOf("/");
    if (cut < 0) return this.#reads.byName.get(workspace, ROOT, path);
    const folder = this.#reads.folder.get(workspace, path.slice(0, cut));
    return folder && this.#reads.byName.get(workspace, folder.seq, path.slice(cut + 1));
  }

  async all(page: Page): Promise<FileRow[]> {
    return this.#reads.all.all(page);
  }

  async allShown(page: Page, shown: (row: FileRow) => string): Promise<ShownPage> {
    const seqs = this.#reads.seqs.column<number>(page);
    // What is not committed yet may be undone.
    const remembers = !this.#db.inTransaction;
    const texts = seqs.map((seq) => {
      const known = remembers ? this.#shown.get(seq) : undefined;
      if (known !== undefined) return known;
      const text = shown(this.bySeq(seq)!);
      if (remembers) this.#shown.set(seq, text);
      return text;
    });
    return { seqs, texts };
  }

  /** The paths of folders changed, and with them those of their files. */
  forgetShown(): void {
    this.#shown.clear();
  }

  async inFolder(page: FolderPage): Promise<FileRow[]> {
    return this.#reads.inFolder.all(page);
  }

  async inFolderByName(page: NamePage): Promise<FileRow[]> {
    return this.#reads.inFolderByName.all(page);
  }

  async inTree(page: Page & Subtree): Promise<FileRow[]> {
    const { small } = this.#reads.isSmall.get({ workspace: page.workspace, path: page.path })!;
    return (small === 1 ? this.#reads.inSmallTree : this.#reads.inTree).all(page);
  }

  async protectedInTree(workspace: number, path: string): Promise<FileRow[]> {
    return this.#reads.protectedInTree.all({ workspace, path });
  }

  async insert({ workspace, id, folder, name, changeId, text, at }: NewFile): Promise<number> {
    const seq = Number(this.#writes.insert.run(id, workspace, folder, name, changeId).lastInsertRowid);
    this.#addVersion({ id: changeId, file: seq, baseId: null, text, at });
    return seq;
  }

  async place(seq: number, folder: number, name: string): Promise<void> {
    this.#shown.delete(seq);
    this.#writes.place.run(folder, name, seq);
  }

  async protect(seq: number, value: boolean): Promise<void> {
    this.#shown.delete(seq);
    this.#writes.protect.run(value ? 1 : 0, seq);
  }

  async save({ seq, changeId }: FileRow, change: { id: string; text: string; at: number }): Promise<void> {
    this.#shown.delete(seq);
    this.#addVersion({ ...change, file: seq, baseId: changeId });
    this.#writes.setChange.run(change.id, seq);
  }

  #addVersion(version: { id: string; file: number; baseId: string | null; text: string; at: number }): void {
    const { codec, text } = encodeText(version.text);
    this.#texts.add.run(version.id, version.file, version.baseId, codec, text, version.at);
  }

  async remove(seq: number): Promise<void> {
    this.#shown.delete(seq);
    this.#writes.dropChanges.run(seq);
    // ORDER: the outbox takes its grants along.
    this.#writes.remove.run(seq);
    this.#writes.dropGrants.run(seq);
  }

  /** Removes every file in the folder at `path` and below, with their changes and grants. */
  removeTree(subtree: Subtree): void {
    this.#shown.clear();
    this.#writes.dropTreeChanges.run(subtree);
    // ORDER: the outbox takes their grants along.
    this.#writes.dropTree.run(subtree);
    this.#writes.dropLostGrants.run();
  }
}

function prepareReads(db: Db) {
  return {
    byId: db.prepare<[number, string], FileRow>(`${SELECT} WHERE x.workspace = ? AND x.id = ?`),
    bySeq: db.prepare<[number], FileRow>(`${SELECT} WHERE x.seq = ?`),
    byName: db.prepare<[number, number, string], FileRow>(
      `${SELECT} WHERE x.workspace = ? AND x.folder = ? AND x.name = ?`,
    ),
    folder: db.prepare<[number, string], { seq: number }>("SELECT seq FROM folders WHERE workspace = ? AND path = ?"),
    seqs: db.prepare<[Page]>(
      `SELECT seq FROM files x INDEXED BY files_by_workspace
       WHERE x.workspace = @workspace AND x.seq > @after ORDER BY x.seq LIMIT @count`,
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
  };
}

function prepareTexts(db: Db) {
  return {
    withRow: db.prepare<[number, string], FileRow & StoredText>(
      `${COLUMNS}, c.codec, c.text FROM files x LEFT JOIN folders d ON d.seq = x.folder
       CROSS JOIN changes c ON c.id = x.change_id WHERE x.workspace = ? AND x.id = ?`,
    ),
    byId: db.prepare<[string], StoredText>("SELECT codec, text FROM changes WHERE id = ?"),
    ofFile: db.prepare<[string, number], StoredText>("SELECT codec, text FROM changes WHERE id = ? AND file = ?"),
    add: db.prepare<[string, number, string | null, number, Buffer, number]>(
      "INSERT INTO changes (id, file, base_id, status, codec, text, at) VALUES (?, ?, ?, 'saved', ?, ?, ?)",
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
    dropChanges: db.prepare<[number]>("DELETE FROM changes WHERE file = ?"),
    dropLostGrants: db.prepare<[]>(
      "DELETE FROM grants WHERE kind = 'file' AND NOT EXISTS (SELECT 1 FROM files WHERE seq = target)",
    ),
    dropTreeChanges: db.prepare<[Subtree]>(
      `DELETE FROM changes WHERE file IN (SELECT seq FROM files WHERE ${IN_TREE})`,
    ),
    dropTree: db.prepare<[Subtree]>(`DELETE FROM files WHERE ${IN_TREE}`),
  };
}
