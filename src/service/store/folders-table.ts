import type { FolderRow, NameRange, RowRange } from "./rows.ts";
import { isAt, isBelow, isOneOf, isWithin, type Session, sql, joinSql, sqlPlannedByValues } from "./sql.ts";

const SELECT_FOLDERS = `SELECT d.seq, d.id, d.parent, p.id AS "parentId", d.name, d.path
FROM folders d LEFT JOIN folders p ON p.seq = d.parent`;
const PAGE_CLAUSE = "d.seq > $2 ORDER BY d.seq LIMIT $3";
/** SQL that selects the folder at the path $2 of the workspace $1, and all folders below it. */
const FROM_TREE = joinSql`FROM folders WHERE workspace = $1 AND ${isWithin("path", "$2")}`;

const SQL = {
  byId: sql<FolderRow>`${SELECT_FOLDERS} WHERE d.workspace = $1 AND d.id = $2`,
  byPath: sql<FolderRow>`${SELECT_FOLDERS} WHERE d.workspace = $1 AND ${isAt("d.path", "$2")}`,
  ancestors: sql<{ readonly seq: number; readonly parent: number }>`WITH RECURSIVE up AS (
      SELECT seq, parent FROM folders WHERE ${isOneOf("seq", "$1")}
      UNION SELECT d.seq, d.parent FROM up JOIN folders d ON d.seq = up.parent
    ) SELECT seq, parent FROM up`,
  all: sql<FolderRow>`${SELECT_FOLDERS} WHERE d.workspace = $1 AND ${PAGE_CLAUSE}`,
  inParent: sql<FolderRow>`${SELECT_FOLDERS} WHERE d.workspace = $1 AND d.parent = $4 AND ${PAGE_CLAUSE}`,
  inParentByName: sql<FolderRow>`${SELECT_FOLDERS} WHERE d.workspace = $1 AND d.parent = $2 AND d.name > $3
    ORDER BY d.name LIMIT $4`,
  // The best query plan depends on the folder, which may contain few folders or most of the
  // workspace. So the database plans this query for each run.
  below: sqlPlannedByValues<FolderRow>`${SELECT_FOLDERS} WHERE d.workspace = $1 AND ${isBelow("d.path", "$4")} AND ${PAGE_CLAUSE}`,
  anyIn: sql<{ readonly found: 1 }>`SELECT 1 AS found FROM files WHERE workspace = $1 AND folder = $2
    UNION ALL SELECT 1 FROM folders WHERE workspace = $1 AND parent = $2 LIMIT 1`,
  extent: sql<{ readonly longest: string; readonly slashes: number }>`
    SELECT (SELECT path ${FROM_TREE} ORDER BY length(path) DESC, seq LIMIT 1) AS longest,
      max(length(path) - length(replace(path, '/', ''))) AS slashes ${FROM_TREE}`,
  insert: sql<{ readonly seq: number }>`
    INSERT INTO folders (workspace, id, parent, name, path) VALUES ($1, $2, $3, $4, $5) RETURNING seq`,
  place: sql`UPDATE folders SET parent = $2, name = $3, path = $4 WHERE seq = $1`,
  // `substr` and `length` both count characters, even those outside the BMP.
  rebase: sql`UPDATE folders SET path = $3 || substr(path, length($2) + 1)
    WHERE workspace = $1 AND ${isBelow("path", "$2")}`,
  dropLostGrants: sql`DELETE FROM grants WHERE kind = 'file' AND NOT EXISTS (SELECT 1 FROM files WHERE seq = target)
    OR kind = 'folder' AND NOT EXISTS (SELECT 1 FROM folders WHERE seq = target)`,
} as const;

const FROM_FILES_IN_TREE = joinSql`FROM files WHERE workspace = $1 AND folder IN (SELECT seq ${FROM_TREE})`;

/**
 * ORDER: rows are removed before the rows to which they refer. Some statements find rows by these
 * references, and PostgreSQL checks foreign keys.
 */
const REMOVE_TREE = [
  sql`DELETE FROM changes WHERE file IN (SELECT seq ${FROM_FILES_IN_TREE})`,
  sql`DELETE ${FROM_FILES_IN_TREE}`,
  sql`DELETE ${FROM_TREE}`,
];

export type FoldersTable = ReturnType<typeof makeFoldersTable>;

export function makeFoldersTable(session: Session) {
  return {
    byId: (workspace: number, id: string) => session.one(SQL.byId, workspace, id),
    byPath: (workspace: number, path: string) => session.one(SQL.byPath, workspace, path),
    /** Follows folder names from the root. Returns the folders up to the first missing folder. */
    async along(workspace: number, names: readonly string[]) {
      const paths = names.map((_, i) => names.slice(0, i + 1).join("/"));
      const foundFolders = await Promise.all(paths.map((path) => session.one(SQL.byPath, workspace, path)));
      return foundFolders.filter((row) => row !== undefined);
    },
    /**
     * Returns the parent of each folder in the list, and of each folder above it. The result lacks
     * folders that were removed.
     */
    async ancestors(seqs: readonly number[]): Promise<ReadonlyMap<number, number>> {
      const rows = seqs.length === 0 ? [] : await session.all(SQL.ancestors, seqs);
      return new Map(rows.map(({ seq, parent }) => [seq, parent]));
    },
    all: ({ workspace, after, count }: RowRange) => session.all(SQL.all, workspace, after, count),
    inParent: ({ workspace, after, count, parent }: RowRange & { readonly parent: number }) =>
      session.all(SQL.inParent, workspace, after, count, parent),
    inParentByName: ({ workspace, folder, after, count }: NameRange) =>
      session.all(SQL.inParentByName, workspace, folder, after, count),
    /** Returns the folders below a path, without the folder at the path. */
    below: ({ workspace, after, count, path }: RowRange & { readonly path: string }) =>
      session.all(SQL.below, workspace, after, count, path),
    isEmpty: async (workspace: number, seq: number) => (await session.one(SQL.anyIn, workspace, seq)) === undefined,
    /**
     * Returns the longest path, and the largest number of slashes in a path, of the folder at
     * `path` and all folders below it.
     */
    extent: async (workspace: number, path: string) => (await session.one(SQL.extent, workspace, path))!,
    async insert({ workspace, id, parent, name, path }: Omit<FolderRow, "seq" | "parentId"> & { workspace: number }) {
      session.lock("structure", workspace);
      return (await session.one(SQL.insert, workspace, id, parent, name, path))!.seq;
    },
    async place(workspace: number, row: FolderRow, to: Pick<FolderRow, "parent" | "name" | "path">) {
      session.send(SQL.place, row.seq, to.parent, to.name, to.path);
      session.send(SQL.rebase, workspace, row.path, to.path);
    },
    async removeTree(workspace: number, row: FolderRow) {
      for (const statement of REMOVE_TREE) session.send(statement, workspace, row.path);
      // ORDER: grants on removed items are deleted last, because the outbox records the grants of
      // an item when the item is removed.
      session.send(SQL.dropLostGrants);
    },
  };
}
