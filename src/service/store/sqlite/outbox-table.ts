import type { OutboxRow, OutboxTable } from "../../events/outbox.ts";
import { isOneOf, type Session, sql } from "../sql.ts";
import { NEWEST_CHANGE } from "./outbox-schema.ts";

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
 * read. If the database was restored from a backup, another row may have this number, but not this
 * mark.
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
