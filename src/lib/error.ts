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
  /**
   * Code of the service or the system (`unauthenticated`, `ENOSPC`), otherwise the same as `kind`.
   */
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
