import type { OutboxRow, OutboxTable } from "../../events/outbox.ts";
import { isOneOf, type Session, sql } from "../sql.ts";

/**
 * LIMIT: number of rows that are kept, so that the table stays small. A client that missed more
 * rows must scan everything.
 */
const KEPT_ROWS = 20_000;

/**
 * SQL for the `mark` of an outbox row: the id of the newest change of any document. After a
 * restore, a row number may be used a second time, but the newest change then has another id. So
 * two rows with the same number have different marks. The mark is not a random number, because
 * tests with the same seed must give the same rows.
 */
const NEWEST_CHANGE = "coalesce((SELECT id FROM changes ORDER BY seq DESC LIMIT 1), '')";

/**
 * Creates the outbox, and the triggers that record changes in it in the order of commits. The row
 * for a removed item contains the grants on the item, because they decide which listeners get the
 * event.
 */
export const OUTBOX_SCHEMA = `
CREATE TABLE outbox (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Distinguishes this row from another with the same number, after a restore.
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
  // A file is inserted before its first change, so `NEWEST_CHANGE` does not find that change yet.
  // The id of the change is added to the mark.
  const mark = kind === "file" ? `${NEWEST_CHANGE} || ${row}.change_id` : NEWEST_CHANGE;
  return `CREATE TRIGGER outbox_${kind}_${name} AFTER ${event} ON ${kind}s BEGIN
  INSERT INTO outbox (mark, workspace, kind, seq, id, change, was, grants)
  VALUES (${mark}, ${row}.workspace, '${kind}', ${row}.seq, ${row}.id, ${values});
END;`;
}

/**
 * Returns the SQL that reads the grants on an item.
 * ORDER: the grants must be removed after the item, because the trigger for the removal of the item
 * reads them.
 */
function selectGrantsOn(kind: "file" | "folder"): string {
  return `(SELECT json_group_array(json_array(key, level)) FROM grants WHERE kind = '${kind}' AND target = old.seq)`;
}

function recordAccess(key: string, workspaceId: string): string {
  return `INSERT INTO outbox (mark, workspace, kind, seq, id, change)
  SELECT ${NEWEST_CHANGE}, seq, 'access', ${key}, '', 'edited' FROM workspaces WHERE id = ${workspaceId};`;
}

type OutboxPosition = { readonly n: number; readonly mark: string };
type StoredOutboxRow = Omit<OutboxRow, "position" | "grants"> & OutboxPosition & { readonly grants: string | null };

const OUTBOX_COLUMNS = 'n, mark, workspace, kind, seq, id, change, was AS "formerParent", grants';

const BEGIN_POSITION: OutboxPosition = { n: 0, mark: "" };

const SQL = {
  newest: sql<OutboxPosition>`SELECT n, mark FROM outbox ORDER BY n DESC LIMIT 1`,
  numbered: sql<OutboxPosition>`SELECT n, mark FROM outbox WHERE n = $1`,
  oldest: sql<{ readonly n: number }>`SELECT n FROM outbox ORDER BY n LIMIT 1`,
  after: sql<StoredOutboxRow>`SELECT ${OUTBOX_COLUMNS} FROM outbox WHERE n > $1 ORDER BY n LIMIT $2`,
  afterOfOne: sql<StoredOutboxRow>`SELECT ${OUTBOX_COLUMNS} FROM outbox WHERE workspace = $3 AND n > $1 ORDER BY n LIMIT $2`,
  goneFolders: sql<{ readonly seq: number; readonly was: number; readonly grants: string | null }>`
    SELECT seq, was, grants FROM outbox WHERE kind = 'folder' AND change = 'gone' AND ${isOneOf("seq", "$1")}`,
  noteAccess: sql`INSERT INTO outbox (mark, workspace, kind, seq, id, change)
    SELECT ${NEWEST_CHANGE}, w.seq, 'access', k.seq, '', 'edited' FROM keys k JOIN workspaces w ON w.id = k.workspace_id
    WHERE k.seq = $1`,
} as const;

/**
 * Returns the outbox, which triggers fill. There is only one writer, so the order of row numbers is
 * the order of commits. A position contains the row number and the mark of the last row that was
 * read. If the database was restored from a backup, another row may have the same number, but not
 * the same mark.
 */
export function makeOutboxTable(session: Session): OutboxTable {
  /** Returns true if a client wants to read all rows, but the first rows were pruned. */
  const isBeginningPruned = async (after: number) => after === 0 && ((await session.one(SQL.oldest))?.n ?? 1) > 1;
  return {
    newest: async () => formatPosition((await session.one(SQL.newest)) ?? BEGIN_POSITION),
    async after(position, most, workspace) {
      const [n = "", mark] = position.split(".");
      // If the row does not exist or has another mark, the following rows are not known. The row
      // was pruned, or a backup was restored after the client got the position.
      const lastRow = n === "0" ? BEGIN_POSITION : await session.one(SQL.numbered, Number(n));
      if (lastRow === undefined || lastRow.mark !== mark || (await isBeginningPruned(lastRow.n))) return null;
      const storedRows =
        workspace === undefined
          ? session.all(SQL.after, lastRow.n, most)
          : session.all(SQL.afterOfOne, lastRow.n, most, workspace);
      const rows = (await storedRows).map(toOutboxRow);
      return { rows, upTo: rows.at(-1)?.position ?? position, more: rows.length === most };
    },
    async goneFolders(seqs) {
      const rows = await session.all(SQL.goneFolders, seqs);
      return new Map(rows.map(({ seq, was, grants }) => [seq, { parent: was, grants: parseGrants(grants) }]));
    },
    noteAccess: (key) => session.send(SQL.noteAccess, key),
  };
}

function toOutboxRow({ n, mark, grants, ...row }: StoredOutboxRow): OutboxRow {
  return { ...row, position: formatPosition({ n, mark }), grants: parseGrants(grants) };
}

function formatPosition({ n, mark }: OutboxPosition): string {
  return `${n}.${mark}`;
}

function parseGrants(json: string | null): OutboxRow["grants"] {
  if (json === null || json === "[]") return [];
  const pairs = JSON.parse(json) as readonly [key: number, level: OutboxRow["grants"][number]["level"]][];
  return pairs.map(([key, level]) => ({ key, level }));
}
