import { isWithin } from "../sql.ts";
import { STRUCTURE_LOCK } from "./transactions.ts";
import type { ClientBase } from "pg";
import { checkSchema } from "../store.ts";

/**
 * Creates the tables, with the same columns as in SQLite (`sqlite/schema.ts`). A file stores its
 * name and its folder; a folder stores its whole path. The root of each workspace is folder 0,
 * which has no row and no id. A foreign key cannot refer to folder 0. So the foreign key of a
 * folder is the column `above`, which is null instead of 0.
 *
 * Files and changes have no foreign keys. Locks (`transactions.ts`) already protect the rows to
 * which files and changes refer. For each foreign key, PostgreSQL would lock the row of a workspace
 * or folder. Concurrent requests that create files would then wait for each other.
 *
 * Paths, names and ids are compared by their bytes, whatever the collation of the database is. The
 * service compresses the content of a change (`codec`), as with SQLite. The compressed content
 * takes half the space of PostgreSQL's own compression, and a third of the bytes on the network.
 */
const CREATE_TABLES = `
CREATE TABLE meta (name text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);

CREATE TABLE workspaces (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('open', 'closed', 'restoring')),
  retry_after integer NOT NULL,
  -- No longer read.
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
  workspace bigint NOT NULL,
  folder bigint NOT NULL,
  above bigint GENERATED ALWAYS AS (nullif(folder, 0)) STORED,
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
  file bigint NOT NULL,
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

-- Grants on paths at which nothing exists.
CREATE TABLE kept_grants (
  key bigint NOT NULL REFERENCES keys,
  workspace bigint NOT NULL REFERENCES workspaces,
  path text COLLATE "C" NOT NULL,
  level text COLLATE "C" NOT NULL
);
CREATE INDEX kept_grants_by_key ON kept_grants (key, workspace, left(path, 500));
CREATE INDEX kept_grants_by_path ON kept_grants (workspace, left(path, 500));
`;

/**
 * Creates the search index. A document has one key for each short string in its content and name,
 * after `foldText` has removed differences of case and accents. A short string is three adjacent
 * characters, or a shorter word, or two adjacent characters of a script without spaces. The key is
 * a hash of the string and the number of the workspace (`search-table.ts`). So a search finds
 * almost no document of other workspaces. A search reads the documents that have all keys of the
 * query, and checks each document.
 */
const CREATE_SEARCH = `
CREATE TABLE search_texts (
  file bigint PRIMARY KEY REFERENCES files ON DELETE CASCADE,
  -- Number in the queue, so that of two processes that index a file, the older content does not
  -- replace the newer.
  n bigint NOT NULL,
  keys integer[] NOT NULL
);
CREATE INDEX search_texts_by_key ON search_texts USING gin (keys);

-- Files to index. Triggers add all written files; no writer waits for a row of another.
CREATE TABLE search_queue (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace bigint NOT NULL,
  file bigint NOT NULL
);
CREATE INDEX search_queue_by_workspace ON search_queue (workspace, n);
CREATE FUNCTION search_later() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_queue (workspace, file) VALUES (new.workspace, new.seq);
  RETURN NULL;
END $$;
CREATE TRIGGER search_made AFTER INSERT ON files FOR EACH ROW EXECUTE FUNCTION search_later();
CREATE TRIGGER search_changed AFTER UPDATE OF change_id, name, folder ON files FOR EACH ROW
  WHEN (old.change_id <> new.change_id OR old.name <> new.name OR old.folder <> new.folder)
  EXECUTE FUNCTION search_later();
CREATE FUNCTION search_below_later() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_queue (workspace, file) SELECT new.workspace, seq FROM files WHERE above = new.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER search_placed AFTER UPDATE OF path ON folders FOR EACH ROW
  WHEN (old.path <> new.path) EXECUTE FUNCTION search_below_later();
`;

/**
 * Creates the outbox. Triggers record changes in the outbox for listeners, as in SQLite
 * (`sqlite/outbox.ts`). Transactions may be committed in another order than their rows are
 * numbered. So each row contains the number of its transaction. A row is read only if its
 * transaction is older than every open transaction. Therefore no row appears later at a position
 * before a row that was already read.
 */
const CREATE_OUTBOX = `
CREATE TABLE outbox (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  n bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  workspace bigint NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('file', 'folder', 'access')),
  seq bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  change text COLLATE "C" NOT NULL CHECK (change IN ('created', 'edited', 'moved', 'gone')),
  was bigint,
  grants json,
  PRIMARY KEY (xid, n)
);
CREATE INDEX outbox_gone_folders ON outbox (seq) WHERE kind = 'folder' AND change = 'gone';
-- Lets a client that reconnects read the changes of its own workspace only.
CREATE INDEX outbox_by_workspace ON outbox (workspace, xid, n);

CREATE FUNCTION grants_on(kind text, target bigint) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_agg(json_build_object('key', g.key, 'level', g.level))
  FROM grants g WHERE g.kind = $1 AND g.target = $2
$$;

${makeRecordTrigger("file", "folder", "folder, name, protected, change_id")}
${makeRecordTrigger("folder", "parent", "parent, name")}
CREATE FUNCTION note_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE about keys := coalesce(NEW, OLD);
BEGIN
  IF TG_OP = 'DELETE' OR NEW.expires_at IS DISTINCT FROM OLD.expires_at THEN
    INSERT INTO outbox (workspace, kind, seq, id, change)
    SELECT w.seq, 'access', about.seq, '', 'edited' FROM workspaces w WHERE w.id = about.workspace_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_keys AFTER DELETE OR UPDATE OF expires_at ON keys
FOR EACH ROW EXECUTE FUNCTION note_key();

CREATE FUNCTION note_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO outbox (workspace, kind, seq, id, change) VALUES (OLD.seq, 'access', 0, '', 'edited');
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_workspaces AFTER DELETE OR UPDATE OF state ON workspaces
FOR EACH ROW EXECUTE FUNCTION note_workspace();
`;

/**
 * Returns the SQL for a trigger that records the changes of files, or of folders, in the outbox.
 * @param parent column with the row number of the parent folder
 * @param columns columns whose changes are recorded
 */
function makeRecordTrigger(kind: "file" | "folder", parent: "folder" | "parent", columns: string): string {
  return `CREATE FUNCTION note_${kind}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO outbox (workspace, kind, seq, id, change) VALUES (NEW.workspace, '${kind}', NEW.seq, NEW.id, 'created');
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO outbox (workspace, kind, seq, id, change, was, grants)
    VALUES (OLD.workspace, '${kind}', OLD.seq, OLD.id, 'gone', OLD.${parent}, grants_on('${kind}', OLD.seq));
  ELSIF (NEW.${parent}, NEW.name) IS DISTINCT FROM (OLD.${parent}, OLD.name) THEN
    INSERT INTO outbox (workspace, kind, seq, id, change, was)
    VALUES (NEW.workspace, '${kind}', NEW.seq, NEW.id, 'moved', OLD.${parent});
  ELSE
    INSERT INTO outbox (workspace, kind, seq, id, change) VALUES (NEW.workspace, '${kind}', NEW.seq, NEW.id, 'edited');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_${kind}s AFTER INSERT OR DELETE OR UPDATE OF ${columns} ON ${kind}s
FOR EACH ROW EXECUTE FUNCTION note_${kind}();
`;
}

/**
 * Creates the SQL function that creates a file with its first change in one statement. The SQL
 * function first takes the lock against changes of the folder tree (`transactions.ts`). Then the
 * SQL function repeats the checks of its caller, because other transactions may have been committed
 * since. If something has changed, the SQL function raises an error, and the caller's work runs
 * again.
 */
const CREATE_FILE = `
CREATE FUNCTION create_file(
  of bigint, file_id text, folder_seq bigint, folder_path text, file_name text, knows_grants boolean,
  change text, text_codec smallint, content bytea, made_at bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  made bigint;
  file_path text := CASE folder_seq WHEN 0 THEN file_name ELSE folder_path || '/' || file_name END;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(${STRUCTURE_LOCK}, of::integer);
  INSERT INTO files (workspace, id, folder, name, change_id)
  SELECT of, file_id, folder_seq, file_name, change
  WHERE (knows_grants OR NOT EXISTS (
      SELECT 1 FROM kept_grants WHERE workspace = of AND ${isWithin("path", "file_path").postgres}
    )) AND CASE folder_seq
      WHEN 0 THEN EXISTS (SELECT 1 FROM workspaces WHERE seq = of)
      ELSE EXISTS (SELECT 1 FROM folders WHERE seq = folder_seq AND path = folder_path)
    END
  RETURNING seq INTO made;
  IF made IS NULL THEN RAISE serialization_failure USING MESSAGE = 'the place of a new file has changed'; END IF;
  INSERT INTO changes (id, file, status, codec, text, at) VALUES (change, made, 'saved', text_codec, content, made_at);
END $$;
`;

const ADD_SENDERS = `
ALTER TABLE changes ADD COLUMN sender text COLLATE "C", ADD COLUMN decided_at bigint;
`;

/**
 * Limits the list to which PostgreSQL first adds the keys of written documents, before it moves
 * many keys to the search index together. Every search reads the whole list. Without a limit of its
 * own, the list may have 4 MB. The number is in kB.
 */
const LIMIT_NEW_KEYS = `
ALTER INDEX search_texts_by_key SET (gin_pending_list_limit = 256);
`;

/** The first migration creates schema `OLDEST_SCHEMA`; later ones create the next schemas. */
export const MIGRATIONS: readonly string[] = [
  CREATE_TABLES + CREATE_SEARCH + CREATE_OUTBOX + CREATE_FILE,
  ADD_SENDERS,
  LIMIT_NEW_KEYS,
];

export const OLDEST_SCHEMA = 6;

/**
 * Number of the advisory lock for migrations, chosen at random, so that other programs do not use
 * the same number in this database.
 */
const MIGRATION_LOCK = 7_214_906_233_011;

/** Error for a database that cannot be used. The message is for the operator. */
export class UnusableDatabaseError extends Error {
  override readonly name = "UnusableDatabaseError";
  readonly code: "unusable-database" | "other-key";

  constructor(message: string, code: UnusableDatabaseError["code"] = "unusable-database") {
    super(message);
    this.code = code;
  }
}

/** LIMIT: oldest supported version of PostgreSQL, because no older version was tested. */
const OLDEST_SERVER = 15;

/**
 * Migrates a database to the newest schema. If several processes start at the same time, they
 * migrate one after the other, because a lock is held until the transaction ends.
 * @param oldest number of the schema that the first migration creates
 * @throws UnusableDatabaseError if PostgreSQL is too old, or the encoding is not UTF-8;
 * OtherVersionError if another version of mdmirror wrote the database
 */
export async function migrate(
  client: ClientBase,
  migrations: readonly string[] = MIGRATIONS,
  oldest: number = OLDEST_SCHEMA,
): Promise<void> {
  await checkServer(client);
  await client.query("BEGIN");
  try {
    await client.query("SET LOCAL lock_timeout = 0");
    await client.query("SET LOCAL statement_timeout = 0");
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query("CREATE TABLE IF NOT EXISTS migrated (number integer PRIMARY KEY, at timestamptz NOT NULL)");
    const { rows } = await client.query("SELECT coalesce(max(number), 0) AS version FROM migrated");
    const version: number = rows[0].version;
    const newestSchema = oldest + migrations.length - 1;
    checkSchema("the database", version, oldest, newestSchema);
    for (const [i, text] of migrations.entries()) {
      if (oldest + i <= version) continue;
      await client.query(text);
      await client.query("INSERT INTO migrated (number, at) VALUES ($1, now())", [oldest + i]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    "SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding",
  );
  const { version, encoding } = rows[0] as { readonly version: number; readonly encoding: string };
  const majorVersion = Math.floor(version / 10_000);
  if (majorVersion < OLDEST_SERVER)
    throw new UnusableDatabaseError(`PostgreSQL ${OLDEST_SERVER} or newer is needed, this is ${majorVersion}`);
  if (encoding !== "UTF8") throw new UnusableDatabaseError(`the database has the encoding ${encoding}; UTF8 is needed`);
}
