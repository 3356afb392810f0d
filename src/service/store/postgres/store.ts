import type { Pool, PoolConfig } from "pg";
import type { DocumentSource } from "../../../markdown/search/source.ts";
import type { PoolFigures, Store } from "../store.ts";
import type { DatabaseFigures, KeyHolder, GrantRow, KeyRow, WorkspaceRow } from "../rows.ts";
import { GENERATION_NAME, readGeneration, readSettings, SELECT_META, SET_META } from "../meta-table.ts";
import { encodeText, type FileRowWithText, SELECT_FILES_WITH_TEXT, toShownFile } from "../files-table.ts";
import type { FoundFile, SearchScope } from "../found-files.ts";
import { type Tables, makeCommonTables, SELECT_FIGURES } from "../tables.ts";
import { KEY_COLUMNS } from "../keys-table.ts";
import { sql } from "../sql.ts";
import { WORKSPACE_COLUMNS } from "../workspaces-table.ts";
import { migrate } from "./schema.ts";
import { makeOutboxTable, OutboxPoll } from "./outbox.ts";
import { openPool } from "./pool.ts";
import { indexWrittenFiles, makeSearchSource } from "./search-table.ts";
import { type Session, Transactions } from "./transactions.ts";

const START_LOCK = 7_214_906_233_013;

type PostgresOptions = {
  readonly url: string;
  readonly random: (bytes: number) => Uint8Array;
  readonly onFault?: (error: unknown) => void;
  readonly pool?: PoolConfig;
};

/** A store on a PostgreSQL database, which several processes may share. */
export class PostgresStore implements Store {
  readonly cursorSecret: Buffer;
  readonly generation: string;
  readonly reserve = null;
  readonly #outbox: OutboxPoll;
  readonly #pool: Pool;
  readonly #transactions: Transactions;

  private constructor(pool: Pool, { cursorSecret, generation }: DatabaseMarks, outbox: OutboxPoll) {
    this.#pool = pool;
    this.#outbox = outbox;
    this.#transactions = new Transactions(pool);
    this.cursorSecret = cursorSecret;
    this.generation = generation;
  }

  /** @throws UnusableDatabaseError, or errors of `pg` if the database cannot be reached */
  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const { url, random, onFault = () => undefined } = options;
    const pool = openPool(url, onFault, options.pool);
    try {
      const client = await pool.connect();
      try {
        await migrate(client);
      } finally {
        client.release();
      }
      return new PostgresStore(pool, await readMarks(pool, random), new OutboxPoll(pool, onFault));
    } catch (error) {
      await pool.end();
      throw error;
    }
  }

  read<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#transactions.read((session) => work(makeTables(session)));
  }

  async write<T>(work: (tables: Tables) => Promise<T>, keep: (result: T) => boolean = () => true): Promise<T> {
    const result = await this.#transactions.write((session) => work(makeTables(session)), { keep });
    this.#outbox.committed();
    return result;
  }

  holder(hash: Buffer): Promise<KeyHolder | undefined> {
    return this.read((tables) => tables.holder(hash));
  }

  search(scope: SearchScope): DocumentSource<FoundFile> {
    return makeSearchSource(this.#transactions, scope);
  }

  indexStep(most: "a-step" | "all"): Promise<"done" | "more"> {
    return indexWrittenFiles(this.#transactions, most);
  }

  onChange(listener: () => void): () => void {
    return this.#outbox.onChange(listener);
  }

  figures(): Promise<DatabaseFigures> {
    return this.#transactions.read(async (session) => (await session.one(SELECT_FIGURES))!);
  }

  pool(): PoolFigures {
    const { totalCount: connections, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { connections, idle, waiting };
  }

  /** Returns the SHA-256 of the admin key; null if the database has no admin key yet. */
  adminKeyHash(): Promise<Buffer | null> {
    return this.#transactions.read(async (session) => (await session.one(SELECT_META, "admin-key"))?.value ?? null);
  }

  setAdminKeyHash(hash: Buffer): Promise<void> {
    return this.#transactions.write(async (session) => session.send(SET_META, "admin-key", hash));
  }

  /**
   * Runs `work` while no other call of this method, in this or another process, runs work on the
   * same database.
   */
  async runExclusively<T>(work: () => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query("SET lock_timeout = 0; SET statement_timeout = 0");
      await client.query("SELECT pg_advisory_lock($1)", [START_LOCK]);
      const result = await work();
      await client.query("SELECT pg_advisory_unlock($1)", [START_LOCK]);
      await client.query("RESET lock_timeout; RESET statement_timeout");
      client.release();
      return result;
    } catch (error) {
      // Closing the connection releases the lock.
      client.release(true);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#outbox.close();
    await this.#pool.end();
  }
}

/**
 * Reads a file in the workspace of a key. The query itself looks up the key, and so can be sent
 * before the key has been read.
 */
const SELECT_FILE_OF_KEY = sql<FileRowWithText>`${SELECT_FILES_WITH_TEXT} WHERE x.id = $2 AND x.workspace =
    (SELECT w.seq FROM keys k JOIN workspaces w ON w.id = k.workspace_id WHERE k.hash = $1)`;
const CALL_CREATE_FILE = sql`SELECT create_file($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

function makeTables(session: Session): Tables {
  const commonTables = makeCommonTables(session);
  const insertFile: Tables["files"]["insert"] = async (file, knowsGrants = false) => {
    const { workspace, id, folder, name, changeId, text, at } = file;
    const storedText = encodeText(text);
    const filePlace = [workspace, id, folder.seq, folder.path, name, knowsGrants];
    session.send(CALL_CREATE_FILE, ...filePlace, changeId, storedText.codec, storedText.text, at);
  };
  let startedRead: { readonly id: string; readonly found: Promise<FileRowWithText | undefined> } | null = null;
  const readShownFile: Tables["files"]["shown"] = async (workspace, id, show) =>
    startedRead?.id === id ? toShownFile(await startedRead.found, show) : commonTables.files.shown(workspace, id, show);
  return {
    ...commonTables,
    files: { ...commonTables.files, insert: insertFile, shown: readShownFile },
    outbox: makeOutboxTable(session),
    async holder(hash, file) {
      const holder = session.one(SELECT_HOLDER, hash);
      if (file !== undefined) {
        startedRead = { id: file, found: session.one(SELECT_FILE_OF_KEY, hash, file) };
        // If the request is refused, nothing uses the file that was read early. So an error of the
        // early read is ignored.
        startedRead.found.catch(() => undefined);
      }
      const row = await holder;
      return row && toHolder(row);
    },
  };
}

type DatabaseMarks = Pick<Store, "cursorSecret" | "generation">;

/** Reads the secret and the generation of a database, which the first process creates. */
async function readMarks(pool: Pool, random: (bytes: number) => Uint8Array): Promise<DatabaseMarks> {
  const secret = Buffer.from(random(32));
  await pool.query("INSERT INTO meta (name, value) VALUES ('cursor-secret', $1) ON CONFLICT DO NOTHING", [secret]);
  const metaNames = ["cursor-secret", GENERATION_NAME];
  const { rows } = await pool.query("SELECT name, value FROM meta WHERE name = ANY ($1)", [metaNames]);
  const [cursorSecret, stored] = metaNames.map(
    (name): Buffer | undefined => rows.find((row) => row.name === name)?.value,
  );
  return { cursorSecret: cursorSecret!, generation: readGeneration(stored, cursorSecret!) };
}

/** Reads a key, its workspace, its grants and the settings, at the start of every request. */
const SELECT_HOLDER = sql<HolderRow>`SELECT ${KEY_COLUMNS},
    (SELECT row_to_json(workspace) FROM (SELECT ${WORKSPACE_COLUMNS} WHERE w.seq IS NOT NULL) AS workspace) AS workspace,
    (SELECT json_agg(grants_of_it) FROM (
       SELECT kind, target, level FROM grants g WHERE g.key = k.seq ORDER BY kind DESC, target
     ) AS grants_of_it) AS grants,
    (SELECT convert_from(value, 'UTF8') FROM meta WHERE name = 'settings') AS settings,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
  FROM keys k LEFT JOIN workspaces w ON w.id = k.workspace_id WHERE k.hash = $1`;

type HolderRow = KeyRow & {
  readonly workspace: WorkspaceRow | null;
  readonly grants: readonly GrantRow[] | null;
  readonly settings: string | null;
  readonly now: number;
};

function toHolder({ workspace, grants, settings, now, ...key }: HolderRow): KeyHolder {
  return {
    key,
    workspace: workspace ?? undefined,
    grants: grants ?? [],
    settings: readSettings(settings ?? undefined),
    at: now,
  };
}
