import { type FileRow, ROOT, type ShownText } from "./rows.ts";
import { FILE_PATH, isWithin, type Session, type Sql, sql, sqlInOrder } from "./sql.ts";
import type { FileForEdit, Files, NamePage, NewFile, Page } from "./tables.ts";
import { decodeIfKept, decodeText, encodeText, type StoredText } from "./text-codec.ts";

export const FILE_COLUMNS = `x.seq, x.id, x.folder, d.id AS "folderId", x.name,
  CAST(x.protected AS integer) AS protected, x.change_id AS "changeId", ${FILE_PATH} AS path`;
/** Files `x` with their folders `d`; a file in the root has none. */
export const FROM_FILES = "FROM files x LEFT JOIN folders d ON d.seq = x.folder";
const SELECT = `SELECT ${FILE_COLUMNS} ${FROM_FILES}`;
const PAGE = "x.seq > $2 ORDER BY x.seq LIMIT $3";

type WithText = FileRow & StoredText;
type WithBase = WithText & { readonly baseCodec: number | null; readonly baseText: Buffer | null };

const SQL = {
  byId: sql<FileRow>("files.byId", `${SELECT} WHERE x.workspace = $1 AND x.id = $2`),
  withText: sql<WithText>(
    "files.withText",
    `SELECT ${FILE_COLUMNS}, c.codec, c.text ${FROM_FILES} JOIN changes c ON c.id = x.change_id
     WHERE x.workspace = $1 AND x.id = $2`,
  ),
  forEdit: sql<WithBase>(
    "files.forEdit",
    `SELECT ${FILE_COLUMNS}, c.codec, c.text, b.codec AS "baseCodec", b.text AS "baseText"
     ${FROM_FILES} JOIN changes c ON c.id = x.change_id
       LEFT JOIN changes b ON b.id = $3 AND b.file = x.seq AND b.id <> x.change_id
     WHERE x.workspace = $1 AND x.id = $2`,
  ),
  bySeqs: sql<FileRow>("files.bySeqs", ({ isOneOf }) => `${SELECT} WHERE ${isOneOf("x.seq", "$1")}`),
  byName: sql<FileRow>("files.byName", `${SELECT} WHERE x.workspace = $1 AND x.folder = $2 AND x.name = $3`),
  byPath: sql<FileRow>(
    "files.byPath",
    ({ isAt }) =>
      `${SELECT} WHERE x.workspace = $1 AND x.name = $3
         AND x.folder = (SELECT seq FROM folders WHERE workspace = $1 AND ${isAt("path", "$2")})`,
  ),
  all: sql<FileRow>("files.all", `${SELECT} WHERE x.workspace = $1 AND ${PAGE}`),
  inFolder: sql<FileRow>("files.inFolder", `${SELECT} WHERE x.workspace = $1 AND x.folder = $4 AND ${PAGE}`),
  inFolderByName: sql<FileRow>(
    "files.inFolderByName",
    `${SELECT} WHERE x.workspace = $1 AND x.folder = $2 AND x.name > $3 ORDER BY x.name LIMIT $4`,
  ),
  // Planned with its values: a subtree may be one folder, or the whole workspace.
  inTree: sql<FileRow>(
    null,
    (dialect) =>
      `SELECT ${FILE_COLUMNS} FROM files x JOIN folders d ON d.seq = x.folder
       WHERE x.workspace = $1 AND d.workspace = $1 AND ${isWithin(dialect, "d.path", "$4")} AND ${PAGE}`,
  ),
  // Reads the few protected files and then their folders, never all files.
  protectedInTree: sql<FileRow>(
    "files.protectedInTree",
    (dialect) =>
      `SELECT ${FILE_COLUMNS} FROM files x ${dialect.by("files_protected")} ${dialect.join} folders d ON d.seq = x.folder
       WHERE x.workspace = $1 AND ${dialect.isSet("x.protected")} AND ${isWithin(dialect, "d.path", "$2")}`,
  ),
  insert: sql<{ readonly seq: number }>(
    "files.insert",
    `INSERT INTO files (workspace, id, folder, name, protected, change_id) VALUES ($1, $2, $3, $4, false, $5)
     RETURNING seq`,
  ),
  addVersion: sql(
    "files.addVersion",
    "INSERT INTO changes (id, file, base_id, status, codec, text, at) VALUES ($1, $2, $3, 'saved', $4, $5, $6)",
  ),
  setChange: sql("files.setChange", "UPDATE files SET change_id = $2 WHERE seq = $1"),
  place: sql("files.place", "UPDATE files SET folder = $2, name = $3 WHERE seq = $1"),
  protect: sql("files.protect", "UPDATE files SET protected = $2 WHERE seq = $1"),
} as const;

/** ORDER: the grants last, because the outbox records them when the file goes. */
const REMOVE = sqlInOrder("files.remove", [
  "DELETE FROM changes WHERE file = $1",
  "DELETE FROM files WHERE seq = $1",
  "DELETE FROM grants WHERE kind = 'file' AND target = $1",
]);

type Version = { readonly id: string; readonly text: string; readonly at: number };

/** Table `files`, with the columns of `changes` that belong to a file. */
export class FilesTable implements Files {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  byId(workspace: number, id: string): Promise<FileRow | undefined> {
    this.#session.locks?.file(workspace, id);
    return this.#session.one(SQL.byId, workspace, id);
  }

  async withText(workspace: number, id: string, shown: (row: FileRow) => string): Promise<ShownText | undefined> {
    const found = await this.#session.one(SQL.withText, workspace, id);
    if (found === undefined) return undefined;
    const { codec, text, ...row } = found;
    return { row, shown: shown(row), json: JSON.stringify(decodeText({ codec, text })) };
  }

  async forEdit(workspace: number, id: string, baseId: string): Promise<FileForEdit | undefined> {
    this.#session.locks?.file(workspace, id);
    const found = await this.#session.one(SQL.forEdit, workspace, id, baseId);
    if (found === undefined) return undefined;
    const { codec, text, baseCodec, baseText, ...row } = found;
    const live = decodeText({ codec, text });
    if (baseId === row.changeId) return { row, live, base: { text: live } };
    const base = baseCodec === null ? null : { text: decodeIfKept({ codec: baseCodec, text: baseText! }) };
    return { row, live, base };
  }

  bySeqs(seqs: readonly number[]): Promise<FileRow[]> {
    return this.#session.all(SQL.bySeqs, seqs);
  }

  byName(workspace: number, folder: number, name: string): Promise<FileRow | undefined> {
    return this.#session.one(SQL.byName, workspace, folder, name);
  }

  byPath(workspace: number, path: string): Promise<FileRow | undefined> {
    const cut = path.lastIndexOf("/");
    if (cut < 0) return this.byName(workspace, ROOT, path);
    return this.#session.one(SQL.byPath, workspace, path.slice(0, cut), path.slice(cut + 1));
  }

  all({ workspace, after, count }: Page): Promise<FileRow[]> {
    return this.#session.all(SQL.all, workspace, after, count);
  }

  inFolder({ workspace, after, count, folder }: Page & { readonly folder: number }): Promise<FileRow[]> {
    return this.#session.all(SQL.inFolder, workspace, after, count, folder);
  }

  inFolderByName({ workspace, folder, after, count }: NamePage): Promise<FileRow[]> {
    return this.#session.all(SQL.inFolderByName, workspace, folder, after, count);
  }

  inTree(page: Page & { readonly path: string }): Promise<FileRow[]> {
    return this.readTree(SQL.inTree, page);
  }

  /** Runs a statement with the parameters of a page of a subtree. */
  protected readTree(
    statement: Sql<FileRow>,
    { workspace, after, count, path }: Page & { readonly path: string },
  ): Promise<FileRow[]> {
    return this.#session.all(statement, workspace, after, count, path);
  }

  protectedInTree(workspace: number, path: string): Promise<FileRow[]> {
    return this.#session.all(SQL.protectedInTree, workspace, path);
  }

  async insert({ workspace, id, folder, name, changeId, text, at }: NewFile): Promise<number> {
    // A file in the root has no folder to lock, so this may be the first lock of the work.
    this.#session.locks?.structure(workspace);
    const { seq } = (await this.#session.one(SQL.insert, workspace, id, folder, name, changeId))!;
    this.#addVersion(seq, null, { id: changeId, text, at });
    return seq;
  }

  #addVersion(file: number, baseId: string | null, { id, text, at }: Version): void {
    const stored = encodeText(text);
    this.#session.send(SQL.addVersion, id, file, baseId, stored.codec, stored.text, at);
  }

  async place(seq: number, folder: number, name: string): Promise<void> {
    this.#session.send(SQL.place, seq, folder, name);
  }

  async protect(seq: number, value: boolean): Promise<void> {
    this.#session.send(SQL.protect, seq, value);
  }

  async save({ seq, changeId }: FileRow, change: Version): Promise<void> {
    this.#addVersion(seq, changeId, change);
    this.#session.send(SQL.setChange, seq, change.id);
  }

  async remove(seq: number): Promise<void> {
    for (const statement of REMOVE) this.#session.send(statement, seq);
  }
}
