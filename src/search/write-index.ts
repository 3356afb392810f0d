import { pathFieldsOf, textFieldsOf } from "./fields.ts";
import { foldText } from "./fold.ts";
import type { Sql } from "./sql.ts";
import { indexedForm } from "./tokens.ts";

/**
 * The writing half of the index. Lives for one transaction: what it remembers of the vocabulary is
 * wrong after a rollback.
 */
export type IndexWriter = {
  /** @param fresh the document is not in the index: saves the look for an older form */
  put(doc: number, path: string, text: string, fresh: boolean): void;
  putText(doc: number, text: string, fresh: boolean): void;
  putPath(doc: number, path: string, fresh: boolean): void;
  remove(doc: number): void;
};

/** Shorter ones are found by rule, longer ones are no words that people mistype. */
const TERM_CHARACTERS = { min: 3, max: 40 } as const;

/** @param sql the tables of `SEARCH_SCHEMA`, in an open transaction */
export function createIndexWriter(sql: Sql): IndexWriter {
  const addWords = sql.prepare("INSERT INTO search_words (rowid, headings, body) VALUES (?, ?, ?)");
  const addPath = sql.prepare("INSERT INTO search_paths (rowid, name, folders) VALUES (?, ?, ?)");
  const addGrams = sql.prepare("INSERT INTO search_grams (rowid, text) VALUES (?, ?)");
  const addPathGrams = sql.prepare("INSERT INTO search_path_grams (rowid, path) VALUES (?, ?)");
  const dropFrom = (table: string) => sql.prepare(`DELETE FROM ${table} WHERE rowid = ?`);
  const ofText = ["search_words", "search_grams"].map(dropFrom);
  const ofPath = ["search_paths", "search_path_grams"].map(dropFrom);
  const learn = createLearner(sql);
  const writer: IndexWriter = {
    put(doc, path, text, fresh) {
      writer.putText(doc, text, fresh);
      writer.putPath(doc, path, fresh);
    },
    putText(doc, text, fresh) {
      if (!fresh) for (const statement of ofText) statement.run(doc);
      const { headings, body } = textFieldsOf(text);
      addWords.run(doc, indexedForm(headings, learn), indexedForm(body, learn));
      addGrams.run(doc, foldText(text).replaceAll("\0", " "));
    },
    putPath(doc, path, fresh) {
      if (!fresh) for (const statement of ofPath) statement.run(doc);
      const { name, folders } = pathFieldsOf(path);
      addPath.run(doc, indexedForm(name, learn), indexedForm(folders, learn));
      addPathGrams.run(doc, foldText(path));
    },
    remove(doc) {
      for (const statement of [...ofText, ...ofPath]) statement.run(doc);
    },
  };
  return writer;
}

/** @returns what puts a word into the vocabulary */
function createLearner(sql: Sql): (word: string) => void {
  const addTerm = sql.prepare("INSERT OR IGNORE INTO search_terms (text) VALUES (?)");
  const addTermGrams = sql.prepare("INSERT INTO search_term_grams (rowid, text) VALUES (?, ?)");
  const seen = new Set<string>();
  return (word) => {
    if (word.length < TERM_CHARACTERS.min || word.length > TERM_CHARACTERS.max || seen.has(word)) return;
    seen.add(word);
    const { changes, lastInsertRowid } = addTerm.run(word) as { changes: number; lastInsertRowid: number | bigint };
    if (changes > 0) addTermGrams.run(lastInsertRowid, boundedTerm(word));
  };
}

/**
 * A term with its ends marked, so that its first and last letters count in trigrams of their own.
 */
export function boundedTerm(term: string): string {
  return `^${term}$`;
}
