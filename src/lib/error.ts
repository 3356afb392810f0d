import { describeError } from "../mirror/folder/disk-trouble.ts";
import { type Trouble, TroubleError } from "../common/trouble.ts";

/**
 * Error of a failed call. Contains neither a key nor content of documents. An error of another
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
   * Error code of the service or the system, such as `ENOSPC`. If there is no such code, equal to
   * `kind`.
   */
  readonly code: string;
  readonly path: string;
  /** Next step for the user, as a clause; often a command. */
  readonly next: string;
  /**
   * Id of the failed request, for the operator of the service; null if the service did not answer.
   */
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
  { kind, what, code, requestId, next }: Trouble,
  path: string,
  cause?: unknown,
): MdmirrorError {
  const errorFields = { kind, code: code ?? kind, path, next, message: what, requestId: requestId ?? null };
  return new MdmirrorError(cause === undefined ? errorFields : { ...errorFields, cause });
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

/** Oldest supported version of Node, the same as in `package.json`. */
const OLDEST_NODE = { major: 22, minor: 22 } as const;

/**
 * Refuses a version of Node that is too old. Call this before importing better-sqlite3, which would
 * end the process of an older Node without a message.
 * @throws MdmirrorError with code `unfit-node`
 */
export function requireFitNode(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > OLDEST_NODE.major || (major === OLDEST_NODE.major && minor >= OLDEST_NODE.minor)) return;
  throw new MdmirrorError({
    kind: "usage",
    code: "unfit-node",
    path: process.execPath,
    next: "install a newer Node.js (https://nodejs.org), then run the program again",
    message: `mdmirror needs Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer, and this is ${version}`,
  });
}
