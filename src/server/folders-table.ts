import type { Db } from "./database.ts";

export type FolderRow = {
  readonly seq: number;
  readonly id: string;
  readonly parent: number;
  readonly name: string;
  readonly path: string;
};

/** The `parent` of root folders and the `folder` of root files. */
export const ROOT = 0;

const COLUMNS = "seq, id, parent, name, path";
// "0" is the character after "/": the range holds every path below, and uses the index on
// (workspace, path).
const BELOW = "workspace = @workspace AND path > @path || '/' AND path < @path || '0'";

type Page = { readonly workspace: number; readonly after: number; readonly count: number };
type Subtree = { readonly workspace: number; readonly path: string };

/**
 * The prepared statements of table `folders`; each is prepared once, because better-sqlite3 frees
 * none before the database closes.
 */
export function foldersTable(db: Db) {
  return { ...folderReads(db), ...folderWrites(db) };
}

export type FoldersTable = ReturnType<typeof foldersTable>;

function folderReads(db: Db) {
  const select = `SELECT ${COLUMNS} FROM folders`;
  const page = "AND seq > @after ORDER BY seq LIMIT @count";
  const byId = db.prepare<[number, string], FolderRow>(`${select} WHERE workspace = ? AND id = ?`);
  const byPath = db.prepare<[number, string], FolderRow>(`${select} WHERE workspace = ? AND path = ?`);
  const parentOf = db.prepare<[number], { parent: number }>("SELECT parent FROM folders WHERE seq = ?");
  const idOf = db.prepare<[number], { id: string }>("SELECT id FROM folders WHERE seq = ?");
  const pathOf = db.prepare<[number], { path: string }>("SELECT path FROM folders WHERE seq = ?");
  const inParent = db.prepare<[Page & { parent: number }], FolderRow>(
    `${select} WHERE workspace = @workspace AND parent = @parent ${page}`,
  );
  const below = db.prepare<[Page & Subtree], FolderRow>(`${select} WHERE ${BELOW} ${page}`);
  const longest = db.prepare<[Subtree], { path: string }>(
    `SELECT path FROM folders WHERE ${BELOW} ORDER BY length(path) DESC LIMIT 1`,
  );
  const depths = db.prepare<[Subtree], { deepest: number | null }>(
    `SELECT max(length(path) - length(replace(path, '/', ''))) AS deepest FROM folders WHERE ${BELOW}`,
  );
  return {
    byId: (workspace: number, id: string) => byId.get(workspace, id),
    byPath: (workspace: number, path: string) => byPath.get(workspace, path),
    /** @returns the row number of the parent; the root's for a folder that is not there */
    parentOf: (seq: number) => parentOf.get(seq)?.parent ?? ROOT,
    idOf: (seq: number) => idOf.get(seq)?.id,
    pathOf: (seq: number) => pathOf.get(seq)?.path,
    inParent: (at: Page & { parent: number }) => inParent.all(at),
    /** Every folder below a path, not itself. */
    below: (at: Page & Subtree) => below.all(at),
    longestBelow: (workspace: number, path: string) => longest.get({ workspace, path })?.path,
    /** @returns the greatest number of slashes in a path below, or null without folders below */
    deepestBelow: (workspace: number, path: string) => depths.get({ workspace, path })?.deepest ?? null,
  };
}

function folderWrites(db: Db) {
  const insert = db.prepare<[string, number, number, string, string]>(
    "INSERT INTO folders (id, workspace, parent, name, path) VALUES (?, ?, ?, ?, ?)",
  );
  const place = db.prepare<[number, string, string, number]>(
    "UPDATE folders SET parent = ?, name = ?, path = ? WHERE seq = ?",
  );
  // length() and substr() both count code points, so that the cut is right for astral names too.
  const rebase = db.prepare<[Subtree & { to: string }]>(
    `UPDATE folders SET path = @to || substr(path, length(@path) + 1) WHERE ${BELOW}`,
  );
  const remove = db.prepare<[number]>("DELETE FROM folders WHERE seq = ?");
  const removeBelow = db.prepare<[Subtree]>(`DELETE FROM folders WHERE ${BELOW}`);
  const dropGrants = db.prepare<[number]>("DELETE FROM grants WHERE kind = 'folder' AND target = ?");
  const dropGrantsBelow = db.prepare<[Subtree]>(
    `DELETE FROM grants WHERE kind = 'folder' AND target IN (SELECT seq FROM folders WHERE ${BELOW})`,
  );
  return {
    insert: (workspace: number, id: string, parent: number, name: string, path: string) =>
      Number(insert.run(id, workspace, parent, name, path).lastInsertRowid),
    /** Renames or moves a folder, and rewrites the paths of the folders below it. */
    place: (workspace: number, row: FolderRow, parent: number, name: string, path: string) => {
      place.run(parent, name, path, row.seq);
      rebase.run({ workspace, path: row.path, to: path });
    },
    /** Removes a folder, the folders below it, and the grants on them. Files are the caller's. */
    removeTree: (workspace: number, row: FolderRow) => {
      const subtree = { workspace, path: row.path };
      dropGrantsBelow.run(subtree);
      dropGrants.run(row.seq);
      removeBelow.run(subtree);
      remove.run(row.seq);
    },
  };
}
