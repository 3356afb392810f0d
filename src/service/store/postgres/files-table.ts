import type { FileRow, ShownText } from "../rows.ts";
import type { FileForEdit, Files, NamePage, NewFile, Page } from "../tables.ts";
import { decodeIfKept, decodeText, encodeText, type StoredText } from "../sqlite/text-codec.ts";
import { lockTreeShape } from "./locks.ts";
import { type Session, sql } from "./session.ts";
import { FILE_PATH, isAt, isWithin, isWritable } from "./sql.ts";

const COLUMNS = `x.seq, x.id, x.folder, d.id AS "folderId", x.name, x.protected::integer AS protected,
  x.change_id AS "changeId", ${FILE_PATH} AS path`;
const FROM = "FROM files x LEFT JOIN folders d ON d.seq = x.above";
const SELECT = `SELECT ${COLUMNS} ${FROM}`;
const PAGE = "x.seq > $2 ORDER BY x.seq LIMIT $3";

type WithText = FileRow & StoredText;
type WithBase = WithText & { readonly baseCodec: number | null; readonly baseText: Buffer | null };

const SQL = {
  // Locks the file before a separate statement reads it, so that the read sees the change that the
  // lock waited for.
  lock: sql("files.lock", "SELECT 1 FROM files WHERE workspace = $1 AND id = $2 FOR NO KEY UPDATE"),
  byId: sql<FileRow>("files.byId", `${SELECT} WHERE x.workspace = $1 AND x.id = $2`),
  withText: sql<WithText>(
    "files.withText",
    `SELECT ${COLUMNS}, c.codec, c.text ${FROM} JOIN changes c ON c.id = x.change_id WHERE x.workspace = $1 AND x.id = $2`,
  ),
  forEdit: sql<WithBase>(
    "files.forEdit",
    `SELECT ${COLUMNS}, c.codec, c.text, b.codec AS "baseCodec", b.text AS "baseText"
     ${FROM} JOIN changes c ON c.id = x.change_id LEFT JOIN changes b ON b.id = $3 AND b.file = x.seq
     WHERE x.workspace = $1 AND x.id = $2`,
  ),
  bySeqs: sql<FileRow>("files.bySeqs", `${SELECT} WHERE x.seq = ANY($1::bigint[])`),
  byName: sql<FileRow>("files.byName", `${SELECT} WHERE x.workspace = $1 AND x.folder = $2 AND x.name = $3`),
  byPath: sql<FileRow>(
    "files.byPath",
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
    `SELECT ${COLUMNS} FROM files x JOIN folders d ON d.seq = x.above
     WHERE x.workspace = $1 AND d.workspace = $1 AND ${isWithin("d.path", "$4")} AND ${PAGE}`,
  ),
  protectedInTree: sql<FileRow>(
    "files.protectedInTree",
    `SELECT ${COLUMNS} FROM files x JOIN folders d ON d.seq = x.above
     WHERE x.workspace = $1 AND x.protected AND ${isWithin("d.path", "$2")}`,
  ),
  insert: sql<{ seq: number }>(
    "files.insert",
    `WITH made AS (
       INSERT INTO files (workspace, id, folder, name, change_id) VALUES ($1, $2, $3, $4, $5) RETURNING seq
     ), first AS (
       INSERT INTO changes (id, file, status, codec, text, at) SELECT $5, seq, 'saved', $6, $7, $8 FROM made
     ) SELECT seq FROM made`,
  ),
  place: sql("files.place", "UPDATE files SET folder = $2, name = $3 WHERE seq = $1"),
  protect: sql("files.protect", "UPDATE files SET protected = $2 WHERE seq = $1"),
  save: sql(
    "files.save",
    `WITH live AS (UPDATE files SET change_id = $2 WHERE seq = $1)
     INSERT INTO changes (id, file, base_id, status, codec, text, at) VALUES ($2, $1, $3, 'saved', $4, $5, $6)`,
  ),
  removeChanges: sql("files.removeChanges", "DELETE FROM changes WHERE file = $1"),
  dropGrants: sql("files.dropGrants", "DELETE FROM grants WHERE kind = 'file' AND target = $1"),
  remove: sql("files.remove", "DELETE FROM files WHERE seq = $1"),
} as const;

export class FilesTable implements Files {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async byId(workspace: number, id: string): Promise<FileRow | undefined> {
    if (!isWritable(id)) return undefined;
    this.#lock(workspace, id);
    return this.#session.one(SQL.byId, workspace, id);
  }

  async withText(workspace: number, id: string, shown: (row: FileRow) => string): Promise<ShownText | undefined> {
    const found = await this.#session.one(SQL.withText, workspace, id);
    if (found === undefined) return undefined;
    const { codec, text, ...row } = found;
    return { row, shown: shown(row), json: JSON.stringify(decodeText({ codec, text })) };
  }

  async forEdit(workspace: number, id: string, baseId: string): Promise<FileForEdit | undefined> {
    this.#lock(workspace, id);
    const found = await this.#session.one(SQL.forEdit, workspace, id, baseId);
    if (found === undefined) return undefined;
    const { codec, text, baseCodec, baseText, ...row } = found;
    const base = baseCodec === null ? null : { text: decodeIfKept({ codec: baseCodec, text: baseText! }) };
    return { row, live: decodeText({ codec, text }), base };
  }

  #lock(workspace: number, id: string): void {
    if (this.#session.writes) this.#session.send(SQL.lock, workspace, id);
  }

  bySeqs(seqs: readonly number[]): Promise<FileRow[]> {
    return this.#session.all(SQL.bySeqs, seqs);
  }

  byName(workspace: number, folder: number, name: string): Promise<FileRow | undefined> {
    return this.#session.one(SQL.byName, workspace, folder, name);
  }

  async byPath(workspace: number, path: string): Promise<FileRow | undefined> {
    if (!isWritable(path)) return undefined;
    const cut = path.lastIndexOf("/");
    if (cut < 0) return this.byName(workspace, 0, path);
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

  inTree({ workspace, after, count, path }: Page & { readonly path: string }): Promise<FileRow[]> {
    return this.#session.all(SQL.inTree, workspace, after, count, path);
  }

  protectedInTree(workspace: number, path: string): Promise<FileRow[]> {
    return this.#session.all(SQL.protectedInTree, workspace, path);
  }

  async insert({ workspace, id, folder, name, changeId, text, at }: NewFile): Promise<number> {
    // A file in the root has no folder to lock, so this may be the first lock of the work.
    lockTreeShape(this.#session, workspace);
    const stored = encodeText(text);
    const values = [workspace, id, folder, name, changeId, stored.codec, stored.text, at];
    return (await this.#session.one(SQL.insert, ...values))!.seq;
  }

  async place(seq: number, folder: number, name: string): Promise<void> {
    this.#session.send(SQL.place, seq, folder, name);
  }

  async protect(seq: number, value: boolean): Promise<void> {
    this.#session.send(SQL.protect, seq, value);
  }

  async save(row: FileRow, change: { readonly id: string; readonly text: string; readonly at: number }): Promise<void> {
    const { codec, text } = encodeText(change.text);
    this.#session.send(SQL.save, row.seq, change.id, row.changeId, codec, text, change.at);
  }

  async remove(seq: number): Promise<void> {
    // ORDER: first, because the outbox records the grants of the file.
    for (const statement of [SQL.removeChanges, SQL.remove, SQL.dropGrants]) this.#session.send(statement, seq);
  }
}
