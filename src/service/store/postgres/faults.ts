import { StoreBusyError } from "../store.ts";

/** Error for a server that cannot be reached, or for a lost connection. */
export class StoreUnreachableError extends StoreBusyError {
  /** True if COMMIT was sent but not answered: the write may have been committed. */
  override readonly mayBeKept: boolean;

  constructor(cause: unknown, mayBeKept: boolean) {
    super(mayBeKept ? "The database went away during the write" : "The database cannot be reached", { cause });
    this.mayBeKept = mayBeKept;
  }
}

/** Error codes of PostgreSQL for failed transactions that are run again. */
const RETRIED_CODES: readonly unknown[] = [
  "40001", // serialisation failure; `create_file` raises it if the folder or the grants changed
  "40P01", // deadlock
  "23505", // another transaction used the path or the id
  "23503", // the row to which a new row refers was removed
];
/**
 * Error codes for a lock or a statement that took too long. PostgreSQL has rolled the statement
 * back.
 */
const TOO_LONG_CODES: readonly unknown[] = ["55P03", "57014"];
/**
 * Matches the error codes of a server that is stopping, is starting, has no free connection, or has
 * closed this connection.
 */
const UNREACHABLE_CODES = /^(?:08|57P0[1235]|53300|25P03)/;

export function isWorthRetrying(error: unknown): boolean {
  return RETRIED_CODES.includes(readCode(error));
}

export function isTooLong(error: unknown): boolean {
  return TOO_LONG_CODES.includes(readCode(error));
}

export function isConnectionLost(error: unknown): boolean {
  const code = readCode(error);
  if (typeof code === "string") return UNREACHABLE_CODES.test(code) || /^E[A-Z]{3,}/.test(code);
  // Errors that `pg` itself raises have no code, so their messages are compared instead.
  const text = error instanceof Error ? error.message : "";
  return /^(?:Connection terminated|Client has encountered|Client was closed|Query read timeout|timeout )/.test(text);
}

/**
 * Returns true if a time limit was exceeded. Such work is not repeated, because it would take as
 * long again.
 */
export function isTimeout(error: unknown): boolean {
  return readCode(error) === "25P03" || (error instanceof Error && /timeout/i.test(error.message));
}

function readCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
