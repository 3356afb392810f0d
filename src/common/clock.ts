export interface Clock {
  /**
   * Returns milliseconds since the epoch. Used for display, for dates in folder names, for
   * `Retry-After` dates, and to find versions that are old enough to delete. No decision about
   * content may depend on this time.
   */
  now(): number;
  /** Returns milliseconds that never decrease. All processes of the machine get the same time. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds, or earlier if the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves in a later turn of the event loop, after the events that have already arrived were
   * handled. Callers continue in the order of their calls. Undefined for the clock of a test: no
   * events arrive by themselves, only when the test advances the time.
   */
  turn?(): Promise<void>;
}
