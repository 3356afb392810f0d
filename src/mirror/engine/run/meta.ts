/** Keys of single values in the state, in addition to its tables. */
export const META = {
  rootMarker: "root.marker",
  rootDev: "root.dev",
  rootIno: "root.ino",
  rootBirth: "root.birth",
  approved: "approved",
  /** Recent losses of documents, as marks of run and monotonic time (`guard-facts.ts`). */
  losses: "losses.lately",
  safetyStop: "safety-stop",
  delayedReviews: "review.delayed",
  /**
   * Generation of the service in the last run in which all documents were present, or all missing
   * documents approved.
   */
  generation: "remote.generation",
  traits: "remote.traits",
  syncedAt: "synced.at",
  lastReport: "last.report",
  /**
   * Reasons for a stop that the user approved and that the last plan still found. A later plan may
   * run in spite of these reasons. If a plan no longer finds a reason, the reason is removed.
   */
  waived: "approved.waived",
  /**
   * Number of conflicts that opened before a safety check stopped the sync because of too many
   * conflicts. Kept until that stop ends.
   */
  flood: "conflicts.flood",
  /**
   * Sides on which a safety check found no document. A side is removed after a complete scan of it
   * in which each remaining deletion is approved.
   */
  emptied: "emptied",
  /** Boot of the machine in which mdmirror last restored files that a power loss damaged. */
  boot: "boot",
  /**
   * Pause of the daemon: `yes` if the pause is endless; otherwise its end (wall time) and its
   * length in milliseconds.
   */
  paused: "watch.paused",
  /** Value of `init --prefer`, which applies until the first complete run. */
  prefer: "first.prefer",
  /** Value of `--max-deletes` of a stopped run. Kept until a run is not stopped. */
  stopLimit: "safety-stop.max-deletes",
  /** Time when mdmirror last sent refused changes again without a request of the user. */
  retriedAt: "refused.retried.at",
  /** Time when old rows were last removed from the state. */
  prunedAt: "pruned.at",
} as const;
