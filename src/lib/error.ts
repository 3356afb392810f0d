import { troubleOfError } from "../mirror/folder/disk-trouble.ts";
import { type Trouble, TroubleError } from "../common/trouble.ts";

/**
 * Reason why a call failed: the only error that the library throws on purpose. Any other error is a
 * bug in mdmirror. The error never has a key or content.
 */
export class MdmirrorError extends Error {
  override readonly name = "MdmirrorError";
  /**
   * `usage`: arguments or configuration have to be corrected; `offline`: the service was not
   * reached, or refused the key; `locked`: another process has the folder; `fault`: the disk or the
   * state file has an error; `closed`: the folder was closed.
   */
  readonly kind: "usage" | "offline" | "locked" | "fault" | "closed";
  /** Code of the service or the system (`unauthenticated`, `ENOSPC`), else the same as `kind`. */
  readonly code: string;
  /** File or folder that the error concerns. */
  readonly path: string;
  /** Next step, as a clause; often a command. */
  readonly next: string;
  /** Id of the service's answer, for the operator of the service; null if there was none. */
  readonly requestId: string | null;

  constructor(facts: MdmirrorErrorFacts) {
    super(facts.message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.kind = facts.kind;
    this.code = facts.code;
    this.path = facts.path;
    this.next = facts.next;
    this.requestId = facts.requestId ?? null;
  }
}

export type MdmirrorErrorFacts = Pick<MdmirrorError, "kind" | "code" | "path" | "next" | "message"> & {
  readonly requestId?: string | null;
  readonly cause?: unknown;
};

/** Turns results and exceptions of the client into the library's errors. */

export function errorOf({ kind, what, code, requestId, next }: Trouble, path: string, cause?: unknown): MdmirrorError {
  const facts = { kind, code: code ?? kind, path, next, message: what, requestId: requestId ?? null };
  return new MdmirrorError(cause === undefined ? facts : { ...facts, cause });
}

/** Runs `work`; turns trouble and errors of the disk or of unsafe paths into a `MdmirrorError`. */
export async function withLibraryErrors<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = error instanceof MdmirrorError ? null : troubleOfError(error);
    throw known === null ? error : errorOf(known, path, error instanceof TroubleError ? undefined : error);
  }
}
