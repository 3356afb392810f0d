/** Names of all single values that the state stores under a key, in addition to its tables. */
export const META = {
  rootMarker: "root.marker",
  rootDev: "root.dev",
  rootIno: "root.ino",
  rootBirth: "root.birth",
  approved: "approved",
  /** Times of recent losses of documents, by the order of runs and the monotonic clock. */
  losses: "losses.lately",
  safetyStop: "safety-stop",
  delayedReviews: "review.delayed",
  /** Generation of the service when last no document was missing. */
  generation: "remote.generation",
  traits: "remote.traits",
  syncedAt: "synced.at",
  lastReport: "last.report",
  /**
   * Approved reasons for a stop that still exist. They would stop each run again, and are ignored
   * until they are gone.
   */
  waived: "approved.waived",
  /**
   * Number of conflicts that were opened before there were too many. They count until that stop
   * ends.
   */
  flood: "conflicts.flood",
  /**
   * Sides that were found without documents (`local`, `remote`). A side is removed from this set
   * once none of its changes is pending.
   */
  emptied: "emptied",
  /** Boot of the machine in which a run last restored files that a power loss may have damaged. */
  boot: "boot",
  /**
   * Set while the daemon is paused: `yes` without an end; otherwise the wall time of its end and
   * its length, in milliseconds.
   */
  paused: "watch.paused",
  /** The choice of `init --prefer`. It applies until the first complete run. */
  prefer: "first.prefer",
  /**
   * The value of `--max-deletes` in a run that was stopped. It is kept until a run is not stopped.
   */
  stopLimit: "safety-stop.max-deletes",
  /** Time of the last automatic retry of refused changes. */
  retriedAt: "refused.retried.at",
  /** Time of the last pruning of the state. */
  prunedAt: "pruned.at",
} as const;
