import pg, { type ClientBase, type ClientConfig, type Pool, type PoolConfig } from "pg";

/**
 * LIMIT: connections of one process. A default server allows 100, enough for eight processes. More
 * connections than twice the cores make no statement faster.
 */
const MAX_CONNECTIONS = 12;

/**
 * Time limits in milliseconds. Statements take less than a tenth of their limit. Only a search may
 * take longer; it is ended at the limit.
 */
const LIMITS = {
  /** Time to get a free or new connection. */
  connectionTimeoutMillis: 4_000,
  lock_timeout: 8_000,
  statement_timeout: 15_000,
  idle_in_transaction_session_timeout: 15_000,
  /** Time without an answer after which the server or the network counts as lost. */
  query_timeout: 16_000,
} as const satisfies ClientConfig;

const INT8 = 20;
const JSON_TYPE = 114;

/**
 * Parsers of values. Row numbers and times are below 2^53, so they fit into a JavaScript number.
 */
const types: NonNullable<ClientConfig["types"]> = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8) return Number;
    if (oid === JSON_TYPE) return JSON.parse;
    return pg.types.getTypeParser(oid, format as "text");
  },
};

type ConnectCallback = (error: Error | null, client?: pg.Client) => void;

/**
 * Client that also closes the socket of a connection that the server refused. The socket would
 * otherwise keep the process running for a minute.
 */
class OwnClient extends pg.Client {
  override connect(): Promise<pg.Client>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
    if (callback === undefined) return super.connect();
    const connected: ConnectCallback = (error, client) => {
      if (error) void this.end();
      callback(error, client);
    };
    super.connect(connected);
    return undefined;
  }
}

/**
 * Opens a pool.
 * @param onFault called once when connections break, because they break together; called again only
 * after a new connection was made
 */
export function openPool(url: string, onFault: (error: unknown) => void, more: PoolConfig = {}): Pool {
  const pool = new pg.Pool({
    Client: OwnClient as new () => ClientBase,
    connectionString: url,
    application_name: "mdmirror",
    max: MAX_CONNECTIONS,
    keepAlive: true,
    // Sends statements without waiting for earlier answers (`Session.send`).
    pipeline: true,
    types,
    ...LIMITS,
    ...more,
  });
  let isReported = false;
  const report = (error: unknown) => {
    // RACE: the server may end a connection that this pool has already ended.
    if (!isReported && !pool.ending) onFault(error);
    isReported = true;
  };
  pool.on("connect", (client) => {
    isReported = false;
    // The pool listens to idle connections only. Without this listener, a connection that breaks
    // during use would end the process.
    client.on("error", report);
  });
  // The client has already reported the error that the pool repeats.
  pool.on("error", () => undefined);
  return pool;
}
