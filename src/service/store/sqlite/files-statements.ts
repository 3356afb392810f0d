import type { FileRow } from "../rows.ts";
import type { NamePage, Page } from "../tables.ts";
import type { Db } from "./database.ts";
import { FILE_PATH, isBelow, isWithin, type Subtree } from "./sql.ts";
import type { StoredText } from "./text-codec.ts";

const COLUMNS = `
SELECT x.seq, x.id, x.folder, d.id AS folderId, x.name, x.protected, x.change_id AS changeId,
  ${FILE_PATH} AS path`;
const SELECT = `${COLUMNS} FROM files x LEFT JOIN folders d ON d.seq = x.folder`;
/** Reads by folder, then sorts: for subtrees that are a small part of the workspace. */
const SELECT_BY_FOLDER = `${COLUMNS} FROM files x INDEXED BY files_by_folder LEFT JOIN folders d ON d.seq = x.folder`;
/** Selects the folder at `path` and every folder below it. */
const TREE = `
SELECT seq FROM folders WHERE workspace = @workspace AND path = @path
UNION ALL SELECT seq FROM folders WHERE workspace = @workspace AND ${isBelow("path")}`;
const IN_TREE = `workspace = @workspace AND folder IN (${TREE})`;
const PAGE = "AND x.seq > @after ORDER BY x.seq LIMIT @count";

export type FolderPage = Page & { readonly folder: number };

/**
 * LIMIT: files of a subtree that is read by its folders and sorted. In a larger one, the workspace
 * is read in the order of creation, because sorting the subtree for each page would take longer.
 */
const SMALL_TREE = 2_000;

export function prepareReads(db: Db) {
  return {
    byId: db.prepare<[number, string], FileRow>(`${SELECT} WHERE x.workspace = ? AND x.id = ?`),
    bySeq: db.prepare<[number], FileRow>(`${SELECT} WHERE x.seq = ?`),
    inWorkspace: db.prepare<[number, number], FileRow>(`${SELECT} WHERE x.workspace = ? AND x.seq = ?`),
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

export function prepareTexts(db: Db) {
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

export function prepareWrites(db: Db) {
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
