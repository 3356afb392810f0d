import { BoundedMap } from "../../../common/bounded-map.ts";
import { FILE_COLUMNS, FROM_FILES, filesTable } from "../files-table.ts";
import type { FileRow, ShownText } from "../rows.ts";
import { type Dialect, sql } from "../sql.ts";
import type { Tables } from "../tables.ts";
import type { Db } from "./database.ts";
import type { SqliteSession } from "./session.ts";

/** LIMIT: characters in memory, about 8 to 16 MB: a few thousand notes. */
const HELD_CHARACTERS = 8 * 1024 * 1024;

/**
 * A file as a request read it. @property asOf `Db.writes.files` at that time; while this count is
 * unchanged, the row is unchanged too
 */
export type KeptText = ShownText & { readonly workspace: number; readonly asOf: number };

/**
 * Returns storage for recently read files by id, as JSON of an answer. Every client of a workspace
 * reads a document that just changed; reading the row, unpacking the content and writing JSON take
 * half of that request. The text of a change never changes, so it is valid while its change is
 * live, even if the row changed.
 */
export function keptTexts(): BoundedMap<string, KeptText> {
  return new BoundedMap(HELD_CHARACTERS, ({ shown, json }) => shown.length + json.length);
}

/** LIMIT: characters in memory, about 32 MB: the files of a workspace of 100,000. */
const SHOWN_CHARACTERS = 32 * 1024 * 1024;
/**
 * LIMIT: files of a subtree that is read by its folders and sorted. In a larger one, the workspace
 * is read in the order of creation, because sorting the subtree for each page would take longer.
 */
const SMALL_TREE = 2_000;

function isInTree(dialect: Dialect): string {
  return `x.workspace = $1 AND x.folder IN (
    SELECT seq FROM folders WHERE workspace = $1 AND ${dialect.isAt("path", "$4")}
    UNION ALL SELECT seq FROM folders WHERE workspace = $1 AND ${dialect.isBelow("path", "$4")})`;
}

const PAGE = "x.seq > $2 ORDER BY x.seq LIMIT $3";

const SQL = {
  inLargeTree: sql<FileRow>(
    null,
    (dialect) => `SELECT ${FILE_COLUMNS} ${FROM_FILES} WHERE ${isInTree(dialect)} AND ${PAGE}`,
  ),
  inSmallTree: sql<FileRow>(
    null,
    (dialect) =>
      `SELECT ${FILE_COLUMNS} FROM files x ${dialect.by("files_by_folder")} LEFT JOIN folders d ON d.seq = x.folder
       WHERE ${isInTree(dialect)} AND ${PAGE}`,
  ),
  ofTree: sql<{ readonly files: number }>(
    null,
    (dialect) => `SELECT count(*) AS files FROM (SELECT 1 FROM files x WHERE ${isInTree(dialect)} LIMIT ${SMALL_TREE})`,
  ),
} as const;

/**
 * Table `files` of the only process that uses it, which remembers what it read.
 *
 * - The JSON of files in a list, by row number, until they change: reading rows and writing JSON
 *   take nine tenths of a list's time.
 * - The texts that were read last (`keptTexts`).
 */
export function rememberedFiles(session: SqliteSession, db: Db): Tables["files"] {
  const files = filesTable(session);
  const kept = keptTexts();
  const shownFiles = new BoundedMap<number, string>(SHOWN_CHARACTERS, (text) => text.length);
  let placesThen = db.writes.places;
  const seqsOf = db
    .prepare<[number, number, number], number>(
      "SELECT seq FROM files INDEXED BY files_by_workspace WHERE workspace = ? AND seq > ? ORDER BY seq LIMIT ?",
    )
    .pluck();
  return {
    ...files,
    async withText(workspace, id, shown) {
      const asOf = db.writes.files;
      const text = kept.get(id);
      if (text?.asOf === asOf && text.workspace === workspace) return text;
      const known = text && (await files.byId(workspace, id));
      const found =
        known !== undefined && known.changeId === text?.row.changeId
          ? { row: known, shown: shown(known), json: text.json }
          : await files.withText(workspace, id, shown);
      if (found !== undefined) kept.set(id, { ...found, workspace, asOf });
      return found;
    },
    async allShown({ workspace, after, count }, shown) {
      const seqs = seqsOf.all(workspace, after, count);
      // Paths of folders may have changed, and with them the paths of files.
      if (placesThen !== db.writes.places) shownFiles.clear();
      placesThen = db.writes.places;
      const known = seqs.map((seq) => shownFiles.get(seq));
      const unknown = seqs.filter((_, at) => known[at] === undefined);
      if (unknown.length === 0) return { seqs, texts: known as string[] };
      const read = new Map((await files.bySeqs(unknown)).map((row) => [row.seq, shown(row)]));
      for (const [seq, text] of read) shownFiles.set(seq, text);
      return { seqs, texts: seqs.map((seq, at) => known[at] ?? read.get(seq)!) };
    },
    inTree({ workspace, after, count, path }) {
      const page = [workspace, after, count, path];
      const isSmall = session.oneNow(SQL.ofTree, ...page)!.files < SMALL_TREE;
      return session.all(isSmall ? SQL.inSmallTree : SQL.inLargeTree, ...page);
    },
    place(seq, folder, name) {
      shownFiles.delete(seq);
      return files.place(seq, folder, name);
    },
    protect(seq, value) {
      shownFiles.delete(seq);
      return files.protect(seq, value);
    },
    save(row, change) {
      shownFiles.delete(row.seq);
      return files.save(row, change);
    },
  };
}
