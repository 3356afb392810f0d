/** Keys of the single values that the state stores in addition to its tables. */
export const META = {
  rootMarker: "root.marker",
  rootDev: "root.dev",
  rootIno: "root.ino",
  rootBirth: "root.birth",
  approved: "approved",
  /** Recent losses of documents, by run and monotonic time (`losses-lately.ts`). */
  losses: "losses.lately",
  safetyStop: "safety-stop",
  delayedReviews: "review.delayed",
  /** Generation of the service in the last run in which no document was missing. */
  generation: "remote.generation",
  traits: "remote.traits",
  syncedAt: "synced.at",
  lastReport: "last.report",
  /**
   * Approved reasons for a stop that still apply. They would stop each run again, so they are
   * ignored until they no longer apply.
   */
  waived: "approved.waived",
  /**
   * Number of conflicts that were opened before a stop for too many conflicts. It is kept until
   * that stop ends.
   */
  flood: "conflicts.flood",
  /**
   * Sides (`local`, `remote`) on which a safety check found no document. A side is removed once
   * none of its changes is pending.
   */
  emptied: "emptied",
  /** Boot of the machine in which mdmirror last restored files that a power loss damaged. */
  boot: "boot",
  /**
   * Pause of the daemon: `yes` if it has no end, otherwise its end (wall time) and its length in
   * milliseconds. Absent if the daemon is not paused.
   */
  paused: "watch.paused",
  /** The value of `init --prefer`, which applies until the first complete run. */
  prefer: "first.prefer",
  /**
   * The value of `--max-deletes` of a run that was stopped. It is kept until a run is not stopped.
   */
  stopLimit: "safety-stop.max-deletes",
  /** Time when refused changes were last sent again automatically. */
  retriedAt: "refused.retried.at",
  /** Time when old entries were last removed from the state. */
  prunedAt: "pruned.at",
} as const;
