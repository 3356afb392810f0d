import { BoundedMap } from "../../../common/bounded-map.ts";
import { FILE_COLUMNS, FilesTable, FROM_FILES } from "../files-table.ts";
import type { FileRow, ShownPage, ShownText } from "../rows.ts";
import { type Dialect, sql } from "../sql.ts";
import type { Page } from "../tables.ts";
import type { Db } from "./database.ts";
import { KeptTexts } from "./kept-texts.ts";
import type { SqliteSession } from "./session.ts";
import type { Statement } from "./statement.ts";

/** LIMIT: characters in memory, about 32 MB: the files of a workspace of 100,000. */
const SHOWN_CHARACTERS = 32 * 1024 * 1024;
/**
 * LIMIT: files of a subtree that is read by its folders and sorted. In a larger one, the workspace
 * is read in the order of creation, because sorting the subtree for each page would take longer.
 */
const SMALL_TREE = 2_000;

type TreePage = Page & { readonly path: string };

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
 * Table `files` in the memory of the only process that uses it.
 *
 * - The JSON of files in a list, by row number, until they change: reading rows and writing JSON
 *   take nine tenths of a list's time.
 * - The texts that were read last (`KeptTexts`).
 */
export class RememberedFiles extends FilesTable {
  readonly #db: Db;
  readonly #session: SqliteSession;
  readonly #seqs: Statement<[number, number, number], unknown>;
  readonly #shown = new BoundedMap<number, string>(SHOWN_CHARACTERS, (text) => text.length);
  /** `Db.writes.places` when `#shown` was used last. */
  #placesThen = 0;
  readonly #kept = new KeptTexts();

  constructor(session: SqliteSession, db: Db) {
    super(session);
    this.#session = session;
    this.#db = db;
    this.#seqs = db.prepare(
      "SELECT seq FROM files INDEXED BY files_by_workspace WHERE workspace = ? AND seq > ? ORDER BY seq LIMIT ?",
    );
  }

  override async withText(
    workspace: number,
    id: string,
    shown: (row: FileRow) => string,
  ): Promise<ShownText | undefined> {
    const asOf = this.#db.writes.files;
    const kept = this.#kept.get(id);
    if (kept?.asOf === asOf && kept.workspace === workspace) return kept;
    const known = kept && (await this.byId(workspace, id));
    const found =
      known !== undefined && known.changeId === kept?.row.changeId
        ? { row: known, shown: shown(known), json: kept.json }
        : await super.withText(workspace, id, shown);
    if (found === undefined) return undefined;
    const text = { ...found, workspace, asOf };
    this.#kept.set(id, text);
    return text;
  }

  async allShown(page: Page, shown: (row: FileRow) => string): Promise<ShownPage> {
    const seqs = this.#seqs.column<number>(page.workspace, page.after, page.count);
    this.#forgetPlaces();
    const known = seqs.map((seq) => this.#shown.get(seq));
    const unknown = seqs.filter((_, at) => known[at] === undefined);
    if (unknown.length === 0) return { seqs, texts: known as string[] };
    const read = new Map((await this.bySeqs(unknown)).map((row) => [row.seq, shown(row)]));
    // An uncommitted row may be undone, so it is not remembered.
    if (!this.#db.inTransaction) for (const [seq, text] of read) this.#shown.set(seq, text);
    return { seqs, texts: seqs.map((seq, at) => known[at] ?? read.get(seq)!) };
  }

  /** Forgets all files after paths of folders, and with them paths of files, changed. */
  #forgetPlaces(): void {
    if (this.#placesThen !== this.#db.writes.places) this.#shown.clear();
    this.#placesThen = this.#db.writes.places;
  }

  override inTree(page: TreePage): Promise<FileRow[]> {
    const { workspace, after, count, path } = page;
    const { files } = this.#session.oneNow(SQL.ofTree, workspace, after, count, path)!;
    return this.readTree(files < SMALL_TREE ? SQL.inSmallTree : SQL.inLargeTree, page);
  }

  override place(seq: number, folder: number, name: string): Promise<void> {
    this.#shown.delete(seq);
    return super.place(seq, folder, name);
  }

  override protect(seq: number, value: boolean): Promise<void> {
    this.#shown.delete(seq);
    return super.protect(seq, value);
  }

  override save(...change: Parameters<FilesTable["save"]>): Promise<void> {
    this.#shown.delete(change[0].seq);
    return super.save(...change);
  }
}
