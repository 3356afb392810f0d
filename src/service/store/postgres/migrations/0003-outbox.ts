/**
 * Records changes for listeners, as SQLite does (`sqlite/outbox-schema.ts`). Transactions commit in
 * another order than rows are numbered, so each row has the number of its transaction. Only rows
 * below every open transaction are read, so no later row comes before one that was read.
 */
export const OUTBOX = `
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

CREATE FUNCTION grants_on(kind text, target bigint) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_agg(json_build_object('key', g.key, 'level', g.level))
  FROM grants g WHERE g.kind = $1 AND g.target = $2
$$;

CREATE FUNCTION note_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO outbox (workspace, kind, seq, id, change) VALUES (NEW.workspace, 'file', NEW.seq, NEW.id, 'created');
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO outbox (workspace, kind, seq, id, change, was, grants)
    VALUES (OLD.workspace, 'file', OLD.seq, OLD.id, 'gone', OLD.folder, grants_on('file', OLD.seq));
  ELSIF (NEW.folder, NEW.name) IS DISTINCT FROM (OLD.folder, OLD.name) THEN
    INSERT INTO outbox (workspace, kind, seq, id, change, was)
    VALUES (NEW.workspace, 'file', NEW.seq, NEW.id, 'moved', OLD.folder);
  ELSE
    INSERT INTO outbox (workspace, kind, seq, id, change) VALUES (NEW.workspace, 'file', NEW.seq, NEW.id, 'edited');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_files AFTER INSERT OR DELETE OR UPDATE OF folder, name, protected, change_id ON files
FOR EACH ROW EXECUTE FUNCTION note_file();

CREATE FUNCTION note_folder() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO outbox (workspace, kind, seq, id, change) VALUES (NEW.workspace, 'folder', NEW.seq, NEW.id, 'created');
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO outbox (workspace, kind, seq, id, change, was, grants)
    VALUES (OLD.workspace, 'folder', OLD.seq, OLD.id, 'gone', OLD.parent, grants_on('folder', OLD.seq));
  ELSIF (NEW.parent, NEW.name) IS DISTINCT FROM (OLD.parent, OLD.name) THEN
    INSERT INTO outbox (workspace, kind, seq, id, change, was)
    VALUES (NEW.workspace, 'folder', NEW.seq, NEW.id, 'moved', OLD.parent);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_folders AFTER INSERT OR DELETE OR UPDATE OF parent, name ON folders
FOR EACH ROW EXECUTE FUNCTION note_folder();

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
