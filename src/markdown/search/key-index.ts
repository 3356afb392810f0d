import { IndexMerger } from "./merge-index.ts";
import { type KeySet, keysInParts } from "./keys.ts";
import type { Sql } from "./sql.ts";

/**
 * The schema of the key index in SQLite, for the service's database and for the local `search.db`.
 * Documents are row numbers that the owner assigns; the owner also keeps the texts.
 *
 * Each key is stored with the document's scope (the workspace) and block. A query thus finds
 * documents of one scope only, and reads at most one block, whatever the size of the index.
 *
 * SQLite writes a row without interruption, so a document with very many keys has several rows.
 * SQLite intersects the keys of one row; JavaScript intersects those of several rows.
 */
export const KEY_SCHEMA = `
CREATE VIRTUAL TABLE search_keys USING fts5(
  keys, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);
`;

/** LIMIT: documents of a block, and thus of one query, which then takes a few milliseconds. */
const BLOCK = 4_096;
/**
 * LIMIT: keys of one row, which bounds the time of its write. Only long Chinese texts have more.
 */
export const KEYS_PER_ROW = 8_000;
/** The first row of a document has the document's number; each further row adds this offset. */
const NEXT_ROW = 2 ** 40;

/** The range of document numbers of a block, both ends included. */
export type Block = { readonly first: number; readonly last: number };

type KnownSet = Exclude<KeySet, { kind: "any" }>;

export function blockOf(document: number): Block {
  const first = document - (document % BLOCK);
  return { first, last: first + BLOCK - 1 };
}

export class KeyIndex {
  readonly merger: IndexMerger;
  readonly #add;
  readonly #drop;
  readonly #has;
  readonly #matching;

  /** @param sql database with the table of `KEY_SCHEMA` */
  constructor(sql: Sql) {
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
   * Replaces a document's keys, in parts. Until the last part is done, key searches may miss the
   * document.
   * @yields the work of each part: characters read, or keys written
   */
  *putInParts(scope: number, document: number, path: string, text: string): Generator<number, void> {
    this.remove(document);
    const prefix = prefixOf(scope, document);
    let keys = new Set<number>();
    let rows = 0;
    for (const part of keysInParts(path, text)) {
      if (keys.size + part.keys.size > KEYS_PER_ROW) {
        this.#addRow(document + NEXT_ROW * rows++, `${prefix}_`, keys);
        yield keys.size;
        keys = new Set();
      }
      for (const key of part.keys) keys.add(key);
      yield part.characters;
    }
    this.#addRow(document + NEXT_ROW * rows, rows === 0 ? prefix : `${prefix}_`, keys);
  }

  remove(document: number): void {
    for (let row = document; this.#has.get(BigInt(row)) !== undefined; row += NEXT_ROW) this.#drop.run(BigInt(row));
  }

  has(document: number): boolean {
    return this.#has.get(BigInt(document)) !== undefined;
  }

  /** Returns the documents of a block that may be in a set, in ascending order. */
  inBlock(scope: number, block: Block, set: KnownSet): number[] {
    const prefix = prefixOf(scope, block.first);
    const found = this.#find(expressionOf(set, prefix));
    const prefixOfRows = `${prefix}_`;
    if (this.#find(quoted(prefixOfRows)).size === 0) return [...found];
    return [...found.union(this.#findInRows(set, prefixOfRows))].sort((a, b) => a - b);
  }

  #addRow(row: number, prefix: string, keys: ReadonlySet<number>): void {
    // The prefix alone is a token too, so a query can find out whether a block has documents with
    // several rows.
    let tokens = `${prefix} `;
    for (const key of keys) tokens += `${prefix}${nameOf(key)} `;
    this.#add.run(BigInt(row), tokens);
  }

  #find(expression: string): Set<number> {
    const rows = this.#matching.all(expression) as { row: number }[];
    return new Set(rows.map(({ row }) => row % NEXT_ROW));
  }

  /**
   * Returns the documents that match a set of keys. If the set requires several keys, they may be
   * in different rows of the document.
   */
  #findInRows(set: KnownSet, prefix: string): Set<number> {
    const sets =
      set.kind === "with"
        ? set.keys.map((key) => this.#find(quoted(`${prefix}${nameOf(key)}`)))
        : set.of.map((subset) => this.#findInRows(known(subset), prefix));
    return sets.reduce((one, other) => (set.kind === "one" ? one.union(other) : one.intersection(other)));
  }
}

function prefixOf(scope: number, document: number): string {
  return `${scope.toString(36)}_${Math.floor(document / BLOCK).toString(36)}_`;
}

function nameOf(key: number): string {
  return (key >>> 0).toString(36);
}

/** Returns an expression of FTS5's query language with quoted tokens only. */
function expressionOf(set: KnownSet, prefix: string): string {
  const expressions =
    set.kind === "with"
      ? set.keys.map((key) => quoted(`${prefix}${nameOf(key)}`))
      : set.of.map((subset) => expressionOf(known(subset), prefix));
  return expressions.length === 1 ? expressions[0]! : `(${expressions.join(set.kind === "one" ? " OR " : " AND ")})`;
}

function quoted(token: string): string {
  return `"${token}"`;
}

function known(set: KeySet): KnownSet {
  if (set.kind === "any") throw new Error("any document may be in this set");
  return set;
}
