/**
 * Why a call could not do what it was asked: the only error that the library throws on purpose. Any
 * other one is an error in mdmirror itself. It never holds a key or a document's text.
 */
export class MdmirrorError extends Error {
  override readonly name = "MdmirrorError";
  /**
   * `usage`: what was given or configured has to be mended; `offline`: no service, or a refused
   * key; `locked`: another process has the folder; `fault`: the disk or the state file fails;
   * `closed`: the mirror was closed.
   */
  readonly kind: "usage" | "offline" | "locked" | "fault" | "closed";
  /** The service's or the system's word (`unauthenticated`, `ENOSPC`), else the same as `kind`. */
  readonly code: string;
  /** The file or folder that it is about. */
  readonly path: string;
  /** What to do about it, as a clause; often a command. */
  readonly next: string;
  /** The id of the service's answer, for whoever operates it; null: there was none. */
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
