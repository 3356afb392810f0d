export interface Clock {
  /**
   * Milliseconds since the epoch: for display, dates of folders, `Retry-After` dates and retention;
   * no decision about content may use it.
   */
  now(): number;
  /** Milliseconds that only grow, the same in all processes since the machine started. */
  monotonic(): number;
  /** Resolves after `ms`, or early when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves once everything that arrived meanwhile was handled; several callers are served in
   * their order. Left out if nothing arrives by itself (virtual time).
   */
  turn?(): Promise<void>;
}
