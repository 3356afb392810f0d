import { BoundedMap } from "../../../common/bounded-map.ts";
import { FILE_COLUMNS, type Files, filesTable, FROM_FILES, type ShownFile } from "../files-table.ts";
import type { FileRow } from "../rows.ts";
import { indexedBy, isAt, isBelow, sql, sqlPart } from "../sql.ts";
import type { SqliteSession } from "./session.ts";
import type { Transactions } from "./transactions.ts";

/** LIMIT: characters of recently read files in memory, about 8 to 16 MB: a few thousand notes. */
const KEPT_CHARACTERS = 8 * 1024 * 1024;

/** A file as a request read it; `version`: see `Transactions.version`. */
type KeptFile = ShownFile & { readonly workspace: number; readonly version: number };

/**
 * Returns storage for recently read files by id. Every client of a workspace reads a document that
 * has just changed; reading the row, decompressing the content and writing JSON take most of the
 * time of that request.
 */
export function keptFiles(): BoundedMap<string, KeptFile> {
  return new BoundedMap(KEPT_CHARACTERS, ({ json }) => json.length);
}

/**
 * LIMIT: files of a subtree for which the query uses the index by folder, and sorts the result. For
 * a larger subtree, it reads the whole workspace in the order of creation, because sorting for each
 * page would take longer.
 */
const SMALL_TREE = 2_000;

const IS_IN_TREE = sqlPart`x.workspace = $1 AND x.folder IN (
  SELECT seq FROM folders WHERE workspace = $1 AND ${isAt("path", "$4")}
  UNION ALL SELECT seq FROM folders WHERE workspace = $1 AND ${isBelow("path", "$4")})`;

const PAGE = "x.seq > $2 ORDER BY x.seq LIMIT $3";

const SQL = {
  inLargeTree: sql<FileRow>`SELECT ${FILE_COLUMNS} ${FROM_FILES} WHERE ${IS_IN_TREE} AND ${PAGE}`,
  inSmallTree: sql<FileRow>`SELECT ${FILE_COLUMNS}
    FROM files x ${indexedBy("files_by_folder")} LEFT JOIN folders d ON d.seq = x.folder
    WHERE ${IS_IN_TREE} AND ${PAGE}`,
  ofTree: sql<{ readonly files: number }>`
    SELECT count(*) AS files FROM (SELECT 1 FROM files x WHERE ${IS_IN_TREE} LIMIT ${SMALL_TREE})`,
} as const;

/**
 * Returns the table `files` of the only process that uses the database. It remembers files that
 * were read last, and chooses the index for a subtree by the subtree's size.
 */
export function sqliteFiles(session: SqliteSession, transactions: Pick<Transactions, "version">): Files {
  const files = filesTable(session);
  const kept = keptFiles();
  return {
    ...files,
    async shown(workspace, id, show) {
      const { version } = transactions;
      const known = kept.get(id);
      if (version !== null && known?.version === version && known.workspace === workspace) return known;
      const file = await files.shown(workspace, id, show);
      if (file !== undefined && version !== null) kept.set(id, { ...file, workspace, version });
      return file;
    },
    inTree({ workspace, after, count, path }) {
      const page = [workspace, after, count, path];
      const isSmall = session.oneNow(SQL.ofTree, ...page)!.files < SMALL_TREE;
      return session.all(isSmall ? SQL.inSmallTree : SQL.inLargeTree, ...page);
    },
  };
}
