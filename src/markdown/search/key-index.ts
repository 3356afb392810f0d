import { type KeySet, generateKeyParts } from "./keys.ts";

/**
 * Prepared statement of SQLite, as in the package `better-sqlite3`. A row is an object with the
 * names of the columns. The search index needs SQLite 3.43, because it uses `contentless_delete` of
 * FTS5.
 */
type SqlStatement = {
  run(...values: readonly unknown[]): unknown;
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): readonly unknown[];
};

type SqlDatabase = { prepare(sql: string): SqlStatement };

/**
 * SQL schema of the search index, in the database of the service and in the local `search.db`. The
 * index identifies each document by a number. The owner of the index assigns the numbers, and also
 * stores the contents of the documents.
 *
 * Each key is stored together with the scope of its document (the workspace) and a range of
 * document numbers. So a query finds only documents of its scope, and reads at most one range,
 * however large the index is.
 *
 * Writing one row cannot be interrupted, so a document with very many keys has several rows. If one
 * row has all keys of a query, SQLite finds the document. If the keys are in several rows,
 * JavaScript finds the document.
 */
export const KEY_SCHEMA = `
CREATE VIRTUAL TABLE search_keys USING fts5(
  keys, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);
`;

/**
 * LIMIT: number of document numbers in one range (`DocumentBlock`), because a query reads one
 * range, and should take only a few milliseconds.
 */
const BLOCK_SIZE = 4_096;
/**
 * LIMIT: number of keys in one row, so that other work does not wait long while the row is written.
 * Only long Chinese documents have more keys.
 */
export const KEYS_PER_ROW = 8_000;
/**
 * Distance between two row numbers of one document. The first row of a document has the number of
 * the document.
 */
const ROW_DISTANCE = 2 ** 40;

/** Range of document numbers, including `last`. */
export type DocumentBlock = { readonly first: number; readonly last: number };

type RestrictedKeySet = Exclude<KeySet, { kind: "any" }>;

export function findBlock(document: number): DocumentBlock {
  const first = document - (document % BLOCK_SIZE);
  return { first, last: first + BLOCK_SIZE - 1 };
}

export class KeyIndex {
  readonly merger: IndexMerger;
  readonly #add;
  readonly #drop;
  readonly #has;
  readonly #matching;

  /** @param sql database with the table of `KEY_SCHEMA` */
  constructor(sql: SqlDatabase) {
    this.merger = new IndexMerger(sql);
    this.#add = sql.prepare("INSERT INTO search_keys (rowid, keys) VALUES (?, ?)");
    this.#drop = sql.prepare("DELETE FROM search_keys WHERE rowid = ?");
    this.#has = sql.prepare("SELECT 1 FROM search_keys_docsize WHERE id = ?");
    this.#matching = sql.prepare("SELECT rowid AS row FROM search_keys WHERE search_keys MATCH ? ORDER BY rowid");
  }

  put(scope: number, document: number, path: string, text: string): void {
    for (const _ of this.putInParts(scope, document, path, text));
  }

  /**
   * Replaces the keys of a document, in several parts. Until the last part is written, searches may
   * miss the document.
   * @yields the work of each part: number of characters that were read, or of keys that were
   * written
   */
  *putInParts(scope: number, document: number, path: string, text: string): Generator<number, void> {
    this.remove(document);
    const prefix = makePrefix(scope, document);
    let keys = new Set<number>();
    let rows = 0;
    for (const part of generateKeyParts(path, text)) {
      if (keys.size + part.keys.size > KEYS_PER_ROW) {
        this.#addRow(document + ROW_DISTANCE * rows++, `${prefix}_`, keys);
        yield keys.size;
        keys = new Set();
      }
      for (const key of part.keys) keys.add(key);
      yield part.characters;
    }
    this.#addRow(document + ROW_DISTANCE * rows, rows === 0 ? prefix : `${prefix}_`, keys);
  }

  remove(document: number): void {
    for (let row = document; this.#has.get(BigInt(row)) !== undefined; row += ROW_DISTANCE) this.#drop.run(BigInt(row));
  }

  has(document: number): boolean {
    return this.#has.get(BigInt(document)) !== undefined;
  }

  /**
   * Returns the numbers of the documents in a range that have the keys of `set`, in ascending
   * order. Some of the returned documents may lack keys (see `KeySet`).
   */
  inBlock(scope: number, block: DocumentBlock, set: RestrictedKeySet): number[] {
    const prefix = makePrefix(scope, block.first);
    const documents = this.#findDocuments(toExpression(set, prefix));
    const prefixOfRows = `${prefix}_`;
    if (this.#findDocuments(quote(prefixOfRows)).size === 0) return [...documents];
    return [...documents.union(this.#findInRows(set, prefixOfRows))].sort((a, b) => a - b);
  }

  #addRow(row: number, prefix: string, keys: ReadonlySet<number>): void {
    // The prefix of a scope and range is also stored without a key. With this entry, a query finds
    // out whether the range has documents with several rows.
    let tokens = `${prefix} `;
    for (const key of keys) tokens += `${prefix}${toKeyName(key)} `;
    this.#add.run(BigInt(row), tokens);
  }

  #findDocuments(expression: string): Set<number> {
    const rows = this.#matching.all(expression) as { row: number }[];
    return new Set(rows.map(({ row }) => row % ROW_DISTANCE));
  }

  /**
   * Returns the documents that have the keys of `set`. Reads only documents with several rows in
   * the index, whose keys may be in different rows.
   */
  #findInRows(set: RestrictedKeySet, prefix: string): Set<number> {
    const sets =
      set.kind === "with"
        ? set.keys.map((key) => this.#findDocuments(quote(`${prefix}${toKeyName(key)}`)))
        : set.of.map((subset) => this.#findInRows(assertNotAny(subset), prefix));
    return sets.reduce((one, other) => (set.kind === "one" ? one.union(other) : one.intersection(other)));
  }
}

function makePrefix(scope: number, document: number): string {
  return `${scope.toString(36)}_${Math.floor(document / BLOCK_SIZE).toString(36)}_`;
}

function toKeyName(key: number): string {
  return (key >>> 0).toString(36);
}

/** Returns the FTS5 query that finds the documents with the keys of a set. Quotes every key. */
function toExpression(set: RestrictedKeySet, prefix: string): string {
  const expressions =
    set.kind === "with"
      ? set.keys.map((key) => quote(`${prefix}${toKeyName(key)}`))
      : set.of.map((subset) => toExpression(assertNotAny(subset), prefix));
  return expressions.length === 1 ? expressions[0]! : `(${expressions.join(set.kind === "one" ? " OR " : " AND ")})`;
}

function quote(token: string): string {
  return `"${token}"`;
}

function assertNotAny(set: KeySet): RestrictedKeySet {
  if (set.kind === "any") throw new Error("any document may be in this set");
  return set;
}

/** LIMIT: number of database pages that one step merges, so that a step is short. */
const PAGES_PER_STEP = 8;
/**
 * LIMIT: number of database pages that one SQL statement merges, so that a statement is short. More
 * pages need several statements.
 */
const MAX_PAGES_PER_STATEMENT = 1_000;

/**
 * Settings of FTS5, which stores its index as segments in several levels.
 * - `automerge`: writes merge no segments
 * - `usermerge`: a step merges levels with at least four segments
 * - `crisismerge`: FTS5 itself merges a level with 64 segments, so that searches never become slow
 */
const FTS_SETTINGS = { automerge: 0, usermerge: 4, crisismerge: 64 } as const;

/**
 * Merges the segments of the search index in small steps, so that searches stay fast. Otherwise
 * FTS5 itself would sometimes merge many segments while a short document is written.
 */
class IndexMerger {
  readonly #sql: SqlDatabase;
  readonly #selectAutomerge: SqlStatement;
  readonly #selectChanges: SqlStatement;
  readonly #mergeStatement: SqlStatement;

  constructor(sql: SqlDatabase) {
    this.#sql = sql;
    this.#selectAutomerge = sql.prepare("SELECT v FROM search_keys_config WHERE k = 'automerge'");
    this.#selectChanges = sql.prepare("SELECT total_changes() AS n");
    this.#mergeStatement = sql.prepare(
      "INSERT INTO search_keys (search_keys, rank) VALUES ('merge', CAST(? AS INTEGER))",
    );
  }

  /**
   * Applies `FTS_SETTINGS`, so that writes merge no segments. The caller must call this method in a
   * transaction, before its first write.
   */
  takeOver(): void {
    const automergeRow = this.#selectAutomerge.get() as { v: number } | undefined;
    if (automergeRow?.v === FTS_SETTINGS.automerge) return;
    for (const [name, value] of Object.entries(FTS_SETTINGS))
      this.#sql.prepare(`INSERT INTO search_keys (search_keys, rank) VALUES ('${name}', ${value})`).run();
  }

  /**
   * Merges segments. The caller must call this method in a transaction.
   * @param steps number of steps; infinity to merge everything
   * @returns false if nothing is left to merge
   */
  merge(steps: number): boolean {
    for (let remainingPages = PAGES_PER_STEP * steps; remainingPages > 0; remainingPages -= MAX_PAGES_PER_STATEMENT) {
      if (!this.#mergePages(Math.ceil(Math.min(MAX_PAGES_PER_STATEMENT, remainingPages)))) return false;
    }
    return true;
  }

  /**
   * Returns true if a page was merged. SQLite counts one change for a merge without any work, and
   * more than one for a merge of pages.
   */
  #mergePages(pages: number): boolean {
    const changesBefore = this.#countChanges();
    this.#mergeStatement.run(pages);
    return this.#countChanges() - changesBefore > 1;
  }

  #countChanges(): number {
    return (this.#selectChanges.get() as { n: number }).n;
  }
}
