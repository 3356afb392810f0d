import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { nameOf, parentOf } from "../../contract/path.ts";
import { type FileRow, type NameRange, ROOT, type RowRange } from "./rows.ts";
import {
  FILE_PATH,
  isAt,
  isOneOf,
  isSet,
  isWithin,
  ORDERED_JOIN,
  type Session,
  sql,
  sqlPlannedByValues,
  useIndex,
} from "./sql.ts";

/** Stored content. `codec` 0: plain UTF-8; 1: zstd; 2: the content was pruned. */
export type StoredText = { readonly codec: number; readonly text: Buffer };

const PLAIN_CODEC = 0;
const ZSTD_CODEC = 1;
export const PRUNED_CODEC = 2;
/**
 * LIMIT: content of fewer bytes is not compressed, because that would save little space.
 */
const MIN_COMPRESSED_BYTES = 1_024;

export function encodeText(text: string): StoredText {
  const plainBytes = Buffer.from(text, "utf8");
  if (plainBytes.length < MIN_COMPRESSED_BYTES) return { codec: PLAIN_CODEC, text: plainBytes };
  const packedBytes = zstdCompressSync(plainBytes, { params: CHECKSUM_OPTION });
  return packedBytes.length < plainBytes.length
    ? { codec: ZSTD_CODEC, text: packedBytes }
    : { codec: PLAIN_CODEC, text: plainBytes };
}

/** Adds a checksum of 4 bytes. The checksum makes decoding fail for damaged content. */
const CHECKSUM_OPTION = { [constants.ZSTD_c_checksumFlag]: 1 };

/** Decodes stored content; returns null if the content was pruned. */
export function decodeIfKept(stored: StoredText): string | null {
  return stored.codec === PRUNED_CODEC ? null : decodeText(stored);
}

/** Decodes content that is never pruned, because it is published or in review. */
export function decodeText(stored: StoredText): string {
  return decodeStoredText(stored).toString("utf8");
}

/** Returns stored content as UTF-8 bytes. The content must not have been pruned. */
function decodeStoredText({ codec, text }: StoredText): Buffer {
  return codec === ZSTD_CODEC ? zstdDecompressSync(text) : text;
}

export const FILE_COLUMNS = `x.seq, x.id, x.folder AS parent, d.id AS "parentId", x.name,
  CAST(x.protected AS integer) AS protected, x.change_id AS "changeId", ${FILE_PATH} AS path`;
/** SQL that joins files `x` with their folders `d`. For a file in the root, `d` is null. */
export const FROM_FILES = "FROM files x LEFT JOIN folders d ON d.seq = x.folder";
const SELECT_FILES = `SELECT ${FILE_COLUMNS} ${FROM_FILES}`;
export const SELECT_FILES_WITH_TEXT = `SELECT ${FILE_COLUMNS}, c.codec, c.text ${FROM_FILES} JOIN changes c ON c.id = x.change_id`;
const PAGE_CLAUSE = "x.seq > $2 ORDER BY x.seq LIMIT $3";

export type FileRowWithText = FileRow & StoredText;
type FileRowWithBase = FileRowWithText & { readonly baseCodec: number | null; readonly baseText: Buffer | null };

/**
 * Place of a new file. `folder` and `folderId` identify the parent folder; both are null if the
 * parent folder is the root or does not exist. `hasKeptGrants` is 1 if grants are kept for the
 * path.
 */
export type NewFilePlace = {
  readonly folder: number | null;
  readonly folderId: string | null;
  readonly isTaken: 0 | 1;
  readonly hasKeptGrants: 0 | 1;
};

const SQL = {
  byId: sql<FileRow>`${SELECT_FILES} WHERE x.workspace = $1 AND x.id = $2`,
  withText: sql<FileRowWithText>`${SELECT_FILES_WITH_TEXT} WHERE x.workspace = $1 AND x.id = $2`,
  forEdit: sql<FileRowWithBase>`SELECT ${FILE_COLUMNS}, c.codec, c.text, b.codec AS "baseCodec", b.text AS "baseText"
    ${FROM_FILES} JOIN changes c ON c.id = x.change_id
      LEFT JOIN changes b ON b.id = $3 AND b.file = x.seq AND b.id <> x.change_id
    WHERE x.workspace = $1 AND x.id = $2`,
  bySeqs: sql<FileRow>`${SELECT_FILES} WHERE ${isOneOf("x.seq", "$1")}`,
  byName: sql<FileRow>`${SELECT_FILES} WHERE x.workspace = $1 AND x.folder = $2 AND x.name = $3`,
  byPath: sql<FileRow>`${SELECT_FILES} WHERE x.workspace = $1 AND x.name = $3
    AND x.folder = (SELECT seq FROM folders WHERE workspace = $1 AND ${isAt("path", "$2")})`,
  published: sql<StoredText & { readonly seq: number; readonly at: number }>`SELECT x.seq, c.at, c.codec, c.text
    FROM files x JOIN changes c ON c.id = x.change_id WHERE ${isOneOf("x.seq", "$1")}`,
  all: sql<FileRow>`${SELECT_FILES} WHERE x.workspace = $1 AND ${PAGE_CLAUSE}`,
  inFolder: sql<FileRow>`${SELECT_FILES} WHERE x.workspace = $1 AND x.folder = $4 AND ${PAGE_CLAUSE}`,
  inFolderByName: sql<FileRow>`${SELECT_FILES} WHERE x.workspace = $1 AND x.folder = $2 AND x.name > $3
    ORDER BY x.name LIMIT $4`,
  // The best query plan depends on the folder, which may contain few files or most of the
  // workspace. So the database plans this query for each run.
  inTree: sqlPlannedByValues<FileRow>`SELECT ${FILE_COLUMNS} FROM files x JOIN folders d ON d.seq = x.folder
    WHERE x.workspace = $1 AND d.workspace = $1 AND ${isWithin("d.path", "$4")} AND ${PAGE_CLAUSE}`,
  // The database reads all protected files first, then their folders. This order is fast, because
  // few files are protected.
  protectedInTree: sql<FileRow>`SELECT ${FILE_COLUMNS}
    FROM files x ${useIndex("files_protected")} ${ORDERED_JOIN} folders d ON d.seq = x.folder
    WHERE x.workspace = $1 AND ${isSet("x.protected")} AND ${isWithin("d.path", "$2")}`,
  placeFor: sql<NewFilePlace>`SELECT d.seq AS folder, d.id AS "folderId",
      CAST(EXISTS (SELECT 1 FROM files WHERE workspace = $1 AND name = $3
        AND folder = CASE $2 WHEN '' THEN ${ROOT} ELSE d.seq END) AS integer) AS "isTaken",
      CAST(EXISTS (SELECT 1 FROM kept_grants WHERE workspace = $1 AND ${isWithin("path", "$4")}) AS integer)
        AS "hasKeptGrants"
    FROM (SELECT 1) AS one LEFT JOIN folders d ON d.workspace = $1 AND ${isAt("d.path", "$2")}`,
  insert: sql`INSERT INTO files (workspace, id, folder, name, protected, change_id) VALUES ($1, $2, $3, $4, false, $5)`,
  addFirst: sql`INSERT INTO changes (id, file, status, codec, text, at)
    SELECT $1, seq, 'saved', $3, $4, $5 FROM files WHERE id = $2`,
  addVersion: sql`INSERT INTO changes (id, file, base_id, status, codec, text, at, sender)
    VALUES ($1, $2, $3, 'saved', $4, $5, $6, (SELECT label FROM keys WHERE seq = $7))`,
  setChange: sql`UPDATE files SET change_id = $2 WHERE seq = $1`,
  place: sql`UPDATE files SET folder = $2, name = $3 WHERE seq = $1`,
  protect: sql`UPDATE files SET protected = $2 WHERE seq = $1`,
} as const;

/**
 * ORDER: the grants are removed last, because the outbox records the grants of a file when the file
 * is removed.
 */
const REMOVE_FILE = [
  sql`DELETE FROM changes WHERE file = $1`,
  sql`DELETE FROM files WHERE seq = $1`,
  sql`DELETE FROM grants WHERE kind = 'file' AND target = $1`,
];

/**
 * Published content of a file. `at`: time when the content changed, in milliseconds since the
 * epoch; `bytes`: size of the content.
 */
export type PublishedInfo = { readonly at: number; readonly bytes: number };

/** A new version of a file. `key`: row number of the sender's key; null for an administrator. */
type NewVersion = { readonly id: string; readonly text: string; readonly at: number; readonly key: number | null };

type NewFile = Omit<NewVersion, "id" | "key"> & {
  readonly workspace: number;
  readonly id: string;
  readonly folder: { readonly seq: number; readonly path: string };
  readonly name: string;
  readonly changeId: string;
};

/**
 * A file with its published content, and the change on which a write is based. `base` is null if
 * the file has no such change; `text` is null if the content of the base was pruned.
 */
export type FileForEdit = {
  readonly row: FileRow;
  readonly live: string;
  readonly base: { readonly text: string | null } | null;
};

/** A file in the form of an answer. `json` contains the file and its content. */
export type ShownFile = { readonly row: FileRow; readonly json: string };

type FileFormatter = (row: FileRow, text: string) => string;

export type FilesTable = ReturnType<typeof makeFilesTable>;

export function makeFilesTable(session: Session) {
  return {
    byId(workspace: number, id: string) {
      session.lock("file", workspace, id);
      return session.one(SQL.byId, workspace, id);
    },
    /**
     * @param show makes the answer from the row and the content. The store may cache this answer
     */
    async shown(workspace: number, id: string, show: FileFormatter): Promise<ShownFile | undefined> {
      return toShownFile(await session.one(SQL.withText, workspace, id), show);
    },
    /**
     * Returns a file for an edit, and locks it.
     * @param baseId id of the change with which the edit began. This change may have any state
     */
    async forEdit(workspace: number, id: string, baseId: string) {
      session.lock("file", workspace, id);
      const fileRow = await session.one(SQL.forEdit, workspace, id, baseId);
      return fileRow && toFileForEdit(fileRow, baseId);
    },
    /** Returns time and size of the published contents, by the row number of the file. */
    async published(seqs: readonly number[]): Promise<ReadonlyMap<number, PublishedInfo>> {
      const rows = seqs.length === 0 ? [] : await session.all(SQL.published, seqs);
      return new Map(
        rows.map(({ seq, at, ...storedText }) => [seq, { at, bytes: decodeStoredText(storedText).length }] as const),
      );
    },
    bySeqs: (seqs: readonly number[]) => session.all(SQL.bySeqs, seqs),
    byName: (workspace: number, folder: number, name: string) => session.one(SQL.byName, workspace, folder, name),
    byPath(workspace: number, path: string) {
      const [folder, name] = [parentOf(path), nameOf(path)];
      if (folder === "") return session.one(SQL.byName, workspace, ROOT, name);
      return session.one(SQL.byPath, workspace, folder, name);
    },
    all: ({ workspace, after, count }: RowRange) => session.all(SQL.all, workspace, after, count),
    inFolder: ({ workspace, after, count, folder }: RowRange & { readonly folder: number }) =>
      session.all(SQL.inFolder, workspace, after, count, folder),
    inFolderByName: ({ workspace, folder, after, count }: NameRange) =>
      session.all(SQL.inFolderByName, workspace, folder, after, count),
    inTree: ({ workspace, after, count, path }: RowRange & { readonly path: string }) =>
      session.all(SQL.inTree, workspace, after, count, path),
    protectedInTree: (workspace: number, path: string) => session.all(SQL.protectedInTree, workspace, path),
    async placeFor(workspace: number, path: string) {
      const [folder, name] = [parentOf(path), nameOf(path)];
      return (await session.one(SQL.placeFor, workspace, folder, name, path))!;
    },
    /**
     * Creates a file with its first change. The caller has checked that the name is free, that the
     * folder exists, and that no grants are kept for the path. A store with several connections
     * checks these three conditions a second time. If a condition is no longer true, the `work`
     * that called this function runs again.
     * @param knowsGrants true if the caller has locked the folder tree and will apply the kept
     * grants
     */
    async insert({ workspace, id, folder, name, changeId, text, at }: NewFile, _knowsGrants = false) {
      const storedText = encodeText(text);
      session.send(SQL.insert, workspace, id, folder.seq, name, changeId);
      session.send(SQL.addFirst, changeId, id, storedText.codec, storedText.text, at);
    },
    place: async (seq: number, folder: number, name: string) => session.send(SQL.place, seq, folder, name),
    protect: async (seq: number, value: boolean) => session.send(SQL.protect, seq, value),
    /** Publishes content as a new change, whose base is the change that was published until now. */
    async save({ seq, changeId }: FileRow, { id, text, at, key }: NewVersion) {
      const storedText = encodeText(text);
      session.send(SQL.addVersion, id, seq, changeId, storedText.codec, storedText.text, at, key);
      session.send(SQL.setChange, seq, id);
    },
    async remove(seq: number) {
      for (const statement of REMOVE_FILE) session.send(statement, seq);
    },
  };
}

export function toShownFile(found: FileRowWithText | undefined, show: FileFormatter): ShownFile | undefined {
  if (found === undefined) return undefined;
  const { codec, text, ...row } = found;
  return { row, json: show(row, decodeText({ codec, text })) };
}

function toFileForEdit({ codec, text, baseCodec, baseText, ...row }: FileRowWithBase, baseId: string): FileForEdit {
  const liveContent = decodeText({ codec, text });
  if (baseId === row.changeId) return { row, live: liveContent, base: { text: liveContent } };
  const baseVersion = baseCodec === null ? null : { text: decodeIfKept({ codec: baseCodec, text: baseText! }) };
  return { row, live: liveContent, base: baseVersion };
}
