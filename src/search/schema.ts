/**
 * The tables of search, the same in the service's database and in the mirror's `search.db`. A
 * document is a row number that the owner gives.
 *
 * No table holds a text: the owner has it. `search_words` is the words of the texts by column;
 * `search_grams` every run of three characters, which answers substrings and narrows a regex down
 * to the documents that can match; `search_paths` and `search_path_grams` are the same of the
 * paths, apart, so that a rename leaves the texts alone; `search_terms` the vocabulary, found by
 * its own trigrams, for parts of words and for typing errors.
 *
 * Words are split and folded before they come here (`tokens.ts`), so the tokenizer is FTS5's
 * plainest: ASCII letters and digits and everything beyond ASCII is part of a token.
 */
export const SEARCH_SCHEMA = `
CREATE VIRTUAL TABLE search_words USING fts5(
  headings, body,
  content = '', contentless_delete = 1, tokenize = 'ascii'
);
INSERT INTO search_words (search_words, rank) VALUES ('rank', 'bm25(5.0, 1.0)');
CREATE VIRTUAL TABLE search_paths USING fts5(
  name, folders,
  content = '', contentless_delete = 1, tokenize = 'ascii'
);
INSERT INTO search_paths (search_paths, rank) VALUES ('rank', 'bm25(10.0, 3.0)');
CREATE VIRTUAL TABLE search_grams USING fts5(
  text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE search_path_grams USING fts5(
  path, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
CREATE TABLE search_terms (term INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE search_term_grams USING fts5(
  text, content = '', detail = none, tokenize = 'trigram case_sensitive 1'
);
`;
