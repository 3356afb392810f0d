import { StoreBusy } from "../store.ts";

/** A failure to reach PostgreSQL, or a connection that broke. */
export class StoreUnreachable extends StoreBusy {
  /** True if COMMIT was sent and had no answer. */
  override readonly mayBeKept: boolean;

  constructor(cause: unknown, mayBeKept: boolean) {
    super(mayBeKept ? "The database went away during the write" : "The database cannot be reached", { cause });
    this.mayBeKept = mayBeKept;
  }
}

/**
 * Codes of PostgreSQL after which the whole work runs again: a serialisation failure; a deadlock; a
 * place or an id that another transaction took, which the next run's read finds; a removed row that
 * a new row was to refer to.
 */
const AGAIN: readonly unknown[] = ["40001", "40P01", "23505", "23503"];
/** A lock or a statement took too long, and was rolled back: nothing was done. */
const TOO_LONG: readonly unknown[] = ["55P03", "57014"];
/** The server shuts down, starts, or has too many connections, or it ended this connection. */
const AWAY = /^(?:08|57P0[1235]|53300|25P03)/;

export function isWorthRetrying(error: unknown): boolean {
  return AGAIN.includes(codeOf(error));
}

export function isTooLong(error: unknown): boolean {
  return TOO_LONG.includes(codeOf(error));
}

/** Tells whether the connection can no longer be used, or was never made. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (typeof code === "string") return AWAY.test(code) || /^E[A-Z]{3,}/.test(code);
  // Errors that `pg` raises itself have no code.
  const said = error instanceof Error ? error.message : "";
  return /^(?:Connection terminated|Client has encountered|Client was closed|Query read timeout|timeout )/.test(said);
}

/**
 * Tells whether a time limit passed on the server or in this process; a second try would take as
 * long again.
 */
export function isTimeout(error: unknown): boolean {
  return codeOf(error) === "25P03" || (error instanceof Error && /timeout/i.test(error.message));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
