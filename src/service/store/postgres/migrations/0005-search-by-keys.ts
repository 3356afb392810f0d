/**
 * Indexes all documents again, by the keys of `src/markdown/search/keys.ts` and their whole paths.
 * Older keys find nothing any more, and positions of words are no longer used.
 */
export const SEARCH_BY_KEYS = `
DROP TABLE search_terms;
TRUNCATE search_texts;
TRUNCATE search_queue;
DROP TRIGGER search_changed ON files;
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
INSERT INTO search_queue (workspace, file) SELECT workspace, seq FROM files ORDER BY seq;
`;
