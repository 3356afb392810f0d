/** What the state keeps beside its rows, by name: every key that anybody asks it for. */
export const META = {
  rootMarker: "root.marker",
  rootDev: "root.dev",
  rootIno: "root.ino",
  rootBirth: "root.birth",
  approved: "approved",
  approvedAt: "approved.at",
  halt: "halt",
  quiet: "review.quiet",
  traits: "remote.traits",
  syncedAt: "synced.at",
  lastReport: "last.report",
  /**
   * Reasons to stop that somebody approved and that are still there, which would halt each run
   * anew; until they are not.
   */
  waived: "approved.waived",
  /** Conflicts that were opened before a flood of them halted: they count until that halt ends. */
  flood: "conflicts.flood",
  /** Sides that were found emptied (`local`, `remote`), until nothing of that is pending. */
  emptied: "emptied",
  /** The boot of the machine in which the last pass was made. */
  boot: "boot",
  /** There while the daemon is paused. */
  paused: "watch.paused",
  /** What `init --prefer` chose holds until the first run that reached its end. */
  prefer: "first.prefer",
  /** What `--max-deletes` said in a run that a guard halted, until a run that it does not. */
  haltedWith: "halt.max-deletes",
  /** When refused rows were last tried again without being asked for. */
  retriedAt: "refused.retried.at",
  /** When the state was last pruned. */
  prunedAt: "pruned.at",
} as const;
