export interface Clock {
  /**
   * Milliseconds since the epoch: for display, dates of folders, `Retry-After` dates and retention;
   * no decision about texts may use it.
   */
  now(): number;
  /** Milliseconds that only grow, in all processes since the start of the machine. */
  monotonic(): number;
  /** Resolves after `ms`, or early when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves once everything that arrived meanwhile was handled; several callers are served in
   * their order. Left out where nothing arrives by itself (virtual time).
   */
  turn?(): Promise<void>;
}
