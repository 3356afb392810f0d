import { describeError } from "../mirror/folder/disk-trouble.ts";
import { type Trouble, TroubleError } from "../common/trouble.ts";

/**
 * Error of a failed call. Contains neither a key nor content of documents. An error of any other
 * class is a bug in mdmirror.
 */
export class MdmirrorError extends Error {
  override readonly name = "MdmirrorError";
  /**
   * Kind of the failure:
   * - `usage`: the arguments or the configuration are wrong.
   * - `offline`: the service was not reached, or it refused the key.
   * - `locked`: another process uses the folder.
   * - `fault`: the disk or the state file has an error.
   * - `closed`: the folder was closed before the call.
   */
  readonly kind: "usage" | "offline" | "locked" | "fault" | "closed";
  /**
   * Error code of the service or the system, such as `ENOSPC`. Without such a code, the same as
   * `kind`.
   */
  readonly code: string;
  readonly path: string;
  /** Next step for the user, as a clause; often a command. */
  readonly next: string;
  /** Id of the failed request, for the service's operator; null if the service did not answer. */
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

/** Converts an error of `mirror/` to an error of the library. */
export function toMdmirrorError(
  { kind, what, code, requestId = null, next }: Trouble,
  path: string,
  cause?: unknown,
): MdmirrorError {
  return new MdmirrorError({ kind, code: code ?? kind, path, next, message: what, requestId, cause });
}

/**
 * Runs `work`. Throws expected errors, such as a full disk, as `MdmirrorError` about `path`; throws
 * other errors unchanged.
 */
export async function withLibraryErrors<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const expectedTrouble = error instanceof MdmirrorError ? null : describeError(error);
    throw expectedTrouble === null
      ? error
      : toMdmirrorError(expectedTrouble, path, error instanceof TroubleError ? undefined : error);
  }
}
