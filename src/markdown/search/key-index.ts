import { IndexMerger } from "./merge-index.ts";
import { type KeySet, keysOf } from "./keys.ts";
import type { Sql } from "./sql.ts";

/**
 * An index of keys in SQLite, the same in the service's database and in the mirror's `search.db`. A
 * document is a row number that the owner gives. No text is in it: the owner has the texts.
 *
 * Every key is indexed together with the scope of its document (the workspace) and with its block.
 * So a look finds documents of one scope alone, and reads no more of the index than one block has,
 * however many documents and scopes there are.
 */
export const KEY_SCHEMA = `
CREATE VIRTUAL TABLE search_keys USING fts5(
  keys, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);
`;

/** LIMIT: documents of a block, and so of one look: some milliseconds. */
const BLOCK = 4_096;

/** The documents of a block, both ends included. */
export type Block = { readonly first: number; readonly last: number };

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

  /** @param sql the table of `KEY_SCHEMA` */
  constructor(sql: Sql) {
    this.merger = new IndexMerger(sql);
    this.#add = sql.prepare("INSERT INTO search_keys (rowid, keys) VALUES (?, ?)");
    this.#drop = sql.prepare("DELETE FROM search_keys WHERE rowid = ?");
    this.#has = sql.prepare("SELECT 1 FROM search_keys_docsize WHERE id = ?");
    this.#matching = sql.prepare("SELECT rowid AS document FROM search_keys WHERE search_keys MATCH ? ORDER BY rowid");
  }

  put(scope: number, document: number, path: string, text: string): void {
    this.remove(document);
    const prefix = prefixOf(scope, document);
    let tokens = "";
    for (const key of keysOf(path, text)) tokens += `${prefix}${nameOf(key)} `;
    this.#add.run(document, tokens);
  }

  remove(document: number): void {
    if (this.has(document)) this.#drop.run(document);
  }

  has(document: number): boolean {
    return this.#has.get(document) !== undefined;
  }

  /** Returns the documents of a block that may be in a set, in their order. */
  inBlock(scope: number, block: Block, set: Exclude<KeySet, { kind: "any" }>): number[] {
    const expression = expressionOf(set, prefixOf(scope, block.first));
    return (this.#matching.all(expression) as { document: number }[]).map(({ document }) => document);
  }
}

function prefixOf(scope: number, document: number): string {
  return `${scope.toString(36)}_${Math.floor(document / BLOCK).toString(36)}_`;
}

function nameOf(key: number): string {
  return (key >>> 0).toString(36);
}

/** In FTS5's query language, of quoted tokens alone. */
function expressionOf(set: KeySet, prefix: string): string {
  switch (set.kind) {
    case "any":
      throw new Error("any document may be in this set");
    case "with":
      return joined(
        set.keys.map((key) => `"${prefix}${nameOf(key)}"`),
        " AND ",
      );
    default:
      return joined(
        set.of.map((each) => expressionOf(each, prefix)),
        set.kind === "each" ? " AND " : " OR ",
      );
  }
}

function joined(expressions: readonly string[], by: string): string {
  return expressions.length === 1 ? expressions[0]! : `(${expressions.join(by)})`;
}
