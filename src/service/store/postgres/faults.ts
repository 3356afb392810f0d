import { StoreBusy } from "../store.ts";

/** PostgreSQL was not reached, or the connection broke. */
export class StoreAway extends StoreBusy {
  /** true: COMMIT was sent, and had no answer. */
  override readonly mayBeKept: boolean;

  constructor(cause: unknown, mayBeKept: boolean) {
    super(mayBeKept ? "The database went away during the write" : "The database cannot be reached", { cause });
    this.mayBeKept = mayBeKept;
  }
}

/**
 * Codes of PostgreSQL after which the whole work is done again: a serialisation failure, a
 * deadlock; a place or an id that another transaction took meanwhile, which the look before the
 * insert finds next time; a row that went away under what was to refer to it.
 */
const AGAIN: readonly unknown[] = ["40001", "40P01", "23505", "23503"];
/** A lock or a statement took too long, which was rolled back: nothing was done. */
const TOO_LONG: readonly unknown[] = ["55P03", "57014"];
/** The server ends, starts, or has too many connections; it ended this one. */
const AWAY = /^(?:08|57P0[1235]|53300|25P03)/;

export function isWorthAgain(error: unknown): boolean {
  return AGAIN.includes(codeOf(error));
}

export function isTooLong(error: unknown): boolean {
  return TOO_LONG.includes(codeOf(error));
}

/** Whether the connection is of no use any more, or there was none. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (typeof code === "string") return AWAY.test(code) || /^E[A-Z]{3,}/.test(code);
  // What `pg` says itself has no code.
  const said = error instanceof Error ? error.message : "";
  return /^(?:Connection terminated|Client has encountered|Client was closed|Query read timeout|timeout )/.test(said);
}

/** Nobody answered, or we were too slow ourselves: to try again would take as long again. */
export function isTimeout(error: unknown): boolean {
  return codeOf(error) === "25P03" || (error instanceof Error && /timeout/i.test(error.message));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
