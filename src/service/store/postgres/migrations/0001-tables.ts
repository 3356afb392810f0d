/**
 * Creates the tables, as SQLite has them (`sqlite/schema.ts`). A file stores its name and its
 * folder; a folder stores its whole path. Folder 0 is the root of each workspace. It has no row and
 * no id, so the column `above` replaces `folder` as the foreign key. Paths, names and ids are
 * compared by their bytes, regardless of the collation of the database. The writer compresses the
 * text of a change (`codec`), as in SQLite. It takes half the space of the server's own
 * compression, and a third of the bytes on the network.
 */
export const TABLES = `
CREATE TABLE meta (name text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);

CREATE TABLE workspaces (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('open', 'closed', 'restoring')),
  retry_after integer NOT NULL,
  first_ids boolean NOT NULL DEFAULT false
);

CREATE TABLE folders (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  workspace bigint NOT NULL REFERENCES workspaces,
  parent bigint NOT NULL,
  above bigint GENERATED ALWAYS AS (nullif(parent, 0)) STORED REFERENCES folders,
  name text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  UNIQUE (workspace, parent, name)
);
CREATE INDEX folders_by_path ON folders (workspace, left(path, 500));
CREATE UNIQUE INDEX folders_by_age ON folders (workspace, seq);
CREATE INDEX folders_by_parent ON folders (above, seq);

CREATE TABLE files (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  workspace bigint NOT NULL REFERENCES workspaces,
  folder bigint NOT NULL,
  above bigint GENERATED ALWAYS AS (nullif(folder, 0)) STORED REFERENCES folders,
  name text COLLATE "C" NOT NULL,
  protected boolean NOT NULL DEFAULT false,
  change_id text COLLATE "C" NOT NULL,
  UNIQUE (workspace, folder, name)
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX files_by_age ON files (workspace, seq);
CREATE INDEX files_by_folder ON files (above, seq);
CREATE INDEX files_protected ON files (workspace) WHERE protected;

CREATE TABLE changes (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  file bigint NOT NULL REFERENCES files,
  base_id text COLLATE "C",
  status text COLLATE "C" NOT NULL CHECK (status IN ('saved', 'in_review', 'accepted', 'rejected')),
  reason text COLLATE "C",
  codec smallint NOT NULL,
  text bytea NOT NULL,
  at bigint NOT NULL
);
ALTER TABLE changes ALTER COLUMN text SET STORAGE EXTERNAL;
CREATE INDEX changes_by_file ON changes (file, seq);
CREATE INDEX changes_in_review ON changes (file) WHERE status = 'in_review';
CREATE INDEX changes_reviewed ON changes (status, seq) WHERE status <> 'saved';

CREATE TABLE keys (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  workspace_id text COLLATE "C" NOT NULL,
  hash bytea NOT NULL UNIQUE,
  label text COLLATE "C" NOT NULL,
  rate_requests integer,
  rate_seconds integer,
  expires_at bigint,
  at bigint NOT NULL,
  last_used_at bigint
);
CREATE INDEX keys_by_workspace ON keys (workspace_id, seq);

CREATE TABLE grants (
  key bigint NOT NULL REFERENCES keys,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('root', 'folder', 'file')),
  target bigint NOT NULL,
  level text COLLATE "C" NOT NULL,
  PRIMARY KEY (key, kind, target)
);
CREATE INDEX grants_by_target ON grants (kind, target);

-- Grants on paths at which nothing stands for now.
CREATE TABLE kept_grants (
  key bigint NOT NULL REFERENCES keys,
  workspace bigint NOT NULL REFERENCES workspaces,
  path text COLLATE "C" NOT NULL,
  level text COLLATE "C" NOT NULL
);
CREATE INDEX kept_grants_by_key ON kept_grants (key, workspace, left(path, 500));
CREATE INDEX kept_grants_by_path ON kept_grants (workspace, left(path, 500));
`;
