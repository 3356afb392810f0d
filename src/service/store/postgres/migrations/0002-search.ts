/**
 * Creates the index of search. A key is a hash of three adjacent characters of a folded text or
 * name. Shorter words, and pairs of characters of a script without spaces, have keys too. Each hash
 * includes the number of the workspace (`search-table.ts`), so a search finds nothing of other
 * workspaces, in any script and collation. Documents found by keys are then read and checked.
 */
export const SEARCH = `
CREATE TABLE search_texts (
  file bigint PRIMARY KEY REFERENCES files ON DELETE CASCADE,
  -- Of the queue, so that two who index one file do not put an older text over a newer one.
  n bigint NOT NULL,
  keys integer[] NOT NULL
);
CREATE INDEX search_texts_by_key ON search_texts USING gin (keys);

-- Every word that a text ever had, for typing errors.
CREATE TABLE search_terms (
  workspace bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  term text COLLATE "C" NOT NULL,
  keys integer[] NOT NULL,
  PRIMARY KEY (workspace, term)
);
CREATE INDEX search_terms_by_key ON search_terms USING gin (keys);

-- What is to be indexed. Triggers see every way of writing, and nobody waits for a row of another.
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
CREATE TRIGGER search_changed AFTER UPDATE OF change_id, name ON files FOR EACH ROW
  WHEN (old.change_id <> new.change_id OR old.name <> new.name) EXECUTE FUNCTION search_later();
INSERT INTO search_queue (workspace, file) SELECT workspace, seq FROM files ORDER BY seq;
`;
