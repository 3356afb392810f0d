/**
 * The search index of a linked folder, `.mdmirror/search.db`, has the content that the files had in
 * the last scan. All this content is also on disk. Therefore an index that is damaged or of another
 * version is removed and built again.
 */
import { join } from "node:path";
import type { Digest } from "../../contract/digest.ts";
import type { Stamp } from "../model/record.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { KnownFile } from "../ports/disk.ts";
import { type DocumentBlock, findBlock, KEY_SCHEMA, KeyIndex } from "../../markdown/search/key-index.ts";
import type { KeySet } from "../../markdown/search/keys.ts";
import type { AgeOrder, DocumentPage, DocumentSource, FoundDocument } from "../../markdown/search/source.ts";
import type { LocalFile } from "../model/tree.ts";
import { type SqliteDatabase, toDatabaseFault } from "./database.ts";
import { openOwnDatabase } from "./own-database.ts";
import { removeOwnFile } from "./own-files.ts";
import { TableWithStatements } from "./table.ts";

export const SEARCH_FILE = "search.db";

/**
 * Tables of the index. Digest and stamp of a file show whether it has changed. A stamp that is not
 * trusted is not stored.
 */
const INDEX_SCHEMA = `
CREATE TABLE search_files (
  doc INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL,
  dev REAL, ino REAL, size REAL, mtime_ms REAL, ctime_ms REAL, birth_ms REAL, nlink REAL
) STRICT;
`;

/** Version of the index. Increase this number if the tables change, or the rules for words. */
const INDEX_VERSION = 4;
const APPLICATION_ID = 0x6d_64_6d_73;
/**
 * LIMIT: milliseconds for which a search waits for another search that updates the index, so that a
 * search stays fast. After this time, the search uses the old index.
 */
const SEARCH_WAIT_MS = 2_000;

/** Reads files. `read` returns null if the file is missing, or is not text. */
type ContentReader = { read(path: LocalPath): string | null };

/**
 * A linked folder has only one scope of documents, although the format of the index allows several.
 */
const ONLY_SCOPE = 0;

type OpenedSearch =
  | { readonly kind: "opened"; readonly search: MirrorSearch; readonly isNew: boolean }
  /**
   * The index file cannot be written, for example because the disk is full. The caller can then
   * open `:memory:`.
   */
  | { readonly kind: "unusable"; readonly code: string };

/**
 * Opens the search index. Creates a missing index.
 * @param folder absolute path of `.mdmirror`, or `:memory:`
 */
export function openSearch(folder: string): OpenedSearch {
  const path = folder === ":memory:" ? folder : join(folder, SEARCH_FILE);
  for (let attempt = 0; ; attempt++) {
    let db: SqliteDatabase | null = null;
    try {
      db = openOwnDatabase(path, { make: true, timeout: SEARCH_WAIT_MS });
      const isNew = prepareIndex(db);
      return { kind: "opened", search: new MirrorSearch(db), isNew };
    } catch (error) {
      db?.close();
      const fault = toDatabaseFault(error);
      if (fault?.kind === "unusable") return { kind: "unusable", code: fault.code };
      if (attempt > 0 || !isIndexFault(error) || path === ":memory:") throw error;
      removeSearch(folder);
    }
  }
}

/** Removes an index that is damaged or of another version. The next search builds a new one. */
export function removeSearch(folder: string): void {
  for (const suffix of ["", "-wal", "-shm"]) removeOwnFile(folder, SEARCH_FILE + suffix);
}

class OutdatedIndexError extends Error {}

/** Returns true if the index is damaged, of another version, or without tables. */
export function isIndexFault(error: unknown): boolean {
  if (error instanceof OutdatedIndexError) return true;
  return error instanceof Error && "code" in error && /^SQLITE_(CORRUPT|NOTADB|FORMAT|ERROR)/.test(String(error.code));
}

function prepareIndex(db: SqliteDatabase): boolean {
  const version = db.pragma("user_version", { simple: true });
  if (version === INDEX_VERSION && db.pragma("application_id", { simple: true }) === APPLICATION_ID) return false;
  if (db.prepare("SELECT 1 FROM sqlite_schema").get() !== undefined) throw new OutdatedIndexError("of another version");
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.transaction(() => {
    db.exec(KEY_SCHEMA + INDEX_SCHEMA);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${INDEX_VERSION}`);
  }).immediate();
  return true;
}

type IndexedFile = Omit<Stamp, "dev"> & {
  readonly doc: number;
  readonly path: string;
  readonly digest: string;
  readonly dev: number | null;
};

export class MirrorSearch extends TableWithStatements {
  readonly #all = this.sql<[], IndexedFile>(
    "SELECT doc, path, digest, dev, ino, size, mtime_ms AS mtimeMs, ctime_ms AS ctimeMs, birth_ms AS birthMs, nlink FROM search_files",
  );
  readonly #pathOf = this.sql<[number], string>("SELECT path FROM search_files WHERE doc = ?", "pluck");
  readonly #before = this.sql<[number], number>("SELECT max(doc) FROM search_files WHERE doc < ?", "pluck");
  readonly #after = this.sql<[number], number>("SELECT min(doc) FROM search_files WHERE doc > ?", "pluck");
  readonly #within = this.sql<DocumentBlock, number>(
    "SELECT doc FROM search_files WHERE doc BETWEEN @first AND @last ORDER BY doc",
    "pluck",
  );
  readonly #keys = new KeyIndex(this.db);
  #rows: ReadonlyMap<LocalPath, IndexedFile> | null = null;

  /**
   * Returns digest and stamp of an indexed file; null if the file is not in the index. With both, a
   * scan can skip an unchanged file.
   */
  known(path: LocalPath): KnownFile | null {
    const row = this.#rowsByPath().get(path);
    if (row === undefined || row.dev === null) return null;
    return { stamp: { ...row, dev: row.dev }, digest: row.digest as Digest, path };
  }

  /**
   * Updates the index in one transaction. The index then has exactly these files.
   * @param keep returns true for a path that is not among `files` but may still exist
   * @param read returns the content of a changed file; null if the file is not text, so that only
   * its path can be found
   * @returns the number of files that were read
   */
  update(
    files: Iterable<LocalFile>,
    keep: (path: LocalPath) => boolean,
    read: (path: LocalPath) => string | null,
  ): number {
    return this.db.transaction(() => this.#updateRows(files, keep, read)).immediate();
  }

  #updateRows(
    files: Iterable<LocalFile>,
    keep: (path: LocalPath) => boolean,
    read: (path: LocalPath) => string | null,
  ): number {
    // Another process may have changed the index since the last read.
    this.#rows = null;
    const rowsBefore = this.#rowsByPath();
    const columns = "digest, dev, ino, size, mtime_ms, ctime_ms, birth_ms, nlink";
    const insertRow = this.db.prepare(`INSERT INTO search_files (path, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    const changeRow = this.db.prepare(`UPDATE search_files SET (${columns}) = (?, ?, ?, ?, ?, ?, ?, ?) WHERE doc = ?`);
    const removeRow = this.db.prepare("DELETE FROM search_files WHERE doc = ?");
    const rowsToRemove = new Map(rowsBefore);
    let changedCount = 0;
    for (const file of files) {
      const row = rowsBefore.get(file.path);
      rowsToRemove.delete(file.path);
      const columnValues = [file.digest, ...listStampValues(file)];
      if (row?.digest === file.digest) {
        if (!hasSameValues(row, columnValues)) changeRow.run(...columnValues, row.doc);
        continue;
      }
      const doc = row?.doc ?? Number(insertRow.run(file.path, ...columnValues).lastInsertRowid);
      if (row !== undefined) changeRow.run(...columnValues, doc);
      this.#keys.put(ONLY_SCOPE, doc, file.path, read(file.path) ?? "");
      changedCount++;
    }
    for (const { doc, path } of rowsToRemove.values()) {
      if (keep(path)) continue;
      removeRow.run(doc);
      this.#keys.remove(doc);
    }
    this.#rows = null;
    return changedCount;
  }

  /** A search covers all indexed files, because the user may read all of them. */
  source(texts: ContentReader): DocumentSource<FoundDocument> {
    return {
      unindexed: async () => [],
      portion: async (set, order, after) => this.#portion(set, order, after),
      read: async (documents) =>
        documents.flatMap((document) => {
          const path = this.#pathOf.get(document)!;
          const text = texts.read(path);
          return text === null ? [] : { document, path, text };
        }),
    };
  }

  #portion(set: KeySet, order: AgeOrder, after: number | null): DocumentPage {
    const isNewest = order === "newest";
    const documentNumber = isNewest ? this.#before.get(after ?? Number.MAX_SAFE_INTEGER) : this.#after.get(after ?? 0);
    if (documentNumber == null) return { documents: [], next: null };
    const documentBlock = findBlock(documentNumber);
    const documentsInBlock =
      set.kind === "any" ? this.#within.all(documentBlock) : this.#keys.inBlock(ONLY_SCOPE, documentBlock, set);
    return isNewest
      ? { documents: documentsInBlock.reverse(), next: documentBlock.first }
      : { documents: documentsInBlock, next: documentBlock.last };
  }

  close(): void {
    this.db.close();
  }

  #rowsByPath(): ReadonlyMap<LocalPath, IndexedFile> {
    this.#rows ??= new Map(this.#all.all().map((row) => [row.path, row]));
    return this.#rows;
  }
}

function listStampValues({ stamp, stampTrusted }: LocalFile): (number | null)[] {
  if (!stampTrusted) return [null, null, null, null, null, null, null];
  return [stamp.dev, stamp.ino, stamp.size, stamp.mtimeMs, stamp.ctimeMs, stamp.birthMs, stamp.nlink];
}

function hasSameValues(row: IndexedFile, values: readonly unknown[]): boolean {
  const storedValues = [row.digest, row.dev, row.ino, row.size, row.mtimeMs, row.ctimeMs, row.birthMs, row.nlink];
  return storedValues.every((value, i) => value === values[i]);
}
