import { OUTBOX_SCHEMA } from "./outbox.ts";
import { KEY_SCHEMA } from "../../../markdown/search/key-index.ts";

/** Replaces an older search index by an index of keys (`src/markdown/search/key-index.ts`). */
const SEARCH_BY_KEYS = `
DROP TRIGGER IF EXISTS search_file_made;
DROP TRIGGER IF EXISTS search_file_changed;
DROP TRIGGER IF EXISTS search_file_placed;
DROP TRIGGER IF EXISTS search_file_gone;
DROP TRIGGER IF EXISTS search_folder_placed;
DROP TABLE IF EXISTS search_queue;
DROP TABLE IF EXISTS search_vocabulary;
DROP TABLE IF EXISTS search_words;
DROP TABLE IF EXISTS search_grams;
DROP TABLE IF EXISTS search_paths;
DROP TABLE IF EXISTS search_path_grams;
DROP TABLE IF EXISTS search_term_grams;
DROP TABLE IF EXISTS search_terms;
${KEY_SCHEMA}
-- Items to index, the newest first: files that were created, changed, moved or removed, and folders
-- whose path changed. Of a folder, the files up to number "after" are done.
CREATE TABLE search_queue (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace INTEGER NOT NULL,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  after INTEGER NOT NULL DEFAULT 0,
  UNIQUE (kind, seq)
);
CREATE INDEX search_queue_by_workspace ON search_queue (workspace, kind, n);
INSERT INTO search_queue (workspace, kind, seq) SELECT workspace, 'file', seq FROM files ORDER BY seq;
CREATE TRIGGER search_file_made AFTER INSERT ON files BEGIN
  INSERT OR REPLACE INTO search_queue (workspace, kind, seq) VALUES (new.workspace, 'file', new.seq);
END;
CREATE TRIGGER search_file_changed AFTER UPDATE OF change_id, folder, name ON files BEGIN
  INSERT OR REPLACE INTO search_queue (workspace, kind, seq) VALUES (new.workspace, 'file', new.seq);
END;
CREATE TRIGGER search_file_gone AFTER DELETE ON files BEGIN
  INSERT OR REPLACE INTO search_queue (workspace, kind, seq) VALUES (old.workspace, 'file', old.seq);
END;
CREATE TRIGGER search_folder_placed AFTER UPDATE OF path ON folders BEGIN
  INSERT OR REPLACE INTO search_queue (workspace, kind, seq) VALUES (new.workspace, 'folder', new.seq);
END;
`;

/**
 * Creates the tables of schema 10. A file stores its name and its folder; a folder stores its whole
 * path. So a list needs only one join, and renaming a folder changes the rows of folders but not
 * those of files. Row numbers are AUTOINCREMENT, so that no number is used twice. A cursor is a row
 * number, and a client would miss a new item with an old number. Folder 0 is the root of each
 * workspace; it has no row and no id.
 */
const CREATE_TABLES = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;

CREATE TABLE workspaces (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  retry_after INTEGER NOT NULL,
  -- No longer read.
  first_ids INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE folders (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workspace INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  UNIQUE (workspace, path)
);
CREATE INDEX folders_by_parent ON folders (workspace, parent);

CREATE TABLE files (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workspace INTEGER NOT NULL,
  folder INTEGER NOT NULL,
  name TEXT NOT NULL,
  protected INTEGER NOT NULL,
  change_id TEXT NOT NULL,
  UNIQUE (workspace, folder, name)
);
CREATE INDEX files_by_workspace ON files (workspace);
CREATE INDEX files_by_folder ON files (workspace, folder);
CREATE INDEX files_protected ON files (workspace) WHERE protected = 1;

CREATE TABLE changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  file INTEGER NOT NULL,
  base_id TEXT,
  status TEXT NOT NULL,
  codec INTEGER NOT NULL,
  text BLOB NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT
);
CREATE INDEX changes_by_file ON changes (file);
CREATE INDEX changes_in_review ON changes (file) WHERE status = 'in_review';
-- Reviews by status, without reading all versions of all documents.
CREATE INDEX changes_reviewed ON changes (status, seq) WHERE status <> 'saved';

CREATE TABLE keys (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  label TEXT NOT NULL,
  rate_requests INTEGER,
  rate_seconds INTEGER,
  at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER
);
CREATE TABLE grants (
  key INTEGER NOT NULL,
  kind TEXT NOT NULL,
  target INTEGER NOT NULL,
  level TEXT NOT NULL,
  PRIMARY KEY (key, kind, target)
) WITHOUT ROWID;

-- Grants on paths at which nothing exists.
CREATE TABLE kept_grants (
  key INTEGER NOT NULL,
  workspace INTEGER NOT NULL,
  path TEXT NOT NULL,
  level TEXT NOT NULL,
  PRIMARY KEY (key, workspace, path)
) WITHOUT ROWID;
CREATE INDEX kept_grants_by_path ON kept_grants (workspace, path);
${OUTBOX_SCHEMA}
-- Lets a client that reconnects read the changes of its own workspace only, so that the number of
-- changes in other workspaces does not matter.
CREATE INDEX outbox_by_workspace ON outbox (workspace, n);
`;

const ADD_SENDERS = `
ALTER TABLE changes ADD COLUMN sender TEXT;
ALTER TABLE changes ADD COLUMN decided_at INTEGER;
`;

/** The first migration creates schema `OLDEST_SCHEMA`; later ones create the next schemas. */
const MIGRATIONS: readonly string[] = [CREATE_TABLES, SEARCH_BY_KEYS, ADD_SENDERS];

/**
 * Numbers of the oldest and the newest known schema. `user_version` of a database is the number of
 * its schema.
 */
export const OLDEST_SCHEMA = 10;
export const NEWEST_SCHEMA = OLDEST_SCHEMA + MIGRATIONS.length - 1;

/**
 * Returns the SQL of the migrations from a schema to the newest one.
 * @param version number of a known schema; 0 for an empty database
 */
export function listMigrations(version: number): readonly string[] {
  return MIGRATIONS.slice(version === 0 ? 0 : version - OLDEST_SCHEMA + 1);
}
