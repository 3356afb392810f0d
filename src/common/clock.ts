export interface Clock {
  /**
   * Returns milliseconds since the epoch: for display, dates of folders, `Retry-After` dates and
   * retention. No decision about content may use this time.
   */
  now(): number;
  /** Returns milliseconds that only grow, the same in all processes since the machine started. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds, or early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves in a later turn of the event loop, after events that have arrived were handled.
   * Callers continue in the order of their calls. Undefined if events arrive only when a caller
   * advances the time (virtual time).
   */
  turn?(): Promise<void>;
}
