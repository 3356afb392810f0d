/**
 * Reason why a call failed: the only error that the library throws on purpose. Any other one is an
 * error in mdmirror itself. It never has a key or content.
 */
export class MdmirrorError extends Error {
  override readonly name = "MdmirrorError";
  /**
   * `usage`: arguments or configuration have to be corrected; `offline`: no service, or a refused
   * key; `locked`: another process has the folder; `fault`: the disk or the state file fails;
   * `closed`: the folder was closed.
   */
  readonly kind: "usage" | "offline" | "locked" | "fault" | "closed";
  /** Code of the service or the system (`unauthenticated`, `ENOSPC`), else the same as `kind`. */
  readonly code: string;
  /** File or folder that the error concerns. */
  readonly path: string;
  /** Next step, as a clause; often a command. */
  readonly next: string;
  /** Id of the service's answer, for its operator; null if there was none. */
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
