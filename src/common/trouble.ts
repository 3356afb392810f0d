import { constants } from "node:os";
import { UnsafePathError } from "./ownership.ts";

/**
 * Reason why a command cannot continue, in words for users. The client returns the reason as a
 * value; the command line shows the reason. No reason contains a key or content.
 */
export type Trouble = {
  /**
   * Kind of the failure:
   * - `usage`: the user has to correct an argument or the configuration
   * - `fault`: the disk or the state file fails
   * - `locked`: another process uses the folder
   * - `offline`: the service cannot be reached, or refuses the key
   */
  readonly kind: "usage" | "fault" | "locked" | "offline";
  /** Clause about the failure, without a full stop. */
  readonly what: string;
  readonly code?: string | null;
  readonly requestId?: string | null;
  /**
   * Names of the inputs of the request, such as `local` or `base`, that have changed since the
   * caller read these inputs. Only set if the code is `stale`.
   */
  readonly changed?: readonly string[];
  /** Clause with the next step for the user; often a command. */
  readonly next: string;
};

export type Result<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

export function ok<T>(value: T): Result<T> {
  return { kind: "ok", value };
}

export function trouble(
  kind: Trouble["kind"],
  what: string,
  next: string,
  details: Pick<Trouble, "code" | "requestId" | "changed"> = {},
): { readonly kind: "trouble"; readonly trouble: Trouble } {
  return { kind: "trouble", trouble: { kind, what, next, ...details } };
}

/** Returns trouble of the kind `usage`: the user or the calling program must correct something. */
export function refusal(what: string, next: string, code?: string | null): ReturnType<typeof trouble> {
  return trouble("usage", what, next, code === undefined ? {} : { code });
}

/** Error that ends the work of a front end, whose entry point reports the `Trouble`. */
export class TroubleError extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.what);
    this.trouble = trouble;
  }
}

/**
 * Returns the value of a result. Only front ends may call this function; other modules return a
 * `Trouble` as a value.
 * @throws TroubleError if the result has no value
 */
export function unwrap<T>(result: Result<T>): T {
  if (result.kind === "trouble") throw new TroubleError(result.trouble);
  return result.value;
}

/**
 * Ends the work of a front end, because the user or the calling program must correct something.
 * @throws TroubleError always
 */
export function refuse(what: string, next: string, code: string | null = null): never {
  throw new TroubleError(refusal(what, next, code).trouble);
}

/** Error codes of a full disk. SQLITE_IOERR_SHMSIZE: SQLite could not enlarge its shared memory. */
const FULL_CODES: readonly string[] = ["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"];

const CLAUSE_BY_CODE: ReadonlyMap<string, string> = new Map([
  ...FULL_CODES.map((code) => [code, "the disk is full"] as const),
  ["ENOENT", "it does not exist"],
  ["EACCES", "this user may not read or write it"],
  ["EPERM", "this user may not read or write it"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "a part of the path is not a folder"],
  ["EROFS", "the disk is read-only"],
  ["SQLITE_READONLY", "the disk is read-only"],
  ["SQLITE_BUSY", "another program has locked the file"],
  ["SQLITE_CANTOPEN", "the file cannot be opened"],
  ["EEXIST", "it exists already"],
  ["ELOOP", "it is a symbolic link, or leads through one"],
  ["EIO", "the disk failed"],
  ["EBUSY", "another program uses it"],
  ["ETXTBSY", "another program uses it"],
  ["ENAMETOOLONG", "its name is too long for this disk"],
  ["ENOTEMPTY", "it is not empty"],
  ["EMFILE", "too many files are open"],
  ["ENFILE", "too many files are open"],
  ["EADDRINUSE", "another program uses this address"],
]);

/** Returns the reason for a system error as a clause, such as "the disk is full". */
export function errnoClause(error: unknown): string {
  if (error instanceof UnsafePathError) return error.message;
  const code = readErrorCode(error);
  return code === null ? (error as Error).message : (CLAUSE_BY_CODE.get(code) ?? `the system refused it (${code})`);
}

export const FREE_SPACE_STEP = "nothing is lost: free some space, then run the command again";

export function isDiskFull(code: string | null): boolean {
  return code !== null && FULL_CODES.includes(code);
}

/**
 * Returns the result for a file that cannot be written. If the disk is full, the next step is to
 * free space, not `next`.
 */
export function toUnwritableTrouble(
  file: string,
  error: unknown,
  { kind, next, undone = "" }: Pick<Trouble, "kind" | "next"> & { readonly undone?: string },
): Result<never> {
  const code = readErrorCode(error);
  const failure = `${file} cannot be written: ${errnoClause(error)}${undone}`;
  return isDiskFull(code)
    ? trouble("fault", failure, FREE_SPACE_STEP, { code })
    : trouble(kind, failure, next, { code });
}

/**
 * Matches the code that Node gives an errno that has no name in libuv, such as the errno of an
 * exceeded quota.
 */
const UNNAMED_ERRNO = /^Unknown system error -(\d+)$/;

/**
 * Returns trouble for a system error. The text of the trouble is the clause `what` and the reason
 * for the error.
 * @throws the error if it has no code, because an error without a code is a bug
 */
export function toSystemTrouble(error: unknown, what: string, next: string, kind: Trouble["kind"] = "usage") {
  const code = readErrorCode(error);
  if (code === null) throw error;
  return trouble(kind, `${what}: ${errnoClause(error)}`, next, { code });
}

/**
 * Returns the code of a system or SQLite error, such as `ENOSPC`; null if the error has no code.
 * For an errno without a name, returns `E` and the number.
 */
export function readErrorCode(error: unknown): string | null {
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return null;
  const errno = UNNAMED_ERRNO.exec(error.code)?.[1];
  if (errno === undefined) return error.code;
  return Object.entries(constants.errno).find(([, value]) => value === Number(errno))?.[0] ?? `E${errno}`;
}
