/** What the state keeps besides its rows: the names of all such values. */
export const META = {
  rootMarker: "root.marker",
  rootDev: "root.dev",
  rootIno: "root.ino",
  rootBirth: "root.birth",
  approved: "approved",
  /** When documents were lost lately: by order of runs and the clock that only grows. */
  losses: "losses.lately",
  safetyStop: "safety-stop",
  quiet: "review.delayed",
  /** The service's generation with which all was settled last. */
  generation: "remote.generation",
  traits: "remote.traits",
  syncedAt: "synced.at",
  /** The newest run when both sides were last seen to agree: by order, whatever the clock says. */
  syncedRun: "synced.run",
  lastReport: "last.report",
  /**
   * Reasons to stop that were approved and are still there: they would halt each run again, and are
   * ignored until they are gone.
   */
  waived: "approved.waived",
  /** Conflicts that were opened before a flood of them halted: they count until that halt ends. */
  flood: "conflicts.flood",
  /** Sides that were found emptied (`local`, `remote`), until nothing of that is pending. */
  emptied: "emptied",
  /** The boot of the machine for which a pass last mended what a power loss may have taken. */
  boot: "boot",
  /** Set while files that base does not know may be torn: until a run has seen both sides. */
  torn: "files.torn",
  /** Set while the daemon is paused. */
  paused: "watch.paused",
  /** What `init --prefer` chose; holds until the first complete run. */
  prefer: "first.prefer",
  /** What `--max-deletes` said in a run that a guard halted; kept until a run is not halted. */
  haltedWith: "safety-stop.max-deletes",
  /** When refused writes were last tried again by themselves. */
  retriedAt: "refused.retried.at",
  /** When the state was last pruned. */
  prunedAt: "pruned.at",
} as const;
