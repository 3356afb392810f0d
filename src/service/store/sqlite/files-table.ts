import { BoundedMap } from "../../../common/bounded-map.ts";
import { FILE_COLUMNS, type FilesTable, makeFilesTable, FROM_FILES, type ShownFile } from "../files-table.ts";
import type { FileRow } from "../rows.ts";
import { useIndex, isAt, isBelow, sql, joinSql } from "../sql.ts";
import type { SqliteSession } from "./session.ts";
import type { Transactions } from "./transactions.ts";

/** LIMIT: number of characters of recently read files in memory. They take 8 to 16 MB. */
const MAX_CACHED_CHARACTERS = 8 * 1024 * 1024;

/** `version`: value of `Transactions.version` when the file was read. */
type CachedFile = ShownFile & { readonly workspace: number; readonly version: number };

/**
 * Returns a cache for recently read files, by id. After a change, every client of the workspace
 * reads the changed document. Without the cache, each request would read the row, decompress the
 * content and write JSON, which takes most of its time.
 */
export function makeFileCache(): BoundedMap<string, CachedFile> {
  return new BoundedMap(MAX_CACHED_CHARACTERS, ({ json }) => json.length);
}

/**
 * LIMIT: number of files below a folder. Up to this number, the query finds the files by their
 * folder, and sorts them for each page. With more files, sorting would take longer than reading the
 * whole workspace in the order of creation.
 */
const MAX_SORTED_FILES = 2_000;

const IS_IN_TREE = joinSql`x.workspace = $1 AND x.folder IN (
  SELECT seq FROM folders WHERE workspace = $1 AND ${isAt("path", "$4")}
  UNION ALL SELECT seq FROM folders WHERE workspace = $1 AND ${isBelow("path", "$4")})`;

const PAGE_CLAUSE = "x.seq > $2 ORDER BY x.seq LIMIT $3";

const SQL = {
  inLargeTree: sql<FileRow>`SELECT ${FILE_COLUMNS} ${FROM_FILES} WHERE ${IS_IN_TREE} AND ${PAGE_CLAUSE}`,
  inSmallTree: sql<FileRow>`SELECT ${FILE_COLUMNS}
    FROM files x ${useIndex("files_by_folder")} LEFT JOIN folders d ON d.seq = x.folder
    WHERE ${IS_IN_TREE} AND ${PAGE_CLAUSE}`,
  ofTree: sql<{ readonly files: number }>`
    SELECT count(*) AS files FROM (SELECT 1 FROM files x WHERE ${IS_IN_TREE} LIMIT ${MAX_SORTED_FILES})`,
} as const;

/**
 * Returns the methods for the table `files` of a database that only this process uses. They use a
 * cache of recently read files, and choose an index by the number of files below a folder.
 */
export function makeSqliteFiles(session: SqliteSession, transactions: Pick<Transactions, "version">): FilesTable {
  const files = makeFilesTable(session);
  const cache = makeFileCache();
  return {
    ...files,
    async shown(workspace, id, show) {
      const { version } = transactions;
      const cached = cache.get(id);
      if (version !== null && cached?.version === version && cached.workspace === workspace) return cached;
      const file = await files.shown(workspace, id, show);
      if (file !== undefined && version !== null) cache.set(id, { ...file, workspace, version });
      return file;
    },
    inTree({ workspace, after, count, path }) {
      const page = [workspace, after, count, path];
      const isSmall = session.oneNow(SQL.ofTree, ...page)!.files < MAX_SORTED_FILES;
      return session.all(isSmall ? SQL.inSmallTree : SQL.inLargeTree, ...page);
    },
  };
}
