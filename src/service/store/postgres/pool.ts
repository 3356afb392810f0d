import { Socket } from "node:net";
import pg, { type ClientBase, type ClientConfig, type Pool, type PoolConfig } from "pg";

/**
 * LIMIT: connections of one process. A server has 100 as it is installed, so that eight processes
 * find room; more than twice its cores at a time make none of them quicker.
 */
const MOST_CONNECTIONS = 12;

/** Milliseconds. No statement of ours takes a tenth of its time, but for a search, which is cut. */
const LIMITS = {
  /** A connection that is free, or a new one. */
  connectionTimeoutMillis: 4_000,
  lock_timeout: 8_000,
  statement_timeout: 15_000,
  idle_in_transaction_session_timeout: 15_000,
  /** The server has said nothing: it, or the way to it, is gone. */
  query_timeout: 20_000,
} as const satisfies ClientConfig;

const INT8 = 20;
const JSON_TYPE = 114;

/** Row numbers and times are well below 2^53. */
const types: NonNullable<ClientConfig["types"]> = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8) return Number;
    if (oid === JSON_TYPE) return JSON.parse;
    return pg.types.getTypeParser(oid, format as "text");
  },
};

type Connected = (error: Error | null, client?: pg.Client) => void;

/** One that is refused lets go of its socket, which would keep the process for a minute. */
export class OwnClient extends pg.Client {
  readonly #socket: Socket;

  constructor(config?: ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
  }

  /** Ends it at once. Its own `end` waits for the answers to what was sent. */
  cut(): void {
    this.#socket.destroy();
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    if (callback === undefined) return super.connect();
    const told: Connected = (error, client) => {
      if (error) void this.end();
      callback(error, client);
    };
    super.connect(told);
    return undefined;
  }
}

/**
 * @param onFault told when a connection broke, once until another is made: they break together
 */
export function openPool(url: string, onFault: (error: unknown) => void, more: PoolConfig = {}): Pool {
  const pool = new pg.Pool({
    Client: OwnClient as new () => ClientBase,
    connectionString: url,
    application_name: "mdmirror",
    max: MOST_CONNECTIONS,
    keepAlive: true,
    // Statements are sent without waiting for the answer to the one before (`Session.send`).
    pipeline: true,
    types,
    ...LIMITS,
    ...more,
  });
  let isTold = false;
  const tell = (error: unknown) => {
    // RACE: a server that ends what this pool has ended itself.
    if (!isTold && !pool.ending) onFault(error);
    isTold = true;
  };
  pool.on("connect", (client) => {
    isTold = false;
    // Without a listener, a connection that breaks while it is used would end the process: the pool
    // listens to those that nobody uses.
    client.on("error", tell);
  });
  // The pool says it once more.
  pool.on("error", () => undefined);
  return pool;
}
