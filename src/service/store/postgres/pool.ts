import pg, { type ClientBase, type ClientConfig, type Pool, type PoolConfig } from "pg";

/**
 * LIMIT: number of connections of one process. A PostgreSQL server allows 100 by default, which is
 * enough for eight processes. No statement becomes faster with more than two connections for each
 * processor core.
 */
const MAX_CONNECTIONS = 12;

/**
 * Time limits in milliseconds. Normally only a search can exceed one of these limits; the search is
 * then cancelled.
 */
const TIME_LIMITS = {
  /** Time within which the pool must have a free or new connection. */
  connectionTimeoutMillis: 4_000,
  lock_timeout: 8_000,
  statement_timeout: 15_000,
  idle_in_transaction_session_timeout: 15_000,
  /** If no answer comes within this time, the server or the network counts as lost. */
  query_timeout: 16_000,
} as const satisfies ClientConfig;

const INT8_TYPE = 20;
const JSON_TYPE = 114;

/**
 * Parsers of result values. Row numbers and times are below 2^53, so a JavaScript number can hold
 * them exactly.
 */
const valueTypes: NonNullable<ClientConfig["types"]> = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8_TYPE) return Number;
    if (oid === JSON_TYPE) return JSON.parse;
    return pg.types.getTypeParser(oid, format as "text");
  },
};

type ConnectCallback = (error: Error | null, client?: pg.Client) => void;

/**
 * Client of `pg`, which also closes its socket if the server refuses the connection. Otherwise the
 * open socket would prevent the process from ending for a minute.
 */
class ClosingClient extends pg.Client {
  override connect(): Promise<pg.Client>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
    if (callback === undefined) return super.connect();
    const onConnect: ConnectCallback = (error, client) => {
      if (error) void this.end();
      callback(error, client);
    };
    super.connect(onConnect);
    return undefined;
  }
}

/**
 * @param onFault receives the error of a lost connection. Connections are usually lost together, so
 * only the first error is reported until a new connection is made
 */
export function openPool(url: string, onFault: (error: unknown) => void, more: PoolConfig = {}): Pool {
  const pool = new pg.Pool({
    Client: ClosingClient as new () => ClientBase,
    connectionString: url,
    application_name: "mdmirror",
    max: MAX_CONNECTIONS,
    keepAlive: true,
    // With the option `pipeline`, the client sends a statement before the earlier ones are answered
    // (`Session.send`).
    pipeline: true,
    types: valueTypes,
    ...TIME_LIMITS,
    ...more,
  });
  let isReported = false;
  const reportOnce = (error: unknown) => {
    // RACE: the server may close a connection while this process closes the pool. The lost
    // connection is not an error.
    if (!isReported && !pool.ending) onFault(error);
    isReported = true;
  };
  pool.on("connect", (client) => {
    isReported = false;
    // The pool itself listens only to idle connections. Without a listener of the client, the loss
    // of a connection in use would end the process.
    client.on("error", reportOnce);
  });
  // The listener of each client has already reported the error, so the pool's copy of the error is
  // ignored.
  pool.on("error", () => undefined);
  return pool;
}
