/**
 * LIMIT: number of rows that are kept, so that the table stays small. A client that missed more
 * rows than this must scan everything.
 */
const KEPT_ROWS = 20_000;

/**
 * SQL for the `mark` of an outbox row: the id of the newest change of any document. After a
 * restore, a row number may be used a second time, but then the newest change is another one. So
 * two rows with the same number have different marks. The mark is not a random number, because
 * tests with the same seed must give the same rows.
 */
export const NEWEST_CHANGE = "coalesce((SELECT id FROM changes ORDER BY seq DESC LIMIT 1), '')";

/**
 * Creates the outbox, and the triggers that record changes in it in the order of commits. The row
 * for a removed item contains the grants on the item, because they decide which listeners get the
 * event.
 */
export const OUTBOX_SCHEMA = `
CREATE TABLE outbox (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Tells a row from another of the same number, after a return to a backup.
  mark TEXT NOT NULL,
  workspace INTEGER NOT NULL,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  change TEXT NOT NULL,
  was INTEGER,
  grants TEXT
);
CREATE INDEX outbox_gone_folders ON outbox (seq) WHERE kind = 'folder' AND change = 'gone';
CREATE INDEX grants_by_target ON grants (kind, target);
${makeTrigger("file", "made", "INSERT", "'created', NULL, NULL")}
${makeTrigger("file", "edited", "UPDATE OF change_id, protected", "'edited', NULL, NULL")}
${makeTrigger("file", "placed", "UPDATE OF folder, name", "'moved', old.folder, NULL")}
${makeTrigger("file", "gone", "DELETE", `'gone', old.folder, ${selectGrantsOn("file")}`)}
${makeTrigger("folder", "made", "INSERT", "'created', NULL, NULL")}
${makeTrigger("folder", "placed", "UPDATE OF parent, name", "'moved', old.parent, NULL")}
${makeTrigger("folder", "gone", "DELETE", `'gone', old.parent, ${selectGrantsOn("folder")}`)}
CREATE TRIGGER outbox_key_changed AFTER UPDATE OF expires_at ON keys
WHEN old.expires_at IS NOT new.expires_at BEGIN ${recordAccess("new.seq", "new.workspace_id")} END;
CREATE TRIGGER outbox_key_gone AFTER DELETE ON keys BEGIN ${recordAccess("old.seq", "old.workspace_id")} END;
CREATE TRIGGER outbox_workspace_changed AFTER UPDATE OF state ON workspaces BEGIN
  INSERT INTO outbox (mark, workspace, kind, seq, id, change)
  VALUES (${NEWEST_CHANGE}, new.seq, 'access', 0, '', 'edited');
END;
CREATE TRIGGER outbox_workspace_gone AFTER DELETE ON workspaces BEGIN
  INSERT INTO outbox (mark, workspace, kind, seq, id, change)
  VALUES (${NEWEST_CHANGE}, old.seq, 'access', 0, '', 'edited');
END;
CREATE TRIGGER outbox_pruned AFTER INSERT ON outbox WHEN new.n % 1000 = 0 BEGIN
  DELETE FROM outbox WHERE n <= new.n - ${KEPT_ROWS};
END;
`;

function makeTrigger(kind: "file" | "folder", name: string, event: string, values: string): string {
  const row = event === "DELETE" ? "old" : "new";
  // A file is inserted before its first change. So the id of this change is not found yet, and is
  // added to the mark.
  const mark = kind === "file" ? `${NEWEST_CHANGE} || ${row}.change_id` : NEWEST_CHANGE;
  return `CREATE TRIGGER outbox_${kind}_${name} AFTER ${event} ON ${kind}s BEGIN
  INSERT INTO outbox (mark, workspace, kind, seq, id, change, was, grants)
  VALUES (${mark}, ${row}.workspace, '${kind}', ${row}.seq, ${row}.id, ${values});
END;`;
}

/**
 * Returns the SQL that reads the grants on an item.
 * ORDER: the grants must be removed after the item.
 */
function selectGrantsOn(kind: "file" | "folder"): string {
  return `(SELECT json_group_array(json_array(key, level)) FROM grants WHERE kind = '${kind}' AND target = old.seq)`;
}

function recordAccess(key: string, workspaceId: string): string {
  return `INSERT INTO outbox (mark, workspace, kind, seq, id, change)
  SELECT ${NEWEST_CHANGE}, seq, 'access', ${key}, '', 'edited' FROM workspaces WHERE id = ${workspaceId};`;
}
