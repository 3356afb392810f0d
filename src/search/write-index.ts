import { blockOf, blockWord } from "./blocks.ts";
import { pathFieldsOf, textFieldsOf } from "./fields.ts";
import { foldText } from "./fold.ts";
import type { Sql, SqlStatement } from "./sql.ts";
import { boundedTerm, indexedForm } from "./tokens.ts";

/** Shorter ones are found by rule, longer ones are no words that people mistype. */
const TERM_CHARACTERS = { min: 3, max: 40 } as const;

/** LIMIT: words of the vocabulary that are remembered between transactions, some 10 MB. */
const MOST_KNOWN = 100_000;

/**
 * The writing half of the index: the only one that adds to a vocabulary. It lives for one
 * transaction, or is told at the beginning of each.
 */
export class IndexWriter {
  readonly #addWords;
  readonly #addPath;
  readonly #addGrams;
  readonly #addPathGrams;
  readonly #dropText;
  readonly #dropPath;
  readonly #addTerm;
  readonly #addTermGrams;
  readonly #lastTerm;
  /** Words that are in the vocabulary by now. */
  readonly #known = new Set<string>();
  /** The number of the word that was added last. */
  #last = 0;

  /** @param sql the tables of `SEARCH_SCHEMA`, in an open transaction */
  constructor(sql: Sql) {
    this.#addWords = sql.prepare("INSERT INTO search_words (rowid, headings, body) VALUES (?, ?, ?)");
    this.#addPath = sql.prepare("INSERT INTO search_paths (rowid, name, folders) VALUES (?, ?, ?)");
    this.#addGrams = sql.prepare("INSERT INTO search_grams (rowid, text) VALUES (?, ?)");
    this.#addPathGrams = sql.prepare("INSERT INTO search_path_grams (rowid, path) VALUES (?, ?)");
    this.#dropText = deletesFrom(sql, ["search_words", "search_grams"]);
    this.#dropPath = deletesFrom(sql, ["search_paths", "search_path_grams"]);
    this.#addTerm = sql.prepare("INSERT OR IGNORE INTO search_terms (text) VALUES (?)");
    this.#addTermGrams = sql.prepare("INSERT INTO search_term_grams (rowid, text) VALUES (?, ?)");
    this.#lastTerm = sql.prepare("SELECT ifnull(max(term), 0) AS term FROM search_terms");
  }

  /**
   * Within a transaction, before its first write. What was added since the last one is not there if
   * that was rolled back: then nothing that is remembered is believed.
   */
  begin(): void {
    const { term } = this.#lastTerm.get() as { term: number };
    if (term !== this.#last || this.#known.size > MOST_KNOWN) this.#known.clear();
    this.#last = term;
  }

  /** @param fresh the document is not in the index: saves the look for an older form */
  put(doc: number, path: string, text: string, fresh: boolean): void {
    this.putText(doc, text, fresh);
    this.putPath(doc, path, fresh);
  }

  putText(doc: number, text: string, fresh: boolean): void {
    if (!fresh) for (const statement of this.#dropText) statement.run(doc);
    const { headings, body } = textFieldsOf(text);
    const block = blockWord(blockOf(doc));
    this.#addWords.run(doc, `${this.#indexed(headings)} ${block}`, `${this.#indexed(body)} ${block}`);
    this.#addGrams.run(doc, foldText(text).replaceAll("\0", " "));
  }

  putPath(doc: number, path: string, fresh: boolean): void {
    if (!fresh) for (const statement of this.#dropPath) statement.run(doc);
    const { name, folders } = pathFieldsOf(path);
    this.#addPath.run(doc, this.#indexed(name), this.#indexed(folders));
    this.#addPathGrams.run(doc, foldText(path));
  }

  remove(doc: number): void {
    for (const statement of [...this.#dropText, ...this.#dropPath]) statement.run(doc);
  }

  #indexed(field: string): string {
    return indexedForm(field, (word) => this.#learn(word));
  }

  /** Puts a word into the vocabulary. */
  #learn(word: string): void {
    if (word.length < TERM_CHARACTERS.min || word.length > TERM_CHARACTERS.max || this.#known.has(word)) return;
    this.#known.add(word);
    const { changes, lastInsertRowid } = this.#addTerm.run(word) as {
      changes: number;
      lastInsertRowid: number | bigint;
    };
    if (changes === 0) return;
    this.#addTermGrams.run(lastInsertRowid, boundedTerm(word));
    this.#last = Number(lastInsertRowid);
  }
}

function deletesFrom(sql: Sql, tables: readonly string[]): SqlStatement[] {
  return tables.map((table) => sql.prepare(`DELETE FROM ${table} WHERE rowid = ?`));
}
