import pg, { type ClientBase, type ClientConfig, type Pool, type PoolConfig } from "pg";

/**
 * LIMIT: connections of one process. A PostgreSQL server allows 100 by default, enough for eight
 * processes. More connections than twice the number of processor cores make no statement faster.
 */
const MAX_CONNECTIONS = 12;

/** Time limits in milliseconds. Only a search may take longer, and is then ended. */
const TIME_LIMITS = {
  /** Time in which a free or new connection must be available. */
  connectionTimeoutMillis: 4_000,
  lock_timeout: 8_000,
  statement_timeout: 15_000,
  idle_in_transaction_session_timeout: 15_000,
  /** Time without an answer after which the server or the network counts as lost. */
  query_timeout: 16_000,
} as const satisfies ClientConfig;

const INT8_TYPE = 20;
const JSON_TYPE = 114;

/** Parsers of result values. Row numbers and times are below 2^53, so they are safe integers. */
const valueTypes: NonNullable<ClientConfig["types"]> = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8_TYPE) return Number;
    if (oid === JSON_TYPE) return JSON.parse;
    return pg.types.getTypeParser(oid, format as "text");
  },
};

type ConnectCallback = (error: Error | null, client?: pg.Client) => void;

/**
 * Client of `pg` that also closes the socket of a connection that the server refused. Otherwise the
 * socket would keep the process running for a minute.
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
 * @param onFault receives the error of a connection that breaks, but only the first until a new
 * connection is made, because connections break together
 */
export function openPool(url: string, onFault: (error: unknown) => void, more: PoolConfig = {}): Pool {
  const pool = new pg.Pool({
    Client: ClosingClient as new () => ClientBase,
    connectionString: url,
    application_name: "mdmirror",
    max: MAX_CONNECTIONS,
    keepAlive: true,
    // The client sends each statement without waiting for earlier answers (`Session.send`).
    pipeline: true,
    types: valueTypes,
    ...TIME_LIMITS,
    ...more,
  });
  let isReported = false;
  const report = (error: unknown) => {
    // RACE: the server may close a connection that this pool is already closing.
    if (!isReported && !pool.ending) onFault(error);
    isReported = true;
  };
  pool.on("connect", (client) => {
    isReported = false;
    // The pool itself listens to idle connections only. Without this listener, a connection that
    // breaks while it is used would end the process.
    client.on("error", report);
  });
  // The pool repeats an error that the client's listener has already reported.
  pool.on("error", () => undefined);
  return pool;
}
