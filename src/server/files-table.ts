import type { Db } from "./database.ts";

export type FileRow = {
  readonly seq: number;
  readonly id: string;
  readonly folder: number;
  readonly name: string;
  readonly path: string;
  readonly protected: 0 | 1;
  readonly changeId: string;
};

const COLUMNS = `
SELECT x.seq, x.id, x.folder, x.name, x.protected, x.change_id AS changeId,
  CASE x.folder WHEN 0 THEN x.name ELSE d.path || '/' || x.name END AS path`;
const SELECT = `${COLUMNS} FROM files x LEFT JOIN folders d ON d.seq = x.folder`;
/** By folder first, then sorted: for subtrees that are a small part of the workspace. */
const SELECT_BY_FOLDER = `${COLUMNS} FROM files x INDEXED BY files_by_folder LEFT JOIN folders d ON d.seq = x.folder`;
/** The folder at `path` and every folder below it. */
const TREE = `
SELECT seq FROM folders WHERE workspace = @workspace AND path = @path
UNION ALL SELECT seq FROM folders WHERE workspace = @workspace AND path > @path || '/' AND path < @path || '0'`;
const IN_TREE = `workspace = @workspace AND folder IN (${TREE})`;

type Page = { readonly workspace: number; readonly after: number; readonly count: number };
type Subtree = { readonly workspace: number; readonly path: string };

/**
 * LIMIT: below so many files a subtree is read through its folders and sorted; from there on the
 * workspace is walked in the order of creation, because sorting the whole subtree for each page
 * would cost more (38,000 documents: 0.3 ms instead of 4 for 100 of them).
 */
const SMALL_TREE = 2_000;

/** The prepared statements of table `files`. */
export function filesTable(db: Db) {
  return { ...fileReads(db), ...fileWrites(db) };
}

export type FilesTable = ReturnType<typeof filesTable>;

function fileReads(db: Db) {
  const page = "AND x.seq > @after ORDER BY x.seq LIMIT @count";
  const byId = db.prepare<[number, string], FileRow>(`${SELECT} WHERE x.workspace = ? AND x.id = ?`);
  const bySeq = db.prepare<[number], FileRow>(`${SELECT} WHERE x.seq = ?`);
  const byName = db.prepare<[number, number, string], FileRow>(
    `${SELECT} WHERE x.workspace = ? AND x.folder = ? AND x.name = ?`,
  );
  const all = db.prepare<[Page], FileRow>(`${SELECT} WHERE x.workspace = @workspace ${page}`);
  const inFolder = db.prepare<[Page & { folder: number }], FileRow>(
    `${SELECT} WHERE x.workspace = @workspace AND x.folder = @folder ${page}`,
  );
  const inTree = db.prepare<[Page & Subtree], FileRow>(
    `${SELECT} WHERE x.workspace = @workspace AND x.folder IN (${TREE}) ${page}`,
  );
  const inSmallTree = db.prepare<[Page & Subtree], FileRow>(
    `${SELECT_BY_FOLDER} WHERE x.workspace = @workspace AND x.folder IN (${TREE}) ${page}`,
  );
  const isSmall = db.prepare<[Subtree], { small: 0 | 1 }>(
    `SELECT count(*) < ${SMALL_TREE} AS small FROM (SELECT 1 FROM files WHERE ${IN_TREE} LIMIT ${SMALL_TREE})`,
  );
  const protectedInTree = db.prepare<[Subtree], FileRow>(
    // From the few protected files to their folders, never from the many files.
    `${COLUMNS} FROM files x INDEXED BY files_protected CROSS JOIN folders d ON d.seq = x.folder
     WHERE x.workspace = @workspace AND x.protected = 1
       AND (d.path = @path OR (d.path > @path || '/' AND d.path < @path || '0'))`,
  );
  const firstInFolder = db.prepare<[number, number], { seq: number }>(
    "SELECT seq FROM files WHERE workspace = ? AND folder = ? LIMIT 1",
  );
  return {
    byId: (workspace: number, id: string) => byId.get(workspace, id),
    bySeq: (seq: number) => bySeq.get(seq),
    byName: (workspace: number, folder: number, name: string) => byName.get(workspace, folder, name),
    all: (at: Page) => all.all(at),
    inFolder: (at: Page & { folder: number }) => inFolder.all(at),
    /** The files in the folder at `path` and below. */
    inTree: (at: Page & Subtree) => {
      const { small } = isSmall.get({ workspace: at.workspace, path: at.path })!;
      return (small === 1 ? inSmallTree : inTree).all(at);
    },
    /** The protected files in the folder at `path` and below. */
    protectedInTree: (workspace: number, path: string) => protectedInTree.all({ workspace, path }),
    hasAny: (workspace: number, folder: number) => firstInFolder.get(workspace, folder) !== undefined,
  };
}

function fileWrites(db: Db) {
  const insert = db.prepare<[string, number, number, string, string]>(
    "INSERT INTO files (id, workspace, folder, name, protected, change_id) VALUES (?, ?, ?, ?, 0, ?)",
  );
  const place = db.prepare<[number, string, number]>("UPDATE files SET folder = ?, name = ? WHERE seq = ?");
  const protect = db.prepare<[0 | 1, number]>("UPDATE files SET protected = ? WHERE seq = ?");
  const setChange = db.prepare<[string, number]>("UPDATE files SET change_id = ? WHERE seq = ?");
  const remove = db.prepare<[number]>("DELETE FROM files WHERE seq = ?");
  const dropGrants = db.prepare<[number]>("DELETE FROM grants WHERE kind = 'file' AND target = ?");
  const dropTreeGrants = db.prepare<[Subtree]>(
    `DELETE FROM grants WHERE kind = 'file' AND target IN (SELECT seq FROM files WHERE ${IN_TREE})`,
  );
  const dropTreeChanges = db.prepare<[Subtree]>(
    `DELETE FROM changes WHERE file IN (SELECT seq FROM files WHERE ${IN_TREE})`,
  );
  const dropTree = db.prepare<[Subtree]>(`DELETE FROM files WHERE ${IN_TREE}`);
  return {
    insert: (workspace: number, id: string, folder: number, name: string, changeId: string) =>
      Number(insert.run(id, workspace, folder, name, changeId).lastInsertRowid),
    place: (seq: number, folder: number, name: string) => void place.run(folder, name, seq),
    protect: (seq: number, value: boolean) => void protect.run(value ? 1 : 0, seq),
    setChange: (seq: number, changeId: string) => void setChange.run(changeId, seq),
    /** Removes a file and the grants on it. Its changes are the caller's. */
    remove: (seq: number) => {
      dropGrants.run(seq);
      remove.run(seq);
    },
    /** Removes every file in the folder at `path` and below, with their changes and grants. */
    removeTree: (workspace: number, path: string) => {
      const subtree = { workspace, path };
      dropTreeGrants.run(subtree);
      dropTreeChanges.run(subtree);
      dropTree.run(subtree);
    },
  };
}
