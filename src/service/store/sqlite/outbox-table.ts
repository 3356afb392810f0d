import type { GoneFolder, OutboxPage, OutboxRow, OutboxTable as Outbox } from "../../events/outbox.ts";
import { type Session, sql } from "../sql.ts";
import { NEWEST_CHANGE } from "./outbox-schema.ts";

type Numbered = { readonly n: number; readonly mark: string };
type StoredRow = Omit<OutboxRow, "place" | "grants"> & Numbered & { readonly grants: string | null };

const COLUMNS = "n, mark, workspace, kind, seq, id, change, was, grants";

/** Place before the first row. */
const BEGIN: Numbered = { n: 0, mark: "" };

const SQL = {
  newest: sql<Numbered>(null, "SELECT n, mark FROM outbox ORDER BY n DESC LIMIT 1"),
  numbered: sql<Numbered>(null, "SELECT n, mark FROM outbox WHERE n = $1"),
  oldest: sql<{ readonly n: number }>(null, "SELECT n FROM outbox ORDER BY n LIMIT 1"),
  after: sql<StoredRow>(null, `SELECT ${COLUMNS} FROM outbox WHERE n > $1 ORDER BY n LIMIT $2`),
  afterOfOne: sql<StoredRow>(null, `SELECT ${COLUMNS} FROM outbox WHERE workspace = $3 AND n > $1 ORDER BY n LIMIT $2`),
  goneFolders: sql<{ readonly seq: number; readonly was: number; readonly grants: string | null }>(
    null,
    ({ isOneOf }) =>
      `SELECT seq, was, grants FROM outbox WHERE kind = 'folder' AND change = 'gone' AND ${isOneOf("seq", "$1")}`,
  ),
  noteAccess: sql(
    null,
    `INSERT INTO outbox (mark, workspace, kind, seq, id, change)
     SELECT ${NEWEST_CHANGE}, w.seq, 'access', k.seq, '', 'edited' FROM keys k JOIN workspaces w ON w.id = k.workspace_id
     WHERE k.seq = $1`,
  ),
} as const;

/**
 * Table `outbox`, which triggers fill: with one writer, the order of numbers is the order of
 * commits. A place names the last row that was read, by number and mark.
 */
export class OutboxTable implements Outbox {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async newest(): Promise<string> {
    return placeOf((await this.#session.one(SQL.newest)) ?? BEGIN);
  }

  async after(place: string, most: number, workspace?: number): Promise<OutboxPage | null> {
    const [n = "", mark] = place.split(".");
    // The row was pruned, or belongs to a time before a backup was restored: later rows are
    // unknown, too.
    const known = n === "0" ? BEGIN : await this.#session.one(SQL.numbered, Number(n));
    if (known === undefined || known.mark !== mark || (await this.#isCut(known.n))) return null;
    const stored =
      workspace === undefined
        ? this.#session.all(SQL.after, known.n, most)
        : this.#session.all(SQL.afterOfOne, known.n, most, workspace);
    const rows = (await stored).map(toRow);
    return { rows, upTo: rows.at(-1)?.place ?? place, more: rows.length === most };
  }

  async goneFolders(seqs: readonly number[]): Promise<ReadonlyMap<number, GoneFolder>> {
    const rows = await this.#session.all(SQL.goneFolders, seqs);
    return new Map(rows.map(({ seq, was, grants }) => [seq, { parent: was, grants: grantsOf(grants) }]));
  }

  /** Records that the grants of a key changed. */
  noteAccess(key: number): void {
    this.#session.send(SQL.noteAccess, key);
  }

  /** Tells whether rows after the beginning were pruned. */
  async #isCut(after: number): Promise<boolean> {
    return after === 0 && ((await this.#session.one(SQL.oldest))?.n ?? 1) > 1;
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
