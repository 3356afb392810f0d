import { fieldsOf } from "./fields.ts";
import { foldText } from "./fold.ts";
import type { Sql } from "./sql.ts";
import { indexedForm } from "./tokens.ts";

/** The writing half of the index. Lives for one transaction: what it remembers of the vocabulary is wrong after a rollback. */
export type IndexWriter = {
  /** @param fresh the document is not in the index: saves the look for an older form */
  put(doc: number, path: string, text: string, fresh: boolean): void;
  remove(doc: number): void;
};

/** Shorter ones are found by rule, longer ones are no words that people mistype. */
const TERM_CHARACTERS = { min: 3, max: 40 } as const;

/** @param sql the tables of `SEARCH_SCHEMA`, in an open transaction */
export function createIndexWriter(sql: Sql): IndexWriter {
  const addWords = sql.prepare(
    "INSERT INTO search_words (rowid, name, folders, headings, body) VALUES (?, ?, ?, ?, ?)",
  );
  const addGrams = sql.prepare("INSERT INTO search_grams (rowid, text) VALUES (?, ?)");
  const removeWords = sql.prepare("DELETE FROM search_words WHERE rowid = ?");
  const removeGrams = sql.prepare("DELETE FROM search_grams WHERE rowid = ?");
  const addTerm = sql.prepare("INSERT OR IGNORE INTO search_terms (text) VALUES (?)");
  const addTermGrams = sql.prepare("INSERT INTO search_term_grams (rowid, text) VALUES (?, ?)");
  const seen = new Set<string>();

  const learn = (word: string) => {
    if (word.length < TERM_CHARACTERS.min || word.length > TERM_CHARACTERS.max || seen.has(word)) return;
    seen.add(word);
    const { changes, lastInsertRowid } = addTerm.run(word) as { changes: number; lastInsertRowid: number | bigint };
    if (changes > 0) addTermGrams.run(lastInsertRowid, boundedTerm(word));
  };
  const remove = (doc: number) => {
    removeWords.run(doc);
    removeGrams.run(doc);
  };
  return {
    put(doc, path, text, fresh) {
      if (!fresh) remove(doc);
      const { name, folders, headings, body } = fieldsOf(path, text);
      const indexed = [name, folders, headings, body].map((field) => indexedForm(field, learn));
      addWords.run(doc, ...indexed);
      addGrams.run(doc, foldText(`${path}\n${text}`).replaceAll("\0", " "));
    },
    remove,
  };
}

/** A term with its ends marked, so that its first and last letters count in trigrams of their own. */
export function boundedTerm(term: string): string {
  return `^${term}$`;
}
