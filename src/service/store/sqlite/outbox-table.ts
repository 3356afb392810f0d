import type { GoneFolder, OutboxPage, OutboxRow, OutboxTable as Outbox } from "../../events/outbox.ts";
import type { Db } from "./database.ts";
import { NEWEST_CHANGE } from "./outbox-schema.ts";

type Numbered = { readonly n: number; readonly mark: string };
type StoredRow = Omit<OutboxRow, "place" | "grants"> & Numbered & { readonly grants: string | null };

const COLUMNS = "n, mark, workspace, kind, seq, id, change, was, grants";

/** Place before the first row. */
const BEGIN: Numbered = { n: 0, mark: "" };

/**
 * Table `outbox`, which triggers fill: with one writer, the order of numbers is the order of
 * commits. A place names the last row that was read, by number and mark.
 */
export class OutboxTable implements Outbox {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Db) {
    this.#sql = prepare(db);
  }

  async newest(): Promise<string> {
    return placeOf(this.#sql.newest.get() ?? BEGIN);
  }

  async after(place: string, most: number, workspace?: number): Promise<OutboxPage | null> {
    const [n = "", mark] = place.split(".");
    // The row was pruned, or belongs to a time before a backup was restored: later rows are
    // unknown, too.
    const known = n === "0" ? BEGIN : this.#sql.numbered.get(Number(n));
    if (known === undefined || known.mark !== mark || this.#isCut(known.n)) return null;
    const { after, afterOfOne } = this.#sql;
    const stored = workspace === undefined ? after.all(known.n, most) : afterOfOne.all(workspace, known.n, most);
    const rows = stored.map(toRow);
    return { rows, upTo: rows.at(-1)?.place ?? place, more: rows.length === most };
  }

  async goneFolders(seqs: readonly number[]): Promise<ReadonlyMap<number, GoneFolder>> {
    const gone = new Map<number, GoneFolder>();
    for (const seq of seqs) {
      const row = this.#sql.goneFolder.get(seq);
      if (row !== undefined) gone.set(seq, { parent: row.was, grants: grantsOf(row.grants) });
    }
    return gone;
  }

  /** Records that the grants of a key changed. */
  noteAccess(key: number): void {
    this.#sql.noteAccess.run(key);
  }

  /** Tells whether rows after the beginning were pruned. */
  #isCut(after: number): boolean {
    return after === 0 && (this.#sql.oldest.get()?.n ?? 1) > 1;
  }
}

function toRow({ n, mark, grants, ...row }: StoredRow): OutboxRow {
  return { ...row, place: placeOf({ n, mark }), grants: grantsOf(grants) };
}

function placeOf({ n, mark }: Numbered): string {
  return `${n}.${mark}`;
}

function grantsOf(json: string | null): OutboxRow["grants"] {
  if (json === null || json === "[]") return [];
  const pairs = JSON.parse(json) as readonly [key: number, level: OutboxRow["grants"][number]["level"]][];
  return pairs.map(([key, level]) => ({ key, level }));
}

function prepare(db: Db) {
  return {
    newest: db.prepare<[], Numbered>("SELECT n, mark FROM outbox ORDER BY n DESC LIMIT 1"),
    numbered: db.prepare<[number], Numbered>("SELECT n, mark FROM outbox WHERE n = ?"),
    oldest: db.prepare<[], { n: number }>("SELECT n FROM outbox ORDER BY n LIMIT 1"),
    after: db.prepare<[number, number], StoredRow>(`SELECT ${COLUMNS} FROM outbox WHERE n > ? ORDER BY n LIMIT ?`),
    afterOfOne: db.prepare<[number, number, number], StoredRow>(
      `SELECT ${COLUMNS} FROM outbox WHERE workspace = ? AND n > ? ORDER BY n LIMIT ?`,
    ),
    goneFolder: db.prepare<[number], { was: number; grants: string | null }>(
      "SELECT was, grants FROM outbox WHERE kind = 'folder' AND change = 'gone' AND seq = ?",
    ),
    noteAccess: db.prepare<[number]>(
      `INSERT INTO outbox (mark, workspace, kind, seq, id, change)
       SELECT ${NEWEST_CHANGE}, w.seq, 'access', k.seq, '', 'edited' FROM keys k JOIN workspaces w ON w.id = k.workspace_id
       WHERE k.seq = ?`,
    ),
  };
}
