import type { OutboxRow, OutboxTable } from "../../events/outbox.ts";
import { type Session, sql } from "../sql.ts";
import type { Pool } from "pg";

type StoredOutboxRow = Omit<OutboxRow, "position" | "grants"> & {
  readonly xid: string;
  readonly n: number;
  readonly grants: OutboxRow["grants"] | null;
};

/**
 * Transaction numbers of PostgreSQL, which show which transactions had ended at the snapshot of the
 * current statement.
 */
type Horizon = {
  /** Transaction number. All transactions with lower numbers have ended. */
  readonly xmin: string;
  /** Transaction number. No transaction with this number or a higher number has ended. */
  readonly xmax: string;
  /** Highest transaction number of all pruned rows. Null if no row was pruned. */
  readonly pruned: string | null;
};

const PRUNED_NAME = "outbox-pruned";

const OUTBOX_COLUMNS = 'xid::text, n, workspace, kind, seq, id, change, was AS "formerParent", grants';
const IS_AFTER_POSITION = "(xid, n) > ($1::text::xid8, $2::bigint) AND xid < pg_snapshot_xmin(pg_current_snapshot())";

const SQL = {
  horizon: sql<Horizon>`SELECT pg_snapshot_xmin(s)::text AS xmin, pg_snapshot_xmax(s)::text AS xmax,
      (SELECT convert_from(value, 'UTF8') FROM meta WHERE name = '${PRUNED_NAME}') AS pruned
    FROM pg_current_snapshot() AS s`,
  after: sql<StoredOutboxRow>`SELECT ${OUTBOX_COLUMNS} FROM outbox WHERE ${IS_AFTER_POSITION} ORDER BY xid, n LIMIT $3`,
  afterOfOne: sql<StoredOutboxRow>`SELECT ${OUTBOX_COLUMNS} FROM outbox WHERE workspace = $4 AND ${IS_AFTER_POSITION} ORDER BY xid, n LIMIT $3`,
  goneFolders: sql<{ seq: number; was: number; grants: OutboxRow["grants"] | null }>`
    SELECT seq, was, grants FROM outbox WHERE kind = 'folder' AND change = 'gone' AND seq = ANY($1::bigint[])`,
  noteAccess: sql`INSERT INTO outbox (workspace, kind, seq, id, change)
    SELECT w.seq, 'access', k.seq, '', 'edited' FROM keys k JOIN workspaces w ON w.id = k.workspace_id
    WHERE k.seq = $1`,
} as const;

/**
 * Prunes rows that are older than `$1` seconds, except rows that cannot be read yet because of an
 * open transaction. Saves the highest transaction number of the pruned rows.
 */
export const PRUNE_OUTBOX = `
WITH gone AS (
  DELETE FROM outbox WHERE at < now() - make_interval(secs => $1)
    AND xid < pg_snapshot_xmin(pg_current_snapshot()) RETURNING xid
)
INSERT INTO meta (name, value)
SELECT '${PRUNED_NAME}', convert_to(max(xid)::text, 'UTF8') FROM gone HAVING max(xid) IS NOT NULL
ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Returns the outbox. A position is the number of a transaction and the number of a row. */
export function makeOutboxTable(session: Session): OutboxTable {
  const readHorizon = async (): Promise<Horizon> => (await session.one(SQL.horizon))!;
  return {
    newest: async () => `${(await readHorizon()).xmin}.0`,
    async after(position, most, workspace) {
      const [, xid, n] = /^(\d{1,20})\.(\d{1,19})$/.exec(position) ?? [];
      if (xid === undefined || n === undefined) return null;
      const { xmin, xmax, pruned } = await readHorizon();
      // A transaction number above that of the current transaction is from another database, or
      // from the time before a restore.
      if (BigInt(xid) > BigInt(xmax)) return null;
      if (pruned !== null && BigInt(xid) <= BigInt(pruned)) return null;
      const storedRows =
        workspace === undefined
          ? session.all(SQL.after, xid, n, most)
          : session.all(SQL.afterOfOne, xid, n, most, workspace);
      const rows = (await storedRows).map(toOutboxRow);
      const hasMore = rows.length === most;
      return { rows, upTo: hasMore ? rows.at(-1)!.position : pickLater(position, `${xmin}.0`), more: hasMore };
    },
    async goneFolders(seqs) {
      const rows = await session.all(SQL.goneFolders, seqs);
      return new Map(rows.map(({ seq, was, grants }) => [seq, { parent: was, grants: grants ?? [] }]));
    },
    noteAccess: (key) => session.send(SQL.noteAccess, key),
  };
}

function toOutboxRow({ xid, n, grants, ...row }: StoredOutboxRow): OutboxRow {
  return { ...row, position: `${xid}.${n}`, grants: grants ?? [] };
}

/**
 * Returns the later of two positions. A read on one connection may see fewer rows than an earlier
 * read on another connection, and then gives an earlier position. Without this function, the
 * position could move back.
 */
function pickLater(a: string, b: string): string {
  return BigInt(a.split(".")[0]!) >= BigInt(b.split(".")[0]!) ? a : b;
}

/** Milliseconds between two reads of the outbox while there are listeners. */
const READ_EVERY_MS = 250;
/** Seconds for which rows are kept. A client that was away for longer must scan everything. */
const KEPT_SECONDS = 7_200;
const PRUNE_EVERY_MS = 600_000;

/**
 * Calls the listeners of a store after each commit of this process. Also calls the listeners at
 * intervals: other processes commit too, and some rows cannot be read until an older transaction
 * has ended.
 */
export class OutboxPoll {
  readonly #pool: Pool;
  readonly #onFault: (error: unknown) => void;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;
  #prunedAt = 0;
  #isClosed = false;

  constructor(pool: Pool, onFault: (error: unknown) => void) {
    this.#pool = pool;
    this.#onFault = onFault;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#wake(), READ_EVERY_MS).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopTimer();
    };
  }

  committed(): void {
    this.#wake();
    // Most commits add rows, so rows are pruned even without listeners.
    if (!this.#isClosed && Date.now() - this.#prunedAt > PRUNE_EVERY_MS) void this.#prune();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #prune(): Promise<void> {
    this.#prunedAt = Date.now();
    try {
      await this.#pool.query(PRUNE_OUTBOX, [KEPT_SECONDS]);
    } catch (error) {
      // RACE: the store may close during the pruning, which then fails. The error is not reported,
      // because the rows are pruned later.
      if (!this.#isClosed) this.#onFault(error);
    }
  }
}
